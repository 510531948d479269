import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms import make
from anonset.algorithms.base import provenance
from anonset.algorithms.identity import Identity
from anonset.algorithms.recoding import exact_columns, items_at_nodes, items_in_groups
from anonset.errors import InputError, ParameterError
from anonset.measure.workload import (
    Query,
    Workload,
    are,
    count_queries,
    frequent_queries,
    generalized_queries,
    presence_queries,
    random_queries,
)
from anonset.model.dataset import Dataset, Transactions
from anonset.model.guarantees import KmAnonymity
from anonset.model.release import Release
from oracles import workload as oracle
from strategies import hierarchies, relational_datasets, rt_datasets, transactions


@st.composite
def queries(draw, data):
    ranges, values = {}, {}
    for column in data.columns:
        if draw(st.booleans()):
            if column.kind == "numeric":
                ranges[column.name] = tuple(sorted(draw(st.tuples(st.integers(0, 60), st.integers(0, 60)))))
            elif column.domain:
                values[column.name] = tuple(sorted(draw(st.sets(st.sampled_from(column.domain), min_size=1))))
    items = tuple(sorted(draw(st.sets(st.sampled_from(data.transactions.domain), max_size=3))))
    return Query(ranges, values, items)


@st.composite
def cases(draw):
    """A dataset, a release whose items are nodes of one random cut, and a query."""
    data = draw(rt_datasets())
    tree = data.item_hierarchy
    up = {leaf: draw(st.integers(0, 2)) for leaf in range(tree.n_leaves)}
    cut = np.arange(tree.n_leaves, dtype=np.int32)
    for leaf in range(tree.n_leaves):
        node = tree.ancestors(leaf)[min(up[leaf], len(tree.ancestors(leaf)) - 1)]
        inside = slice(tree.low[node], tree.high[node])
        if all(node in tree.ancestors(int(v)) for v in cut[inside]):
            cut[inside] = node
    items = items_at_nodes(data, cut[data.transactions.items])
    release = Release(exact_columns(data), items, (KmAnonymity(1, 1),), provenance(Identity(k=1)), np.arange(len(data)))
    return data, release, draw(queries(data))


@given(cases())
def test_counts_agree_with_the_oracle(case):
    original, release, query = case

    counts = count_queries(original, release, Workload((query,)))

    assert counts.actual[0] == oracle.actual(original, query)
    assert counts.estimate[0] == pytest.approx(oracle.estimate(original, release, query))


def test_six_records_of_seven_possible_items_give_the_estimate_of_001():
    data = Dataset(transactions=Transactions.from_records(["abcdef", "abeg", "ae", "bfg", "ab", "cf"]))
    items = items_in_groups(data, np.zeros(7, np.int32), ["(a,b,c,d,e,f,g)"])
    release = Release((), items, (KmAnonymity(6, 2),), provenance(Identity(k=1)), np.arange(6))

    counts = count_queries(data, release, Workload((Query(items=("a",)),)))

    assert counts.actual[0] == 4
    assert counts.estimate[0] == pytest.approx(6 * 64 / 127)


@given(st.data())
def test_a_workload_survives_json(data):
    original = data.draw(rt_datasets())
    workload = Workload(tuple(data.draw(st.lists(queries(original), max_size=4))))

    assert Workload.from_json(workload.to_json()) == workload


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"queries": [{"range": {}}]}', '{"queries": [{"ranges": {"a": [1]}}]}', '{"queries": 3}']
)
def test_what_is_not_a_workload_is_refused(text):
    with pytest.raises(InputError, match="expected"):
        Workload.from_json(text, file="w.json")


@given(rt_datasets(min_records=3))
def test_random_queries_count_somebody_and_repeat_with_their_seed(data):
    kinds = ["relational", "both", "items"] if len(data.transactions.items) else ["relational"]
    for kind in kinds:
        workload = random_queries(data, 5, kind=kind, seed=3)

        assert workload == random_queries(data, 5, kind=kind, seed=3)
        assert (count_queries(data, make("identity", {"k": 1}).anonymize(data), workload).actual >= 1).all()


