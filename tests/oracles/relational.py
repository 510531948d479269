"""The slow twins of relational recoding: what a group of records publishes, and what that costs."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np


def published_value(column, members, recoding="nodes"):
    """None for missing, else ("range", lo, hi) or ("set", frozenset of codes) of the records in `members`."""
    codes = {int(column.codes[r]) for r in members}
    if codes == {-1}:
        return None
    mixed = -1 in codes
    codes -= {-1}
    tree = column.hierarchy
    if mixed:
        codes = set(range(len(column.domain)))
    elif tree is not None and (recoding == "nodes" or (recoding == "ranges" and column.kind == "categorical")):
        node = tree.lowest_common(sorted(codes))
        codes = set(range(tree.low[node], tree.high[node]))
    elif column.kind == "ordered":
        codes = set(range(min(codes), max(codes) + 1))
    if column.kind == "numeric":
        numbers = [float(column.values[c]) for c in codes]
        return ("range", min(numbers), max(numbers))
    return ("set", frozenset(codes))


def value_cost(column, members, recoding="nodes"):
    """NCP of the value that the records in `members` publish."""
    codes = {int(column.codes[r]) for r in members}
    if -1 in codes:
        return 0.0 if codes == {-1} else 1.0
    value = published_value(column, members, recoding)
    if value[0] == "range":
        low, high = column.span
        return min((value[2] - value[1]) / ((high - low) or 1.0), 1.0)
    if column.kind == "ordered":
        return (len(value[1]) - 1) / max(1, len(column.domain) - 1)
    return 0.0 if len(value[1]) == 1 else len(value[1]) / len(column.domain)


def group_cost(data, members, recoding="nodes"):
    """NCP of a record of the group, with equal weights."""
    return sum(value_cost(column, members, recoding) for column in data.quasi) / len(data.quasi)


def members_of(groups):
    """The records of each group 0, 1, ..."""
    return [np.flatnonzero(groups == g).tolist() for g in range(int(groups.max(initial=-1)) + 1)]


def full_domain_losses(data, k):
    """(loss, records left out) of every choice of levels; a record that is left out loses 1."""
    steps = [levels_of(column) for column in data.quasi]
    for choice in product(*(range(len(levels)) for levels in steps)):
        shown = [[levels[c][r] for levels, c in zip(steps, choice, strict=True)] for r in range(len(data))]
        counts = Counter(tuple(value for value, _ in row) for row in shown)
        kept = [row for row in shown if counts[tuple(value for value, _ in row)] >= k]
        out = len(shown) - len(kept)
        yield (sum(sum(cost for _, cost in row) / len(row) for row in kept) + out) / len(shown), out


def levels_of(column):
    """For each level the (published value, loss) of every record, for a column with a hierarchy."""
    tree, d = column.hierarchy, len(column.domain)
    if d == 0:
        return [[(None, 0.0)] * len(column.codes)]
    everything = ("all", 1.0)
    levels = []
    for level in range(tree.height + 1):
        row = []
        for code in column.codes.tolist():
            if code < 0:
                row.append((None, 0.0))
                continue
            node = next(v for v in tree.ancestors(code) if tree.depth[v] <= tree.height - level)
            leaves = range(tree.low[node], tree.high[node])
            numbers = [float(column.values[c]) for c in leaves] if column.kind == "numeric" else []
            low, high = column.span if numbers else (0.0, 0.0)
            cost = min(1.0, (max(numbers) - min(numbers)) / ((high - low) or 1.0)) if numbers else len(leaves) / d
            row.append(((leaves.start, leaves.stop), 0.0 if len(leaves) == 1 else cost))
        levels.append(row)
    if (column.codes < 0).any():
        levels.append([everything] * len(column.codes))
    return levels


def is_diverse(values, kind, l, c=1.0):  # noqa: E741
    """The definition of l-diversity on the sensitive values of one group, in exact arithmetic."""
    counts = sorted(Counter(values).values(), reverse=True)
    n = len(values)
    if kind == "distinct":
        return len(counts) >= l
    if kind == "entropy":
        return n**n >= l**n * prod(count**count for count in counts)
    return counts[0] < Fraction(str(c)) * sum(counts[l - 1 :])


def distance(values, everyone, ordered):
    """The earth mover's distance of the values of a group from those of all records."""
    domain = sorted(set(everyone))
    p = [Fraction(values.count(x), len(values)) - Fraction(everyone.count(x), len(everyone)) for x in domain]
    if not ordered:
        return sum(abs(x) for x in p) / 2
    return sum(abs(sum(p[: i + 1])) for i in range(len(p))) / max(1, len(domain) - 1)
