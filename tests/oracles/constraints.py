"""Slow twins of the constraint-based algorithms: Algorithms 1 and 2 of [003] and COAT, written down literally.

Records and constraints are sets of names; every constraint is listed; supports are counted by looking at every record; losses
are exact fractions. What the paper leaves open is as our pages say: a constraint is open while its support lies in (0, k), or
in [0, k) with absent=True, and a satisfied one is looked at again; ties go to the smaller support, then to the smaller items.
"""

from fractions import Fraction
from itertools import combinations


class Infeasible(Exception):
    pass


def all_itemsets(items, m):
    return [itemset for size in range(1, m + 1) for itemset in combinations(sorted(items), size)]


def support(p, records):
    return sum(p <= record for record in records) if p else 0


def loss(members, records, weights, spread=None):
    weight = sum((Fraction(weights.get(i, 1.0)) for i in members), Fraction(0)) / len(members)
    weight *= 1 if spread is None else spread(members)
    return (2 ** len(members) - 1) * weight * sum(any(i in record for i in members) for record in records)


def semantic_weight(tree):
    """Of a set of items: the share of all leaves that is under the smallest node of the hierarchy over all of them."""
    nodes = [frozenset(tree.leaves[low:high]) for low, high in zip(tree.low, tree.high, strict=True)]
    return lambda members: Fraction(min(len(node) for node in nodes if node >= members), tree.n_leaves)


def cluster_support(members, records):
    return sum(any(i in record for i in members) for record in records)


class Clustering:
    """H of the paper: item -> its cluster (a frozenset of items), or None where it is suppressed."""

    def __init__(self, records):
        self.records = [frozenset(record) for record in records]
        self.of = {i: frozenset([i]) for record in self.records for i in record}

    def published(self):
        return [{self.of[i] for i in record if self.of[i]} for record in self.records]

    def translate(self, p):
        """The clusters that stand for p; an item no record holds stands for itself."""
        return {self.of.get(i, frozenset([i])) for i in p} - {None}

    def clusters(self):
        return set(self.of.values()) - {None}

    def merge(self, one, other):
        for i in one | other:
            self.of[i] = one | other

    def suppress(self, cluster):
        for i in cluster:
            self.of[i] = None

    def result(self):
        """The clusters of two or more items, and the suppressed items."""
        large = {tuple(sorted(c)) for c in self.clusters() if len(c) > 1}
        return large, {i for i, c in self.of.items() if c is None}


def next_open(constraints, h, k, first, absent):
    """The open constraint that comes first: highest support now (or at first), then fewer and smaller items."""
    now = h.published()
    supports = {p: support(h.translate(p), now) for p in constraints}
    found = [p for p in constraints if 0 < supports[p] < k]
    rank = first if first is not None else supports
    held = min(found, key=lambda p: (-rank[p], len(p), p), default=None)
    if held is not None or not absent:
        return held
    none = [p for p in constraints if supports[p] == 0 and all(i in h.of for i in p)]
    return min(none, key=lambda p: (len(p), p), default=None)


def in_order(mine, h, pick):
    """The items of a constraint, that which COAT generalizes first in front."""
    sign = {"commonest": -1, "rarest": 1, "first": 0}[pick]
    return sorted(mine, key=lambda c: (sign * cluster_support(c, h.records), min(c)))


def cheapest(pairs, h, weights, spread):
    def cost(pair):
        members = pair[0] | pair[1]
        return (
            loss(members, h.records, weights, spread),
            cluster_support(members, h.records),
            sorted((min(pair[0]), min(pair[1]))),
        )

    return min(pairs, key=cost, default=None)


def anonymize(records, constraints, k, *, groups=None, s=0.0, weights=None, pick=None, static=False, absent=False, spread=None):
    """(generalized items, suppressed items): pcta without groups, upcta with them, coat with pick."""
    h = Clustering(records)
    constraints = sorted({tuple(sorted(p)) for p in constraints})
    group = {i: g for g, members in enumerate(groups) for i in members} if groups is not None else dict.fromkeys(h.of, 0)
    start = h.published()
    first = {p: support(h.translate(p), start) for p in constraints} if static else None
    n_items = len(h.of)
    while (p := next_open(constraints, h, k, first, absent)) is not None:
        while (not absent) <= support(h.translate(p), h.published()) < k:
            mine = h.translate(p)
            movable = [[c] for c in in_order(mine, h, pick)] if pick else [mine]
            choices = [
                [(c, other) for c in some for other in h.clusters() - {c} if group[min(c)] == group[min(other)]]
                for some in movable
            ]
            pair = cheapest(next((pairs for pairs in choices if pairs), []), h, weights or {}, spread)
            if pair is not None:
                h.merge(*pair)
            else:
                h.suppress(in_order(mine, h, "rarest")[0])
                if len(h.result()[1]) > s * n_items + 1e-9:
                    raise Infeasible
    return h.result()


def maximal_rare_transactions(records, k):
    distinct = {frozenset(record) for record in records if record}
    rare = {t for t in distinct if sum(t <= record for record in records) < k}
    return [tuple(sorted(t)) for t in rare if not any(t < other for other in rare)]


def utility_loss(records, generalized, suppressed, weights=None):
    """The sum of the clusters' losses up to the common factor."""
    inside = {i for c in generalized for i in c} | set(suppressed)
    single = {(i,) for record in records for i in record if i not in inside}
    return sum(loss(frozenset(c), records, weights or {}) for c in set(generalized) | single)


def tells(p, records, secrets, l):  # noqa: E741 - the papers' letter
    """Whether a secret is in more than 1/l of the records that hold an item of each cluster of p."""
    holding = [held for record, held in zip(records, secrets, strict=True) if all(c & record for c in p)]
    return any(sum(i in held for held in holding) * l > len(holding) for i in set().union(*holding))


def telling_sets(h, secrets, m, l):  # noqa: E741
    """Sets of at most m clusters of a record that tell, unless their first ones do; most records first, then small ones."""
    found = {p for record in h.published() for n in range(1, m + 1) for p in combinations(sorted(record, key=min), n)}
    found = {p for p in found if tells(p, h.records, secrets, l)}
    first = [p for p in found if not any(p[:n] in found for n in range(1, len(p)))]
    return sorted(first, key=lambda p: (-support(set(p), h.published()), len(p), [min(c) for c in p]))


def diversify(records, generalized, secrets, m, l, *, groups=None, pick=None):  # noqa: E741
    """Clusters of two or more items, merged further until none of them tells; None where that cannot be done."""
    h = Clustering(records)
    for items in generalized:
        for i in items:
            h.of[i] = frozenset(items)
    group = {i: g for g, members in enumerate(groups) for i in members} if groups is not None else dict.fromkeys(h.of, 0)
    while found := telling_sets(h, secrets, m, l):
        for p in found:
            constraint = {min(c) for c in p}
            while tells(mine := h.translate(constraint), h.records, secrets, l):
                movable = [[c] for c in in_order(mine, h, pick)] if pick else [mine]
                choices = [
                    [(c, other) for c in some for other in h.clusters() - {c} if group[min(c)] == group[min(other)]]
                    for some in movable
                ]
                pair = cheapest(next((pairs for pairs in choices if pairs), []), h, {}, None)
                if pair is None:
                    return None
                h.merge(*pair)
    return h.result()[0]