@given(relational_datasets())
def test_published_as_is_every_count_is_exact(data):
    workload = random_queries(data, 10, kind="relational")

    assert are(data, make("identity", {"k": 1}).anonymize(data), workload) == 0.0


@given(transactions(min_records=2), st.data())
def test_generated_item_queries_ask_for_items_of_the_data(t, data):
    original = Dataset(transactions=t).with_item_hierarchy(data.draw(hierarchies(t.domain)))
    release = make("identity", {"k": 1}).anonymize(original)
    if len(t.items) == 0:
        with pytest.raises(InputError, match="publishes items"):
            generalized_queries(original, release)
        return

    drawn = generalized_queries(original, release, 20, items=3)
    frequent = frequent_queries(original, 20, support=0.01)

    assert all(1 <= len(q.items) <= 3 for q in drawn.queries)
    assert (count_queries(original, release, frequent).actual >= 1).all()


def test_unfitting_queries_are_refused():
    data = Dataset(transactions=Transactions.from_records(["ab"]))
    release = make("identity", {"k": 1}).anonymize(data)

    with pytest.raises(InputError, match="query 1 asks for the item 'z'"):
        are(data, release, Workload((Query(items=("z",)),)))
    with pytest.raises(InputError, match="no column 'age'"):
        are(data, release, Workload((Query(ranges={"age": (1, 2)}),)))
    with pytest.raises(InputError, match="low <= high"):
        Query(ranges={"age": (2, 1)})


@given(transactions(min_records=2), st.data())
def test_absent_items_of_exact_records_are_counted_exactly(t, data):
    absent = tuple(data.draw(st.lists(st.sampled_from(t.domain), min_size=1, max_size=3, unique=True)))
    original = Dataset(transactions=t)

    counts = count_queries(original, make("identity", {"k": 1}).anonymize(original), Workload((Query(absent=absent),)))

    without = sum(not set(absent) & set(record) for record in t.records())
    assert counts.actual.tolist() == counts.estimate.tolist() == [without]


def test_an_item_behind_a_label_is_absent_from_the_sets_without_it():
    data = Dataset(transactions=Transactions.from_records(["a", "ab", "c"]))
    items = items_in_groups(data, np.array([0, 0, 1], np.int32), ["(a,b)", "c"])
    release = Release((), items, (), provenance(Identity(k=1)), np.arange(3))

    counts = count_queries(data, release, Workload((Query(absent=("a",)), Query(absent=("a", "b")))))

    assert counts.actual.tolist() == [1, 1]
    assert counts.estimate.tolist() == pytest.approx([1 + 2 / 3, 1])  # of {a}, {b}, {a, b} one is without a


def test_a_workload_of_present_and_absent_items_is_saved_and_read_back():
    workload = presence_queries(Dataset(transactions=Transactions.from_records(["ab", "bc"])), 3, absent=2)

    assert [bool(query.absent) for query in workload.queries] == [False] * 3 + [True] * 3
    assert Workload.from_json(workload.to_json()) == workload
    with pytest.raises(InputError, match="not for both"):
        Query(items=("a",), absent=("b",))


def test_the_worst_queries_and_the_error_by_size_are_told():
    data = Dataset(transactions=Transactions.from_records(["a"] * 6 + ["b"]))
    items = items_in_groups(data, np.array([0, 0], np.int32), ["(a,b)"])
    release = Release((), items, (), provenance(Identity(k=1)), np.arange(7))

    counts = count_queries(data, release, Workload((Query(items=("a",)), Query(items=("b",)))))

    expected = 7 * 2 / 3
    (worst,) = counts.worst(1)
    assert worst == (Query(items=("b",)), 1.0, pytest.approx(expected), pytest.approx(expected - 1))
    assert counts.errors_by_size() == {
        "1 to 4": (1, pytest.approx(expected - 1)),
        "5 to 19": (1, pytest.approx((6 - expected) / 6)),
    }


def test_random_queries_ask_for_parts_there_are():
    with pytest.raises(ParameterError, match="relational, items, both"):
        random_queries(Dataset(transactions=Transactions.from_records(["ab"])), 1, kind="odd")
