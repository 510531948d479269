import numpy as np
from hypothesis import given

from anonset.algorithms.nonreciprocal._kernels.tours import distance_matrix, shorten_path
from oracles import nonreciprocal as oracle
from strategies import transactions


@given(transactions(min_records=2, max_records=7))
def test_path_keeps_its_ends_and_is_not_longer(t):
    matrix = distance_matrix(t.offsets, t.items, np.arange(len(t)), len(t.domain))
    path = shorten_path(matrix, 100)

    length = matrix[path[:-1], path[1:]].sum()
    assert sorted(path) == list(range(len(t)))
    assert (path[0], path[-1]) == (0, len(t) - 1)
    assert oracle.shortest_path(matrix) <= length <= np.diagonal(matrix, 1).sum()


def test_local_search_finds_the_short_path_on_a_line():
    places = np.array([0, 7, 3, 9, 1, 5, 8, 2, 6, 4, 10])
    matrix = np.abs(places[:, None] - places).astype(np.int32)

    path = shorten_path(matrix, 100)

    assert matrix[path[:-1], path[1:]].sum() == 10


@given(transactions(min_records=2, max_records=14))
def test_path_is_that_of_trying_every_move(t):
    matrix = distance_matrix(t.offsets, t.items, np.arange(len(t)), len(t.domain))

    assert shorten_path(matrix, 100).tolist() == oracle.shortened_path(matrix.tolist())


def test_a_long_path_is_that_of_trying_every_move():
    rng = np.random.default_rng(0)
    sets = rng.random((40, 12)) < 0.3
    matrix = (sets[:, None] != sets).sum(axis=2).astype(np.int32)

    assert shorten_path(matrix, 100).tolist() == oracle.shortened_path(matrix.tolist())
