import numpy as np
import pytest
from hypothesis import given

from anonset.errors import InputError
from anonset.model.hierarchy import Hierarchy
from strategies import hierarchies


@given(hierarchies("abcdef"))
def test_a_node_stands_for_the_leaves_below_it(tree):
    for v in range(len(tree)):
        below = {leaf for leaf in range(tree.n_leaves) if v in tree.ancestors(leaf)}

        assert below == set(range(tree.low[v], tree.high[v]))
        assert tree.sizes[v] == len(below)


@given(hierarchies("abcdef"))
def test_lowest_common_node_is_the_first_shared_ancestor(tree):
    for i in range(tree.n_leaves):
        for j in range(tree.n_leaves):
            shared = [v for v in tree.ancestors(i) if v in tree.ancestors(j)]

            assert tree.lowest_common([i, j]) == shared[0]


@pytest.mark.parametrize(
    ("labels", "parent", "message"),
    [
        ((), [], "at least one node"),
        (("a", "b"), [-1, -1], "one root"),
        (("a", "N", "b", "*"), [1, 3, 3, -1], "leaves first"),
        (("a", "b", "*"), [2, 0, -1], "one root"),
        (("a", "b", "a", "*"), [3, 2, 3, -1], "two different groups"),
        (("a", "b", "c", "N", "*"), [3, 4, 3, 4, -1], "neighbouring leaves"),
    ],
)
def test_what_is_not_a_tree_is_refused(labels, parent, message):
    with pytest.raises(InputError, match=message):
        Hierarchy(labels, np.array(parent, np.int32))
