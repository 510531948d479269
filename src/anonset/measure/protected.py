"""The smallest support of what the guarantees of a release are about ([001] section 3)."""

import numpy as np

from anonset.measure.kernels.rarity import containing_records, smallest_support
from anonset.measure.published import generalized, groups, linkable_records
from anonset.model.dataset import Dataset
from anonset.model.guarantees import CompleteK, Constraints, Guarantee, KAnonymity, KKm, KLm, KmAnonymity, NrK, NrL
from anonset.model.release import Release
from anonset.model.sets import offsets_of_rows, rows_of, take


def risk_protected(original: Dataset, release: Release) -> float:
    """Return 1 / the smallest support of what the guarantees protect: 1.0 somebody is unique, 0.0 nobody is shown."""
    supports = [smallest_protected(original, release, guarantee) for guarantee in release.guarantees]
    return max((1.0 / support for support in supports if support), default=0.0)


def smallest_protected(original: Dataset, release: Release, guarantee: Guarantee) -> int:
    """The smallest support of a group or itemset the guarantee protects; 0 where it protects none that is shown."""
    if isinstance(guarantee, KAnonymity):
        return _smallest_group(release)
    if isinstance(guarantee, KmAnonymity):
        return _smallest_itemset(original, release, guarantee.m, grouped=False)
    if isinstance(guarantee, KKm | KLm):
        inside = _smallest_itemset(original, release, guarantee.m, grouped=True)
        return min(inside or len(release), _smallest_group(release))
    if isinstance(guarantee, CompleteK):
        offsets, shown = linkable_records(original, release)
        everybody = np.array([0, len(release)], np.int64)
        found = containing_records(offsets, shown, everybody, len(generalized(release).labels))[np.diff(offsets) > 0]
        return int(found.min()) if len(found) else 0
    if isinstance(guarantee, Constraints):
        return _smallest_constraint(release, guarantee)
    if isinstance(guarantee, NrK | NrL) and release.assignments is not None:
        matches = np.sort(release.assignments, axis=0)
        return int(1 + (np.diff(matches, axis=0) != 0).sum(axis=0).min(initial=len(matches)))
    return 0


def _smallest_group(release: Release) -> int:
    group, count = groups(release.quasi, len(release))
    return int(np.bincount(group, minlength=count).min(initial=len(release)))


def _smallest_itemset(original: Dataset, release: Release, m: int, *, grouped: bool) -> int:
    offsets, shown = linkable_records(original, release)
    bounds = np.array([0, len(release)], np.int64)
    if grouped:
        group, count = groups(release.quasi, len(release))
        order = np.argsort(group, kind="stable")
        bounds = offsets_of_rows(group, count)
        offsets, shown = take(offsets, shown, order)
    return int(smallest_support(offsets, shown, bounds, m, len(generalized(release).labels))[0])


def _smallest_constraint(release: Release, guarantee: Constraints) -> int:
    items = generalized(release)
    holders: dict[str, set[int]] = {}
    record = rows_of(items.offsets)
    order = np.argsort(items.shown, kind="stable")
    starts = np.searchsorted(items.shown[order], np.arange(len(items.labels) + 1))
    for a, group in enumerate(items.labels.groups()):
        shows = record[order[starts[a] : starts[a + 1]]].tolist()
        for i in group:
            holders.setdefault(items.domain[i], set()).update(shows)
    supports = [len(set.intersection(*(holders.get(i, set()) for i in itemset))) for itemset in guarantee.itemsets]
    return min((support for support in supports if support), default=0)
