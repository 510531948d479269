from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.nonreciprocal._kernels.walks import (
    backtracking_assignment,
    cipher_block,
    close_edges,
    closed_walk_assignment,
    drawn,
    halves,
    short_walk_assignment,
)

KINDS = [short_walk_assignment, closed_walk_assignment, backtracking_assignment]


def stream(seed):
    return np.concatenate([np.random.default_rng(seed).integers(0, 2**32, 8), np.zeros(18, np.int64)])


@pytest.mark.parametrize("kind", KINDS)
@given(n=st.integers(1, 12), k=st.integers(1, 6), seed=st.integers(0, 1000), data=st.data())
def test_a_regular_graph_splits_into_disjoint_assignments(kind, n, k, seed, data):
    k = min(k, n)
    names = np.array(data.draw(st.permutations(range(n))))
    posts = names[(np.arange(n)[:, None] + np.arange(k)) % n].astype(np.int32)
    edges = np.sort(posts, axis=1)

    found = []
    for degree in range(k, 0, -1):
        chosen, steps = kind(posts, degree, chance := stream(seed))
        found.append(close_edges(posts, degree, chosen))
        assert steps >= n or kind is not short_walk_assignment
        assert chance[24] > 0

    assert all(sorted(assignment) == list(range(n)) for assignment in found)
    np.testing.assert_array_equal(np.sort(np.array(found).T, axis=1), edges)


@given(n=st.integers(2, 12), half=st.integers(1, 3), seed=st.integers(0, 1000), data=st.data())
def test_a_graph_of_even_degree_splits_into_regular_halves(n, half, seed, data):
    half = min(half, n // 2)
    names = np.array(data.draw(st.permutations(range(n))))
    posts = names[(np.arange(n)[:, None] + np.arange(2 * half)) % n].astype(np.int32)
    edges = np.sort(posts, axis=1)

    first, second = halves(posts, stream(seed))

    for graph in (first, second):
        assert graph.shape == (n, half)
        assert np.bincount(graph.ravel(), minlength=n).tolist() == [half] * n
    np.testing.assert_array_equal(np.sort(np.hstack([first, second]), axis=1), edges)


def test_every_half_of_a_small_graph_comes_up():
    ring = ((np.arange(5)[:, None] + np.arange(4)) % 5).astype(np.int32)
    chance = stream(4)

    found = {tuple(map(frozenset, halves(ring.copy(), chance)[0].tolist())) for _ in range(10_000)}

    pairs = [[frozenset(pair) for pair in combinations(sorted(row), 2)] for row in ring.tolist()]
    assert found == {
        chosen
        for chosen in product(*pairs)
        if np.bincount([v for pair in chosen for v in pair], minlength=5).tolist() == [2] * 5
    }


def test_the_cipher_gives_the_block_printed_in_rfc_8439():
    key = np.frombuffer(bytes(range(32)), "<u4").astype(np.int64)
    nonce = np.array([0x09000000, 0x4A000000, 0], np.int64)
    block = np.zeros(16, np.int64)

    cipher_block(key, nonce, 1, 20, block)

    assert block.astype("<u4").tobytes().hex() == (
        "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
        "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e"
    )


def test_draws_are_even_and_repeat_with_the_key():
    one, other = stream(5), stream(5)

    numbers = [drawn(one, 7) for _ in range(3500)]

    assert numbers == [drawn(other, 7) for _ in range(3500)]
    assert np.abs(np.bincount(numbers, minlength=7) - 500).max() < 110  # five standard deviations


def test_every_assignment_of_a_small_graph_comes_up():
    ring = ((np.arange(4)[:, None] + np.arange(3)) % 4).astype(np.int32)
    chance = stream(3)

    found = set()
    for _ in range(300):
        posts = ring.copy()
        found.add(tuple(close_edges(posts, 3, short_walk_assignment(posts, 3, chance)[0]).tolist()))

    assert len(found) == 9  # the permanent of the graph's matrix
