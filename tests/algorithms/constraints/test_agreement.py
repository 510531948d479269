"""The fast algorithms make the same clusters as the paper's algorithms written down literally."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from anonset.algorithms.constraints.pcta import Coat, Pcta, Upcta
from anonset.errors import InfeasibleError, InputError
from anonset.model.dataset import Dataset, Transactions
from anonset.model.hierarchy import plant_paths
from anonset.model.policy import AllItemsets, Itemsets, UtilityPolicy, WholeTransactions
from anonset.verify import verify
from oracles import constraints as oracle
from strategies import item_datasets, names, transactions

queues = st.sampled_from(["current", "static"])
picks = st.sampled_from(["commonest", "rarest", "first"])


def result(release):
    """The generalized items and the suppressed ones, by name."""
    domain = release.items.domain
    groups = [tuple(sorted(domain[i] for i in group)) for group in release.items.labels.groups()]
    return {group for group in groups if len(group) > 1}, {domain[i] for i in release.items.suppressed}


@st.composite
def itemsets(draw, d):
    sets = draw(st.lists(st.sets(st.sampled_from(names[:d]), min_size=1, max_size=4), min_size=1, max_size=6))
    return Itemsets(tuple(tuple(sorted(itemset)) for itemset in sets))


@st.composite
def policies(draw, d):
    """A privacy policy and how the oracle lists it."""
    kind = draw(st.sampled_from(["all", "listed", "whole"]))
    if kind == "all":
        m = draw(st.integers(1, 4))
        return AllItemsets(m), lambda records, k: oracle.all_itemsets(frozenset().union(*records), m)
    if kind == "whole":
        return WholeTransactions(), oracle.maximal_rare_transactions
    listed = draw(itemsets(d))
    return listed, lambda records, k: listed.itemsets


@st.composite
def partitions(draw, d):
    """Groups of the first d letters, with a suppression limit and sometimes weights."""
    group = draw(st.lists(st.integers(0, 3), min_size=d, max_size=d))
    groups = tuple(tuple(i for i, g in zip(names, group, strict=False) if g == number) for number in range(4))
    weights = draw(st.dictionaries(st.sampled_from(names[:d]), st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.5]), max_size=3))
    return UtilityPolicy(tuple(g for g in groups if g), draw(st.sampled_from([0.0, 0.2, 0.5, 1.0])), weights)


@given(transactions(max_records=10), st.integers(1, 5), queues, st.data())
def test_pcta_makes_the_clusters_of_algorithm_1(t, k, queue, data):
    privacy, listed = data.draw(policies(len(t.domain)))
    records = list(t.records())
    assume(k <= len(t))
    algorithm = Pcta(k=k, privacy=privacy, queue=queue)
    try:
        wanted = oracle.anonymize(records, listed(records, k), k, static=queue == "static")
    except oracle.Infeasible:
        with pytest.raises(InfeasibleError):
            algorithm.anonymize(Dataset(transactions=t))
        return

    release = algorithm.anonymize(Dataset(transactions=t))

    assert result(release) == wanted
    verify(Dataset(transactions=t), release).require()


@given(transactions(max_records=8), st.integers(1, 5), queues, st.data())
def test_pcta_with_absent_itemsets_merged_is_algorithm_1_as_printed(t, k, queue, data):
    privacy, listed = data.draw(policies(len(t.domain)))
    records = list(t.records())
    assume(k <= len(t))
    algorithm = Pcta(k=k, privacy=privacy, queue=queue, absent="merged")
    try:
        wanted = oracle.anonymize(records, listed(records, k), k, static=queue == "static", absent=True)
    except oracle.Infeasible:
        with pytest.raises(InfeasibleError):
            algorithm.anonymize(Dataset(transactions=t))
        return

    release = algorithm.anonymize(Dataset(transactions=t))

    assert result(release) == wanted
    verify(Dataset(transactions=t), release).require()
    generalized, _ = wanted
    cluster_of = {i: frozenset(group) for group in generalized for i in group}
    shown = [{cluster_of.get(i, frozenset([i])) for i in record} for record in records]
    for p in listed(records, k):
        if all(any(i in record for record in records) for i in p):
            assert sum({cluster_of.get(i, frozenset([i])) for i in p} <= record for record in shown) >= k


@pytest.mark.parametrize("kind", [Upcta, Coat])
@given(transactions(max_records=10), st.integers(1, 5), queues, picks, st.data())
def test_upcta_and_coat_make_the_clusters_of_their_algorithms(kind, t, k, queue, pick, data):
    privacy, listed = data.draw(policies(len(t.domain)))
    utility = data.draw(partitions(len(t.domain)))
    records = list(t.records())
    assume(k <= len(t))
    picked = {"pick": pick} if kind is Coat else {}
    algorithm = kind(k=k, privacy=privacy, utility=utility, queue=queue, **picked)
    options = {"s": utility.suppression, "weights": utility.weights, "static": queue == "static", **picked}
    try:
        wanted = oracle.anonymize(records, listed(records, k), k, groups=utility.groups, **options)
    except oracle.Infeasible:
        with pytest.raises(InfeasibleError):
            algorithm.anonymize(Dataset(transactions=t))
        return

    release = algorithm.anonymize(Dataset(transactions=t))

    assert result(release) == wanted
    verify(Dataset(transactions=t), release).require()


@pytest.mark.parametrize("kind", [Pcta, Upcta, Coat])
@given(item_datasets(max_records=10), st.integers(1, 4), st.data())
def test_semantic_weights_make_the_clusters_of_the_algorithms_with_that_weight(kind, plain, k, data):
    t = plain.transactions
    utility = None if kind is Pcta else data.draw(st.none() | partitions(len(t.domain)))
    privacy, listed = data.draw(policies(len(t.domain)))
    records = list(t.records())
    assume(k <= len(t))
    asked = {} if kind is Pcta else {"utility": utility}
    algorithm = kind(k=k, privacy=privacy, weights="semantic", **asked)
    options = {"pick": "rarest" if kind is Coat else None, "spread": oracle.semantic_weight(plain.item_hierarchy)}
    if utility is not None:
        options |= {"groups": utility.groups, "s": utility.suppression, "weights": utility.weights}
    try:
        wanted = oracle.anonymize(records, listed(records, k), k, **options)
    except oracle.Infeasible:
        with pytest.raises(InfeasibleError):
            algorithm.anonymize(plain)
        return

    release = algorithm.anonymize(plain)

    assert result(release) == wanted
    verify(plain, release).require()


@given(item_datasets(max_records=10), st.integers(2, 4))
def test_items_taken_out_again_weigh_what_they_weighed_before(plain, k):
    assume(k <= len(plain))
    try:
        release = Pcta(k=k, weights="semantic", refine=True).anonymize(plain)
    except InfeasibleError:
        return

    verify(plain, release).require()


def test_semantic_weights_merge_siblings_before_strangers():
    """a and b are rarer than x and y; as equals a goes with x, whose chapter is another one."""
    t = Transactions.from_records([*["a"] * 2, *["x"] * 2, *["b"] * 3, *["y"] * 3])
    tree = plant_paths([("a", "A"), ("b", "A"), ("x", "X"), ("y", "X")])
    data = Dataset(transactions=t).with_item_hierarchy(tree)

    assert result(Pcta(k=3, m=1).anonymize(data)) == ({("a", "x")}, set())
    assert result(Pcta(k=3, m=1, weights="semantic").anonymize(data)) == ({("a", "b"), ("x", "y")}, set())


def test_semantic_weights_need_a_hierarchy():
    with pytest.raises(InputError, match="semantic weights need a hierarchy"):
        Pcta(k=2, weights="semantic").anonymize(Dataset(transactions=Transactions.from_records(["ab", "ab"])))
