import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.kernels.tours import distance_matrix, segment_borders, shorten_path
from oracles import nonreciprocal as oracle
from strategies import transactions


@given(st.lists(st.integers(0, 9), min_size=1, max_size=11), st.integers(1, 4), st.integers(0, 3))
def test_borders_cut_the_cheapest_steps(steps, low, extra):
    n, high = len(steps), low + extra
    low_that_fits = min(low, n // -(-n // high))

    borders = segment_borders(np.array(steps, np.int64), low, high)

    sizes = np.diff(borders)
    assert borders[0] == 0
    assert borders[-1] == n
    assert (sizes >= low_that_fits).all()
    assert (sizes <= high).all()
    assert sum(steps[b - 1] for b in borders[1:-1]) == oracle.cheapest_cut(steps, range(low_that_fits, high + 1))


@given(transactions(min_records=2, max_records=7))
def test_path_keeps_its_ends_and_is_not_longer(t):
    sets = [set(t.items[t.offsets[r] : t.offsets[r + 1]].tolist()) for r in range(len(t))]

    matrix = distance_matrix(t.offsets, t.items, np.arange(len(t)), len(t.domain))
    path = shorten_path(matrix, np.zeros(len(t), np.int32), 1, 100)

    length = matrix[path[:-1], path[1:]].sum()
    assert matrix.tolist() == [[oracle.distance(a, b) for b in sets] for a in sets]
    assert sorted(path) == list(range(len(t)))
    assert (path[0], path[-1]) == (0, len(t) - 1)
    assert oracle.shortest_path(matrix) <= length <= np.diagonal(matrix, 1).sum()


def test_local_search_finds_the_short_path_on_a_line():
    places = np.array([0, 7, 3, 9, 1, 5, 8, 2, 6, 4, 10])
    matrix = np.abs(places[:, None] - places).astype(np.int32)

    path = shorten_path(matrix, np.zeros(11, np.int32), 1, 100)

    assert matrix[path[:-1], path[1:]].sum() == 10


@given(transactions(min_records=9, max_records=14), st.data())
def test_moves_keep_equal_labels_apart(t, data):
    n, spacing = len(t), 3
    labels = np.array(data.draw(st.permutations(range(5))) * 3, np.int32)[:n]

    matrix = distance_matrix(t.offsets, t.items, np.arange(n), len(t.domain))
    path = shorten_path(matrix, labels, spacing, 100)

    assert sorted(path) == list(range(n))
    assert path[: spacing - 1].tolist() == [0, 1]
    assert path[1 - spacing :].tolist() == [n - 2, n - 1]
    assert matrix[path[:-1], path[1:]].sum() <= np.diagonal(matrix, 1).sum()
    assert all(len(set(labels[path[p : p + spacing]])) == spacing for p in range(n - spacing + 1))
