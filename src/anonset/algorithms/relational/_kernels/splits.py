"""Split parts of the records, each at the attribute and the place that lower the loss most (Mondrian)."""

import numpy as np
from numba import njit

from anonset.kernels.arrays import Flags, Ints, Longs, Reals
from anonset.kernels.groups import RANGE, SET, TREE, Quasi

CUTS = 8  # an ordered attribute is cut at the best place out of those that divide its records into this many equal parts
MANY = 20_000  # records; larger parts are cut at the median only, which is as good there
REST = np.int64(2**31 - 1)


@njit(cache=True, nogil=True)
def split_parts(
    q: Quasi, ranks: Ints, rows: Longs, starts: Longs, stops: Longs, barred: Flags, k: int, relaxed: bool
) -> tuple[Longs, Longs, Longs, Longs]:
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
            part[:] = part[best[: len(part)]]
        else:
            bounds[0], bounds[1], parts = 0, len(part), 1
        for c in range(parts):
            new_starts[at], new_stops[at], source[at] = starts[p] + bounds[c], starts[p] + bounds[c + 1], p
            at += 1
    return new_starts[:at].copy(), new_stops[:at].copy(), source[:at].copy(), attribute


@njit(cache=True, nogil=True)
def _split(
    q: Quasi, ranks: Ints, part: Longs, barred: Flags, k: int, relaxed: bool, best: Longs, bounds: Longs
) -> tuple[int, int]:
    """Write the best split of a part to `best` (places in it) and `bounds`; return how many parts, and the attribute."""
    m, parts, attribute = len(part), 0, -1
    if m < 2 * k:
        return 0, -1
    columns, keys, ordered = _columns(q, part), np.empty(m, np.int64), np.arange(m)
    lowest = m * _cost(q, columns, ordered) + 1e-9
    for j in range(len(q.kind)):
        variants = 2 if q.kind[j] == SET or (q.kind[j] == TREE and relaxed) else 1
        before = lowest
        for variant in range(0 if barred[j] else variants):
            if q.kind[j] == TREE:
                differs = _child_keys(q, j, columns[j], k, variant == 1, keys)
            else:
                differs = _value_keys(ranks, j, part, variant == 1, keys)
            if not differs:
                continue
            _sort(keys, ordered)
            if q.kind[j] == TREE:
                lowest, parts = _weigh_runs(q, columns, ordered, keys, k, lowest, parts, best, bounds)
            else:
                lowest, parts = _weigh_cuts(q, columns, ordered, keys, k, relaxed, lowest, parts, best, bounds)
        if lowest < before:
            attribute = j
    return parts, attribute


@njit(cache=True, nogil=True)
def _columns(q: Quasi, part: Longs) -> Reals:
    """Return the values of a part, attribute by attribute: they are read many times, and stay close together."""
    columns = np.empty((len(q.kind), len(part)))
    for p in range(len(part)):
        for j in range(len(q.kind)):
            columns[j, p] = q.values[part[p], j]
    return columns


@njit(cache=True, nogil=True)
def _sort(keys: Longs, places: Longs) -> None:
    """Sort the keys (below 2^31) and write where each was; equal keys keep their order. REST is the last of all."""
    n, low, high = len(keys), REST, np.int64(-1)
    for key in keys:
        if key != REST:
            low, high = min(low, key), max(high, key)
    low = min(low, high + 1)  # where there is nothing but REST
    span = high - low + 2
    if span > 2 * n:
        packed = np.sort((keys << 32) | np.arange(n))
        for p in range(n):
            keys[p] = packed[p] >> 32
            places[p] = packed[p] & 0xFFFFFFFF
        return
    start = np.zeros(span + 1, np.int64)
    for key in keys:
        start[min(key, high + 1) - low + 1] += 1
    start, unsorted = np.cumsum(start), keys.copy()
    for p in range(n):
        x = min(unsorted[p], high + 1) - low
        keys[start[x]], places[start[x]] = unsorted[p], p
        start[x] += 1


@njit(cache=True, nogil=True)
def _weigh_runs(
    q: Quasi, columns: Reals, ordered: Longs, keys: Longs, k: int, lowest: float, parts: int, best: Longs, bounds: Longs
) -> tuple[float, int]:
    """Keep the split into runs of equal keys if it is allowed and costs less than `lowest`."""
    m, cost = len(ordered), 0.0
    runs, edges = 0, np.zeros(m + 1, np.int64)
    for p in range(1, m + 1):
        if p == m or keys[p] != keys[p - 1]:
            if p - edges[runs] < k:
                return lowest, parts
            runs += 1
            edges[runs] = p
    for r in range(runs):
        cost += (edges[r + 1] - edges[r]) * _cost(q, columns, ordered[edges[r] : edges[r + 1]])
    if runs < 2 or cost >= lowest:
        return lowest, parts
    best[:m] = ordered
    bounds[: runs + 1] = edges[: runs + 1]
    return cost, runs


