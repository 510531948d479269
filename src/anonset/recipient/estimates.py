"""How many records meet a condition: at least, at most, and most likely, with a standard error.

Of records:

1. A record certainly meets it where every value and item that its labels may stand for does, and possibly where some do.
2. The chance of a record between the two: each value of a label is as likely, and so is each item of a label (`uniform`), or
   the shares of the items behind labels are fitted to published margins (`calibrated`). An item that a record shows exactly
   is not expected once more behind its labels. Different labels of a record are independent.

Of counts:

3. The bounds are the numbers of records that certainly and possibly meet it, moved as far as records left out, items that are
   suppressed and items that are missing from records may move them, and cut by margins.
4. The variance has three parts: which records meet it, given the shares of what is behind labels; the shares themselves,
   which are the same for all records that show a label, and unknown: they are taken as Dirichlet distributed with a weight of
   `KNOWN` records for each value of a label; and, where a condition joins several tests, whether what is behind different
   labels goes together: the correlation of two tests is taken as unknown, with the standard deviation `TOGETHER`.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonset.errors import InputError, ParameterError, unknown
from anonset.model.arrays import Ids, Mask, Reals, Rows
from anonset.recipient.query import Alternative, Condition
from anonset.recipient.records import PublishedRecords, ShownBatch, ShownDoubts, ShownSets, ShownValues
from anonset.recipient.regions import Region
from anonset.recipient.weights import ItemWeights, overlaps

MOST_ITEM_SETS = 8  # sets of items of which a condition may ask for one each: all of their subsets are looked at
KNOWN = {"uniform": 1.0, "calibrated": 4.0}  # bench/bench_recipient.py measures the coverage of intervals with them

TOGETHER = 0.15  # the same script measures it


@dataclass(frozen=True, slots=True)
class CountEstimate:
    """The number of records that meet a condition in the original data: certainly, possibly, and as an estimate.

    Attributes
    ----------
    low, high : int
        The true count is at least `low` and at most `high`.
    estimate : float
        The most likely count under the model of the estimator.
    standard_error : float
        The standard error of the estimate by the same model; 0 for a count that is exact.
    estimator : str
        `uniform` or `calibrated`.
    notes : tuple of str
        What makes the bounds wider than the labels do.
    """

    low: int
    high: int
    estimate: float
    standard_error: float
    estimator: str
    notes: tuple[str, ...] = ()

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The range of the estimate plus and minus its standard error at a level of confidence, cut at the bounds."""
        if not 0 < level < 1:
            raise ParameterError(f"level must be between 0 and 1; got {level!r}")
        width = NormalDist().inv_cdf((1 + level) / 2) * self.standard_error
        return max(float(self.low), self.estimate - width), min(float(self.high), self.estimate + width)


class Judged(NamedTuple):
    """Which records certainly and possibly meet a condition, and how likely each does."""

    certain: Mask
    possible: Mask
    chance: Reals


@dataclass(slots=True)
class _Sums:
    """What is summed over batches: records that certainly and possibly meet a condition, their chances, and all variances."""

    certain: int = 0
    possible: int = 0
    chance: float = 0.0
    spread: float = 0.0
    together: float = 0.0
    clusters: dict[tuple[str, str], float] = field(default_factory=dict)
    sizes: dict[tuple[str, str], float] = field(default_factory=dict)


