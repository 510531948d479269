"""How many items of a record are, pairwise, in k records: the largest clique in the record's graph of frequent pairs.

Record r holds items[offsets[r] : offsets[r + 1]], ascending. Cell c is the records rows[bounds[c]] .. rows[bounds[c + 1] - 1].
A graph of n items has n rows of `wide` words each; bit j of row i says that i and j are joined.
"""

import numpy as np
from numba import njit

from anonset.kernels.arrays import Ints, Longs, Words, bit_count

BITS = 64
LONGEST = 256  # items of a graph that is searched; of a larger one the colours are counted


@njit(cache=True, nogil=True)
def most_together(
    offsets: Longs, items: Ints, rows: Longs, bounds: Longs, limits: tuple[int, int, int], steps: int, d: int
) -> Longs:
    """Return for each entry of `rows` a bound on the items of the record that are pairwise in k records of the cell.

    `limits` are k, m (pairs do not count where it is 1) and the records of the largest cell. It is the largest number there
    is, unless finding it takes more than `steps`: then the colours that the items need, which are as many or more.
    """
    k, m, largest = limits
    found, support = np.zeros(len(rows), np.int64), np.zeros(d, np.int64)
    begin, end = np.zeros(d + 1, np.int64), np.zeros(largest + 1, np.int64)
    for c in range(len(bounds) - 1):
        first, last = bounds[c], bounds[c + 1]
        for q in range(first, last):
            for p in range(offsets[rows[q]], offsets[rows[q] + 1]):
                support[items[p]] += 1
        total, words, longest = 0, 0, 0
        for q in range(first, last):
            n = 0
            for p in range(offsets[rows[q]], offsets[rows[q] + 1]):
                n += support[items[p]] >= k
            found[q] = n
            total += n
            longest = max(longest, n)
            words += n * ((n + BITS - 1) // BITS)
            end[q - first + 1] = total
        if m > 1 and longest > 1:
            _find_cliques(offsets, items, rows[first:last], found[first:last], (k, steps), support, begin, end, words)
        for q in range(first, last):
            for p in range(offsets[rows[q]], offsets[rows[q] + 1]):
                support[items[p]] = 0
    return found


@njit(cache=True, nogil=True)
def _find_cliques(
    offsets: Longs,
    items: Ints,
    rows: Longs,
    found: Longs,
    limits: tuple[int, int],
    support: Longs,
    begin: Longs,
    end: Longs,
    words: int,
) -> None:
    """Lower found[q], the items of record rows[q] that are in k of these records, to the largest clique among them.

    The items of record q with that support become held[end[q]:end[q + 1]]; `begin` is room for a number for each item.
    """
    k, steps = limits
    n_held, n, longest = int(end[len(rows)]), 0, 0
    held, owner, graph = np.empty(n_held, np.int32), np.empty(n_held, np.int64), np.zeros(words, np.uint64)
    start = np.zeros(len(rows) + 1, np.int64)  # of the graph of each record
    begin[:] = 0
    for q in range(len(rows)):
        for p in range(offsets[rows[q]], offsets[rows[q] + 1]):
            if support[items[p]] >= k:
                held[n], owner[n] = items[p], q
                begin[items[p] + 1] += 1
                n += 1
        start[q + 1] = start[q] + found[q] * ((found[q] + BITS - 1) // BITS)
        longest = max(longest, found[q])
    for i in range(1, len(begin)):
        begin[i] += begin[i - 1]
    posted = np.empty(n_held, np.int64)
    for p in range(n_held - 1, -1, -1):
        i = held[p]
        begin[i + 1] -= 1
        posted[begin[i + 1]] = p
    _join_frequent_pairs(held, owner, posted, begin, end, start, found, k, graph)
    depth = min(longest, LONGEST)
    candidates = np.empty((depth + 1) * ((depth + BITS - 1) // BITS), np.uint64)
    order, colours = np.empty((depth + 1) * depth, np.int32), np.empty((depth + 1) * depth, np.int32)
    for q in range(len(rows)):
        n = found[q]
        if n > 1:
            wide = (n + BITS - 1) // BITS
            mine, joined = graph[start[q] : start[q + 1]], 0
            for w in range(len(mine)):
                joined += bit_count(mine[w])
            if joined < n * (n - 1):
                if n <= LONGEST:
                    found[q] = largest_clique(mine, n, wide, steps, candidates, order, colours)
                else:
                    found[q] = _colours_of_all(mine, n, wide)


@njit(cache=True, nogil=True)
def _join_frequent_pairs(
    held: Ints,
    owner: Longs,
    posted: Longs,
    begin: Longs,
    end: Longs,
    start: Longs,
    found: Longs,
    k: int,
    graph: Words,
) -> None:
    """Join in each record's graph the items that are together in k records; begin[i + 1] is where item i is posted from."""
    d, one = len(begin) - 1, np.uint64(1)
    count = np.zeros(d, np.int64)
    for i in range(d):
        first, last = begin[i + 1], begin[i + 2] if i + 2 <= d else np.int64(len(posted))
        for e in range(first, last):
            for p in range(posted[e] + 1, end[owner[posted[e]] + 1]):
                count[held[p]] += 1
        for e in range(first, last):
            q = owner[posted[e]]
            wide, base, a = (found[q] + BITS - 1) // BITS, start[q], posted[e] - end[q]
            for p in range(posted[e] + 1, end[q + 1]):
                if count[held[p]] >= k:
                    b = p - end[q]
                    graph[base + a * wide + b // BITS] |= one << np.uint64(b % BITS)
                    graph[base + b * wide + a // BITS] |= one << np.uint64(a % BITS)
        for e in range(first, last):
            for p in range(posted[e] + 1, end[owner[posted[e]] + 1]):
                count[held[p]] = 0


@njit(cache=True, nogil=True)
def largest_clique(graph: Words, n: int, wide: int, steps: int, candidates: Words, order: Ints, colours: Ints) -> int:
    """Return the size of the largest clique, by branch and bound over colours; a bound above it after so many steps.

    The last three are room for n + 1 rows of candidates, and of n of them with their colours, for each depth of the search.
    """
    room = n
    _fill(candidates, n, wide)
    last = np.empty(n + 1, np.int64)
    last[0] = _colour(graph, wide, candidates[:wide], order[:room], colours[:room]) - 1
    best, t = 0, 0
    while t >= 0:
        if last[t] < 0 or t + colours[t * room + last[t]] <= best:
            t -= 1
            if t >= 0:
                last[t] -= 1
            continue
        steps -= 1
        if steps < 0:
            return max(best, colours[last[0]])
        v, any_left = order[t * room + last[t]], False
        candidates[t * wide + v // BITS] &= ~(np.uint64(1) << np.uint64(v % BITS))
        for w in range(wide):
            both = candidates[t * wide + w] & graph[v * wide + w]
            candidates[(t + 1) * wide + w] = both
            any_left = any_left or both != 0
        if any_left:
            t += 1
            here, there = t * room, (t + 1) * room
            last[t] = _colour(graph, wide, candidates[t * wide : (t + 1) * wide], order[here:there], colours[here:there]) - 1
        else:
            best = max(best, t + 1)
            last[t] -= 1
    return best


@njit(cache=True, nogil=True)
def _colour(graph: Words, wide: int, candidates: Words, order: Ints, colours: Ints) -> int:
    """Write the candidates by colour, items of one colour not joined to each other; return how many there are."""
    one, n, colour = np.uint64(1), 0, 0
    left, free = np.empty(wide, np.uint64), np.empty(wide, np.uint64)
    for w in range(wide):
        left[w] = candidates[w]
    more = True
    while more:
        colour += 1
        more = False
        for w in range(wide):
            free[w] = left[w]
        for w in range(wide):
            while free[w] != 0:
                lowest = free[w] & (~free[w] + one)
                v = w * BITS + bit_count(lowest - one)
                left[w] &= ~lowest
                free[w] &= ~lowest
                for x in range(w, wide):
                    free[x] &= ~graph[v * wide + x]
                order[n], colours[n] = v, colour
                n += 1
            more = more or left[w] != 0
    return n


@njit(cache=True, nogil=True)
def _colours_of_all(graph: Words, n: int, wide: int) -> int:
    """Return how many colours n items get, which no clique among them exceeds."""
    candidates, colours = np.empty(wide, np.uint64), np.empty(n, np.int32)
    _fill(candidates, n, wide)
    _colour(graph, wide, candidates, np.empty(n, np.int32), colours)
    return colours[n - 1]


@njit(cache=True, nogil=True)
def _fill(candidates: Words, n: int, wide: int) -> None:
    """Set the first n bits."""
    for w in range(wide):
        left = n - w * BITS
        candidates[w] = ~np.uint64(0) if left >= BITS else (np.uint64(1) << np.uint64(left)) - np.uint64(1)