@njit(cache=True, nogil=True)
def _weigh_cuts(
    q: Quasi,
    columns: Reals,
    ordered: Longs,
    keys: Longs,
    k: int,
    relaxed: bool,
    lowest: float,
    parts: int,
    best: Longs,
    bounds: Longs,
) -> tuple[float, int]:
    """Keep the best cut in two that is allowed and costs less than `lowest`."""
    m = len(ordered)
    places, last, n = np.empty(2 * CUTS, np.int64), 0, 0
    cuts = 2 if m > MANY else CUTS
    for t in range(2 * (cuts - 1)):
        cut = m * (t // 2 + 1) // cuts
        if t % 2 == 0:
            cut = _between_values(keys, cut)
        elif not relaxed:
            continue
        if cut == last or cut < k or m - cut < k:
            continue
        last = cut
        places[n] = cut
        n += 1
    if n == 0:
        return lowest, parts
    rising = np.sort(places[:n])
    before = _costs_before(q, columns, ordered, rising)
    after = _costs_before(q, columns, ordered[::-1].copy(), m - rising[::-1])[::-1]
    chosen = np.int64(0)
    for cut in places[:n]:
        c = np.searchsorted(rising, cut)
        cost = cut * before[c] + (m - cut) * after[c]
        if cost < lowest:
            lowest, chosen = cost, cut
    if chosen > 0:
        parts = 2
        best[:m] = ordered
        bounds[0], bounds[1], bounds[2] = 0, chosen, m
    return lowest, parts


@njit(cache=True, nogil=True)
def _between_values(keys: Longs, cut: int) -> int:
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
def _costs_before(q: Quasi, columns: Reals, ordered: Longs, cuts: Longs) -> Reals:
    """Return for each of the rising cuts the NCP of a record of those at the places ordered[:cut]."""
    costs = np.zeros(len(cuts))
    for j in range(len(q.kind)):
        column, is_set, members = columns[j], q.kind[j] == SET, 0
        seen = np.zeros(q.size[j] + 1 if is_set else 0, np.bool_)
        low = high = column[ordered[0]]
        for c in range(len(cuts)):
            for p in range(cuts[c - 1] if c > 0 else 0, cuts[c]):
                x = column[ordered[p]]
                if not is_set:
                    low, high = min(low, x), max(high, x)
                elif not seen[np.int64(x)]:
                    seen[np.int64(x)] = True
                    members += 1
            if is_set:
                cost = 1.0 if seen[q.size[j]] else members / q.size[j]
                costs[c] += q.weight[j] * (0.0 if members == 1 else cost)
            elif q.kind[j] == RANGE:
                costs[c] += q.weight[j] * min(high - low, 1.0)
            else:
                costs[c] += q.weight[j] * q.cost[q.first[j] + _lowest(q, j, low, high)]
    return costs


@njit(cache=True, nogil=True)
def _cost(q: Quasi, columns: Reals, ordered: Longs) -> float:
    """Return the NCP of a record of those at the given places."""
    return _costs_before(q, columns, ordered, np.array([len(ordered)]))[0]


@njit(cache=True, nogil=True)
def _child_keys(q: Quasi, j: int, column: Reals, k: int, fill: bool, keys: Longs) -> bool:
    """Give each record the child of the part's lowest node it is under; children of fewer than k records stay together.

    While what stays is fewer than k, the smallest child stays too or, with `fill`, as many records of the largest one.
    """
    base = q.first[j]
    node = _lowest(q, j, column.min(), column.max())
    if q.high[base + node] - q.low[base + node] < 2:
        return False
    count = np.zeros(node + 1, np.int64)
    for p in range(len(column)):
        x = np.int64(column[p])
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
    for p in range(len(column)):
        if count[keys[p]] == 0:
            keys[p] = REST
        elif keys[p] == largest and taken > 0:
            keys[p] = REST
            taken -= 1
    return True


@njit(cache=True, nogil=True)
def _value_keys(ranks: Ints, j: int, part: Longs, by_count: bool, keys: Longs) -> bool:
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
        _sort(falling, values)
        for place in range(most + 1):
            count[values[place]] = place
        for p in range(len(part)):
            keys[p] = count[keys[p]]
    return differs


@njit(cache=True, nogil=True)
def _lowest(q: Quasi, j: int, first: float, last: float) -> int:
    """Return the lowest node of tree j above its leaves from first to last: leaves are numbered from left to right."""
    base, node = q.first[j], np.int64(first)
    leaf = q.low[base + np.int64(last)]
    while leaf >= q.high[base + node]:
        node = np.int64(q.parent[base + node])
    return node
