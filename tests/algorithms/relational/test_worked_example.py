"""The example on the algorithms' pages."""

import numpy as np
import pytest

from anonset.algorithms import make
from anonset.measure.information_loss import ncp
from anonset.model.dataset import Column, Dataset
from anonset.model.hierarchy import Hierarchy

TREE = Hierarchy(("Bonn", "Berlin", "Paris", "Lyon", "Germany", "France", "Europe"), np.array([4, 4, 5, 5, 6, 6, -1], np.int32))


def six_records():
    ages = np.array([21.0, 22, 25, 40, 41, 60])
    towns = np.array([TREE.leaves.index(name) for name in ("Bonn", "Bonn", "Berlin", "Paris", "Lyon", "Paris")], np.int32)
    age = Column("age", "quasi", "numeric", np.arange(6, dtype=np.int32), tuple(f"{a:g}" for a in ages), ages)
    return Dataset((age, Column("town", "quasi", "categorical", towns, TREE.leaves, None, TREE)))


TWO_LANDS = ["[21:25] Germany"] * 3 + ["[40:60] France"] * 3
PAIRS = ["[21:22] Europe"] * 2 + ["[25:40] Europe"] * 2 + ["[41:60] Europe"] * 2


@pytest.mark.parametrize(
    ("name", "values", "shown", "loss"),
    [
        ("cluster", {"k": 3, "seed": 1}, TWO_LANDS, 0.4038),
        ("cluster", {"k": 3, "seed": 2}, TWO_LANDS, 0.4038),
        ("mondrian", {"k": 2}, TWO_LANDS, 0.4038),
        ("incognito", {"k": 2}, PAIRS, 0.6496),
        ("incognito", {"k": 2, "suppression": 0.2}, ["[21:25] Germany"] * 3 + ["[41:60] France"] * 2, 0.4818),
        ("top-down", {"k": 2}, PAIRS, 0.6496),
        ("bottom-up", {"k": 2}, PAIRS, 0.6496),
        ("peel", {"k": 2}, ["[21:22] Bonn"] * 2 + ["[25:40] Europe"] * 2 + ["[41:60] France"] * 2, 0.3996),
    ],
)
def test_the_example_is_published_as_its_page_says(name, values, shown, loss):
    data = six_records()

    release = make(name, values).anonymize(data)

    age, town = release.columns
    assert [f"{age.labels.texts[a]} {town.labels.texts[b]}" for a, b in zip(age.codes, town.codes, strict=True)] == shown
    assert ncp(data, release) == pytest.approx(loss, abs=5e-5)
