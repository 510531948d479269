"""Assignments by walks ([004] 4.2): random ones from a regular graph, drawn with a stream cipher so that none can be guessed,
and greedy ones from the complete graph (Algorithms 1 and 2).
"""

import numpy as np
from numba import njit

from anonset.kernels.arrays import Ints, Longs
from anonset.kernels.records import hamming

CipherWords = Longs  # 32-bit words, kept in 64 bits so that no sum overflows
Posts = Ints  # (n, m) posts[x, e]: the published record at the end of edge e of original record x
Places = Ints  # (n,)

WORD = 0xFFFFFFFF
ROUNDS = 12

ORIGINAL, CHOSEN, EXIT = 0, 1, 2  # of a node: who is assigned to it, by which edge, and where the walk left it last


@njit(cache=True, nogil=True, inline="always")
def cipher_block(key: CipherWords, nonce: CipherWords, counter: int, rounds: int, block: CipherWords) -> None:
    """Fill block with 16 words of the ChaCha key stream (RFC 8439, with a chosen number of rounds)."""
    block[0], block[1] = 0x61707865, 0x3320646E  # "expand 32-byte k"
    block[2], block[3] = 0x79622D32, 0x6B206574
    block[12] = counter & WORD
    for w in range(8):
        block[4 + w] = key[w]
    for w in range(3):
        block[13 + w] = nonce[w]
    start = block.copy()
    for _ in range(rounds // 2):
        for c in range(4):
            quarter_round(block, c, c + 4, c + 8, c + 12)
        for c in range(4):
            quarter_round(block, c, 4 + (c + 1) % 4, 8 + (c + 2) % 4, 12 + (c + 3) % 4)
    for w in range(16):
        block[w] = (block[w] + start[w]) & WORD


@njit(cache=True, nogil=True)
def quarter_round(block: CipherWords, a: int, b: int, c: int, d: int) -> None:
    """Mix four words of the block."""
    block[a] = (block[a] + block[b]) & WORD
    block[d] = rotated(block[d] ^ block[a], int(np.int64(16)))
    block[c] = (block[c] + block[d]) & WORD
    block[b] = rotated(block[b] ^ block[c], int(np.int64(12)))
    block[a] = (block[a] + block[b]) & WORD
    block[d] = rotated(block[d] ^ block[a], int(np.int64(8)))
    block[c] = (block[c] + block[d]) & WORD
    block[b] = rotated(block[b] ^ block[c], int(np.int64(7)))


@njit(cache=True, nogil=True, inline="always")
def rotated(word: int, bits: int) -> int:
    """Return the word with its bits turned left."""
    return ((word << bits) | (word >> (32 - bits))) & WORD


@njit(cache=True, nogil=True)
def drawn(stream: CipherWords, bound: int) -> int:
    """Return a uniform number below bound (less than 2^31).

    It is the upper word of word * bound; words whose lower word would favour some numbers are thrown away.
    """
    while True:
        if stream[25] == 16 or stream[24] == 0:
            nonce = np.zeros(3, np.int64)
            nonce[0] = stream[24] >> 32
            cipher_block(stream[:8], nonce, stream[24], ROUNDS, stream[8:24])
            stream[24], stream[25] = stream[24] + 1, 0
        product = stream[8 + stream[25]] * bound
        stream[25] += 1
        lower = product & WORD
        if lower >= bound or lower >= (WORD + 1) % bound:
            return product >> 32


@njit(cache=True, nogil=True)
def short_walk_assignment(posts: Posts, degree: int, stream: CipherWords) -> tuple[Places, int]:
    """Return a random assignment (the edge chosen for each original) and the number of steps walked.

    Only the first `degree` edges of each original are open; they must form a regular graph. Node v is the published record v
    together with the original now assigned to it, so a chosen edge is a loop. A walk starts from a random node without a
    chosen edge, takes random edges and ends at the first node that has no chosen edge either; a node it comes back to
    forgets the detour. Everyone on the walk moves on by one, which leaves the original of the end with the record of the
    start: an open node again, unless they are the same. A walk twice as long as is to be expected is given up; then n
    records take n log n steps (Goel, Kapralov, Khanna: Perfect matchings in O(n log n) time in regular bipartite graphs).
    """
    n, steps = len(posts), 0
    nodes, chosen = np.empty((n, 4), np.int32), np.empty(n, np.int32)  # side by side, since a step needs them all
    open_nodes, place, n_open = np.empty(n, np.int32), np.empty(n, np.int32), n
    for v in range(n):
        nodes[v, ORIGINAL], nodes[v, CHOSEN] = v, -1
        open_nodes[v], place[v] = v, v
    while n_open > 0:
        start = open_nodes[drawn(stream, n_open)]
        node, patience = start, steps + 2 * (2 + n // n_open)
        while True:
            if node == start:
                e = drawn(stream, degree)
            else:
                e = drawn(stream, degree - 1)
                e += e >= nodes[node, CHOSEN]
            nodes[node, EXIT] = e
            node = posts[nodes[node, ORIGINAL], e]
            steps += 1
            if nodes[node, CHOSEN] < 0 or steps == patience:
                break
        if nodes[node, CHOSEN] >= 0:
            continue
        end, x, e = node, nodes[start, ORIGINAL], nodes[start, EXIT]
        while True:  # along the walk without its detours
            node = posts[x, e]
            x, nodes[node, ORIGINAL] = nodes[node, ORIGINAL], x
            e, nodes[node, CHOSEN] = nodes[node, EXIT], e
            if node == end:
                break
        if end != start:
            nodes[start, ORIGINAL] = x
        n_open = close_node(end, open_nodes, place, n_open)
    for v in range(n):
        chosen[nodes[v, ORIGINAL]] = nodes[v, CHOSEN]
    return chosen, steps


@njit(cache=True, nogil=True, inline="always")
def close_node(node: int, open_nodes: Places, place: Places, n_open: int) -> int:
    """Take the node out of the open ones, which come first in the list, and return how many are left."""
    if place[node] >= n_open:
        return n_open
    last = open_nodes[n_open - 1]
    open_nodes[place[node]], place[last] = last, place[node]
    open_nodes[n_open - 1], place[node] = node, n_open - 1
    return n_open - 1


@njit(cache=True, nogil=True)
def closed_walk_assignment(posts: Posts, degree: int, stream: CipherWords) -> tuple[Places, int]:
    """Return the same by walks that come back to their start ([004] Algorithm 1).

    A walk goes on to nodes it has not seen where it can; a node it comes back to forgets the detour. No edge is walked
    twice, so the walk ends ([004] theorem 4.1).
    """
    n = len(posts)
    original, chosen = np.arange(n).astype(np.int32), np.full(n, -1, np.int32)
    open_nodes, place, n_open = np.arange(n).astype(np.int32), np.arange(n).astype(np.int32), n
    seen, exit_edge = np.zeros(n, np.int32), np.zeros(n, np.int32)
    walked = np.zeros((n, degree), np.int32)
    options = np.empty(degree, np.int32)
    walk, steps = 0, 0
    while n_open > 0:
        walk += 1
        start = open_nodes[drawn(stream, n_open)]
        node = start
        while True:
            seen[node] = walk
            e = next_edge(posts, original[node], node, start, degree, walk, seen, walked, options, stream)
            walked[original[node], e] = walk
            exit_edge[node] = e
            node = posts[original[node], e]
            steps += 1
            if node == start:
                break
        x = original[start]
        while True:  # along the walk without its detours
            e = exit_edge[node]
            node = posts[x, e]
            chosen[x] = e
            x, original[node] = original[node], x
            n_open = close_node(node, open_nodes, place, n_open)
            if node == start:
                break
    return chosen, steps


@njit(cache=True, nogil=True)
def next_edge(
    posts: Posts,
    x: int,
    node: int,
    start: int,
    degree: int,
    walk: int,
    seen: Places,
    walked: Posts,
    options: Places,
    stream: CipherWords,
) -> int:
    """Return a uniform choice among the edges of x to nodes not seen yet (or the start), else among those not walked yet."""
    fresh, stale = 0, 0
    for e in range(degree):
        v = posts[x, e]
        if walked[x, e] == walk or (v == node and v != start):
            continue
        if v == start or seen[v] != walk:
            options[fresh] = e
            fresh += 1
        else:
            stale += 1
            options[degree - stale] = e
    if fresh > 0:
        return options[drawn(stream, fresh)]
    return options[degree - 1 - drawn(stream, stale)]


@njit(cache=True, nogil=True)
def backtracking_assignment(posts: Posts, degree: int, stream: CipherWords) -> tuple[Places, int]:
    """Return the same by walks that never come back to a node but step back from dead ends ([004] 4.2, WMC)."""
    n = len(posts)
    original, chosen = np.arange(n).astype(np.int32), np.full(n, -1, np.int32)
    open_nodes, place, n_open = np.arange(n).astype(np.int32), np.arange(n).astype(np.int32), n
    on_path, exit_edge, path = np.zeros(n, np.bool_), np.zeros(n, np.int32), np.zeros(n, np.int64)
    walked = np.zeros((n, degree), np.int32)
    options = np.empty(degree, np.int32)
    walk, steps = 0, 0
    while n_open > 0:
        walk += 1
        start = open_nodes[drawn(stream, n_open)]
        path[0], length = start, 1
        on_path[start] = True
        while True:
            node = path[length - 1]
            x, count = original[node], 0
            for e in range(degree):
                if walked[x, e] != walk and (posts[x, e] == start or not on_path[posts[x, e]]):
                    options[count] = e
                    count += 1
            steps += 1
            if count == 0:  # a dead end
                on_path[node] = False
                length -= 1
                continue
            e = options[drawn(stream, count)]
            walked[x, e] = walk
            exit_edge[node] = e
            if posts[x, e] == start:
                break
            path[length] = posts[x, e]
            on_path[posts[x, e]] = True
            length += 1
        x = original[start]
        for p in range(1, length + 1):
            e = exit_edge[path[p - 1]]
            node = posts[x, e]
            chosen[x] = e
            on_path[path[p - 1]] = False
            x, original[node] = original[node], x
            n_open = close_node(node, open_nodes, place, n_open)
    return chosen, steps


@njit(cache=True, nogil=True)
def halves(posts: Posts, stream: CipherWords) -> tuple[Posts, Posts]:
    """Return the edges of a regular graph of even degree as two regular graphs of half the degree; posts get reordered.

    The edges of each original are paired at random, and so are those of each published record. Going from an edge to its
    partner at one end, then at the other, makes closed trails; along each of them edges go to one half and the other in turn.
    """
    n, degree = posts.shape
    at, filled = np.empty((n, degree), np.int32), np.zeros(n, np.int32)  # the edges of each published record
    for x in range(n):
        pair_up(posts[x], stream)
        for e in range(degree):
            v = posts[x, e]
            at[v, filled[v]] = x * degree + e
            filled[v] += 1
    partner = np.empty(n * degree, np.int32)
    for v in range(n):
        pair_up(at[v], stream)
        for p in range(0, degree, 2):
            partner[at[v, p]], partner[at[v, p + 1]] = at[v, p + 1], at[v, p]
    first, second = np.empty((n, degree // 2), np.int32), np.empty((n, degree // 2), np.int32)
    for start in range(0, n * degree, 2):
        if partner[start] < 0:
            continue
        edge = start + drawn(stream, int(np.int64(2)))
        while partner[edge] >= 0:
            back = partner[edge]
            first[edge // degree, edge % degree // 2] = posts[edge // degree, edge % degree]
            second[back // degree, back % degree // 2] = posts[back // degree, back % degree]
            partner[edge], partner[back] = -1, -1
            edge = back ^ 1
    return first, second


@njit(cache=True, nogil=True, inline="always")
def pair_up(values: Places, stream: CipherWords) -> None:
    """Reorder values so that each at an even place has a uniformly random partner at the next place."""
    for p in range(0, len(values) - 2, 2):
        q = p + 1 + drawn(stream, len(values) - p - 1)
        values[p + 1], values[q] = values[q], values[p + 1]


@njit(cache=True, nogil=True)
def close_edges(posts: Posts, degree: int, chosen: Places) -> Places:
    """Return the published record each original is assigned to, and move the chosen edges behind the open ones."""
    n = len(posts)
    assigned = np.empty(n, np.int32)
    for x in range(n):
        assigned[x] = posts[x, chosen[x]]
        posts[x, chosen[x]] = posts[x, degree - 1]
        posts[x, degree - 1] = assigned[x]
    return assigned


GreedyPlaces = Longs

STEPS = 50  # that a walk may take for each record before it is given up


@njit(cache=True, nogil=True)
def greedy_assignment(
    offsets: Longs, items: Ints, labels: Ints, posts: Posts, done: int, starts: GreedyPlaces
) -> tuple[GreedyPlaces, int]:
    """Return the next assignment, given the first `done` columns of posts, and the steps walked; -1 steps where none is found.

    Walks start from the given originals in turn, as long as they have no match. Everyone on a walk takes the record picked
    for them; a record the walk comes back to forgets the detour.
    """
    n = len(labels)
    owner, assigned = np.arange(n), np.full(n, -1, np.int64)
    reached, child = np.full(n, -1, np.int64), np.empty(n, np.int64)
    newest = np.full(n, -1, np.int64)  # of the picks that each original made on this walk
    picks, before = np.empty(STEPS * n + 1, np.int64), np.empty(STEPS * n + 1, np.int64)
    steps = 0
    for start in starts:
        if assigned[start] >= 0:
            continue
        newest[:] = -1
        x, node, here = start, -1, 0
        while node != start and here <= STEPS * n:
            following = greedy_pick(x, offsets, items, labels, posts, done, reached, start, newest[x], picks, before)
            if following < 0:
                return assigned, -1
            picks[here], before[here], newest[x] = following, newest[x], here
            child[node if node >= 0 else start] = following
            node, here = following, here + 1
            reached[node] = start
            x = owner[node]
        steps += here
        if node != start:
            return assigned, -1
        x = start
        while True:  # along the walk without its detours
            node = child[node]
            x, owner[node] = owner[node], x
            assigned[owner[node]] = node
            if node == start:
                break
    return assigned, steps


@njit(cache=True, nogil=True)
def greedy_pick(
    x: int,
    offsets: Longs,
    items: Ints,
    labels: Ints,
    posts: Posts,
    done: int,
    reached: GreedyPlaces,
    walk: int,
    newest: int,
    picks: GreedyPlaces,
    before: GreedyPlaces,
) -> int:
    """Return the nearest place with a label that x has not met, rather one this walk has not reached; -1 where there is none.

    Of the two places equally far along the order the one with the more similar record is taken. A place that x has picked on
    this walk before is left out, lest the same detour be made again: its picks are picks[newest], picks[before[newest]], ...
    """
    n, last = len(labels), -1
    for j in range(n // 2 + 1):
        one, two = (x + j) % n, (x - j) % n
        if not eligible(x, one, labels, posts, done, newest, picks, before):
            one = -1
        if not eligible(x, two, labels, posts, done, newest, picks, before):
            two = -1
        if one < 0 and two < 0:
            continue
        found = one if two < 0 else two if one < 0 else nearer(x, one, two, offsets, items)
        if reached[found] != walk:
            return found
        if last < 0:
            last = found
    return last


@njit(cache=True, nogil=True)
def eligible(
    x: int, place: int, labels: Ints, posts: Posts, done: int, newest: int, picks: GreedyPlaces, before: GreedyPlaces
) -> bool:
    """Return whether original x was not matched with a record of this label before, nor picked this place on this walk."""
    for a in range(done):
        if posts[x, a] == place or labels[posts[x, a]] == labels[place]:
            return False
    while newest >= 0:
        if picks[newest] == place:
            return False
        newest = before[newest]
    return True


@njit(cache=True, nogil=True)
def nearer(x: int, one: int, two: int, offsets: Longs, items: Ints) -> int:
    """Return which of two records differs from x in fewer items; the first where both do alike."""
    return one if hamming(offsets, items, x, one) <= hamming(offsets, items, x, two) else two
