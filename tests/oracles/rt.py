"""Slow twins of the RT algorithms: sets, dictionaries and the paper's pseudocode line by line."""

from collections import Counter
from fractions import Fraction
from itertools import combinations


def least_by_places(costs, nearness, allowed):
    """The allowed entry with the least sum of its places in two orders, both written out; -1 where there is none."""
    by_cost = sorted(range(len(costs)), key=lambda e: (costs[e], e))
    by_nearness = sorted(by_cost, key=lambda e: nearness[e])
    sums = {e: by_cost.index(e) + by_nearness.index(e) for e in by_cost if allowed[e]}
    return min(sums, key=sums.__getitem__, default=-1)


def btd(r, s):
    """[000] section 5, with bit vectors as Python sets."""
    return Fraction((len(r ^ s) + 1) * len(r | s), len(r & s) + 1)


def cluster_btd(records):
    return max((btd(r, s) for r, s in combinations(records, 2)), default=Fraction(0))


def value_loss(column, codes):
    """NCP of one value of a group that holds these codes."""
    values = set(codes)
    if values == {-1} or len(values) == 1:
        return 0.0
    if -1 in values:
        return 1.0
    if column.hierarchy is not None:
        leaves = below(column.hierarchy, lowest_common(column.hierarchy, values))
    elif column.kind == "ordered":
        return (max(values) - min(values)) / (len(column.domain) - 1)
    else:
        leaves = values
    if column.kind == "numeric":
        low, high = column.span
        numbers = [column.values[c] for c in leaves]
        return min(1.0, (max(numbers) - min(numbers)) / (high - low))
    return len(leaves) / len(column.domain) if len(leaves) > 1 else 0.0


def lowest_common(tree, leaves):
    paths = [tree.ancestors(leaf) for leaf in leaves]
    return next(v for v in paths[0] if all(v in path for path in paths))


def below(tree, node):
    return {leaf for leaf in range(tree.n_leaves) if node in tree.ancestors(leaf)}


def cluster_ncp(data, rows):
    """NCP of a record of a cluster, equal weights."""
    return sum(value_loss(column, [int(column.codes[r]) for r in rows]) for column in data.quasi) / len(data.quasi)


def dataset_ncp(data, clusters):
    return sum(len(rows) * cluster_ncp(data, rows) for rows in clusters.values()) / len(data)


def size_measure(data, clusters, rum, k):
    """Discernibility or C_avg of clusters, each a group of its own."""
    sizes = [len(rows) for rows in clusters.values()]
    return sum(size * size for size in sizes) if rum == "discernibility" else len(data) / (len(sizes) * k)


def merge_clusters(data, clusters, by, delta, proximity, *, rum="ncp", k=1):
    """RmergeR, RmergeT, RmergeRT of [000], corrected as our pages say; proximity(rows) orders unions by their items."""
    clusters = {c: sorted(rows) for c, rows in clusters.items()}
    steps = []
    changed = True

    def cost(rows):
        """What is compared: NCP as a fraction, or the size and then NCP."""
        exact = Fraction(cluster_ncp(data, rows)).limit_denominator(10**6)
        return (exact,) if rum == "ncp" else (len(rows), exact)

    while changed and len(clusters) > 1:
        changed = False
        seed = min(clusters, key=lambda c: (*cost(clusters[c]), len(clusters[c]), c))
        others = sorted(set(clusters) - {seed})
        loss = {c: cost(clusters[seed] + clusters[c]) for c in others}
        by_loss = sorted(others, key=lambda c: (loss[c], c))
        near = {c: proximity(clusters[seed] + clusters[c]) for c in others}
        by_items = sorted(others, key=lambda c: (near[c], loss[c], c))
        candidates = {
            "r": by_loss[:1],
            "t": by_items,
            "rt": sorted(others, key=lambda c: (by_loss.index(c) + by_items.index(c), loss[c], c)),
        }[by]
        for partner in candidates:
            after = {c: rows for c, rows in clusters.items() if c not in (seed, partner)}
            after[min(seed, partner)] = clusters[seed] + clusters[partner]
            value = dataset_ncp(data, after) if rum == "ncp" else size_measure(data, after, rum, k)
            if value <= delta:
                clusters, changed = after, True
                steps.append((seed, partner))
                break
    return clusters, steps


def record_ul(sizes, exact_weight=1.0):
    """UL of a record whose published items have these sizes, in exact arithmetic."""
    if not sizes:
        return 0.0
    total = sum(Fraction(2**size - 1) * (Fraction(exact_weight) if size == 1 else 1) for size in sizes)
    return float(total / (2 ** sum(sizes) - 1))


def is_km_anonymous(records, k, m):
    """Whether every set of at most m labels found in a record is found in at least k records."""
    found = {frozenset(s) for record in records for size in range(1, m + 1) for s in combinations(sorted(record), size)}
    return all(sum(s <= record for record in records) >= k for s in found)


