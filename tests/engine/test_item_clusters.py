"""Clusters formed from a coreset and rounds of counts are, bit for bit, those formed from all records."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonset.algorithms import make
from anonset.algorithms.constraints.pcta import protected_clusters
from anonset.engine.item_clusters import clusters_of
from anonset.errors import InfeasibleError, ParameterError
from anonset.model.dataset import Dataset
from anonset.model.policy import Itemsets, UtilityPolicy, WholeTransactions
from anonset.model.progress import silent
from anonset.samples import zipf_baskets
from engine_data import driver_of
from strategies import item_datasets

MEMORY = 1 << 28


@pytest.fixture(autouse=True, scope="module")
def shallow():
    """Coresets of what is needed and no more, so that there are rounds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("anonset.engine.item_clusters.DEPTH", 1)
        yield


def found(how):
    """The clusters, or that there are none."""
    try:
        return how().tolist()
    except InfeasibleError:
        return "infeasible"


def wanted_of(draw, data):
    names = [n for i, n in enumerate(data.transactions.domain) if data.sensitive_items is None or not data.sensitive_items[i]]
    name = draw(st.sampled_from(["pcta", "upcta", "coat"]))
    asked = {"k": draw(st.integers(1, min(5, len(data)))), "m": draw(st.integers(1, 3))}
    asked |= {"queue": draw(st.sampled_from(["current", "static"])), "refine": draw(st.booleans())}
    asked |= {"weights": draw(st.sampled_from(["equal", "semantic"]))}
    if names and draw(st.booleans()):
        itemset = st.sets(st.sampled_from(names), min_size=1, max_size=5).map(sorted).map(tuple)
        asked["privacy"] = Itemsets(tuple(draw(st.lists(itemset, min_size=1, max_size=6, unique=True))))
    if name == "pcta":
        asked["absent"] = draw(st.sampled_from(["satisfied", "merged"]))
    else:
        place = [draw(st.integers(0, 2)) for _ in names]
        groups = tuple(tuple(n for n, g in zip(names, place, strict=True) if g == u) for u in range(3))
        weights = {n: draw(st.sampled_from([0.5, 1.0, 3.0])) for n in names} if draw(st.booleans()) else {}
        share = draw(st.sampled_from([0.0, 0.5, 1.0]))
        asked["utility"] = UtilityPolicy(tuple(g for g in groups if g), suppression=share, weights=weights)
    if name == "coat":
        asked["pick"] = draw(st.sampled_from(["commonest", "rarest", "first"]))
    return make(name, asked)


@given(
    everything=st.data(),
    data=item_datasets(sensitive=True, max_records=30, max_items=8),
    cuts=st.lists(st.integers(0, 30), max_size=4),
    jobs=st.integers(1, 3),
)
@settings(max_examples=60)
def test_clusters_are_those_of_all_records(tmp_path_factory, everything, data, cuts, jobs):
    wanted = wanted_of(everything.draw, data)
    driver, source = driver_of(data, cuts, tmp_path_factory.mktemp("work"), jobs)

    in_batches = found(lambda: clusters_of(driver, source, wanted, MEMORY, MEMORY))

    assert in_batches == found(lambda: protected_clusters(wanted, data, silent)[0].cluster_of)


@pytest.mark.parametrize("name", ["pcta", "coat"])
def test_what_the_coreset_does_not_know_is_asked_once(tmp_path, name):
    data = Dataset(transactions=zipf_baskets(3_000, d=40, mean=4.0, longest=12, seed=3))
    wanted = make(name, {"k": 12, "m": 2})
    driver, source = driver_of(data, range(0, 3_000, 700), tmp_path, jobs=2)

    clusters = clusters_of(driver, source, wanted, MEMORY, MEMORY)
    asked = list(driver.asked)
    again, _ = driver_of(data, range(0, 3_000, 700), tmp_path)

    np.testing.assert_array_equal(clusters, protected_clusters(wanted, data, silent)[0].cluster_of)
    assert len(np.unique(clusters)) > 5
    assert asked.count("counting for a merge") > 0
    np.testing.assert_array_equal(clusters_of(again, source, wanted, MEMORY, MEMORY), clusters)
    assert again.asked == []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("anonset.engine.item_clusters.DEPTH", 100)
        deep, cut = driver_of(data, [800], tmp_path)
        np.testing.assert_array_equal(clusters_of(deep, cut, wanted, MEMORY, MEMORY), clusters)
    assert "counting for a merge" not in deep.asked


def test_what_is_too_much_is_refused(tmp_path):
    data = Dataset(transactions=zipf_baskets(200, d=30, mean=3.0, longest=8, seed=1))
    driver, source = driver_of(data, [50], tmp_path)

    with pytest.raises(ParameterError, match="not whole records"):
        clusters_of(driver, source, make("pcta", {"k": 3, "privacy": WholeTransactions()}), MEMORY, MEMORY)
    with pytest.raises(ParameterError, match="up to 3"):
        clusters_of(driver, source, make("pcta", {"k": 3, "m": 4}), MEMORY, MEMORY)
    with pytest.raises(InfeasibleError, match="too many pairs"):
        clusters_of(driver, source, make("pcta", {"k": 3}), 1_000, MEMORY)
    with pytest.raises(InfeasibleError, match="rare sets are in more records"):
        clusters_of(driver, source, make("pcta", {"k": 3}), MEMORY, 1_000)
    with pytest.raises(InfeasibleError, match="exceeds"):
        clusters_of(driver, source, make("pcta", {"k": 300}), MEMORY, MEMORY)
