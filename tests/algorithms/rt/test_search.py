from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonset.algorithms import make
from anonset.algorithms.explanation import explain
from anonset.algorithms.rt.objective import QueryError, draw_queries, value_shares
from anonset.algorithms.rt.search import RtSearch
from anonset.errors import Cancelled, InfeasibleError, ParameterError
from anonset.measure.information_loss import exact_items, ncp
from anonset.measure.workload import Query, Workload, are
from anonset.model.builders import Material, build
from anonset.model.dataset import Column, Dataset, Transactions
from anonset.model.hierarchy import plant_paths
from anonset.releases.gates import refusal
from anonset.testing import tiny_datasets
from oracles import rt as oracle
from strategies import rt_datasets

QUICK = {"steps": "8+8", "asks": 60, "seed": 1}


def attempt(algorithm, data):
    try:
        return algorithm.anonymize(data)
    except InfeasibleError as error:
        assert str(error)
        return None


@settings(max_examples=40)
@given(
    data=rt_datasets(min_records=2, sensitive=True),
    k=st.integers(1, 3),
    m=st.integers(1, 3),
    l=st.integers(1, 2),
    items=st.sampled_from(["auto", "align", "lift", "pcta", "aa"]),
    labels=st.sampled_from(["tree", "any"]),
    aim=st.sampled_from(["queries", "detail"]),
)
def test_releases_are_protected_and_true(data, k, m, l, items, labels, aim):  # noqa: E741
    l = l if data.sensitive_items.any() else 1  # noqa: E741
    release = attempt(RtSearch(k=k, m=m, l=l, items=items, labels=labels, aim=aim, **QUICK), data)

    if release is not None:
        assert oracle.is_protected(data, release, k, m, l)
        assert oracle.is_truthful(data, release)


@settings(max_examples=60)
@given(
    data=rt_datasets(min_records=2, sensitive=True),
    k=st.integers(1, 4),
    items=st.sampled_from(["auto", "align", "lift", "aa"]),
    aim=st.sampled_from(["queries", "detail"]),
)
def test_no_label_reaches_across_the_nodes_below_the_root(data, k, items, aim):
    release = attempt(RtSearch(k=k, items=items, aim=aim, **QUICK), data)
    if release is None:
        return
    tree = data.item_hierarchy
    top = tree.root
    if tree.n_leaves == 1:
        return
    while len(tree.children(top)) == 1:
        top = tree.children(top)[0]
    below = [set(range(tree.low[v], tree.high[v])) for v in tree.children(top)]
    if len(below) == tree.n_leaves:  # nothing between the root and the items: any label will do
        return
    everything = set(np.flatnonzero(~data.sensitive_items).tolist())
    for group in map(set, release.items.labels.groups()):
        assert group == everything or any(group <= branch for branch in below)


def test_labels_are_readable_by_default_and_any_if_asked():
    items = ["flu", "cold", "gout", "rash"]
    tree = [("flu", "airways", "*"), ("cold", "airways", "*"), ("gout", "joints", "*"), ("rash", "skin", "*")]
    numbers = np.arange(30.0, 36.0)
    ages = Column("age", "quasi", "numeric", np.arange(6, dtype=np.int32), tuple(map(str, numbers)), numbers)
    sets = [["flu", "gout"], ["cold", "gout"], ["flu", "rash"], ["cold"], ["flu"], ["cold"]]
    data = Dataset((ages,), Transactions.from_records(sets, items))
    with_tree = data.with_item_hierarchy(plant_paths(tree))

    by_tree = RtSearch(k=6, **QUICK).anonymize(with_tree).items.labels.texts
    anyhow = RtSearch(k=6, labels="any", **QUICK).anonymize(with_tree).items.labels.texts

    assert set(by_tree) <= {"airways", "joints", "skin", "*", *items}
    assert set(anyhow) - {"airways", "joints", "skin", "*", *items}


def test_a_tree_that_was_built_says_nothing_about_what_belongs_together():
    data = next(data for name, data in tiny_datasets().items() if data.quasi and data.transactions is not None)
    built = data.with_item_hierarchy(build("balanced:2", Material.of_items(data.linkable)))

    releases = [RtSearch(k=2, labels=labels, **QUICK).anonymize(built) for labels in ("tree", "any")]

    assert releases[0].items.labels.texts == releases[1].items.labels.texts
    assert (releases[0].items.shown == releases[1].items.shown).all()


