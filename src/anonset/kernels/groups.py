"""The loss (NCP) of groups of records, updated as groups grow and join."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from anonset.kernels.arrays import Ints, Longs, Reals, Words, bit_count

RANGE, TREE, SET = 0, 1, 2
MISSING_VALUE = 3.0  # far outside 0..1: a range from a number to here is longer than everything, so its loss is cut to 1


class Quasi(NamedTuple):
    """Quasi values as numbers, and what it costs to join them; attribute j is of kind RANGE, TREE or SET.

    RANGE: values are scaled so that the observed span is 0..1; a missing value is MISSING_VALUE.
    TREE: values are leaves of the tree whose nodes start at first[j] in the flat arrays (node ids are local to the tree: those
    of the hierarchy, then one leaf for a missing value, then "anything", the root of both).
    SET: values are positions in a bit set of words word[j] .. word[j + 1]-1; position size[j] is a missing value.
    """

    kind: NDArray[np.int8]  # (v,)
    weight: Reals  # (v,) sums to 1
    values: Reals  # (n, v)
    first: Longs  # (v,)
    parent: Ints  # (nodes of all trees,)
    low: Ints
    high: Ints
    cost: Reals  # loss of a value published as this node
    word: Longs  # (v + 1,)
    size: Longs  # (v,) values of the domain


class States(NamedTuple):
    """What a group publishes: RANGE low[g, j] .. high[g, j]; TREE the node low[g, j]; SET the bits of its words."""

    low: Reals  # (g, v)
    high: Reals  # (g, v)
    bits: Words  # (g, words)


@njit(cache=True, nogil=True)
def states_of_records(q: Quasi, rows: Longs) -> States:
    """Return the states of groups of one record each."""
    v = len(q.kind)
    states = States(np.empty((len(rows), v)), np.empty((len(rows), v)), np.zeros((len(rows), q.word[v]), np.uint64))
    for g in range(len(rows)):
        for j in range(v):
            x = q.values[rows[g], j]
            states.low[g, j] = x
            states.high[g, j] = x
            if q.kind[j] == SET:
                p = np.int64(x)
                states.bits[g, q.word[j] + p // 64] = np.uint64(1) << np.uint64(p % 64)
    return states


@njit(cache=True, nogil=True)
def states_of_groups(q: Quasi, groups: Longs, g: int) -> States:
    """Return the states of groups 0..g-1, none of them empty; groups[r] is the group of record r, or -1."""
    first = np.full(g, -1, np.int64)
    for r in range(len(groups)):
        if groups[r] >= 0 and first[groups[r]] < 0:
            first[groups[r]] = r
    states = states_of_records(q, first)
    for r in range(len(groups)):
        if groups[r] >= 0 and first[groups[r]] != r:
            absorb(q, states, groups[r], states_of_records(q, np.array([r])), int(np.int64(0)))
    return states


@njit(cache=True, nogil=True)
def costs_of_states(q: Quasi, states: States) -> Reals:
    """Return the NCP of a record of each group."""
    return _union_costs(q, states, states)


@njit(cache=True, nogil=True)
def union_costs(q: Quasi, states: States, others: States, b: int) -> Reals:
    """Return, for each group of `states`, the NCP of a record of its union with group b of `others`."""
    return _union_costs(q, states, States(others.low[b : b + 1], others.high[b : b + 1], others.bits[b : b + 1]))


@njit(cache=True, nogil=True)
def unions_of_many(q: Quasi, states: States, others: States) -> Reals:
    """Return the same for each group b of `others`, as row b."""
    costs = np.empty((len(others.low), len(states.low)))
    for b in range(len(costs)):
        of_one = union_costs(q, states, others, b)
        for g in range(len(of_one)):
            costs[b, g] = of_one[g]
    return costs


@njit(cache=True, nogil=True)
def least_union(q: Quasi, states: States, sizes: Longs, a: int) -> tuple[int, float]:
    """Return the group (not an empty one, the first of several) whose union with group a has the lowest NCP, and that NCP."""
    costs = union_costs(q, states, states, a)
    found, least = -1, np.inf
    for g in range(len(sizes)):
        if g != a and sizes[g] > 0 and costs[g] < least:
            found, least = g, costs[g]
    return found, least


@njit(cache=True, nogil=True)
def least_growth(q: Quasi, states: States, sizes: Longs, losses: Reals, a: int) -> int:
    """Return the group (not an empty one, the first of several) whose union with group a adds least to the NCP of all."""
    costs = union_costs(q, states, states, a)
    found, least = -1, np.inf
    for g in range(len(sizes)):
        if g == a or sizes[g] == 0:
            continue
        growth = costs[g] * (sizes[g] + sizes[a]) - losses[g] * sizes[g]
        if growth < least:
            found, least = g, growth
    return found


@njit(cache=True, nogil=True)
def absorb(q: Quasi, states: States, a: int, others: States, b: int) -> None:
    """Widen group a of `states`, in place, so that it covers group b of `others` too."""
    for j in range(len(q.kind)):
        if q.kind[j] == RANGE:
            states.low[a, j] = min(states.low[a, j], others.low[b, j])
            states.high[a, j] = max(states.high[a, j], others.high[b, j])
        elif q.kind[j] == TREE:
            states.low[a, j] = _lowest_common(q, j, states.low[a, j], others.low[b, j])
        else:
            for w in range(q.word[j], q.word[j + 1]):
                states.bits[a, w] |= others.bits[b, w]


@njit(cache=True, nogil=True)
def _union_costs(q: Quasi, states: States, others: States) -> Reals:
    """Return the NCP of a record of the union of each group with the one of `others` in its place, or with the only one.

    Attribute by attribute, over plain arrays: to hand all of `q` to a function for each group takes a hundred times as long.
    """
    costs = np.zeros(len(states.low))
    for j in range(len(q.kind)):
        if q.kind[j] == RANGE:
            _add_ranges(costs, q.weight[j], states.low[:, j], states.high[:, j], others.low[:, j], others.high[:, j])
        elif q.kind[j] == TREE:
            nodes = slice(q.first[j], len(q.parent))
            parent, cost = q.parent[nodes], q.cost[nodes]
            low, high = q.low[nodes], q.high[nodes]
            _add_nodes(costs, q.weight[j], states.low[:, j], others.low[:, j], parent, low, high, cost)
        else:
            words = slice(q.word[j], q.word[j + 1])
            _add_sets(costs, q.weight[j], states.bits[:, words], others.bits[:, words], q.size[j])
    return costs


@njit(cache=True, nogil=True, inline="always")
def _add_ranges(costs: Reals, weight: float, low: Reals, high: Reals, least: Reals, most: Reals) -> None:
    step = len(least) > 1
    for g in range(len(costs)):
        costs[g] += weight * min(max(high[g], most[g * step]) - min(low[g], least[g * step]), 1.0)


@njit(cache=True, nogil=True, inline="always")
def _add_nodes(
    costs: Reals, weight: float, nodes: Reals, others: Reals, parent: Ints, low: Ints, high: Ints, cost: Reals
) -> None:
    step = len(others) > 1
    for g in range(len(costs)):
        node, other = np.int64(nodes[g]), np.int64(others[g * step])
        while low[other] < low[node] or high[other] > high[node]:
            node = np.int64(parent[node])
        costs[g] += weight * cost[node]


@njit(cache=True, nogil=True, inline="always")
def _add_sets(costs: Reals, weight: float, bits: Words, others: Words, size: int) -> None:
    step = len(others) > 1
    for g in range(len(costs)):
        members = 0
        for w in range(bits.shape[1]):
            members += bit_count(bits[g, w] | others[g * step, w])
        missing = ((bits[g, size // 64] | others[g * step, size // 64]) >> np.uint64(size % 64)) & np.uint64(1)
        costs[g] += weight * (0.0 if members == 1 else 1.0 if missing else members / size)


@njit(cache=True, nogil=True, inline="always")
def _lowest_common(q: Quasi, j: int, a: float, b: float) -> int:
    """Return the lowest node of tree j above the nodes a and b."""
    node, other = np.int64(a), q.first[j] + np.int64(b)
    low, high = q.low[other], q.high[other]
    while low < q.low[q.first[j] + node] or high > q.high[q.first[j] + node]:
        node = q.parent[q.first[j] + node]
    return node


@njit(cache=True, nogil=True)
def grow_alike(q: Quasi, rows: Longs, offsets: Longs, items: Ints, d: int, k: int, unlike: float, price: float) -> Longs:
    """Return a class for each of the records, 0, 1, ...: k to 2k-1 that hold like items and lie close by quasi values.

    Record rows[r] of `q` holds items[offsets[r] : offsets[r + 1]], some of 0..d-1. The first record without a class is joined
    k-1 times by the one with the highest score: each item that a share s of the class holds counts s^4; the difference from
    the mean length of the class counts against it, `unlike` times, and so does the NCP of the class with it, `price` times.
    """
    number, n = np.int64(0), len(rows)
    found, left = np.empty(n, np.int64), np.empty(n, np.int64)
    for r in range(n):
        found[r], left[r] = -1, r
    states, tally = states_of_records(q, rows), np.zeros(d, np.int64)
    while len(left) >= 2 * k:
        own = states_of_records(q, rows[left[:1]])
        p, total = int(np.int64(0)), np.int64(0)
        for size in range(1, k + 1):
            r = left[p]
            found[r] = number
            total += offsets[r + 1] - offsets[r]
            for at in range(offsets[r], offsets[r + 1]):
                tally[items[at]] += 1
            absorb(q, own, int(np.int64(0)), states, p)
            if size < k:
                p = _most_alike(_union_costs(q, states, own), left, found, offsets, items, tally, size, total, unlike, price)
        left, states = _without(left, states, found, offsets, items, tally)
        number += 1
    for r in left:
        found[r] = number
    return found


@njit(cache=True, nogil=True)
def _most_alike(
    costs: Reals,
    left: Longs,
    found: Longs,
    offsets: Longs,
    items: Ints,
    tally: Longs,
    size: int,
    total: int,
    unlike: float,
    price: float,
) -> int:
    """Return the place of the record that scores highest to join a class of `size` records with `total` items in all."""
    best, most = np.int64(-1), -np.inf
    for p in range(len(left)):
        r = left[p]
        if found[r] < 0:
            score = -price * costs[p] - unlike * abs(offsets[r + 1] - offsets[r] - total / size)
            for at in range(offsets[r], offsets[r + 1]):
                share = tally[items[at]] / size
                score += share * share * share * share
            if score > most:
                best, most = p, score
    return best


@njit(cache=True, nogil=True)
def _without(
    left: Longs,
    states: States,
    found: Longs,
    offsets: Longs,
    items: Ints,
    tally: Longs,
) -> tuple[Longs, States]:
    """Return the records that have no class yet, with their states; forget the items of the others."""
    n, v, words = np.int64(0), states.low.shape[1], states.bits.shape[1]
    for r in left:
        n += found[r] < 0
    fewer, low, high = np.empty(n, np.int64), np.empty((n, v)), np.empty((n, v))
    bits, at = np.empty((n, words), np.uint64), np.int64(0)
    for p in range(len(left)):
        r = left[p]
        if found[r] < 0:
            fewer[at] = r
            for j in range(v):
                low[at, j], high[at, j] = states.low[p, j], states.high[p, j]
            for w in range(words):
                bits[at, w] = states.bits[p, w]
            at += 1
        else:
            for place in range(offsets[r], offsets[r + 1]):
                tally[items[place]] = 0
    return fewer, States(low, high, bits)
