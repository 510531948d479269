"""Local recoding of occurrences, the slow and obvious way: breaches by their definition, and sets closed one by one."""

import math
from collections import Counter
from itertools import combinations, pairwise


def breaches(data, release, k, m, l=1, share=0.0):  # noqa: E741 - the papers' letter
    """Sentences about everything that is wrong with the published items of a release of all records."""
    items, original = release.items, list(data.transactions.records())
    secret = set()
    if data.sensitive_items is not None:
        secret = {name for name, s in zip(data.transactions.domain, data.sensitive_items, strict=True) if s}
    meaning = [frozenset(items.domain[i] for i in group) for group in items.labels.groups()]
    records = [
        [a for a in items.shown[items.offsets[r] : items.offsets[r + 1]].tolist() if not meaning[a] <= secret]
        for r in range(len(items))
    ]
    groups = list(zip(*(column.codes.tolist() for column in release.quasi), strict=True)) or [()] * len(records)
    truth = [original[row] for row in release.rows.tolist()]
    found = [*untrue(items, meaning, truth, secret, share), *rare(records, groups, k, m)]
    if l > 1:
        found += too_frequent(records, groups, [row & secret for row in truth], m, l)
    return found


def untrue(items, meaning, truth, secret, share):
    """Labels without an item behind them, sensitive items that are not exact, and more items without a label than allowed."""
    gone = 0
    for r, row in enumerate(truth):
        shown = [meaning[a] for a in items.shown[items.offsets[r] : items.offsets[r + 1]]]
        for label in shown:
            if not label & row:
                yield f"record {r} shows {sorted(label)} and has {sorted(row)}"
            if len(label) > 1 and label & secret:
                yield f"record {r} shows {sorted(label)}, which hides a sensitive item"
        for item in row:
            if item in secret and frozenset([item]) not in shown:
                yield f"record {r} does not show the sensitive {item}"
            elif not any(item in label for label in shown):
                gone += 1
    if gone > share * sum(len(row - secret) for row in truth):
        yield f"{gone} items have no label"


def rare(records, groups, k, m):
    """Sets of 1 .. m labels that some but fewer than k records of a group show."""
    counts = Counter()
    for record, group in zip(records, groups, strict=True):
        for size in range(1, m + 1):
            counts.update((group, labels) for labels in combinations(sorted(record), size))
    return [f"{n} records of {group} show {labels}" for (group, labels), n in counts.items() if n < k]


def too_frequent(records, groups, secrets, m, l):  # noqa: E741
    """Sets of 0 .. m labels of a group with a secret in more than 1/l of their records."""
    counts, held = Counter(), Counter()
    for record, group, hidden in zip(records, groups, secrets, strict=True):
        for size in range(m + 1):
            for labels in combinations(sorted(record), size):
                counts[group, labels] += 1
                held.update((group, labels, secret) for secret in hidden)
    return [f"{n} of {set_} hold {s}" for (*set_, s), n in held.items() if n * l > counts[tuple(set_)]]


def close_small_sets(bounds, records, fixed, watched, k, most, near_weight, rarer_first=False):
    """What each record keeps when labels are taken away, the worst one first, until no set with a watched label is rare."""
    kept = [list(record) for record in records]
    for first, last in pairwise(bounds):
        counts = Counter(s for record in kept[first:last] for s in _sets(record, most, watched))
        single = Counter(label for record in kept[first:last] for label in record)
        lost = True
        while lost:
            lost = False
            for r in range(first, last):
                lost = _close_record(kept[r], fixed[r], counts, single, watched, k, most, near_weight, rarer_first) or lost
    return kept


def _close_record(record, fixed, counts, single, watched, k, most, near_weight, rarer_first):
    lost, n = False, len(record)
    while True:
        bad, near = Counter(), Counter()
        for s in _sets(record, most, watched):
            if len(s) > 1 or counts[s] < k:
                weight = n if len(s) == 1 else 1
                (bad if counts[s] < k else near if counts[s] == k else Counter()).update(dict.fromkeys(s, weight))
        worth = {a: bad[a] / (1 + near_weight * near[a]) for a in record[fixed:] if bad[a]}
        if rarer_first:
            worth = {a: value / math.sqrt(single[a]) for a, value in worth.items()}
        if not worth or not any(counts[s] < k and set(s) & set(worth) for s in _sets(record, most, watched)):
            return lost
        worst = max(record[fixed:], key=lambda a: (worth.get(a, -1.0), -single[a], -record.index(a)))
        for s in _sets(record, most, watched):
            if worst in s:
                counts[s] -= 1
        single[worst] -= 1
        record[record.index(worst)] = record[-1]
        record.pop()
        lost = True


def _sets(record, most, watched):
    for size in range(1, most + 1):
        for labels in combinations(sorted(record), size):
            if any(watched[a] for a in labels):
                yield labels
