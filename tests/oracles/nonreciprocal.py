"""The slow, obvious twins of the nonreciprocal kernels, on Python sets."""

from itertools import combinations, pairwise, permutations


def gray_rank(record, d):
    """The number whose Gray code has a 1 at bit d-1-i for each item i."""
    rank, bit = 0, 0
    for i in range(d):
        bit ^= i in record
        rank = 2 * rank + bit
    return rank


def gray_order(records, d):
    return sorted(range(len(records)), key=lambda r: gray_rank(records[r], d))


def distance(a, b):
    return len(set(a) ^ set(b))


def cyclic_length(records, order):
    return sum(distance(records[order[p - 1]], records[order[p]]) for p in range(len(order)))


def cheapest_cut(steps, sizes):
    """The least sum of steps cut by borders between segments of the given sizes, over every way to cut."""
    n = len(steps)
    best = None
    for count in range(n):
        for inner in combinations(range(1, n), count):
            borders = [0, *inner, n]
            if all(b - a in sizes for a, b in pairwise(borders)):
                cost = sum(steps[b - 1] for b in inner)
                best = cost if best is None else min(best, cost)
    return best


def longest_cut(steps, labels, sizes):
    """The greatest sum of steps cut by borders between runs of different labels, over every way to cut; None if none."""
    n, best = len(steps), None
    for count in range(n):
        for inner in combinations(range(1, n), count):
            runs = [labels[a:b] for a, b in pairwise([0, *inner, n])]
            if all(len(run) in sizes and len(set(run)) == len(run) for run in runs):
                best = max(best or 0, sum(steps[b - 1] for b in inner))
    return best


def groups_around(records, order, labels, size, n_candidates):
    """The groups of CAHD along an order: (group of each record, number of groups)."""
    group, count = {}, 0
    for p, r in enumerate(order):
        if r in group:
            continue
        left = [x for x in order if x not in group]
        near = sorted((q for q, x in enumerate(order) if x in left and x != r), key=lambda q: (abs(q - p), q < p))
        candidates, seen = [], {labels[r]}
        for q in near:
            if labels[order[q]] not in seen and len(candidates) < n_candidates:
                candidates.append(order[q])
                seen.add(labels[order[q]])
        members = [r, *sorted(candidates, key=lambda x: -len(records[x] & records[r]))[: size - 1]]
        behind = [labels[x] for x in left if x not in members]
        if len(members) == size and all(behind.count(label) * size <= len(behind) for label in behind):
            group |= dict.fromkeys(members, count)
            count += 1
    return [group.get(r, count) for r in range(len(order))], count


def shortest_path(matrix):
    """The least length of a path over all records from the first to the last."""
    inner = range(1, len(matrix) - 1)
    ways = ([0, *middle, len(matrix) - 1] for middle in permutations(inner))
    return min(sum(matrix[a][b] for a, b in pairwise(way)) for way in ways)


def shortened_path(matrix):
    """The path of 2-opt, then Or-opt with one, two and three records, in passes over all places until none shortens it."""
    path, gained = list(range(len(matrix))), True
    while gained:
        gained = False
        for size in range(4):
            for i in range(1, len(path) - (size or 2)):
                ways = list(_reversed_ways(path, i) if size == 0 else _moved_ways(path, i, size))
                best = min(ways, key=lambda way: length(matrix, way), default=path)
                if length(matrix, best) < length(matrix, path):
                    path, gained = best, True
    return path


def length(matrix, path):
    """The sum of the distances from each record to the next."""
    return sum(matrix[a][b] for a, b in pairwise(path))


def _reversed_ways(path, i):
    for j in range(i + 1, len(path) - 1):
        yield path[:i] + path[i : j + 1][::-1] + path[j + 1 :]


def _moved_ways(path, i, size):
    block, rest = path[i : i + size], path[:i] + path[i + size :]
    for j in range(1, len(rest)):
        if j != i:
            yield rest[:j] + block + rest[j:]
            yield rest[:j] + block[::-1] + rest[j:]


def vote(group, d, common):
    """(base, distance, threshold) of a list of item sets."""
    count = [sum(i in record for record in group) for i in range(d)]
    base = {i for i in range(d) if 2 * count[i] > len(group) or (2 * count[i] == len(group) and common[i])}
    doubt = {i for i in range(d) if 0 < count[i] < len(group)}
    return base, doubt, max(distance(base, record) for record in group)


def matches(record, base, doubt, threshold):
    """[004] section 3: the record is one of the possible worlds."""
    wrong = set(record) ^ set(base)
    return wrong <= set(doubt) and len(wrong) <= threshold


def worlds(base, doubt, threshold):
    """Every record that matches."""
    return [set(base) ^ set(wrong) for size in range(threshold + 1) for wrong in combinations(sorted(doubt), size)]


def evenly_spread(labels, spacing):
    """Whether equal labels of a cyclic sequence are at least that far apart."""
    n = len(labels)
    return all(labels[a] != labels[b] or min((b - a) % n, (a - b) % n) >= spacing for a, b in combinations(range(n), 2))


def greedy_pick(x, records, labels, before, visited):
    """[004] Algorithm 2: before are the earlier assignments, visited the pairs of this walk; None where nothing is left."""
    n = len(records)
    met = {labels[a[x]] for a in before}
    last = None
    for j in range(n // 2 + 1):
        fit = [
            v
            for v in ((x + j) % n, (x - j) % n)
            if all(a[x] != v for a in before) and (x, v) not in visited and labels[v] not in met
        ]
        if not fit:
            continue
        best = min(fit, key=lambda v: distance(records[v], records[x]))
        if all(v != best for _, v in visited):
            return best
        last = best if last is None else last
    return last


def greedy_assignment(records, labels, before, starts):
    """[004] Algorithm 1 with greedyPick: who gets which record, or None where a walk cannot go on."""
    given, matched = dict(enumerate(range(len(records)))), set()
    for start in starts:
        if start in matched:
            continue
        visited, child = set(), {}
        x, node = start, None
        while node != start:
            following = greedy_pick(x, records, labels, before, visited)
            if following is None:
                return None
            visited.add((x, following))
            child[node] = following
            node = following
            x = next(owner for owner, record in given.items() if record == node)
        owner_of = {record: owner for owner, record in given.items()}
        x, node = start, child[None]
        while True:
            given[x] = node
            matched.add(x)
            if node == start:
                break
            x, node = owner_of[node], child[node]
    return [given[x] for x in range(len(records))]
