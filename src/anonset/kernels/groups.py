"""The loss (NCP) of groups of records, kept up to date as groups grow and join."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

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
    weight: NDArray[np.float64]  # (v,) sums to 1
    values: NDArray[np.float64]  # (n, v)
    first: NDArray[np.int64]  # (v,)
    parent: NDArray[np.int32]  # (nodes of all trees,)
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    cost: NDArray[np.float64]  # loss of a value published as this node
    word: NDArray[np.int64]  # (v + 1,)
    size: NDArray[np.int64]  # (v,) values of the domain


class States(NamedTuple):
    """What a group publishes: RANGE low[g, j] .. high[g, j]; TREE the node low[g, j]; SET the bits of its words."""

    low: NDArray[np.float64]  # (g, v)
    high: NDArray[np.float64]  # (g, v)
    bits: NDArray[np.uint64]  # (g, words)


@njit(cache=True, nogil=True)
def states_of_records(q: Quasi, rows: NDArray[np.int64]) -> States:
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
def states_of_groups(q: Quasi, groups: NDArray[np.int64], g: int) -> States:
    """Return the states of groups 0..g-1, none of them empty; groups[r] is the group of record r, or -1."""
    first = np.full(g, -1, np.int64)
    for r in range(len(groups)):
        if groups[r] >= 0 and first[groups[r]] < 0:
            first[groups[r]] = r
    states = states_of_records(q, first)
    for r in range(len(groups)):
        if groups[r] >= 0 and first[groups[r]] != r:
            _absorb(q, states, groups[r], states_of_records(q, np.array([r])), 0)
    return states


@njit(cache=True, nogil=True)
def costs_of_states(q: Quasi, states: States) -> NDArray[np.float64]:
    """Return the NCP of a record of each group."""
    costs = np.empty(len(states.low))
    for g in range(len(costs)):
        costs[g] = _union_cost(q, states, g, states, g)
    return costs


@njit(cache=True, nogil=True)
def union_costs(q: Quasi, states: States, others: States, b: int) -> NDArray[np.float64]:
    """Return, for each group of `states`, the NCP of a record of its union with group b of `others`."""
    costs = np.empty(len(states.low))
    for g in range(len(costs)):
        costs[g] = _union_cost(q, states, g, others, b)
    return costs


@njit(cache=True, nogil=True)
def absorb(q: Quasi, states: States, a: int, others: States, b: int) -> None:
    """Widen group a of `states`, in place, so that it covers group b of `others` too."""
    _absorb(q, states, a, others, b)


@njit(cache=True, nogil=True)
def _absorb(q: Quasi, states: States, a: int, others: States, b: int) -> None:
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
def _union_cost(q: Quasi, states: States, a: int, others: States, b: int) -> float:
    cost = 0.0
    for j in range(len(q.kind)):
        if q.kind[j] == RANGE:
            length = max(states.high[a, j], others.high[b, j]) - min(states.low[a, j], others.low[b, j])
            cost += q.weight[j] * min(length, 1.0)
        elif q.kind[j] == TREE:
            node = _lowest_common(q, j, states.low[a, j], others.low[b, j])
            cost += q.weight[j] * q.cost[q.first[j] + node]
        else:
            cost += q.weight[j] * _set_cost(q, j, states.bits[a], others.bits[b])
    return cost


@njit(cache=True, nogil=True)
def _lowest_common(q: Quasi, j: int, a: float, b: float) -> int:
    """Return the lowest node of tree j above the nodes a and b."""
    node, other = np.int64(a), q.first[j] + np.int64(b)
    low, high = q.low[other], q.high[other]
    while low < q.low[q.first[j] + node] or high > q.high[q.first[j] + node]:
        node = q.parent[q.first[j] + node]
    return node


@njit(cache=True, nogil=True)
def _set_cost(q: Quasi, j: int, a: NDArray[np.uint64], b: NDArray[np.uint64]) -> float:
    members = 0
    for w in range(q.word[j], q.word[j + 1]):
        bits = a[w] | b[w]
        while bits:
            bits &= bits - np.uint64(1)
            members += 1
    if members == 1:
        return 0.0
    p = q.size[j]
    w = q.word[j] + p // 64
    missing = ((a[w] | b[w]) >> np.uint64(p % 64)) & np.uint64(1)
    return 1.0 if missing else members / q.size[j]
