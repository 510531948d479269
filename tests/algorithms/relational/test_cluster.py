import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.relational.cluster import Cluster, cluster_records
from anonset.algorithms.relational.encoding import encode
from anonset.errors import ParameterError
from anonset.model.dataset import Column, Dataset
from anonset.verify import verify
from oracles.relational import group_cost
from strategies import relational_datasets

recodings = st.sampled_from(["nodes", "ranges", "sets"])


@given(relational_datasets(max_records=16), st.integers(1, 5), st.integers(0, 9), recodings)
def test_leftovers_join_the_cheapest_cluster(data, k, seed, recoding):
    k = min(k, len(data))
    q = encode(data, recoding)
    seeds = np.random.default_rng(seed).permutation(len(data))
    rest = len(data) % k
    groups = cluster_records(q, k, seeds, partition_above=100)
    alone = cluster_records(q, k, seeds, partition_above=100, leftovers=False)

    assert np.count_nonzero(alone < 0) == rest
    assert (groups[alone >= 0] == alone[alone >= 0]).all()
    clusters = [set(np.flatnonzero(alone == c).tolist()) for c in range(len(data) // k)]
    for r in np.flatnonzero(alone < 0).tolist():
        cheapest = min(group_cost(data, cluster | {r}, recoding) for cluster in clusters)
        assert group_cost(data, clusters[groups[r]] | {r}, recoding) <= cheapest + 1e-9
        clusters[groups[r]].add(r)


def numbers(*values):
    domain = sorted(set(values))
    codes = np.array([domain.index(x) for x in values], np.int32)
    return Dataset((Column("x", "quasi", "numeric", codes, tuple(map(str, domain)), np.array(domain, np.float64)),))


def test_far_apart_clusters_of_k_are_found_from_any_seed():
    data = numbers(1, 90, 2, 91, 92, 3)

    for seed in range(5):
        assert shown(Cluster(k=3, seed=seed).anonymize(data)) == ["[1:3]", "[90:92]", "[1:3]", "[90:92]", "[90:92]", "[1:3]"]


def test_a_leftover_record_widens_its_cluster():
    release = Cluster(k=2, seed=1).anonymize(numbers(1, 1, 5, 90, 90))

    assert verify(numbers(1, 1, 5, 90, 90), release).holds
    assert len(release) == 5


def test_clusters_that_publish_the_same_are_one_group():
    release = Cluster(k=2, seed=1).anonymize(numbers(7, 7, 7, 7, 8, 8))

    assert shown(release) == ["7", "7", "7", "7", "8", "8"]
    assert release.columns[0].codes.tolist() == [0, 0, 0, 0, 1, 1]


def shown(release):
    column = release.columns[0]
    return [column.labels.texts[c] for c in column.codes]


@given(relational_datasets(min_records=6, max_records=16), st.integers(1, 3))
def test_cut_into_parts_the_guarantee_still_holds(data, k):
    release = Cluster(k=k, seed=3, partition_above=4).anonymize(data)

    assert verify(data, release).holds


def test_weights_say_which_column_matters():
    x = np.array([0, 0, 1, 1], np.int32)
    y = np.array([0, 1, 0, 1], np.int32)
    data = Dataset(tuple(Column(n, "quasi", "categorical", c, ("a", "b")) for n, c in (("x", x), ("y", y))))

    first = Cluster(k=2, seed=0, weights="x=5").anonymize(data)
    second = Cluster(k=2, seed=0, weights="x=1, y=5").anonymize(data)

    assert [set(column.labels.texts) for column in first.columns] == [{"a", "b"}, {"*"}]
    assert [set(column.labels.texts) for column in second.columns] == [{"*"}, {"a", "b"}]


@pytest.mark.parametrize("weights", ["z=1", "x", "x=much", "x=-1", "x=0,y=0", "=2"])
def test_weights_that_make_no_sense_are_refused(weights):
    data = Dataset(tuple(Column(n, "quasi", "categorical", np.zeros(2, np.int32), ("a", "b")) for n in "xy"))

    with pytest.raises(ParameterError, match="weights"):
        Cluster(k=1, weights=weights).anonymize(data)
