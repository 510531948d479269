"""Split parts of the records, each at the attribute and the place that lower the loss most (Mondrian)."""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Quasi = Any  # the tuple of groups.py, and its kinds of attributes; a compiled file depends on no other
RANGE, TREE, SET = 0, 1, 2

CUTS = 8  # an ordered attribute is cut at the best place out of those that divide its records into so many like parts
MANY = 20_000  # records; larger parts are cut at the median only, which is as good there
REST = np.int64(2**31 - 1)


@njit(cache=True, nogil=True)
def split_parts(
    q: Quasi,
    ranks: NDArray[np.int32],
    rows: NDArray[np.int64],
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
    barred: NDArray[np.bool_],
    k: int,
    relaxed: bool,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Split each part rows[starts[p] : stops[p]] once where that is allowed, by reordering its rows in place.

    Return start, stop and old part of the new parts, and the attribute each old part was split in, -1 where it was not.
    ranks[r, j] orders the values of attribute j; part p is not split in attribute j where barred[p, j]. Strict: records
    with equal values of the attribute stay together. Relaxed: they may be divided.
    """
    total, longest = 0, 0
    for p in range(len(starts)):
        total += max(1, (stops[p] - starts[p]) // k)
        longest = max(longest, stops[p] - starts[p])
    new_starts, new_stops, source = np.empty(total, np.int64), np.empty(total, np.int64), np.empty(total, np.int64)
    attribute = np.full(len(starts), -1, np.int64)
    best, bounds = np.empty(longest, np.int64), np.empty(longest + 1, np.int64)
    at = 0
    for p in range(len(starts)):
        part = rows[starts[p] : stops[p]]
        parts, attribute[p] = _split(q, ranks, part, barred[p], k, relaxed, best, bounds)
        if parts > 1:
            part[:] = best[: len(part)]
        else:
            bounds[0], bounds[1], parts = 0, len(part), 1
        for c in range(parts):
            new_starts[at], new_stops[at], source[at] = starts[p] + bounds[c], starts[p] + bounds[c + 1], p
            at += 1
    return new_starts[:at].copy(), new_stops[:at].copy(), source[:at].copy(), attribute


@njit(cache=True, nogil=True)
def _split(
    q: Quasi,
    ranks: NDArray[np.int32],
    part: NDArray[np.int64],
    barred: NDArray[np.bool_],
    k: int,
    relaxed: bool,
    best: NDArray[np.int64],
    bounds: NDArray[np.int64],
) -> tuple[int, int]:
    """Write the best split of a part to `best` and `bounds`; return its number of parts, 0 for no split, and attribute."""
    m, parts, attribute = len(part), 0, -1
    if m < 2 * k:
        return 0, -1
    lowest = m * _cost(q, part) + 1e-9
    keys, ordered = np.empty(m, np.int64), np.empty(m, np.int64)
    for j in range(len(q.kind)):
        variants = 2 if q.kind[j] == SET or (q.kind[j] == TREE and relaxed) else 1
        before = lowest
        for variant in range(0 if barred[j] else variants):
            if q.kind[j] == TREE:
                differs = _child_keys(q, j, part, k, variant == 1, keys)
            else:
                differs = _value_keys(ranks, j, part, variant == 1, keys)
            if not differs:
                continue
            _sort(keys, part, ordered)
            if q.kind[j] == TREE:
                lowest, parts = _weigh_runs(q, ordered, keys, k, lowest, parts, best, bounds)
            else:
                lowest, parts = _weigh_cuts(q, ordered, keys, k, relaxed, lowest, parts, best, bounds)
        if lowest < before:
            attribute = j
    return parts, attribute


@njit(cache=True, nogil=True)
def _sort(keys: NDArray[np.int64], part: NDArray[np.int64], ordered: NDArray[np.int64]) -> None:
    """Sort the keys (below 2^31) and write the records in their order; equal keys keep theirs."""
    packed = np.empty(len(keys), np.int64)
    for p in range(len(keys)):
        packed[p] = (keys[p] << 32) | p
    packed.sort()
    for p in range(len(keys)):
        keys[p] = packed[p] >> 32
        ordered[p] = part[packed[p] & 0xFFFFFFFF]


@njit(cache=True, nogil=True)
def _weigh_runs(
    q: Quasi,
    ordered: NDArray[np.int64],
    keys: NDArray[np.int64],
    k: int,
    lowest: float,
    parts: int,
    best: NDArray[np.int64],
    bounds: NDArray[np.int64],
) -> tuple[float, int]:
    """Keep the split into runs of equal keys if it is allowed and costs less than `lowest`."""
    m, cost, start, runs = len(ordered), 0.0, 0, 0
    for p in range(1, m + 1):
        if p == m or keys[p] != keys[start]:
            if p - start < k:
                return lowest, parts
            cost += (p - start) * _cost(q, ordered[start:p])
            start = p
            runs += 1
    if runs < 2 or cost >= lowest:
        return lowest, parts
    best[:m] = ordered
    runs = 0
    for p in range(m):
        if p == 0 or keys[p] != keys[p - 1]:
            bounds[runs] = p
            runs += 1
    bounds[runs] = m
    return cost, runs


@njit(cache=True, nogil=True)
def _weigh_cuts(
    q: Quasi,
    ordered: NDArray[np.int64],
    keys: NDArray[np.int64],
    k: int,
    relaxed: bool,
    lowest: float,
    parts: int,
    best: NDArray[np.int64],
    bounds: NDArray[np.int64],
) -> tuple[float, int]:
    """Keep the best cut in two that is allowed and costs less than `lowest`."""
    m = len(ordered)
    cuts, last = 2 if m > MANY else CUTS, 0
    for t in range(2 * (cuts - 1)):
        cut = m * (t // 2 + 1) // cuts
        if t % 2 == 0:
            cut = _between_values(keys, cut)
        elif not relaxed:
            continue
        if cut == last or cut < k or m - cut < k:
            continue
        last = cut
        cost = cut * _cost(q, ordered[:cut]) + (m - cut) * _cost(q, ordered[cut:])
        if cost < lowest:
            lowest, parts = cost, 2
            best[:m] = ordered
            bounds[0], bounds[1], bounds[2] = 0, cut, m
    return lowest, parts


@njit(cache=True, nogil=True)
def _between_values(keys: NDArray[np.int64], cut: int) -> int:
    """Return the place nearest to `cut` where the key changes; 0 where there is none inside."""
    m, up, down = len(keys), cut, cut
    while up < m and keys[up] == keys[up - 1]:
        up += 1
    while down > 0 and keys[down] == keys[down - 1]:
        down -= 1
    if down == 0 or (up < m and up - cut <= cut - down):
        return up if up < m else 0
    return down


@njit(cache=True, nogil=True)
def _child_keys(q: Quasi, j: int, part: NDArray[np.int64], k: int, fill: bool, keys: NDArray[np.int64]) -> bool:
    """Give each record the child of the part's lowest node it is under; children of fewer than k records stay together.

    While what stays is fewer than k, the smallest child stays too or, with `fill`, as many records of the largest one.
    """
    base = q.first[j]
    node = _lowest(q, j, part)
    if q.high[base + node] - q.low[base + node] < 2:
        return False
    count = np.zeros(node + 1, np.int64)
    for p in range(len(part)):
        x = np.int64(q.values[part[p], j])
        while q.parent[base + x] != node:
            x = q.parent[base + x]
        keys[p] = x
        count[x] += 1
    rest = 0
    for x in range(node):
        if count[x] < k:
            rest += count[x]
            count[x] = 0
    largest = np.argmax(count)
    taken = k - rest if fill and 0 < rest < k and count[largest] - (k - rest) >= k else 0
    while taken == 0 and 0 < rest < k:
        smallest = -1
        for x in range(node):
            if count[x] > 0 and (smallest < 0 or count[x] < count[smallest]):
                smallest = x
        if smallest < 0:
            return False
        rest += count[smallest]
        count[smallest] = 0
    for p in range(len(part)):
        if count[keys[p]] == 0:
            keys[p] = REST
        elif keys[p] == largest and taken > 0:
            keys[p] = REST
            taken -= 1
    return True


@njit(cache=True, nogil=True)
def _value_keys(ranks: NDArray[np.int32], j: int, part: NDArray[np.int64], by_count: bool, keys: NDArray[np.int64]) -> bool:
    """Give each record the rank of its value, or the place of the value when those of most records come first."""
    first, differs, most = ranks[part[0], j], False, 0
    for p in range(len(part)):
        keys[p] = ranks[part[p], j]
        differs |= ranks[part[p], j] != first
        most = max(most, keys[p])
    if by_count and differs:
        count = np.zeros(most + 1, np.int64)
        for p in range(len(part)):
            count[keys[p]] += 1
        falling, values = len(part) - count, np.arange(most + 1)
        _sort(falling, values.copy(), values)
        for place in range(most + 1):
            count[values[place]] = place
        for p in range(len(part)):
            keys[p] = count[keys[p]]
    return differs


@njit(cache=True, nogil=True)
def _lowest(q: Quasi, j: int, part: NDArray[np.int64]) -> int:
    """Return the lowest node of tree j above a part."""
    base = q.first[j]
    node = np.int64(q.values[part[0], j])
    for p in range(1, len(part)):
        leaf = q.low[base + np.int64(q.values[part[p], j])]
        while leaf < q.low[base + node] or leaf >= q.high[base + node]:
            node = np.int64(q.parent[base + node])
    return node


@njit(cache=True, nogil=True)
def _cost(q: Quasi, part: NDArray[np.int64]) -> float:
    """Return the NCP of a record of the part."""
    cost = 0.0
    for j in range(len(q.kind)):
        if q.kind[j] == RANGE:
            low = high = q.values[part[0], j]
            for p in range(1, len(part)):
                low, high = min(low, q.values[part[p], j]), max(high, q.values[part[p], j])
            cost += q.weight[j] * min(high - low, 1.0)
        elif q.kind[j] == TREE:
            cost += q.weight[j] * q.cost[q.first[j] + _lowest(q, j, part)]
        else:
            cost += q.weight[j] * _set_cost(q, j, part)
    return cost


@njit(cache=True, nogil=True)
def _set_cost(q: Quasi, j: int, part: NDArray[np.int64]) -> float:
    seen = np.zeros(q.size[j] + 1, np.bool_)
    members = 0
    for p in range(len(part)):
        x = np.int64(q.values[part[p], j])
        if not seen[x]:
            seen[x] = True
            members += 1
    if members == 1:
        return 0.0
    return 1.0 if seen[q.size[j]] else members / q.size[j]
