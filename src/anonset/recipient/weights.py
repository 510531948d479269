"""How likely each item behind a label is: all alike, or fitted to published margins; and what margins say for sure.

Fitting to margins is iterative proportional fitting: in turn, the expected count of each item behind labels is made what its
margin leaves after the records that show it exactly, and each label gets at least one item a record.
"""

import math
from collections.abc import Mapping
from functools import cached_property
from typing import Literal, get_args

import numpy as np
import polars as pl

from anonset.errors import InputError, ParameterError, unknown
from anonset.model.arrays import Reals, Rows
from anonset.model.release import Margins
from anonset.recipient.query import Condition
from anonset.recipient.records import PublishedRecords, ShownDoubts, ShownSets

EstimatorName = Literal["uniform", "calibrated"]
ROUNDS = 100


class ItemWeights:
    """The chances of the items behind each label, by one estimator."""

    def __init__(self, records: PublishedRecords, estimator: str | None = None) -> None:
        told = records.about.get("margins")
        self.margins = None if told is None else Margins(told["k"], dict(told["counts"]), frozenset(told["withheld"]))
        chosen = estimator or ("uniform" if self.margins is None else "calibrated")
        if chosen not in get_args(EstimatorName):
            raise ParameterError(unknown("estimator", chosen, get_args(EstimatorName)))
        if chosen == "calibrated" and self.margins is None:
            raise InputError("the estimator `calibrated` reads margins, and the release publishes none")
        self.records, self.estimator = records, chosen
        self._seen: dict[str, bool] = {}

    def of_label(self, text: str) -> Reals:
        """The chance of each item behind a label; all of them have at least 1 together."""
        fitted = self.chances.get(text) if self.estimator == "calibrated" else None
        size = len(self.records.members_of(text))
        return np.full(size, 1.0 / size) if fitted is None else fitted

    @cached_property
    def behind(self) -> frozenset[str]:
        """The items that labels of several items stand for."""
        return frozenset().union(*self.records.members.values())

    def all_items(self) -> list[str]:
        """The items that labels stand for, as far as they are known without reading parts."""
        found = set(self.behind)
        if not self.records.in_parts:
            for batch in self.records.batches([], items=True):
                found |= {name for text in _texts(batch.items) for name in self.records.members_of(text)}
        return sorted(found)

    def known_items(self, asked: frozenset[str] | set[str]) -> frozenset[str]:
        """Those of the items that some label stands for."""
        records, new = self.records, {item for item in asked if item not in self._seen}
        if not records.in_parts:
            every = self._shown_items
            self._seen |= {item: item in every for item in new}
        else:
            open_ones = new - self.behind - (self.margins.counts.keys() if self.margins else set())
            shown = _shown_in_parts(records, sorted(open_ones)) if open_ones else set()
            self._seen |= {item: item not in open_ones or item in shown for item in new}
        return frozenset(item for item in asked if self._seen[item])

    @cached_property
    def _shown_items(self) -> frozenset[str]:
        return frozenset(self.all_items())

    @cached_property
    def most_missing(self) -> int:
        """The most item occurrences that records have and do not show, by the share that is published."""
        share = self.records.share_missing
        if share == 0:
            return 0
        if share >= 1:
            return len(self.records)
        shown = 0
        for batch in self.records.batches([], items=True):
            assert isinstance(batch.items, ShownSets)
            sizes = np.array([len(self.records.members_of(text)) for text in batch.items.texts], np.int64)
            shown += int(sizes[batch.items.codes].sum())
        return math.floor(share / (1 - share) * shown + 1e-6)

    def margin_bounds(self, condition: Condition) -> tuple[int, float]:
        """The least and the most records that can meet a condition, by the margins."""
        if self.margins is None:
            return 0, math.inf
        floor, ceiling = 0, 0.0
        for one in condition:
            if len(one.some) == 1 and not one.absent and not one.columns:
                (names,) = one.some
                floor = max([floor, *(self.margins.counts.get(name, 0) for name in names)])
            ceiling += min((sum(map(self._most, names)) for names in one.some), default=math.inf)
        return floor, ceiling

    def _most(self, item: str) -> float:
        assert self.margins is not None
        if item in self.margins.counts:
            return self.margins.counts[item] + self.margins.k - 1
        return math.inf if item in self.margins.withheld or item not in self.behind else self.margins.k - 1

    @cached_property
    def chances(self) -> Mapping[str, Reals]:
        """The chances of the items behind each label of several, fitted to the margins."""
        return self.refitted(None)

    def refitted(self, first: Mapping[str, Reals] | None) -> Mapping[str, Reals]:
        """The chances of the items behind each label of several that fit the margins, from first ones or from equal ones."""
        assert self.margins is not None
        return fitted(self.records, self.margins, *self._label_counts, first)

    @cached_property
    def _label_counts(self) -> tuple[dict[str, int], dict[str, Rows]]:
        """The records that show each item exactly, and those of each label that do not show its items exactly too."""
        exact: dict[str, int] = {}
        open_: dict[str, Rows] = {}
        for batch in self.records.batches([], items=True):
            assert isinstance(batch.items, ShownSets)
            _count_labels(self.records, batch.items, exact, open_)
        return exact, open_


def _texts(items: ShownSets | ShownDoubts | None) -> set[str]:
    if items is None:
        return set()
    return {*items.base.texts, *items.uncertain.texts} if isinstance(items, ShownDoubts) else set(items.texts)