def is_lm_diverse(records, secrets, l, m):  # noqa: E741 - the papers' letter
    """Whether no secret occurs in more than 1/l of the records that contain any set of at most m labels."""
    found = {frozenset(s) for record in records for size in range(m + 1) for s in combinations(sorted(record), size)}
    for s in found:
        holders = [secret for record, secret in zip(records, secrets, strict=True) if s <= record]
        if any(sum(x in secret for secret in holders) * l > len(holders) for x in set().union(*holders)):
            return False
    return True


def has_odd_column(data):
    """Whether missing values mix with one other value only: such a label counts 1 while merging, 0 when it is measured."""
    return any((c.codes < 0).any() and len(set(c.codes[c.codes >= 0].tolist())) == 1 for c in data.quasi)


def groups_of(release):
    """The published records by their published quasi values."""
    groups = {}
    for r in range(len(release)):
        groups.setdefault(tuple(int(column.codes[r]) for column in release.quasi), []).append(r)
    return list(groups.values())


def is_protected(data, release, k, m, l=1):  # noqa: E741 - the papers' letter
    """(k,k^m)-anonymity, and (k,l^m)-diversity where the data have sensitive items, by brute force."""
    items = release.items
    sensitive = set() if data.sensitive_items is None else {i for i, s in enumerate(data.sensitive_items) if s}
    shown = [set(items.shown[items.offsets[r] : items.offsets[r + 1]].tolist()) for r in range(len(release))]
    members = [frozenset(group.tolist()) for group in items.labels.groups()]
    secret = {a for a, group in enumerate(members) if len(group) == 1 and group <= sensitive}
    for group in groups_of(release):
        known = [frozenset(shown[r] - secret) for r in group]
        hidden = [frozenset(shown[r] & secret) for r in group]
        if len(group) < k or not is_km_anonymous(known, k, m):
            return False
        if sensitive and not is_lm_diverse(known, hidden, l, m):
            return False
    return True


def is_truthful(data, release):
    """Whether every published label stands for an item of its record, and every item has a label; quasi values likewise."""
    items, t = release.items, data.transactions
    members = [frozenset(group.tolist()) for group in items.labels.groups()]
    for p, r in enumerate(release.rows):
        labels = [members[a] for a in items.shown[items.offsets[p] : items.offsets[p + 1]]]
        original = set(t.items[t.offsets[r] : t.offsets[r + 1]].tolist())
        if not all(label & original for label in labels) or not original <= set().union(*labels):
            return False
    return all(_covers(data.column(column.name), column, release.rows) for column in release.quasi)


def _covers(original, published, rows):
    for p, r in enumerate(rows):
        code, shown = int(original.codes[r]), int(published.codes[p])
        if shown < 0:
            if code >= 0:
                return False
        elif hasattr(published.labels, "low"):
            low, high = original.span
            whole = published.labels.low[shown] <= low and high <= published.labels.high[shown]
            if not (
                whole if code < 0 else published.labels.low[shown] <= original.values[code] <= published.labels.high[shown]
            ):
                return False
        else:
            group = list(published.labels.groups())[shown].tolist()
            if not (len(group) == len(original.domain) if code < 0 else code in group):
                return False
    return True


def expected_count(records, wanted):
    """How many records hold the wanted items: each of a label of n, f of them shown exactly beside it, counts 1 / (n - f)."""
    total = 0.0
    for labels in records:
        exact = {next(iter(label)) for label in labels if len(label) == 1}
        share = 1.0
        for item in wanted:
            if item in exact:
                continue
            share *= min(1.0, sum(1.0 / len(label - exact) for label in labels if item in label))
        total += share
    return total


def grow_alike(records, cost, k, unlike, price):
    """Classes of records: the first one left, joined by the one that scores highest; cost(rows) is their NCP."""
    left, classes = list(range(len(records))), []
    while len(left) >= 2 * k:
        members = [left[0]]
        while len(members) < k:
            mean = sum(len(records[r]) for r in members) / len(members)
            scores = {}
            for r in (r for r in left if r not in members):
                shares = [sum(i in records[s] for s in members) / len(members) for i in sorted(records[r])]
                scores[r] = -price * cost([*members, r]) - unlike * abs(len(records[r]) - mean)
                for share in shares:
                    scores[r] += share * share * share * share
            members.append(max(scores, key=scores.get))
        classes.append(members)
        left = [r for r in left if r not in members]
    return [*classes, left] if left else classes


