"""Re-identification risk ([001] section 3) over everything that can be linked, and how identifying a dataset is."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from anonset.errors import ParameterError
from anonset.kernels.records import holders_of_items
from anonset.measure._kernels.rarity import (
    containing_records,
    items_to_single_out,
    smallest_pairs,
    smallest_supports,
)
from anonset.measure.coded_release import generalized, groups, linkable_records
from anonset.measure.uncertain import FEW, matches_of_originals
from anonset.model.arrays import Ids, Mask, Offsets, Reals, Rows
from anonset.model.dataset import Column, Dataset
from anonset.model.guarantees import (
    CompleteK,
    Constraints,
    Guarantee,
    KAnonymity,
    KKm,
    KKmMap,
    KLm,
    KmAnonymity,
    KMap,
    KmMap,
    NrK,
    NrL,
)
from anonset.model.labels import UncertainItems
from anonset.model.release import Release
from anonset.model.sets import offsets_of, offsets_of_rows, rows_of, set_ranks, subsets, take, unlike_the_row_before
from anonset.threads import chunks, parallel_map

MOST_ITEMS = 3
MOST_ITEMS_WITH_QUASI = 2
AT_ONCE = 2_000  # records between two calls of the listener


@dataclass(frozen=True, slots=True)
class Identifiability:
    """Shares of the records that are unique to an attacker, None where the dataset lacks the attributes.

    `quasi`: who knows all quasi values. `items[i]`: who knows the i + 1 items of the person that tell most. `both[i]`: who
    knows all quasi values and up to i + 1 such items. Sensitive items are not known to anybody. `sampled` is of how many
    records the shares with items are, drawn at random; None where they are of all. The share of quasi values is always of all.
    """

    records: int
    quasi: float | None
    items: tuple[float, ...] | None
    both: tuple[float, ...] | None
    sampled: int | None = None


def identifiability(
    original: Dataset, *, sample: int | None = None, progress: Callable[[float], None] = lambda done: None
) -> Identifiability:
    """The shares of unique records of a dataset; the listener to the progress may raise to cancel.

    Exact; or, if there are more than `sample` records, estimated for items from a random sample of this size, each record of
    which is compared with all records.
    """
    n = len(original)
    groups = _groups(original)
    some = None if sample is None or n <= sample else np.sort(np.random.default_rng(0).choice(n, sample, replace=False))
    with_items, with_quasi = original.transactions is not None, bool(original.quasi)
    sizes = np.bincount(groups, minlength=1)
    items = both = None
    if with_items:
        part = 0.5 if with_quasi else 1.0
        everybody = np.zeros(n, np.int64)
        items = _chunks(_needed(original, everybody, MOST_ITEMS, some, lambda done: progress(part * done)), MOST_ITEMS)
    if with_items and with_quasi:
        most = MOST_ITEMS_WITH_QUASI
        both = _chunks(_needed(original, groups, most, some, lambda done: progress(0.5 + done / 2)), most)
    sampled = len(some) if some is not None and with_items else None
    return Identifiability(n, _share(sizes[groups] == 1) if with_quasi else None, items, both, sampled)


def alone_with(columns: Sequence[Column], n: int) -> dict[str, int]:
    """How many of n records are unique by all the columns, under "", and by all but each of them, under its name.

    Values are mixed into 64 bits: two different records of a million are taken for one with a chance of 1 in 10 million.
    """
    rng = np.random.default_rng(0)
    mixed = {c.name: rng.integers(0, 2**64, len(c.domain) + 1, np.uint64)[c.codes] for c in columns}
    whole = sum(mixed.values(), np.zeros(n, np.uint64))
    return {"": _singles(whole)} | {name: _singles(whole - own) for name, own in mixed.items()}


def _singles(keys: NDArray[np.uint64]) -> int:
    """How many keys occur once."""
    ordered = np.sort(keys)
    new = np.concatenate([[True], ordered[1:] != ordered[:-1], [True]])
    return int((new[1:] & new[:-1])[: len(keys)].sum())


def _groups(original: Dataset) -> Rows:
    """A number for each combination of quasi values; a missing value is a value of its own."""
    groups = np.zeros(len(original), np.int64)
    for column in original.quasi:
        keys = groups * (len(column.domain) + 1) + column.codes + 1
        groups = np.unique(keys, return_inverse=True)[1].astype(np.int64)
    return groups


def _needed(original: Dataset, groups: Rows, most: int, some: Rows | None, progress: Callable[[float], None]) -> Rows:
    """The least number of items that single out each record (or each of `some`) within its group; most + 1 where none do."""
    order = np.argsort(groups, kind="stable")
    t = original.linkable.take(order)
    bounds = offsets_of(np.bincount(groups))
    inside = groups[order]
    starts, stops = bounds[inside], bounds[inside + 1]
    holders = holders_of_items(t.offsets, t.items, len(t.domain))
    found = []
    for first, last, done in _blocks(len(t)) if some is None else _alone(np.flatnonzero(np.isin(order, some))):
        found.append(items_to_single_out(t.offsets, t.items, starts, stops, holders, most, (first, last)))
        progress(done)
    return np.concatenate([np.zeros(0, np.int64), *found])


def _blocks(n: int) -> Iterator[tuple[int, int, float]]:
    """All records in blocks, and the share done after each."""
    for first in range(0, n, AT_ONCE):
        last = min(first + AT_ONCE, n)
        yield first, last, last / n


def _alone(places: Rows) -> Iterator[tuple[int, int, float]]:
    """Each of these records by itself."""
    for p, place in enumerate(places.tolist(), 1):
        yield place, place + 1, p / len(places)


def _chunks(needed: Rows, most: int) -> tuple[float, ...]:
    return tuple(_share(needed <= size) for size in range(1, most + 1))


def _share(unique: Mask) -> float:
    return float(unique.mean()) if len(unique) else 0.0


KNOWN_ITEMS = 2
LIMIT = 0.2  # the usual one in biomedical data sharing ([001] section 4)
TABLE = 3_000  # labels whose pairs have a table
MOST_SETS = 4_000_000_000  # sets of items, one for each record that shows them: some ten seconds


def risk(original: Dataset, release: Release, *, m: int | None = None, risks: Reals | None = None) -> float:
    """Return the highest risk of a published record: 1.0 a record is unique, 0.0 nothing is published."""
    return float(_risks(original, release, m, risks).max(initial=0.0))


def risk_mean(original: Dataset, release: Release, *, m: int | None = None, risks: Reals | None = None) -> float:
    """Return the mean risk of the published records: the largest share of people that an attacker could identify."""
    found = _risks(original, release, m, risks)
    return float(found.mean()) if len(found) else 0.0


def risk_percentile(
    share: float, original: Dataset, release: Release, *, m: int | None = None, risks: Reals | None = None
) -> float:
    """Return the risk that this share of the published records does not exceed."""
    found = _risks(original, release, m, risks)
    return float(np.quantile(found, share, method="inverted_cdf")) if len(found) else 0.0


risk_p95, risk_p99 = partial(risk_percentile, 0.95), partial(risk_percentile, 0.99)


def risk_above(
    original: Dataset, release: Release, *, limit: float = LIMIT, m: int | None = None, risks: Reals | None = None
) -> float:
    """Return the share of the published records whose risk exceeds the limit: 0.0 none."""
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
        items = guarantee.known_items
        if items is None:
            return None
        found += [items] if items else []
    return max(found, default=KNOWN_ITEMS)


def _risks(original: Dataset, release: Release, m: int | None, risks: Reals | None) -> Reals:
    return record_risks(original, release, m) if risks is None else risks


def _smallest(original: Dataset, release: Release, m: int | None) -> Rows:
    """For each record the smallest support of up to m of its labels among the records with its quasi values."""
    group, count = groups(release.quasi, len(release))
    sizes = np.bincount(group, minlength=count).astype(np.int64)
    if release.items is None or m == 0:
        return sizes[group]
    offsets, shown = linkable_records(original, release)
    d = len(generalized(release).labels)
    if count == 1:
        return _grouped(offsets, shown, offsets_of(sizes), m, d)
    order = np.argsort(group, kind="stable")
    smallest = np.empty(len(release), np.int64)
    smallest[order] = _grouped(*take(offsets, shown, order), offsets_of(sizes), m, d)
    return smallest


def _grouped(offsets: Offsets, shown: Ids, bounds: Rows, m: int | None, d: int) -> Rows:
    lengths = np.diff(offsets)
    if m is None or m >= lengths.max(initial=0):  # the rarest set of a record is all it shows
        return _containing(offsets, shown, bounds, d)
    sets = sum(subsets(lengths, size) for size in range(1, m + 1))
    if sets > MOST_SETS:
        raise ParameterError(
            f"the risk of attackers who know {m} items would look at {sets:,} sets of items, and {MOST_SETS:,} are the most: "
            "measure with a smaller m"
        )
    return _supports(offsets, shown, bounds, m, d)


def _supports(offsets: Offsets, shown: Ids, bounds: Rows, m: int, d: int) -> Rows:
    """For each record the smallest support of up to m of its labels; groups are shared out among threads.

    Of neighbours that show the same, as in sorted records, one is looked at.
    """
    fresh = unlike_the_row_before(offsets, shown)
    fresh[bounds[bounds < len(fresh)]] = True
    rows = np.flatnonzero(fresh)
    times = np.diff(np.append(rows, len(fresh)))
    offsets, shown = take(offsets, shown, rows)
    bounds = offsets_of(fresh)[bounds]

    def work(some: tuple[int, int]) -> Rows:
        first, last = bounds[some[0]], bounds[some[1]]
        starts = offsets[first : last + 1]
        part, groups = shown[starts[0] : starts[-1]], bounds[some[0] : some[1] + 1] - first
        if m == 2 and d <= TABLE:
            found: Rows = smallest_pairs(starts - starts[0], part, groups, times[first:last], d)
        else:
            found = smallest_supports(starts - starts[0], part, groups, times[first:last], m, d)
        return found

    parts = parallel_map(work, chunks(len(bounds) - 1, FEW))
    return np.repeat(np.concatenate(parts), times)


def _containing(offsets: Offsets, shown: Ids, bounds: Rows, d: int) -> Rows:
    """For each record the number of records of its group that show all its labels: records that show the same count once."""
    look = rows_of(bounds) * max(1, len(offsets) - 1) + set_ranks(offsets, shown, d)
    _, first, number, times = np.unique(look, return_index=True, return_inverse=True, return_counts=True)
    groups_of_them = offsets_of_rows(rows_of(bounds)[first], len(bounds) - 1)
    sets = take(offsets, shown, first)
    holders = holders_of_items(*sets, d)

    def work(rows: tuple[int, int]) -> Rows:
        found: Rows = containing_records(*sets, groups_of_them, times, holders, rows)
        return found

    different: Rows = np.concatenate(parallel_map(work, chunks(len(first), FEW)))
    return different[number]


def risk_protected(original: Dataset, release: Release, *, m: int | None = None, risks: Reals | None = None) -> float:
    """Return 1 / the smallest support of what the guarantees protect: 1.0 somebody is unique, 0.0 nobody is shown.

    Supports are of records, also where the guarantees count people of a population: so it is the risk of who is in the file.

    `risks`: what `record_risks` found for attackers who know m items; of use where the guarantees say the same m.
    """
    usual = risks if m is None or m == known_items(release) else None
    supports = [smallest_protected(original, release, guarantee, usual) for guarantee in release.guarantees]
    return 1.0 / min(shown) if (shown := list(filter(None, supports))) else 0.0


def smallest_protected(original: Dataset, release: Release, guarantee: Guarantee, risks: Reals | None = None) -> int:
    """The smallest support of a group or itemset the guarantee protects; 0 where it protects none that is shown."""
    if isinstance(guarantee, KAnonymity | KMap):
        return _smallest_group(release)
    if isinstance(guarantee, KmAnonymity | KmMap):
        return _smallest_itemset(original, release, guarantee.m, risks, grouped=False)
    if isinstance(guarantee, KKm | KLm | KKmMap):
        inside = _smallest_itemset(original, release, guarantee.m, risks, grouped=True)
        return min(inside or len(release), _smallest_group(release))
    if isinstance(guarantee, CompleteK):
        return _smallest_record(original, release, risks)
    if isinstance(guarantee, Constraints):
        return min(filter(None, constraint_supports(release, guarantee)), default=0)
    if isinstance(guarantee, NrK | NrL) and release.assignments is not None:
        matches = np.sort(release.assignments, axis=0)
        return int(1 + (np.diff(matches, axis=0) != 0).sum(axis=0).min(initial=len(matches)))
    if isinstance(guarantee, NrK | NrL) or not guarantee.covers & {"quasi", "items"}:
        return 0
    check = getattr(guarantee, "check", None)  # of a plug-in
    found = None if check is None else check(original, release, guarantee).support
    if found is None and not release.quasi and not len(linkable_records(original, release)[1]):
        return 0  # nothing is shown
    if found is None:
        raise ParameterError(f"the smallest group or itemset that {guarantee.id} protects is not known")
    return int(found)


def _smallest_group(release: Release) -> int:
    group, count = groups(release.quasi, len(release))
    return int(np.bincount(group, minlength=count).min(initial=len(release)))


def _smallest_record(original: Dataset, release: Release, risks: Reals | None) -> int:
    """The smallest support of all that a record shows of items; 0 where none shows any."""
    offsets, shown = linkable_records(original, release)
    if risks is not None and known_items(release) is None and not release.quasi:
        found = np.rint(1.0 / risks).astype(np.int64)
    else:
        everybody = np.array([0, len(release)], np.int64)
        found = _containing(offsets, shown, everybody, len(generalized(release).labels))
    return int(found[np.diff(offsets) > 0].min(initial=len(release))) if len(shown) else 0


def _smallest_itemset(original: Dataset, release: Release, m: int, risks: Reals | None, *, grouped: bool) -> int:
    """The smallest support of up to m labels (in a group of equal quasi values); 0 where none is shown."""
    offsets, shown = linkable_records(original, release)
    filled = np.diff(offsets) > 0
    if risks is not None and known_items(release) == m and (grouped or not release.quasi):
        found = np.rint(1.0 / risks).astype(np.int64)
    else:
        group, count = groups(release.quasi if grouped else (), len(release))
        order = np.argsort(group, kind="stable")
        found = np.empty(len(release), np.int64)
        d = len(generalized(release).labels)
        found[order] = _supports(*take(offsets, shown, order), offsets_of_rows(group, count), m, d)
    return int(found[filled].min()) if filled.any() else 0


def constraint_supports(release: Release, guarantee: Constraints) -> list[int]:
    """For each protected itemset the number of records that may hold it."""
    items = generalized(release)
    holders: dict[str, set[int]] = {}
    record = rows_of(items.offsets)
    order = np.argsort(items.shown, kind="stable")
    starts = np.searchsorted(items.shown[order], np.arange(len(items.labels) + 1))
    for a, group in enumerate(items.labels.groups()):
        shows = record[order[starts[a] : starts[a + 1]]].tolist()
        for i in group:
            holders.setdefault(items.domain[i], set()).update(shows)
    return [len(set.intersection(*(holders.get(i, set()) for i in itemset))) for itemset in guarantee.itemsets]
