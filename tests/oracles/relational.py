"""The slow twins of relational recoding: what a group of records publishes, and what that costs."""

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
    return 0.0 if len(value[1]) == 1 else len(value[1]) / len(column.domain)


def group_cost(data, members, recoding="nodes"):
    """NCP of a record of the group, with equal weights."""
    return sum(value_cost(column, members, recoding) for column in data.quasi) / len(data.quasi)


def members_of(groups):
    """The records of each group 0, 1, ..."""
    return [np.flatnonzero(groups == g).tolist() for g in range(int(groups.max(initial=-1)) + 1)]
