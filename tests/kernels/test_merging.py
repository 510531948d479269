"""Losses compared exactly, against whole numbers of any size."""

from hypothesis import example, given
from hypothesis import strategies as st

from anonset.algorithms.constraints.kernels.merging import compare_losses, spreads_with
from strategies import hierarchies

sizes = st.one_of(st.integers(1, 8), st.integers(1, 20_000))
supports = st.one_of(st.integers(0, 40), st.integers(0, 2**61))


@given(sizes, supports, sizes, supports)
@example(2, 7, 3, 3)  # 21 both
@example(60, 2 * 5, 61, 5)
@example(1000, 2 * 5, 1001, 5)
@example(16_470, 88_162, 16_469, 88_162 * 2)
def test_compare_losses_agrees_with_whole_numbers(size, support, other_size, other_support):
    mine, others = (2**size - 1) * support, (2**other_size - 1) * other_support

    assert compare_losses(size, support, other_size, other_support) == (mine > others) - (mine < others)


@given(st.integers(1, 300), st.integers(0, 100), st.integers(0, 5), st.integers(-3, 3))
def test_near_ties_are_told_apart(size, support, step, shift):
    """A cluster of `step` more items with 2^step times less support: the losses nearly agree."""
    near = max(0, (support << step) + shift)
    mine, others = (2**size - 1) * near, (2 ** (size + step) - 1) * support

    assert compare_losses(size, near, size + step, support) == (mine > others) - (mine < others)


@given(hierarchies("abcdefg"), st.data())
def test_spreads_are_the_leaves_under_the_lowest_node_over_both(tree, data):
    node = data.draw(st.integers(0, len(tree) - 1))

    found = spreads_with(node, tree.parent, tree.sizes.astype("int64"))

    leaves = [set(range(low, high)) for low, high in zip(tree.low, tree.high, strict=True)]
    assert found.tolist() == [min(len(over) for over in leaves if over >= leaves[node] | leaves[v]) for v in range(len(tree))]
