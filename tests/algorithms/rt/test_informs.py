"""The trends of [000], figures 4, 6 and 7, on a sample of the paper's data; the whole is in bench/table_rt.py."""

import numpy as np
import pytest

from algorithms.rt.informs import informs
from anonset.algorithms.rt.merge import RmergeR, RmergeRT, RmergeT, TmergeR, TmergeRT, TmergeT
from anonset.measure.information_loss import ncp, ncp_items, ul_record
from anonset.model.dataset import Dataset
from anonset.verify import verify

pytestmark = pytest.mark.data
DELTAS = (0.35, 0.65, 0.8)


def final(release):
    return [row for row in release.trace if row["action"] == "generalized"]


def test_merging_by_quasi_values_favours_items_and_makes_the_largest_clusters(real_data):
    data = informs(real_data, 8000)
    found = {
        cls: [cls(k=25, delta=d, seed=1, items="aa").anonymize(data) for d in DELTAS] for cls in (RmergeR, RmergeRT, RmergeT)
    }
    ul = {cls: [ul_record(data, release) for release in releases] for cls, releases in found.items()}
    largest = {cls: [max(row["records"] for row in final(release)) for release in found[cls]] for cls in found}

    for p, delta in enumerate(DELTAS):
        assert ul[RmergeR][p] < ul[RmergeRT][p] < ul[RmergeT][p]  # figures 4 and 6c
        assert largest[RmergeR][p] > largest[RmergeRT][p] >= largest[RmergeT][p]  # figure 6a
        assert all(ncp(data, found[cls][p]) <= delta for cls in found)
    for cls in found:
        assert ul[cls] == sorted(ul[cls], reverse=True)  # a larger bound favours items
    assert verify(data, found[RmergeT][1]).holds


@pytest.mark.parametrize("cls", [TmergeR, TmergeT, TmergeRT])
def test_items_lose_less_with_every_merge_and_quasi_values_more(cls, real_data):
    data = informs(real_data, 4000)

    release = cls(k=25, seed=1).anonymize(data)

    points = sorted((row["clusters"], row["ncp"], row["ul"]) for row in release.trace if row["action"] == "traded")
    assert len(points) > 10
    assert [p[1] for p in points] == sorted((p[1] for p in points), reverse=True)
    assert [p[2] for p in points] == sorted(p[2] for p in points)  # figures 7g and 7h
    assert verify(data, release).holds


@pytest.mark.parametrize(("cls", "delta"), [(RmergeT, 0.65), (RmergeRT, 0.85)])
def test_distance_and_true_loss_order_clusters_alike(cls, delta, real_data):
    data = informs(real_data, 4000)

    by_distance, by_loss = (cls(k=25, delta=delta, seed=1, proximity=near).anonymize(data) for near in ("btd", "ul"))

    assert ul_record(data, by_distance) == pytest.approx(ul_record(data, by_loss), abs=0.1)  # figure 7e


def test_sensitive_diagnoses_are_hidden(real_data):
    data = informs(real_data, 4000)
    flags = np.zeros(len(data.transactions.domain), np.bool_)
    flags[np.random.default_rng(5).permutation(len(flags))[: len(flags) // 20]] = True
    data = Dataset(data.columns, data.transactions, data.item_hierarchy, flags)

    release = RmergeR(k=25, l=3, delta=0.65, seed=1).anonymize(data)

    assert release.guarantees[0].id == "k-lm"
    assert verify(data, release).holds


def test_refinement_moves_records_to_cheaper_clusters_and_frees_items(real_data):
    data = informs(real_data, 2000)
    plain, refined = (RmergeT(k=25, delta=0.7, seed=1, refine=flag).anonymize(data) for flag in (False, True))

    assert any(row["action"] == "moved" for row in refined.trace)
    assert ncp(data, refined) < 0.95 * ncp(data, plain)
    assert ul_record(data, refined) < ul_record(data, plain)
    assert ncp_items(data, refined) < ncp_items(data, plain)
    assert verify(data, refined).holds
