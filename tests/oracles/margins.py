"""Margins from the definition: every hidden count that fits what is published, found by trying them all."""

from itertools import product

from oracles.measures import published_sets


def seen(release):
    """For each item the records that show it exactly, and those that may hide it."""
    exact, hiding = {}, {}
    for record in published_sets(release):
        certain = {i for group in record if len(group) == 1 for i in group}
        for i in certain:
            exact[i] = exact.get(i, 0) + 1
        for i in {i for group in record if len(group) > 1 for i in group} - certain:
            hiding[i] = hiding.get(i, 0) + 1
    return exact, hiding


def possible_hidden(release, margins):
    """For each item the hidden counts left possible by margins and labels; margins None: by the labels alone."""
    exact, hiding = seen(release)
    names = sorted(hiding)
    labels = {}
    for record in published_sets(release):
        for group in {group for group in record if len(group) > 1}:
            labels[group] = labels.get(group, 0) + 1
    found = {name: set() for name in names}
    for counts in product(*(range(hiding[name] + 1) for name in names)):
        hidden = dict(zip(names, counts, strict=True))
        fits = all(sum(hidden.get(i, 0) for i in group) >= n for group, n in labels.items())
        if fits and (margins is None or all(_fits(margins, name, hidden[name] + exact.get(name, 0)) for name in names)):
            for name in names:
                found[name].add(hidden[name])
    return found


def _fits(margins, name, count):
    low = margins.counts.get(name, 0)
    return name in margins.withheld or low <= count < low + margins.k


def shows_few(values, k):
    """Whether it is certain that 1 to k - 1 records hide something."""
    return bool(values) and min(values) >= 1 and max(values) < k
