"""Queries counted record by record."""

from fractions import Fraction
from itertools import combinations
from math import floor, isclose

from oracles.measures import published_sets


def actual(original, query):
    return sum(_holds(original, query, r) for r in range(len(original)))


def _holds(original, query, r):
    for name, (low, high) in query.ranges.items():
        column = original.column(name)
        if column.codes[r] < 0 or not low <= column.values[column.codes[r]] <= high:
            return False
    for name, values in query.values.items():
        column = original.column(name)
        if column.codes[r] < 0 or column.domain[column.codes[r]] not in values:
            return False
    return not query.items or set(query.items) <= list(original.transactions.records())[r]


def estimate(original, release, query):
    """The sum over records of the share of possible worlds the query accepts, found by listing the subsets."""
    total = 0.0
    for r in range(len(release)):
        share = 1.0
        for column in release.columns:
            name, code = column.name, column.codes[r]
            if name in query.ranges:
                share *= 0.0 if code < 0 else _range_share(original, column, code, query.ranges[name])
            if name in query.values:
                group = [] if code < 0 else list(column.labels.groups())[code]
                names = {original.column(name).domain[c] for c in group}
                share *= len(names & set(query.values[name])) / len(names) if names else 0.0
        total += share * (_item_share(release, r, query.items) if query.items else 1.0)
    return total


def _range_share(original, column, code, wanted):
    low, high = column.labels.low[code], column.labels.high[code]
    if original.column(column.name).is_integer:
        inside = [v for v in range(int(low), floor(high) + 1) if wanted[0] <= v <= wanted[1]]
        return len(inside) / (floor(high) - int(low) + 1)
    if isclose(low, high):
        return float(wanted[0] <= low <= wanted[1])
    return max(0.0, min(high, wanted[1]) - max(low, wanted[0])) / (high - low)


def _item_share(release, r, items):
    share = Fraction(1)
    left = set(items)
    for group in published_sets(release)[r]:
        inside = left & group
        if inside:
            members = sorted(group)
            worlds = [set(w) for size in range(1, len(members) + 1) for w in combinations(members, size)]
            share *= Fraction(sum(inside <= world for world in worlds), len(worlds))
            left -= inside
    return 0.0 if left else float(share)
