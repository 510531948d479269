"""Slow twins of the kernels that place and count nodes in records."""

from itertools import combinations


def rare_itemsets(records, size, k, wanted, overlap):
    """Every set of wanted ranks in 1..k-1 records, none of them overlapping, in preorder."""
    count = {}
    for record in records:
        for itemset in combinations(sorted(a for a in record if a in wanted), size):
            if not any(overlap(a, b) for a, b in combinations(itemset, 2)):
                count[itemset] = count.get(itemset, 0) + 1
    return sorted(itemset for itemset, n in count.items() if n < k)


def shown_nodes(tree, record, cut, above):
    """What a record shows: the nodes of its items and, where asked for, all above them but the root."""
    nodes = {cut[i] for i in record}
    if above:
        nodes |= {v for w in nodes for v in tree.ancestors(w) if v != tree.root}
    return nodes


def supports(records, longest):
    """Every set of 1..longest members that some record holds, and in how many records it is."""
    count = {}
    for record in records:
        for size in range(1, longest + 1):
            for itemset in combinations(sorted(record), size):
                count[itemset] = count.get(itemset, 0) + 1
    return count
