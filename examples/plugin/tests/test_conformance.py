"""The plug-in passes the checks of anonset.testing, whatever the data look like."""

from dataclasses import replace

import numpy as np
import pytest

from anonset.algorithms import make
from anonset.algorithms.identity import Identity
from anonset.testing import COMMON_CHECKS, FORMAT_CHECKS, GUARANTEE_CHECKS, MEASURE_CHECKS, fitting, tiny_datasets
from anonset_example.frequent_items import FrequentItems
from anonset_example.k_items import KItems

TINY = tiny_datasets()
ITEMS = frozenset({"items"})


@pytest.mark.parametrize("kind", TINY)
@pytest.mark.parametrize("check", COMMON_CHECKS, ids=lambda check: check.__name__)
def test_algorithm(check, kind):
    check(FrequentItems(k=2), fitting(TINY[kind], ITEMS))


@pytest.mark.parametrize("check", GUARANTEE_CHECKS, ids=lambda check: check.__name__)
def test_guarantee(check):
    data = fitting(TINY["ordinary"], ITEMS)
    data = data.take(np.array([0, 1, 2, 3, 4, 5, 6, 7, 0], np.int64))
    keeps = FrequentItems(k=3).anonymize(data)
    breaks = replace(Identity(k=1).anonymize(data.take(np.array([0, 1, 2], np.int64))), guarantees=())

    check(KItems(3), data, keeps, breaks)


@pytest.mark.parametrize("kind", [kind for kind in TINY if kind != "only empty sets"])
@pytest.mark.parametrize("check", MEASURE_CHECKS, ids=lambda check: check.__name__)
def test_measure(check, kind):
    check("exact-records", fitting(TINY[kind], ITEMS))


@pytest.mark.parametrize("kind", ["ordinary", "some empty sets", "missing values", "one long record"])
@pytest.mark.parametrize("check", FORMAT_CHECKS, ids=lambda check: check.__name__)
def test_format(check, kind):
    data = fitting(TINY[kind], frozenset({"items", "quasi"}))

    check("psv", data, make("r-first", {"k": 2, "items": "aa"}).anonymize(data))