@settings(max_examples=40)
@given(data=rt_datasets(min_records=2), k=st.integers(1, 4), m=st.integers(1, 3))
def test_aligned_records_are_one_record_k_times_in_all_that_can_be_linked(data, k, m):
    release = attempt(RtSearch(k=k, m=m, items="align", **QUICK), data)  # by the tree; the other labels are in the golden net

    if release is not None:
        items = release.items
        shown = [frozenset(items.shown[a:b].tolist()) for a, b in pairwise(items.offsets)]
        rows = list(zip(*(column.codes.tolist() for column in release.quasi), shown, strict=True))
        assert all(n >= k for row, n in Counter(rows).items() if row[-1])


@settings(max_examples=25)
@given(data=rt_datasets(min_records=4), delta=st.floats(0, 1), aim=st.sampled_from(["queries", "detail"]))
def test_the_bound_is_kept_or_the_lowest_reachable_one_is_named(data, delta, aim):
    try:
        release = RtSearch(k=2, delta=delta, aim=aim, **QUICK).anonymize(data)
    except InfeasibleError as error:
        assert "the lowest NCP found is" in str(error) or "together cannot be protected" in str(error)
        return
    assert oracle.has_odd_column(data) or ncp(data, release) <= delta + 1e-6


def test_a_balance_asks_for_exact_columns_or_exact_items():
    rng = np.random.default_rng(0)
    numbers = np.arange(40.0)
    ages = Column("age", "quasi", "numeric", np.arange(40, dtype=np.int32), tuple(map(str, numbers)), numbers)
    sets = [[f"i{i}" for i in np.flatnonzero(own)] for own in rng.random((40, 6)) < 0.5]
    data = Dataset((ages,), Transactions.from_records(sets, [f"i{i}" for i in range(6)]))

    releases = [RtSearch(k=3, balance=balance, **QUICK).anonymize(data) for balance in (0.0, 0.5, 1.0)]

    losses = [ncp(data, release) for release in releases]
    exact = [exact_items(data, release) for release in releases]
    assert losses == sorted(losses)
    assert exact == sorted(exact)
    assert losses[0] < 0.2
    assert exact[2] > exact[0]
    even = RtSearch(k=3, aim="detail", **QUICK).anonymize(data)
    assert (even.items.shown == releases[1].items.shown).all()


@settings(max_examples=20)
@given(data=rt_datasets(min_records=4), items=st.sampled_from(["auto", "align", "lift", "pcta"]))
def test_no_start_loses_less_detail_than_the_release(data, items):
    release = attempt(RtSearch(k=2, aim="detail", items=items, **QUICK), data)
    if release is None or oracle.has_odd_column(data):
        return
    tried = [row for row in release.trace if row["action"] == "tried"]
    allowed = [row["value"] for row in tried if row["blank"] <= 0.5]

    assert any(row["taken"] for row in tried)
    assert not allowed or detail_lost(data, release) <= min(allowed) + 1e-9


def detail_lost(data, release):
    """Half of NCP and half of the items' loss: 1 - 1/n for each one of n."""
    members = [set(group.tolist()) for group in release.items.labels.groups()]
    t, losses = data.transactions, []
    for r, row in enumerate(release.rows):
        labels = [members[a] for a in release.items.shown[release.items.offsets[r] : release.items.offsets[r + 1]]]
        for i in t.items[t.offsets[row] : t.offsets[row + 1]]:
            code = release.items.domain.index(t.domain[i])
            losses.append(1 - 1 / min(len(label) for label in labels if code in label))
    return 0.5 * ncp(data, release) + 0.5 * sum(losses) / max(1, len(losses))


def test_steps_repeat_a_run():
    data = tiny_datasets()["ordinary"]
    first = RtSearch(k=2, seconds=0.2, asks=60, seed=1).anonymize(data)
    second = make("rt-search", first.provenance.parameters).anonymize(data)

    np.testing.assert_array_equal(first.items.shown, second.items.shown)
    assert first.provenance == second.provenance


@pytest.mark.parametrize("steps", ["3", "a+b", "1+", "-1+2"])
def test_malformed_steps_are_an_error(steps):
    with pytest.raises(ParameterError, match="steps must be two numbers"):
        RtSearch(k=2, steps=steps)


def test_a_listener_may_cancel():
    def stop(done):
        raise Cancelled("enough")

    with pytest.raises(Cancelled):
        RtSearch(k=2).anonymize(tiny_datasets()["ordinary"], progress=stop)


