"""Moving a cut up until itemsets are closed, with sets: every way to move the nodes of an itemset is tried."""

from itertools import combinations, product


class Search:
    """Records as sets of leaves (and of secrets) under a hierarchy, the node each leaf is published as, the nodes moved to."""

    def __init__(self, records, hidden, tree, weight, k, l, cut):  # noqa: E741
        self.records, self.hidden, self.tree, self.weight = records, hidden, tree, weight
        self.k, self.l, self.cut, self.fresh = k, l, list(cut), set()

    def leaves(self, v):
        return set(range(self.tree.low[v], self.tree.high[v]))

    def is_closed(self, nodes):
        holders = [r for r, record in enumerate(self.records) if all(record & self.leaves(v) for v in nodes)]
        secrets = [secret for r in holders for secret in self.hidden[r]]
        return len(holders) >= self.k and all(secrets.count(secret) * self.l <= len(holders) for secret in secrets)

    def spent(self, v):
        """What the occurrences under a node cost now."""
        cost = {i: int(self.weight[self.cut[i]]) for i in self.leaves(v)}
        return sum(cost[i] for record in self.records for i in record & cost.keys())

    def move(self, itemset):
        """Publish the cheapest nodes above some of the itemset's that close it; whether there are any."""
        ways = {}
        for picks in product(*(self.tree.ancestors(v) for v in itemset)):
            moved = sorted({new for new, old in zip(picks, itemset, strict=True) if new != old})
            apart = all(not self.leaves(v) & self.leaves(w) for v, w in combinations(set(picks), 2))
            if moved and apart and self.is_closed(picks):
                ways[self.price(moved), sum(len(self.leaves(v)) for v in moved), tuple(moved)] = moved
        if not ways:
            return False
        self.publish(ways[min(ways)])
        return True

    def price(self, moved):
        new = {i: int(self.weight[v]) for v in moved for i in self.leaves(v)}
        return sum(new[i] - int(self.weight[self.cut[i]]) for record in self.records for i in record & new.keys())

    def publish(self, moved):
        for v in moved:
            self.fresh = {u for u in self.fresh if u in moved or not self.leaves(u) <= self.leaves(v)} | {v}
            for i in self.leaves(v):
                self.cut[i] = v

    def is_generalized(self, v):
        """Whether the cut is above a node."""
        return self.cut[self.tree.low[v]] in self.tree.ancestors(v)[1:]

    def close_items(self):
        held = set().union(*self.records)
        for i in range(len(self.cut)):
            v = self.cut[i]
            if self.leaves(v) & held and not self.is_closed([v]) and not self.move([v]):
                return False
        return True

    def close_itemsets(self, itemsets):
        for itemset in itemsets:
            if any(map(self.is_generalized, itemset)) or self.is_closed(itemset):
                continue
            if not self.move(itemset):
                return False
        return True