def align_items(records):
    """The labels of a class: sets of items, each of which every record that holds anything holds one of."""
    records = [sorted(items) for items in records if items]
    seen = dict.fromkeys(i for items in records for i in items)
    share = {i: sum(i in items for items in records) / len(records) for i in seen}
    exact = [i for i in seen if share[i] == 1.0]
    free = [i for i in seen if share[i] < 1.0]
    number = max(1, int(sum(map(len, records)) / max(1, len(records)) + 0.5) - len(exact))
    if not free:
        return [{i} for i in exact]
    if all(set(items) - set(exact) for items in records):
        return fitted_labels(records, share, free, number)[0] + [{i} for i in exact]
    off = _sum(_off(1.0 / len(free), share[i]) for i in free)
    found, least = fitted_labels(records, share, [i for i in seen if i in free or i == exact[-1]], number + 1)
    if least < off:
        return found + [{i} for i in exact[:-1]]
    return [{*free, exact[-1]}] + [{i} for i in exact]


def fitted_labels(records, share, free, number):
    """Labels of the free items, changed one item at a time while less is read wrongly, and how much still is."""
    labels = []
    for a in range(number):
        read = _read(labels, free)
        label = [i for i in free if a == number - 1 and not any(i in other for other in labels)]
        while waiting := [items for items in records if not set(items) & set(label)]:
            scores = {}
            for i in (i for i in free if i not in label and any(i in items for items in waiting)):
                need = max(share[i] - read[i], 0.001)
                scores[i] = sum(i in items for items in waiting) * need * need
            label.append(max(scores, key=scores.get))
        labels.append(label)
    for _ in range(16):
        if not _swept(records, share, free, labels):
            break
    for a in range(number):
        if any(b != a and set(labels[a]) == set(labels[b]) for b in range(number)):
            labels[a] = []
    labels = [label for label in labels if label]
    read = _read(labels, free)
    return [set(label) for label in labels], _sum(_off(read[i], share[i]) for i in free)


def _swept(records, share, free, labels):
    """Whether an item was put behind a label, taken away or moved; -1 is no label."""
    better = False
    for i in free:
        for a in range(len(labels)):
            ways = [] if i in labels[a] else [(a, -1)]
            spared = all(len(set(items) & set(labels[a])) > 1 for items in records if i in items)
            if i in labels[a] and len(labels[a]) > 2 and spared:
                ways = [(b, a) for b in range(len(labels)) if i not in labels[b]]
                ways = [(-1, a)] * (sum(i in label for label in labels) > 1) + ways
            best, least = None, -1e-9
            for way in ways:
                if (gain := _gain(*way, i, share, labels, free)) < least:
                    best, least = way, gain
            if best is not None:
                better |= _changed(*best, i, labels)
    return better


def _gain(into, out, i, share, labels, free):
    read = _read(labels, free)
    more = 1.0 / (len(labels[into]) + 1) if into >= 0 else 0.0
    down = more - 1.0 / len(labels[into]) if into >= 0 else 0.0
    less = 1.0 / len(labels[out]) if out >= 0 else 0.0
    up = 1.0 / (len(labels[out]) - 1) - less if out >= 0 else 0.0
    wide, old = labels[into] if into >= 0 else [], labels[out] if out >= 0 else []
    parts = [_off(read[i] + more - less, share[i]) - _off(read[i], share[i])]
    parts += [_off(read[j] + down + (up if j in old else 0.0), share[j]) - _off(read[j], share[j]) for j in wide]
    parts += [_off(read[j] + up, share[j]) - _off(read[j], share[j]) for j in old if j != i and j not in wide]
    return _sum(parts)


def _changed(into, out, i, labels):
    """Make a change unless two labels are alike then; what goes leaves its place to the last."""
    new = [list(label) for label in labels]
    if into >= 0:
        new[into].append(i)
    if out >= 0:
        new[out][new[out].index(i)] = new[out][-1]
        new[out].pop()
    for a in (a for a in (into, out) if a >= 0):
        if any(b != a and set(new[b]) == set(new[a]) for b in range(len(new))):
            return False
    labels[:] = new
    return True


def _read(labels, free):
    return {i: _sum(1.0 / len(label) for label in labels if i in label) for i in free}


def _off(read, share):
    off = min(read, 1.0) - share
    return off * off


def _sum(values):
    """One after the other: `sum` rounds less, and ties would fall otherwise."""
    total = 0.0
    for value in values:
        total += value
    return total


def hides(records, k, m, l):  # noqa: E741
    """Whether records, each of labels and of secrets, are k^m-anonymous by labels and l^m-diverse by secrets."""
    for size in range(m + 1):
        for known in {frozenset(some) for labels, _ in records for some in combinations(sorted(labels), size)}:
            secrets = [held for labels, held in records if known <= labels]
            most = max(Counter(i for held in secrets for i in held).values(), default=0)
            if (size and len(secrets) < k) or (l > 1 and most * l > len(secrets)):
                return False
    return True
