"""Global moves that make counts right, as a twin makes them that tries and counts everything anew."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.transactions._kernels.occurrences import ROUNDING
from anonset.algorithms.transactions.lift import COUNT_PRICE, FREQUENT, even_out, ladder
from strategies import item_datasets


def ways_up(way, item):
    path = [item]
    while way.above[path[-1]] >= 0:
        path.append(int(way.above[path[-1]]))
    return path


def slowly_evened(held, nodes, tree, way):
    """Node by node from below: everything is tried and counted anew."""

    def counts(at):
        shown = np.bincount(at[at >= 0], minlength=len(tree)) / np.maximum(1, way.sizes)
        return np.array([sum(shown[v] for v in ways_up(way, i)) for i in range(tree.n_leaves)])

    nodes = nodes.copy()
    frequent = held.supports >= FREQUENT * len(held)
    for v in range(tree.n_leaves, tree.root):
        below = [node >= 0 and node < v and v in ways_up(way, i) for i, node in zip(held.items, nodes, strict=True)]
        tried = np.where(below, v, nodes).astype(np.int32)
        cost = sum(1 / way.sizes[a] - 1 / way.sizes[b] for a, b in zip(nodes[below], tried[below], strict=True))
        wrong, left = (np.abs(counts(at) - held.supports)[frequent].sum() for at in (nodes, tried))
        if wrong - left > COUNT_PRICE * cost + ROUNDING:
            nodes = tried
    return nodes


@given(data=item_datasets(sensitive=True, max_records=10), source=st.data())
def test_nodes_take_what_their_twin_takes(data, source):
    held, tree = data.linkable, data.item_hierarchy
    if tree is None or len(held.items) == 0:
        return
    way = ladder(tree, data.sensitive_items)
    nodes = np.array([source.draw(st.sampled_from([-1, *ways_up(way, int(i))])) for i in held.items], np.int32)

    assert even_out(held, nodes, tree, way).tolist() == slowly_evened(held, nodes, tree, way).tolist()
