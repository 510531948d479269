import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.relational.encoding import encode
from anonset.algorithms.rt.cluster_merge import Btd, ClusterParts, MergeState, QuasiMeasure, UnionLoss, merges
from oracles import rt as oracle
from strategies import rt_datasets


@st.composite
def cases(draw):
    """A dataset, a partition of its records, and a bound."""
    data = draw(rt_datasets(min_records=2))
    group = draw(st.lists(st.integers(0, 5), min_size=len(data), max_size=len(data)))
    names = {g: c for c, g in enumerate(dict.fromkeys(group))}
    clusters = [np.array([r for r, g in enumerate(group) if names[g] == c], np.int64) for c in range(len(names))]
    return data, clusters, draw(st.sampled_from([0.2, 0.5, 0.8, 1.0]))


def run(data, clusters, by, delta, proximity, rum="ncp"):
    state = MergeState.of(encode(data), clusters, np.arange(len(clusters)), proximity)
    steps = list(merges([state], by, QuasiMeasure(rum, len(data), 2), delta + 1e-9))
    return {int(state.names[c]): sorted(state.members[c].tolist()) for c in state.alive}, steps


@pytest.mark.parametrize("by", ["r", "t", "rt"])
@given(case=cases())
def test_merging_follows_the_pseudocode(by, case):
    data, clusters, delta = case
    records = list(data.linkable.records())

    found, steps = run(data, clusters, by, delta, Btd(data.linkable, clusters))

    start = {c: rows.tolist() for c, rows in enumerate(clusters)}
    near = lambda rows: oracle.cluster_btd([records[r] for r in rows])  # noqa: E731
    expected, expected_steps = oracle.merge_clusters(data, start, by, delta + 1e-9, near)
    assert [(step.seed, step.partner) for step in steps] == expected_steps
    assert found == {c: sorted(rows) for c, rows in expected.items()}
    for step in steps:
        assert step.name == min(step.seed, step.partner)
    if steps:
        assert steps[-1].lost / len(data) == pytest.approx(oracle.dataset_ncp(data, found))


@pytest.mark.parametrize("rum", ["discernibility", "c-avg"])
@pytest.mark.parametrize("by", ["r", "t", "rt"])
@given(case=cases(), share=st.floats(0, 1))
def test_merging_under_a_bound_on_sizes_follows_the_pseudocode(rum, by, case, share):
    data, clusters, _ = case
    records = list(data.linkable.records())
    start = {c: rows.tolist() for c, rows in enumerate(clusters)}
    least, worst = oracle.size_measure(data, start, rum, 2), oracle.size_measure(data, {0: range(len(data))}, rum, 2)
    delta = least + share * (worst - least)

    found, steps = run(data, clusters, by, delta, Btd(data.linkable, clusters), rum)

    near = lambda rows: oracle.cluster_btd([records[r] for r in rows])  # noqa: E731
    expected, expected_steps = oracle.merge_clusters(data, start, by, delta + 1e-9, near, rum=rum, k=2)
    assert [(step.seed, step.partner) for step in steps] == expected_steps
    assert found == {c: sorted(rows) for c, rows in expected.items()}
    assert oracle.size_measure(data, found, rum, 2) <= delta + 1e-9


@pytest.mark.parametrize("by", ["t", "rt"])
@given(case=cases())
def test_merging_by_the_loss_of_unions_follows_the_pseudocode(by, case):
    data, clusters, delta = case
    loss = lambda rows: float(sum((7 * r) % 5 for r in rows)) / len(rows)  # noqa: E731 - any function of a set of rows

    proximity = UnionLoss(lambda unions: np.array([loss(rows) for rows in unions]), clusters)
    found, steps = run(data, clusters, by, delta, proximity)

    start = {c: rows.tolist() for c, rows in enumerate(clusters)}
    expected, expected_steps = oracle.merge_clusters(data, start, by, delta + 1e-9, loss)
    assert [(step.seed, step.partner) for step in steps] == expected_steps
    assert found == {c: sorted(rows) for c, rows in expected.items()}


@given(cases())
def test_clusters_merge_only_inside_their_part(case):
    data, clusters, delta = case
    half = max(1, len(clusters) // 2)
    quasi = encode(data)
    cut = [(clusters[:half], np.arange(half)), (clusters[half:], np.arange(half, len(clusters)))]
    parts = [MergeState.of(quasi, rows, names, Btd(data.linkable, rows)) for rows, names in cut if rows]
    inside = [set(names.tolist()) for _, names in cut]

    steps = list(merges(parts, "t", QuasiMeasure("ncp", len(data), 2), delta + 1e-9))

    assert all(any({step.seed, step.partner} <= names for names in inside) for step in steps)
    kept = np.concatenate([part.members[c] for part in parts for c in part.alive])
    assert sorted(kept.tolist()) == list(range(len(data)))
    start = sum(MergeState.of(quasi, rows, names, None).lost for rows, names in cut if rows)
    assert sum(part.lost for part in parts) <= max(start, delta * len(data)) + 1e-6


@given(cases())
def test_parts_down_to_one_cluster_are_joined_and_merge_on(case):
    data, clusters, _ = case
    parts = ClusterParts(encode(data), lambda rows: Btd(data.linkable, rows), clusters, np.arange(len(clusters)), 2)

    rum = QuasiMeasure("ncp", len(data), 2)
    steps = list(merges(parts.fresh(), "t", rum, rejoin=parts.joined))

    assert len(steps) == len(clusters) - 1
    assert all(step.name == min(step.seed, step.partner) for step in steps)
    assert not steps or steps[-1].records == len(data)
    again = list(merges(parts.fresh(again=True), "t", rum, rejoin=parts.joined))
    assert again == steps == list(merges(parts.fresh(again=True), "t", rum, rejoin=parts.joined))
