import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.nonreciprocal._kernels.label_spacing import cut_apart, spread
from oracles import nonreciprocal as oracle

label_lists = st.lists(st.integers(0, 5), min_size=1, max_size=24)


@given(label_lists, st.booleans())
def test_labels_spread_as_far_as_the_most_frequent_allows(labels, in_clusters):
    codes = np.array(sorted(labels) if in_clusters else labels, np.int32)
    spacing = len(codes) // np.bincount(codes).max()

    places, placed = spread(codes, 6, spacing)

    assert placed
    assert sorted(places) == list(range(len(codes)))
    assert oracle.evenly_spread(codes[places].tolist(), spacing)


@given(label_lists)
def test_a_spacing_the_most_frequent_label_has_no_room_for_is_refused(labels):
    codes = np.array(labels, np.int32)

    placed = spread(codes, 6, len(codes) // np.bincount(codes).max() + 1)[1]

    assert not placed or len(set(labels)) == len(labels)


def test_what_needs_no_move_stays():
    assert spread(np.array([0, 1, 2, 0, 1, 2], np.int32), 3, 3)[0].tolist() == [0, 1, 2, 3, 4, 5]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4)), min_size=1, max_size=11), st.integers(1, 3), st.integers(0, 2))
def test_runs_have_different_labels_and_cut_the_longest_steps(places, low, extra):
    steps, labels = (np.array(column) for column in zip(*places, strict=True))

    borders = cut_apart(steps.astype(np.int64), labels.astype(np.int32), 5, low, low + extra)

    best = oracle.longest_cut(steps.tolist(), labels.tolist(), range(low, low + extra + 1))
    if len(borders) == 0:
        assert best is None
        return
    assert (borders[0], borders[-1]) == (0, len(labels))
    assert all(len(set(run)) == len(run) for run in np.split(labels, borders[1:-1]))
    assert {len(run) for run in np.split(labels, borders[1:-1])} <= set(range(low, low + extra + 1))
    assert sum(steps[b - 1] for b in borders[1:-1]) == best
