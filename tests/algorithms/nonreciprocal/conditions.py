"""What every nonreciprocal release must satisfy, spelled out on sets."""

import numpy as np

from oracles.nonreciprocal import matches


def held(offsets, items, r):
    return set(items[offsets[r] : offsets[r + 1]].tolist())


def assert_nonreciprocal(data, release, k):
    """k disjoint assignments, each of which maps every original to a published record that it matches."""
    n, known, shown = len(data), data.linkable, release.items
    assert release.assignments.shape == (k, n)
    assert all(sorted(assignment) == list(range(n)) for assignment in release.assignments)
    for r in range(n):
        assert len(set(release.assignments[:, r])) == k
        for p in release.assignments[:, r]:
            doubt = held(shown.distance_offsets, shown.distance, p)
            base = held(shown.base_offsets, shown.base, p)
            if data.sensitive_items is not None:
                base -= set(np.flatnonzero(data.sensitive_items).tolist())
            assert matches(held(known.offsets, known.items, r), base, doubt, shown.threshold[p])
            for column in release.quasi:
                assert covers(data.column(column.name), column, p, r)
    assert any(np.array_equal(assignment[release.rows], np.arange(n)) for assignment in release.assignments)


def covers(original, published, p, r):
    """Whether published value p of a column may stand for original value r."""
    code, label = original.codes[r], published.codes[p]
    if label < 0:
        return code < 0
    if original.kind == "numeric":
        low, high = published.labels.low[label], published.labels.high[label]
        if code < 0:
            return low <= original.values.min() and high >= original.values.max()
        return low <= original.values[code] <= high
    members = list(published.labels.groups())[label]
    return len(members) == len(original.domain) if code < 0 else code in members
