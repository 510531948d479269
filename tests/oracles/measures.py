"""The measures, the obvious way: sets of names, fractions, no arrays."""

from fractions import Fraction
from itertools import combinations


def published_sets(release):
    """Each published record as a list of frozensets of item names."""
    items = release.items
    groups = [frozenset(items.domain[i] for i in group) for group in items.labels.groups()]
    return [[groups[a] for a in items.shown[items.offsets[r] : items.offsets[r + 1]]] for r in range(len(items))]


def ncp_items(original, release):
    d, records = len(original.transactions.domain), list(original.transactions.records())
    total, lost = 0, Fraction(0)
    shown = dict(zip(release.rows.tolist(), published_sets(release), strict=True))
    for r, record in enumerate(records):
        for item in record:
            total += 1
            sizes = [len(group) for group in shown.get(r, []) if item in group]
            lost += Fraction(1) if not sizes else Fraction(0 if min(sizes) == 1 else min(sizes), d)
    return float(lost / total) if total else 0.0


def ul(original, release):
    m, n = len(original.transactions.domain), len(original)
    total = sum(Fraction(2 ** len(group) - 1, 2**m - 1) for record in published_sets(release) for group in record) / n
    return float(total + len(release.items.suppressed))


def ul_record(original, release, exact_weight=1):
    sensitive = set()
    if original.sensitive_items is not None:
        pairs = zip(original.transactions.domain, original.sensitive_items, strict=True)
        sensitive = {name for name, flag in pairs if flag}
    total = Fraction(0)
    for record in published_sets(release):
        groups = [group for group in record if not (len(group) == 1 and group <= sensitive)]
        sigma = sum(map(len, groups))
        for group in groups:
            total += Fraction(2 ** len(group) - 1, 2**sigma - 1) * (exact_weight if len(group) == 1 else 1)
    return float(total / max(1, len(release)))


def smallest_support(records, m):
    """The smallest support of a set of 1..m members found in a record; 0 where all records are empty."""
    sets = {frozenset(c) for record in records for size in range(1, m + 1) for c in combinations(sorted(record), size)}
    return min((sum(s <= record for record in records) for s in sets), default=0)


def support_of_known(record, group, m):
    """The fewest records of a group that hold a set of 0..m members of one of them."""
    known = [set(c) for size in range(m + 1) for c in combinations(sorted(record), size)]
    return min(sum(some <= other for other in group) for some in known)


def most_together(records, k, m):
    """For each record the most of its items that are in k of the records, and pairwise so where m is above 1."""

    def support(items):
        return sum(items <= record for record in records)

    items = set().union(*records)
    frequent = {a for a in items if support({a}) >= k}
    beside = {a: {b for b in frequent if b != a and (m == 1 or support({a, b}) >= k)} for a in frequent}
    return [largest_clique(beside, set(record) & frequent) for record in records]


def largest_clique(beside, candidates):
    """With the first candidate, or without it."""
    if not candidates:
        return 0
    first = min(candidates)
    with_it = 1 + largest_clique(beside, candidates & beside[first])
    rest = candidates - {first}
    if with_it > len(rest) or rest <= beside[first]:
        return with_it
    return max(with_it, largest_clique(beside, rest))


def most_exact(records, k, m):
    """The most occurrences that can be exact in one group, by trying all: each known set that is shown is so in k records."""
    places = [(r, item) for r, record in enumerate(records) for item in sorted(record)]
    for size in range(len(places), 0, -1):
        for chosen in combinations(places, size):
            shown = [frozenset(item for q, item in chosen if q == r) for r in range(len(records))]
            if all(
                sum(set(known) <= other for other in shown) >= k
                for record in shown
                for n in range(1, m + 1)
                for known in combinations(sorted(record), n)
            ):
                return size
    return 0


def label_spread(tree, leaf_sets, times):
    """The mean share of the leaves under the lowest node above each set of several leaves, but not all of them."""
    shares = [
        min(tree.sizes[v] for v in range(len(tree)) if all(tree.low[v] <= leaf < tree.high[v] for leaf in leaves))
        / tree.n_leaves
        for leaves, n in zip(leaf_sets, times, strict=True)
        for _ in range(n)
        if 1 < len(leaves) < tree.n_leaves
    ]
    return sum(shares) / len(shares) if shares else 0.0
