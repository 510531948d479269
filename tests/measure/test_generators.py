import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms import make
from anonset.errors import InputError, ParameterError
from anonset.measure.workload import WORKLOAD_KINDS, Workload, are, count_queries, draw_workload, held_queries, random_queries
from anonset.model.dataset import Column, Dataset, Transactions
from oracles import workload as oracle
from strategies import rt_datasets

BASKETS = Transactions.from_records(["abcde", "abc", "bcdef", "a", ""])


@given(rt_datasets(min_records=2, sensitive=True), st.integers(1, 4), st.integers(0, 1), st.integers(0, 5))
def test_held_queries_ask_for_items_some_record_holds_together(data, items, values, seed):
    if data.linkable.lengths.max() < items:
        with pytest.raises(InputError, match="ask for fewer"):
            held_queries(data, 4, items=items, values=values, seed=seed)
        return

    workload = held_queries(data, 4, items=items, values=values, seed=seed)

    records = list(data.linkable.records())
    assert workload == held_queries(data, 4, items=items, values=values, seed=seed)
    for query in workload.queries:
        assert len(query.items) == items
        assert any(set(query.items) <= record for record in records)
        assert oracle.actual(data, query) >= 1


def test_only_records_with_enough_items_are_drawn_from():
    drawn = {query.items for query in held_queries(Dataset(transactions=BASKETS), 50).queries}

    assert drawn == {tuple("abcde"), tuple("bcdef")}


def table(n=40):
    rng = np.random.default_rng(1)
    columns = [
        Column(name, "quasi", "categorical", rng.integers(0, 3, n).astype(np.int32), ("x", "y", "z")) for name in "pqrst"
    ]
    age = Column("age", "other", "numeric", np.arange(n, dtype=np.int32), tuple(map(str, range(n))), np.arange(float(n)))
    baskets = Transactions.from_records([rng.choice(list("abcdef"), 3, replace=False) for _ in range(n)])
    return Dataset((*columns, age), baskets)


@pytest.mark.parametrize("values", [1, 3, 5])
@pytest.mark.parametrize("kind", ["relational", "both"])
def test_random_queries_ask_for_so_many_values(values, kind):
    data = table()

    workload = random_queries(data, 20, kind=kind, values=values)

    assert {len(query.values) for query in workload.queries} == {values}
    assert all(oracle.actual(data, query) >= 1 for query in workload.queries)


@pytest.mark.parametrize("name", ["p", "age"])
def test_queries_keep_to_the_columns_that_are_named(name):
    for workload in (
        random_queries(table(), 10, kind="relational", columns=[name]),
        held_queries(table(), 10, items=2, values=1, columns=[name]),
    ):
        assert {(*query.values, *query.ranges) for query in workload.queries} == {(name,)}


def test_columns_that_cannot_be_asked_for_are_refused():
    with pytest.raises(ParameterError, match="6 values of different columns, and there are 5"):
        random_queries(table(), values=6)
    with pytest.raises(InputError, match="no column 'nothing'"):
        random_queries(table(), columns=["nothing"])
    with pytest.raises(ParameterError, match="a list of names"):
        random_queries(table(), columns="age")


@pytest.mark.parametrize("n", [-1, 0, 1.5, True, "3"])
@pytest.mark.parametrize("kind", WORKLOAD_KINDS)
def test_no_kind_draws_fewer_than_one_query(kind, n):
    data = Dataset(transactions=BASKETS)

    with pytest.raises(ParameterError, match="n of a workload must be a whole number of at least 1"):
        draw_workload(kind, data, make("identity", {"k": 1}).anonymize(data), n=n)


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        ("held", {"items": 0}),
        ("held", {"values": -1}),
        ("random", {"width": 2}),
        ("frequent", {"support": -0.1}),
        ("frequent", {"longest": 0}),
        ("presence", {"absent": 0}),
        ("generalized", {"items": -5}),
        ("held", {"nonsense": 1}),
        ("odd", {}),
    ],
)
def test_wrong_wishes_are_refused(kind, wrong):
    data = Dataset(transactions=BASKETS)

    with pytest.raises(ParameterError):
        draw_workload(kind, data, make("identity", {"k": 1}).anonymize(data), **wrong)


def test_random_queries_of_one_part_are_drawn_by_name():
    assert draw_workload("random", table(), kind="items", n=3) == random_queries(table(), 3, kind="items")


def test_kinds_of_a_release_need_one():
    with pytest.raises(ParameterError, match="drawn from a release"):
        draw_workload("generalized", Dataset(transactions=BASKETS))


def test_every_kind_draws_queries_that_can_be_counted():
    data = table()
    release = make("identity", {"k": 1}).anonymize(data)

    for kind in WORKLOAD_KINDS:
        workload = draw_workload(kind, data, release, n=5, **({"items": 2} if kind == "held" else {}))

        assert (count_queries(data, release, workload).relative_errors() == 0).all()


def test_an_error_over_no_queries_is_no_error_of_zero():
    data = Dataset(transactions=BASKETS)

    with pytest.raises(InputError, match="at least one query"):
        are(data, make("identity", {"k": 1}).anonymize(data), Workload(()))