class RecordCounter:
    """Counts the records of a release that meet conditions, all of them in one pass."""

    def __init__(self, records: PublishedRecords, weights: ItemWeights) -> None:
        self.records, self.weights = records, weights

    def count(self, conditions: Sequence[Condition]) -> list[CountEstimate]:
        """An estimate for each condition."""
        self._require_simple(conditions)
        sums = [_Sums() for _ in conditions]
        columns = sorted({name for condition in conditions for one in condition for name in one.columns})
        items = any(one.items for condition in conditions for one in condition)
        hidden = self._hidden(conditions) if items else frozenset()
        for batch in self.records.batches(columns, items=items):
            view = BatchView(self.records, batch, self.weights, hidden)
            for condition, total in zip(conditions, sums, strict=True):
                view.add(condition, total)
        return [self._finished(condition, total, hidden) for condition, total in zip(conditions, sums, strict=True)]

    def _require_simple(self, conditions: Sequence[Condition]) -> None:
        for condition in conditions:
            asked = frozenset().union(*(one.some for one in condition))
            if len(asked) > MOST_ITEM_SETS:
                raise InputError(
                    f"a condition asks for {len(asked)} items at once; at most {MOST_ITEM_SETS} are counted together"
                )

    def _hidden(self, conditions: Sequence[Condition]) -> frozenset[str]:
        """Items that no label stands for, and that records may have all the same; an error where none can."""
        asked = {item for condition in conditions for one in condition for item in one.items}
        known = self.weights.known_items(asked)
        strange = asked - known
        if strange and not self.records.suppressed and not self.records.share_missing and not self.records.left_out:
            name = min(strange)
            every = self.weights.all_items()
            raise InputError(unknown("item", name, every, otherwise="no record can have it"))
        return frozenset(strange) if self.records.suppressed else frozenset()

    def _finished(self, condition: Condition, total: _Sums, hidden: frozenset[str]) -> CountEstimate:
        records, published = self.records, len(self.records)
        low, high, notes = total.certain, total.possible, []
        missing = self.weights.most_missing
        if missing and any(one.some for one in condition):
            high = min(published, high + missing)
        if missing and any(one.absent for one in condition):
            low = max(0, low - missing)
        if missing and any(one.items for one in condition):
            notes.append(f"up to {missing:,} items may be missing from the records that have them")
        if hidden & frozenset().union(*(one.items for one in condition)):
            notes.append(f"{records.suppressed:,} items are suppressed; an item that no label stands for may be one of them")
        estimate, variance = (
            total.chance,
            total.spread
            + sum(self._doubt(total.sizes[key]) * s * s for key, s in total.clusters.items())
            + (TOGETHER * total.together) ** 2,
        )
        if records.left_out:
            high += records.left_out
            notes.append(f"{records.left_out:,} records of the original are not published")
            more = (published + records.left_out) / published if published else 1.0
            share = min(1.0, estimate / published) if published else 0.0
            variance = more * more * variance + records.left_out * share * (1 - share)
            estimate *= more
        floor, ceiling = self.weights.margin_bounds(condition)
        low, high = max(low, floor), high if ceiling >= high else int(ceiling)
        estimate = min(max(estimate, float(low)), float(high))
        error = math.sqrt(variance) if low < high else 0.0
        return CountEstimate(low, high, estimate, error, self.weights.estimator, tuple(notes))

    def _doubt(self, values: float) -> float:
        return 1.0 / (KNOWN[self.weights.estimator] * values + 1.0)


class _Cluster(NamedTuple):
    """Records that share labels of an attribute: their places, the code of the label, and the labels' texts and sizes."""

    name: str
    places: Rows
    codes: Rows | Ids
    texts: Sequence[str]
    sizes: Reals