def test_time_over_still_gives_a_release():
    data = tiny_datasets()["ordinary"]

    release = RtSearch(k=2, seconds=0.0, seed=1).anonymize(data)

    assert release.provenance.parameters["steps"].endswith("+0")
    assert oracle.is_protected(data, release, 2, 2)


@pytest.mark.parametrize("seconds", [0.0, 1000.0])
def test_starts_are_tried_until_one_can_be_published_whatever_the_clock_says(seconds):
    columns = tuple(
        Column(name, "quasi", "categorical", np.array([row >> bit & 1 for row in range(40)], np.int32), ("x", "y"))
        for bit, name in enumerate(("one", "two", "three"))
    )
    data = Dataset(columns, Transactions.from_records([["a"], ["a", "b"]] * 20, ["a", "b"]))

    release = RtSearch(k=2, m=1, items="lift", seconds=seconds, seed=1).anonymize(data)
    again = RtSearch(k=2, m=1, items="lift", steps=release.provenance.parameters["steps"], seed=1).anonymize(data)

    first, *_, last = [row for row in release.trace if row["action"] == "tried"]
    assert first["blank"] == 1.0  # clusters of eight times k: two columns of three say nothing
    assert last["blank"] == 0.0
    assert refusal(data, release) == ""
    assert again.trace == release.trace


def test_every_row_can_be_explained():
    data = tiny_datasets()["ordinary"]
    release = RtSearch(k=2, **QUICK).anonymize(data)

    for row in range(len(data)):
        lines = explain({}, release.trace, row)
        assert lines[0].startswith(f"Row {row} starts in cluster")
        assert "is published with" in lines[-1]


@settings(max_examples=25)
@given(data=rt_datasets(min_records=3), seed=st.integers(0, 5), most=st.integers(1, 3))
def test_drawn_queries_count_what_they_say(data, seed, most):
    asked = draw_queries(data, 30, seed, most)

    values = [c.codes if c.values is None else np.append(c.values, np.nan)[c.codes] for c in data.quasi]
    for q in range(asked.n):
        wanted = set(asked.items[asked.offsets[q] : asked.offsets[q + 1]].tolist())
        conditions = [p for p in range(len(asked.values.query)) if asked.values.query[p] == q]
        assert len(conditions) <= most
        count = 0
        for r in range(len(data)):
            t = data.linkable
            held = set(t.items[t.offsets[r] : t.offsets[r + 1]].tolist())
            fits = all(asked.values.low[p] <= values[asked.values.column[p]][r] <= asked.values.high[p] for p in conditions)
            count += wanted <= held and fits
        assert count == asked.actual[q] >= 1


@settings(max_examples=25)
@given(data=rt_datasets(min_records=4), seed=st.integers(0, 5))
def test_the_objective_is_the_measured_error(data, seed):
    algorithm = RtSearch(k=2, steps="1+0", asks=40, seed=seed)
    release = attempt(algorithm, data)
    asked = draw_queries(data, 40, seed)
    if release is None or asked.n == 0 or any(len(set(c.codes.tolist())) < 2 or (c.codes < 0).any() for c in data.quasi):
        return
    tried = next(row["value"] for row in release.trace if row["action"] == "tried" and row["taken"])

    assert tried == pytest.approx(are(data, release, workload(data, asked), estimator="uniform"), abs=1e-9)


def workload(data, asked):
    """The drawn queries as the measures have them."""
    queries = []
    for q in range(asked.n):
        ranges, chosen = {}, {}
        for p in np.flatnonzero(asked.values.query == q):
            column = data.quasi[asked.values.column[p]]
            if column.values is None:
                chosen[column.name] = (column.domain[int(asked.values.low[p])],)
            else:
                ranges[column.name] = (float(asked.values.low[p]), float(asked.values.high[p]))
        items = asked.items[asked.offsets[q] : asked.offsets[q + 1]]
        queries.append(Query(ranges, chosen, tuple(data.transactions.domain[i] for i in items)))
    return Workload(tuple(queries))


def test_shares_of_clusters_are_products_over_columns():
    data = tiny_datasets()["ordinary"]
    asked = draw_queries(data, 50, 1)
    everyone = np.arange(len(data))

    found = value_shares(data, asked, [everyone], "nodes")

    assert found.shape == (1, asked.n)
    assert ((found > 0) & (found <= 1)).all()
    assert QueryError(data, asked, "nodes").value(asked.actual) == 0.0
