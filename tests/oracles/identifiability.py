"""The slow twin of the identifiability measure: try every set an attacker may know on every record."""

from itertools import combinations


def least_items(records, groups, most):
    """For each record the least number of its items that nobody else in its group has together."""
    needed = []
    for r, record in enumerate(records):
        others = [other for o, other in enumerate(records) if o != r and groups[o] == groups[r]]
        sizes = [
            size
            for size in range(most + 1)
            for known in combinations(sorted(record), size)
            if not any(other.issuperset(known) for other in others)
        ]
        needed.append(min(sizes, default=most + 1))
    return needed


def shares(needed, most):
    return tuple(sum(count <= size for count in needed) / len(needed) for size in range(1, most + 1))