class BatchView:
    """Judges the records of one batch."""

    def __init__(self, records: PublishedRecords, batch: ShownBatch, weights: ItemWeights, hidden: frozenset[str]) -> None:
        self.records, self.batch, self.weights, self.hidden = records, batch, weights, hidden

    def add(self, condition: Condition, total: _Sums) -> None:
        """Add the records that meet a condition to its sums."""
        found = self.judge(condition)
        total.certain += int(np.count_nonzero(found.certain))
        total.possible += int(np.count_nonzero(found.possible))
        total.chance += float(found.chance.sum())
        spread = found.chance * (1.0 - found.chance)
        total.spread += float(spread.sum())
        unsure = np.flatnonzero(spread > 0)
        if len(unsure):
            self._add_clusters(condition, unsure, np.sqrt(spread[unsure]), total)
            total.together += sum(self._together(one) for one in condition)

    def _together(self, one: Alternative) -> float:
        """How far the count moves for each unit of correlation between the tests of an alternative."""
        tests = [Alternative({name: region}) for name, region in one.columns.items()]
        tests += [Alternative(some=frozenset([some])) for some in one.some]
        tests += [Alternative(absent=one.absent)] if one.absent else []
        if len(tests) < 2:
            return 0.0
        chances = np.array([self._judge(test).chance for test in tests])
        shares = np.maximum(chances.mean(axis=1, keepdims=True), 1e-9)  # where a test is certain, its records are a selection
        odds = np.where(chances < 1, (1.0 - chances) / np.maximum(chances, 1e-9), (1.0 - shares) / shares)
        pairs = _pair_sums(odds) - _pair_sums(np.where(chances < 1, 0.0, odds))  # of two certain tests nothing is unknown
        return float((chances.prod(axis=0) * np.sqrt(np.maximum(pairs, 0.0))).sum())

    def judge(self, condition: Condition) -> Judged:
        """Each record for a condition: of several alternatives one must hold."""
        parts = [self._judge(one) for one in condition]
        if len(parts) == 1:
            return parts[0]
        certain = np.logical_or.reduce([part.certain for part in parts])
        possible = np.logical_or.reduce([part.possible for part in parts])
        chance = np.sum([part.chance for part in parts], axis=0)
        for size in range(2, len(parts) + 1):
            for some in combinations(condition, size):
                joint = some[0]
                for other in some[1:]:
                    joint = joint & other
                chance -= (-1) ** size * self._judge(joint).chance
        return Judged(certain, possible, np.where(certain, 1.0, np.where(possible, np.clip(chance, 0.0, 1.0), 0.0)))

    def _judge(self, one: Alternative) -> Judged:
        n = self.batch.records
        certain, possible, chance = np.ones(n, np.bool_), np.ones(n, np.bool_), np.ones(n)
        for name, region in one.columns.items():
            labels = judge_labels(self.batch.columns[name], region, whole=self.records.is_whole(name))
            codes = self.batch.columns[name].codes
            certain, possible = certain & labels.certain[codes], possible & labels.possible[codes]
            chance = chance * labels.chance[codes]
        if one.items:
            items = self.batch.items
            assert items is not None
            found = judge_doubts(items, one) if isinstance(items, ShownDoubts) else self._judge_sets(items, one, possible)
            certain, possible, chance = certain & found.certain, possible & found.possible, chance * found.chance
        return Judged(certain, possible, np.where(certain, 1.0, np.where(possible, chance, 0.0)))

    def _judge_sets(self, sets: ShownSets, one: Alternative, open_: Mask) -> Judged:
        """What the labels of each record say of items; chances are computed of the records that are still open."""
        n = self.batch.records
        labels = self._labels_for(sets, one.items)
        wanted = np.zeros(len(sets.texts), np.bool_)
        wanted[labels] = True
        entries = np.flatnonzero(wanted[sets.codes])
        owner = np.searchsorted(sets.offsets, entries, side="right") - 1
        codes = sets.codes[entries]
        members = {a: frozenset(self.records.members_of(sets.texts[a])) for a in labels.tolist()}

        def records_with(picked: Sequence[int]) -> Mask:
            mark, found = np.zeros(len(sets.texts), np.bool_), np.zeros(n, np.bool_)
            mark[list(picked)] = True
            found[owner[mark[codes]]] = True
            return found

        certain = ~records_with([a for a in members if members[a] & one.absent])
        possible = ~records_with([a for a in members if members[a] <= one.absent])
        certain &= not self.hidden & one.absent
        for some in one.some:
            certain &= records_with([a for a in members if members[a] <= some])
            if not self.hidden & some:
                possible &= records_with([a for a in members if members[a] & (some - one.absent)])
        unsure = possible & ~certain & open_
        chance = certain.astype(np.float64)
        if unsure.any():
            chance[unsure] = self._chances(sets, one, labels, unsure)
        return Judged(certain, possible, chance)

    def _chances(self, sets: ShownSets, one: Alternative, labels: Rows, unsure: Mask) -> Reals:
        """The chance of each unsure record: by inclusion and exclusion over the sets of which no item may be there."""
        rows = np.flatnonzero(unsure)
        few = taken(sets, rows)
        wide = np.array([a for a in labels.tolist() if len(self.records.members_of(sets.texts[a])) > 1], np.int64)
        which, place, entries = overlaps(self.records, few, wide)
        exact = _mask(len(sets.texts), np.setdiff1d(labels, wide))
        singles = np.flatnonzero(exact[few.codes])
        owner = np.searchsorted(few.offsets, entries, side="right") - 1
        single_owner = np.searchsorted(few.offsets, singles, side="right") - 1
        chance = np.zeros(len(rows))
        sets_of_items = list(one.some)
        for size in range(len(sets_of_items) + 1):
            for some in combinations(sets_of_items, size):
                gone = one.absent.union(*some)
                none = np.ones(len(rows))
                shown = _mask(
                    len(sets.texts),
                    [a for a in labels.tolist() if exact[a] and self.records.members_of(sets.texts[a])[0] in gone],
                )
                none[single_owner[shown[few.codes[singles]]]] = 0.0
                np.multiply.at(none, owner, self._none(few, wide, entries, which, place, gone))
                chance += (-1) ** size * none
        return np.clip(chance, 0.0, 1.0)

    def _none(self, sets: ShownSets, wide: Rows, entries: Rows, which: Rows, place: Rows, gone: frozenset[str]) -> Reals:
        """For each entry of a label of several items the chance that it stands for none of some; exact items are left out."""
        size = max((len(self.records.members_of(sets.texts[a])) for a in wide.tolist()), default=1)
        row = np.zeros(len(sets.texts), np.int64)
        row[wide] = np.arange(len(wide))
        weight, asked = np.zeros((len(wide), size)), np.zeros((len(wide), size), np.bool_)
        for r, a in enumerate(wide.tolist()):
            names = self.records.members_of(sets.texts[a])
            weight[r, : len(names)] = self.weights.of_label(sets.texts[a])
            asked[r, : len(names)] = [name in gone for name in names]
        at = row[sets.codes[entries]]
        all_, hit = weight.sum(axis=1)[at], (weight * asked).sum(axis=1)[at]
        logs = np.where(asked, np.log1p(-np.minimum(weight, 1 - 1e-12)), 0.0)
        free = logs.sum(axis=1)[at]
        taken_at = at[which]
        gone_weight = np.bincount(which, weight[taken_at, place], minlength=len(entries))
        gone_hit = np.bincount(which, (weight * asked)[taken_at, place], minlength=len(entries))
        gone_log = np.bincount(which, logs[taken_at, place], minlength=len(entries))
        left = all_ - gone_weight
        one_item = np.divide(hit - gone_hit, left, out=np.zeros(len(entries)), where=left > 1e-9)
        several = np.exp(np.minimum(free - gone_log, 0.0))
        found: Reals = np.where(all_ > 1.0 + 1e-6, several, np.clip(1.0 - one_item, 0.0, 1.0))
        return found

    def _labels_for(self, sets: ShownSets, items: frozenset[str]) -> Rows:
        """The labels that stand for one of the items."""
        return np.array(
            [a for a, text in enumerate(sets.texts) if not items.isdisjoint(self.records.members_of(text))], np.int64
        )

    def _add_clusters(self, condition: Condition, unsure: Rows, deviation: Reals, total: _Sums) -> None:
        """Add up the deviations of the records that share a label."""
        found = list(self._clusters(condition, unsure))
        times = np.zeros(len(unsure))
        for cluster in found:
            np.add.at(times, cluster.places, 1.0)
        for cluster in found:
            sums = np.bincount(cluster.codes, deviation[cluster.places] / times[cluster.places], minlength=len(cluster.texts))
            for a in np.flatnonzero(sums).tolist():
                key = (cluster.name, cluster.texts[a])
                total.clusters[key] = total.clusters.get(key, 0.0) + float(sums[a])
                total.sizes[key] = float(cluster.sizes[a])

    def _clusters(self, condition: Condition, unsure: Rows) -> Iterator[_Cluster]:
        for name in sorted({name for one in condition for name in one.columns}):
            values = self.batch.columns[name]
            codes = values.codes[unsure]
            sizes = values.sizes(whole=self.records.is_whole(name))
            places = np.flatnonzero((codes >= 0) & (np.append(sizes, 1.0)[codes] > 1))
            yield _Cluster(name, places, codes[places], values.texts, sizes)
        items, asked = self.batch.items, frozenset().union(*(one.items for one in condition))
        if isinstance(items, ShownSets) and asked:
            few = taken(items, unsure)
            sizes = np.array([len(self.records.members_of(text)) for text in items.texts], np.float64)
            labels = self._labels_for(items, asked)
            entries = np.flatnonzero(_mask(len(items.texts), labels[sizes[labels] > 1])[few.codes])
            places = np.searchsorted(few.offsets, entries, side="right") - 1
            yield _Cluster(str(self.records.fields.items), places, few.codes[entries], items.texts, sizes)