def _shown_in_parts(records: PublishedRecords, asked: list[str]) -> set[str]:
    """Those of the items that some record of a release in parts shows exactly."""
    assert records.item_guide is not None
    guide = records.item_guide
    found: set[str] = set()
    if not records.typed:
        for batch in records.batches([], items=True):
            found |= _texts(batch.items) & set(asked)
        return found
    for column in guide["columns"].values() if records.uncertain else [guide["column"]]:
        if records.uncertain and column == guide["columns"]["errors"]:
            continue
        texts = records.scan(records.files).select(pl.col(column).explode().alias("item"))
        shown = texts.filter(pl.col("item").is_in(asked)).unique().collect(engine="streaming")
        found |= set(shown.to_series().to_list())
    return found


def overlaps(records: PublishedRecords, sets: ShownSets, labels: Rows) -> tuple[Rows, Rows, Rows]:
    """Where records show an item exactly that a label of theirs stands for too: the entry, the place of the item in the label,
    and the entries of these labels, in their order.
    """
    wide = np.zeros(len(sets.texts), np.bool_)
    wide[labels] = True
    names = [records.members_of(text) for text in sets.texts]
    code = {names[a][0]: a for a in range(len(names)) if len(names[a]) == 1}
    entries = np.flatnonzero(wide[sets.codes])
    pairs = [(a, code[name], p) for a in labels.tolist() for p, name in enumerate(names[a]) if name in code]
    none = np.zeros(0, np.int64)
    if not pairs or not len(entries):
        return none, none, entries
    d = len(sets.texts)
    keys = np.array([a * d + c for a, c, _ in pairs], np.int64)
    place = np.array([p for _, _, p in pairs], np.int64)
    order = np.argsort(keys)
    keys, place = keys[order], place[order]
    useful = np.zeros(d, np.bool_)
    useful[[c for _, c, _ in pairs]] = True
    exact = np.flatnonzero(useful[sets.codes])
    starts = np.searchsorted(exact, sets.offsets)  # the exact entries of each record
    owner = np.searchsorted(sets.offsets, entries, side="right") - 1
    lengths = starts[owner + 1] - starts[owner]
    which = np.repeat(np.arange(len(entries)), lengths)
    at = np.arange(len(which)) - np.repeat(np.cumsum(lengths) - lengths, lengths) + np.repeat(starts[owner], lengths)
    asked = sets.codes[entries[which]].astype(np.int64) * d + sets.codes[exact[at]]
    found = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
    hit = keys[found] == asked
    return which[hit], place[found[hit]], entries


def _count_labels(records: PublishedRecords, sets: ShownSets, exact: dict[str, int], open_: dict[str, Rows]) -> None:
    """Add up the records that show each item exactly, and for each label those that show it and not its item exactly too."""
    times = np.bincount(sets.codes, minlength=len(sets.texts))
    sizes = np.array([len(records.members_of(text)) for text in sets.texts], np.int64)
    wide = np.flatnonzero((sizes > 1) & (times > 0))
    which, place, entries = overlaps(records, sets, wide)
    for a in np.flatnonzero((sizes == 1) & (times > 0)).tolist():
        name = records.members_of(sets.texts[a])[0]
        exact[name] = exact.get(name, 0) + int(times[a])
    first = np.zeros(len(sizes) + 1, np.int64)
    first[1:] = np.cumsum(sizes)
    taken = np.bincount(first[sets.codes[entries[which]]] + place, minlength=first[-1])
    for a in wide.tolist():
        left = times[a] - taken[first[a] : first[a + 1]]
        text = sets.texts[a]
        open_[text] = open_[text] + left if text in open_ else left


def fitted(
    records: PublishedRecords,
    margins: Margins,
    exact: Mapping[str, int],
    open_: Mapping[str, Rows],
    first: Mapping[str, Reals] | None = None,
) -> dict[str, Reals]:
    """The chances of the items behind labels: `open_` are the records of each label that do not show its item exactly too."""
    texts = list(open_)
    names = [records.members_of(text) for text in texts]
    items = sorted({name for some in names for name in some})
    code = {name: i for i, name in enumerate(items)}
    scale = len(records) / max(1, len(records) + records.left_out)  # margins count records that are left out too
    expected = [margins.expected(name) for name in items]
    target = np.array(
        [np.nan if e is None else max(0.0, e * scale - exact.get(name, 0)) for name, e in zip(items, expected, strict=True)]
    )
    member = np.array([code[name] for some in names for name in some], np.int64)
    sizes = np.array([len(some) for some in names], np.int64)
    label = np.repeat(np.arange(len(texts)), sizes)
    times = np.concatenate([open_[text] for text in texts]).astype(np.float64) if texts else np.zeros(0)
    chance = 1.0 / np.repeat(sizes, sizes).astype(np.float64)
    if first is not None and texts:
        chance = np.maximum(np.concatenate([first[text] for text in texts]), 1e-9)
    for _ in range(ROUNDS):
        rows = np.bincount(label, chance, minlength=len(texts))
        chance = chance / np.minimum(rows, 1.0)[label]
        sums = np.bincount(member, chance * times, minlength=len(items))
        factor = np.where(np.isnan(target), 1.0, np.divide(target, sums, out=np.ones(len(items)), where=sums > 0))
        chance = np.minimum(chance * np.maximum(factor, 1e-9)[member], 1.0)
    ends = np.concatenate([[0], np.cumsum(sizes)])
    return {text: chance[ends[a] : ends[a + 1]] for a, text in enumerate(texts)}
