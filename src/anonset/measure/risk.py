"""Risk of being found ([001] section 3), over everything that can be linked."""

from math import comb

import numpy as np

from anonset.errors import ParameterError
from anonset.measure.kernels.rarity import containing_records, smallest_supports
from anonset.measure.matching import matches_of_originals
from anonset.measure.published import generalized, groups, linkable_records
from anonset.model.arrays import Ids, Offsets, Reals, Rows
from anonset.model.dataset import Dataset
from anonset.model.guarantees import (
    CompleteK,
    Constraints,
    Guarantee,
    KAnonymity,
    KKm,
    KLm,
    KmAnonymity,
    LDiversity,
    NrK,
    NrL,
    PartialItems,
    TCloseness,
    UtilityConstraints,
)
from anonset.model.labels import UncertainItems
from anonset.model.release import Release
from anonset.model.sets import offsets_of, take

KNOWN_ITEMS = 2
LIMIT = 0.2  # the usual one in biomedical data sharing ([001] section 4)
MOST_SETS = 4_000_000_000  # sets of items, one for each record that shows them: some ten seconds


def risk(original: Dataset, release: Release, *, m: int | None = None, risks: Reals | None = None) -> float:
    """Return the highest risk of a published record: 1.0 somebody is unique, 0.0 nobody is shown."""
    return float(_risks(original, release, m, risks).max(initial=0.0))


def risk_mean(original: Dataset, release: Release, *, m: int | None = None, risks: Reals | None = None) -> float:
    """Return the mean risk of the published records: the share an attacker after everybody would get right at most."""
    found = _risks(original, release, m, risks)
    return float(found.mean()) if len(found) else 0.0


def risk_p95(original: Dataset, release: Release, *, m: int | None = None, risks: Reals | None = None) -> float:
    """Return the risk that 95 % of the published records do not exceed."""
    return _percentile(_risks(original, release, m, risks), 0.95)


def risk_p99(original: Dataset, release: Release, *, m: int | None = None, risks: Reals | None = None) -> float:
    """Return the risk that 99 % of the published records do not exceed."""
    return _percentile(_risks(original, release, m, risks), 0.99)


def risk_above(
    original: Dataset, release: Release, *, limit: float = LIMIT, m: int | None = None, risks: Reals | None = None
) -> float:
    """Return the share of the published records whose risk exceeds the limit: 0.0 nobody's does."""
    if isinstance(limit, bool) or not isinstance(limit, int | float) or not 0 <= limit <= 1:
        raise ParameterError(f"a limit of risk must be a number from 0 to 1; got {limit!r}")
    found = _risks(original, release, m, risks)
    return float((found > limit + 1e-12).mean()) if len(found) else 0.0


def record_risks(original: Dataset, release: Release, m: int | None = None) -> Reals:
    """For each published record 1 / the smallest number of records that look alike to an attacker.

    The attacker knows all quasi values and up to m items: those the guarantees are about, 2 where they do not say. Records
    look alike that show the same quasi values and the same labels for these items. Of uncertain items: 1 / the number of
    published records that the person's original record matches.
    """
    known = known_items(release) if m is None else m
    if known is not None and (isinstance(known, bool) or not isinstance(known, int) or known < 0):
        raise ParameterError(f"m, the items an attacker knows, must be a whole number from 0 on; got {known!r}")
    if isinstance(release.items, UncertainItems):
        return 1.0 / np.maximum(matches_of_originals(original, release, release.items), 1)
    return 1.0 / _smallest(original, release, known)


def known_items(release: Release) -> int | None:
    """How many items attackers are taken to know: as many as a guarantee says, None for all, 2 where none says."""
    found: list[int] = []
    for guarantee in release.guarantees:
        items = _items_of(guarantee)
        if items is None:
            return None
        found += [items] if items else []
    return max(found, default=KNOWN_ITEMS)


def _items_of(guarantee: Guarantee) -> int | None:
    """The items an attacker knows under a guarantee: None for all, 0 where it does not say."""
    match guarantee:
        case KmAnonymity() | KKm() | KLm():
            return guarantee.m
        case CompleteK():
            return None
        case KAnonymity() | Constraints() | UtilityConstraints() | PartialItems():
            return 0
        case LDiversity() | TCloseness() | NrK() | NrL():
            return 0
    raise ParameterError(f"the risk under the guarantee {guarantee!r} is not known: say how attackers work against it")


def _risks(original: Dataset, release: Release, m: int | None, risks: Reals | None) -> Reals:
    return record_risks(original, release, m) if risks is None else risks


def _percentile(risks: Reals, share: float) -> float:
    return float(np.quantile(risks, share, method="inverted_cdf")) if len(risks) else 0.0


def _smallest(original: Dataset, release: Release, m: int | None) -> Rows:
    """For each record the smallest support of up to m of its labels among the records with its quasi values."""
    group, count = groups(release.quasi, len(release))
    sizes = np.bincount(group, minlength=count).astype(np.int64)
    if release.items is None or m == 0:
        return sizes[group]
    offsets, shown = linkable_records(original, release)
    order = np.argsort(group, kind="stable")
    smallest = np.empty(len(release), np.int64)
    smallest[order] = _grouped(*take(offsets, shown, order), offsets_of(sizes), m, len(generalized(release).labels))
    return smallest


def _grouped(offsets: Offsets, shown: Ids, bounds: Rows, m: int | None, d: int) -> Rows:
    lengths, times = np.unique(np.diff(offsets), return_counts=True)
    longest = int(lengths.max(initial=0))
    if m is None or m >= longest:  # the rarest set of a record is all it shows
        return containing_records(offsets, shown, bounds, d)
    sets = sum(
        int(n) * sum(comb(int(length), size) for size in range(1, m + 1)) for length, n in zip(lengths, times, strict=True)
    )
    if sets > MOST_SETS:
        raise ParameterError(
            f"the risk of attackers who know {m} items would look at {sets:,} sets of items, and {MOST_SETS:,} are the most: "
            "measure with a smaller m"
        )
    return smallest_supports(offsets, shown, bounds, m, d)