def _pair_sums(values: NDArray[np.float64]) -> Reals:
    """For each column the sum of the products of two of its rows."""
    sums: Reals = (values.sum(axis=0) ** 2 - (values**2).sum(axis=0)) / 2
    return sums


def _mask(n: int, places: Any) -> Mask:
    found = np.zeros(n, np.bool_)
    found[np.asarray(places, np.int64)] = True
    return found


def taken(sets: ShownSets, rows: Rows) -> ShownSets:
    """The sets of some records."""
    lengths = sets.offsets[rows + 1] - sets.offsets[rows]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    at = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths) + np.repeat(sets.offsets[rows], lengths)
    return ShownSets(offsets, sets.codes[at], sets.texts)


def judge_labels(values: ShownValues, region: Region, *, whole: bool) -> Judged:
    """What each label of a column says of a region; the last place is that of a missing value."""
    if values.are_ranges:
        certain, possible, chance = region.shares(values.low, values.high, whole=whole)
    else:
        inside = [np.array([value in region for value in members]) for members in values.members]
        certain = np.array([bool(hits.all()) for hits in inside], np.bool_)
        possible = np.array([bool(hits.any()) for hits in inside], np.bool_)
        chance = np.array([float(hits.mean()) for hits in inside])
    if region.missing:
        possible = possible | values.anything
    else:
        certain = certain & ~values.anything
    end = np.array([region.missing])
    return Judged(np.append(certain, end), np.append(possible, end), np.append(chance, end.astype(np.float64)))


