"""[002] line by line: the count-tree (Algorithm 1), direct (3) and apriori (4) anonymization; and every cut tried."""

from itertools import combinations, product


class Database:
    """Records as sets of leaves under a hierarchy, with what the algorithms ask of them."""

    def __init__(self, data):
        t, self.tree = data.linkable, data.item_hierarchy
        self.records = [
            [int(i) for i in t.items[start:stop]] for start, stop in zip(t.offsets[:-1], t.offsets[1:], strict=True)
        ]
        self.path = [self.tree.ancestors(v) for v in range(len(self.tree))]
        self.expanded = [sorted({v for i in record for v in self.path[i]}) for record in self.records]
        self.holders = [set() for _ in self.path]
        for r, nodes in enumerate(self.expanded):
            for v in nodes:
                self.holders[v].add(r)
        self.supports = [len(holders) for holders in self.holders]
        self.order = sorted(range(len(self.path) - 1), key=lambda v: (-self.supports[v], v))  # ALL is left out
        self.rank = {v: p for p, v in enumerate(self.order)}
        self.occurrences = [0] * self.tree.n_leaves
        for record in self.records:
            for i in record:
                self.occurrences[i] += 1

    def support(self, nodes):
        return len(set.intersection(*(self.holders[v] for v in nodes)))

    def leaves(self, v):
        return range(self.tree.low[v], self.tree.high[v])

    def size(self, v):
        return int(self.tree.high[v] - self.tree.low[v])

    def loss(self, cut):
        """NCP times occurrences times leaves: a whole number."""
        return sum(n * self.size(v) for n, v in zip(self.occurrences, cut, strict=True) if self.size(v) > 1)


def related(db, itemset):
    return any(v in db.path[w] or w in db.path[v] for v, w in combinations(itemset, 2))


def count_tree(db, cut, sizes):
    """Algorithm 1 with line 5 of Algorithm 4: nodes are {item: [count, children]}."""
    root = {}
    for nodes in db.expanded:
        kept = [v for v in nodes if v in db.rank and not generalized(db, cut, v)]
        kept.sort(key=db.rank.__getitem__)
        for size in sizes:
            for itemset in combinations(kept, size):
                if not related(db, itemset):
                    level = root
                    for v in itemset:
                        node = level.setdefault(v, [0, {}])
                        level = node[1]
                    node[0] += 1
    return root


def generalized(db, cut, v):
    """Whether the cut is above v."""
    return v != cut[db.tree.low[v]] and cut[db.tree.low[v]] in db.path[v]


def da(db, k, tree, cut):
    """Algorithm 3 on a count-tree: the leaf nodes with a count below k, in preorder."""

    def visit(level, prefix):
        for v in sorted(level, key=db.rank.__getitem__):
            if any(generalized(db, cut, u) for u in prefix):
                return
            if generalized(db, cut, v):
                continue
            count, children = level[v]
            if children:
                visit(children, [*prefix, v])
            elif count < k:
                solve(db, k, cut, [*prefix, v])

    visit(tree, [])
    return cut


def solve(db, k, cut, itemset):
    """Lines 7 to 9: the cheapest generalization of the items that has k records; only nodes that move up are committed."""
    best = None
    for picks in product(*(db.path[v] for v in itemset)):
        moved = sorted({new for new, old in zip(picks, itemset, strict=True) if new != old})
        if related(db, set(picks)) or not moved or db.support(picks) < k:
            continue
        after = list(cut)
        for v in moved:
            for i in db.leaves(v):
                after[i] = v
        key = db.loss(after), sum(map(db.size, moved)), moved
        if best is None or key < best[0]:
            best = key, after
    cut[:] = best[1]


def aa(data, k, m):
    """Algorithm 4: the cut, as the node of each leaf, and its loss."""
    db = Database(data)
    cut = list(range(db.tree.n_leaves))
    for i in range(1, m + 1):
        da(db, k, count_tree(db, cut, [i]), cut)
    return cut, db.loss(cut)


def is_anonymous(db, k, m, cut):
    """[002] Definition 1 (with at least k) on the records that the cut shows."""
    shown = [sorted({cut[i] for i in record}) for record in db.records]
    known = {itemset for record in shown for size in range(1, m + 1) for itemset in combinations(record, size)}
    return all(db.support(itemset) >= k for itemset in known)


def cuts(tree, v=None):
    """Every cut of the subtree at v, as the nodes of its leaves."""
    v = tree.root if v is None else v
    whole = [v] * int(tree.high[v] - tree.low[v])
    children = tree.children(v)
    if not children:
        return [whole]
    return [whole, *([v for part in parts for v in part] for parts in product(*(cuts(tree, child) for child in children)))]


def optimum(data, k, m):
    """The lowest loss of any k^m-anonymous cut, or None where there is none."""
    db = Database(data)
    return min((db.loss(cut) for cut in cuts(db.tree) if is_anonymous(db, k, m, cut)), default=None)


def is_diverse(db, hidden, m, l, cut):  # noqa: E741
    """No sensitive item (hidden[r]: those of record r) in more than 1/l of the records with any set of at most m nodes."""
    shown = [sorted({cut[i] for i in record}) for record in db.records]
    known = {itemset for record in shown for size in range(m + 1) for itemset in combinations(record, size)}
    for itemset in known:
        holders = [r for r in range(len(shown)) if set(itemset) <= set(shown[r])]
        for secret in set().union(*hidden):
            if sum(secret in hidden[r] for r in holders) * l > len(holders):
                return False
    return True


def direct(data, k, m):
    """Algorithm 3 on the m-itemsets, then on smaller ones: the cut and its loss."""
    db = Database(data)
    cut = list(range(db.tree.n_leaves))
    for i in (m, *range(1, m)):
        da(db, k, count_tree(db, cut, [i]), cut)
    return cut, db.loss(cut)
