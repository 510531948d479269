"""The estimators of items behind labels, record by record, with sets of names."""

from oracles.measures import published_sets


def exact_items(record):
    return {item for group in record if len(group) == 1 for item in group}


def share(record, item, factor):
    """How likely a record holds an item: the sum over its labels, an exact one 1, others factor / free members."""
    total = 0.0
    for group in record:
        if item in group:
            free = len(group - exact_items(record))
            total += 1.0 if len(group) == 1 else min(1.0, factor / free) if free else 0.0
    return min(1.0, total)


def factor_of(release, item, expected):
    """The factor that brings an item's hidden occurrences to what is expected, by halving; None asks for none."""
    records = published_sets(release)
    if expected is None:
        return 1.0
    hidden = max(0.0, expected - sum(item in exact_items(record) for record in records))
    sizes = [
        len(group - exact_items(record))
        for record in records
        if item not in exact_items(record)
        for group in record
        if item in group
    ]
    low, high = 0.0, 1.0 + max(sizes, default=0)
    if len(sizes) <= hidden:
        return high
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if sum(min(1.0, middle / n) for n in sizes) < hidden else (low, middle)
    return high


def count(release, items, estimator, *, absent=False):
    total = 0.0
    factors = dict.fromkeys(items, 1.0)
    if estimator == "calibrated":
        factors = {i: factor_of(release, i, release.margins.expected(i)) for i in items}
    for record in published_sets(release):
        likely = 1.0
        for i in items:
            held = float(any(i in group for group in record)) if estimator == "expanded" else share(record, i, factors[i])
            likely *= 1.0 - held if absent else held
        total += likely
    return total