def judge_doubts(items: ShownDoubts, one: Alternative) -> Judged:
    """What uncertain item sets say: every set within the bound of a record is as likely."""
    names = sorted(one.items)
    base, doubt = (_holding(sets, names) for sets in (items.base, items.uncertain))
    errors = items.errors.astype(np.int64)
    doubts = np.where(errors > 0, np.diff(items.uncertain.offsets), 0)
    doubt &= (errors > 0)[:, None]
    at = {name: i for i, name in enumerate(names)}
    absent = [at[name] for name in one.absent]
    sure, loose, may = base & ~doubt, base & doubt, base | doubt
    certain: Mask = np.logical_not(may[:, absent].any(axis=1))
    possible: Mask = np.logical_not(sure[:, absent].any(axis=1))
    flips, shared = loose[:, absent].sum(axis=1), np.zeros(len(errors), np.int64)
    for some in one.some:
        certain &= sure[:, (within := [at[name] for name in some])].any(axis=1) | (loose[:, within].sum(axis=1) > errors)
        usable = [at[name] for name in some - one.absent]
        possible &= may[:, usable].any(axis=1)
        needed = (~base[:, usable].any(axis=1)).astype(np.int64)
        if len(some) == 1:
            flips = flips + needed
        else:
            shared = np.maximum(shared, needed)
    enough: Mask = flips + shared <= errors
    possible &= enough
    chance = np.zeros(len(errors))
    for size in range(len(one.some) + 1):
        for picked in combinations(one.some, size):
            gone = [at[name] for name in one.absent.union(*picked)]
            none = _share_of_sets(doubts, errors, doubt[:, gone].sum(axis=1), loose[:, gone].sum(axis=1))
            chance += (-1) ** size * np.where(sure[:, gone].any(axis=1), 0.0, none)
    return Judged(certain, possible, np.where(certain, 1.0, np.where(possible, np.clip(chance, 0.0, 1.0), 0.0)))


def _holding(sets: ShownSets, names: Sequence[str]) -> NDArray[np.bool_]:
    """Which records have which of the items."""
    found = np.zeros((len(sets.offsets) - 1, len(names)), np.bool_)
    code = {text: a for a, text in enumerate(sets.texts)}
    for i, name in enumerate(names):
        if name in code:
            found[np.searchsorted(sets.offsets, np.flatnonzero(sets.codes == code[name]), side="right") - 1, i] = True
    return found


def _share_of_sets(doubts: Rows, errors: Rows, fixed: Rows, flipped: Rows) -> Reals:
    """Of the sets within the bound of each record the share that differs in the `flipped` and no other of the `fixed` items."""
    kinds, kind = np.unique(np.stack([doubts, errors, fixed, flipped]), axis=1, return_inverse=True)
    shares = [_sets(d - k, t - f) / _sets(d, t) if f <= t else 0.0 for d, t, k, f in kinds.T.tolist()]
    return np.array(shares, np.float64)[kind.ravel()]


@cache
def _sets(n: int, most: int) -> int:
    """The number of sets of at most `most` of n things."""
    return sum(math.comb(n, size) for size in range(min(n, most) + 1))
