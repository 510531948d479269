"""Groups of items that replace each other, the long way: every pair of items looked at, nothing left out to save time."""

from math import log2, sqrt

STEPS, UNEQUAL, TOGETHER = 1024, 0.5, 1.0


def groups(records, domain, fanout):
    """The sets of items that share a node just above the leaves, for domains so small that no limit matters."""
    support = {a: sum(a in record for record in records) for a in domain}
    both = {(a, b): sum(a in r and b in r for r in records) for a in domain for b in domain if a != b}
    told = [record for record in records if len(record) > 1]
    pairs = {a: sum(len(record) - 1 for record in told if a in record) for a in domain}
    profile = {a: {b: _weight(both[a, b], pairs[a], pairs[b], sum(pairs.values())) for b in domain if b != a} for a in domain}
    order = sorted(domain, key=lambda a: (-support[a], domain.index(a)))
    found, free = [], list(order)
    while free:
        group = [free.pop(0)]
        while len(group) < fanout and free:
            best = max(free, key=lambda b: (_likeness(b, group, profile, both, support), -order.index(b)))
            free.remove(best)
            group.append(best)
        found.append(frozenset(group))
    return set(found)


def _weight(count, pairs, other_pairs, total):
    if count == 0:
        return 0
    return round(max(0.0, log2(count * total / (pairs * other_pairs))) * count / (count + 1) * STEPS)


def _likeness(b, group, profile, both, support):
    total = 0.0
    for a in group:
        common = sum(weight * profile[b].get(c, 0) for c, weight in profile[a].items())
        total += common / _length(profile[a]) / _length(profile[b])
        if profile[a][b] > 0:
            total -= TOGETHER * both[a, b] / min(support[a], support[b])
    return total / len(group) - UNEQUAL * (_bits(support[group[0]]) - _bits(support[b]))


def _length(weights):
    return max(1.0, sqrt(sum(weight * weight for weight in weights.values())))


def _bits(support):
    return round(log2(max(support, 0.5)) * STEPS) / STEPS
