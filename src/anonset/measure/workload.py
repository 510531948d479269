"""Query workloads: what an analyst would count, drawn from the data, counted on the original and estimated on a release."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import signature
from typing import Any, Literal, NamedTuple, Protocol, get_args

import numpy as np

from anonset.errors import InputError, ParameterError
from anonset.measure._kernels.frequent import frequent_itemsets
from anonset.measure._kernels.label_shares import free_members, item_factors, item_query_shares, summed_item_shares
from anonset.measure.coded_release import generalized, groups, sensitive_labels
from anonset.measure.uncertain import ItemQuery, answers, draw_queries
from anonset.model.arrays import Ids, Reals, Rows
from anonset.model.dataset import Column, Dataset, Transactions
from anonset.model.labels import GeneralizedItems, Labels, PublishedColumn, Ranges, UncertainItems
from anonset.model.release import Margins, Release
from anonset.model.sets import offsets_of_rows, places_in, rows_of
from anonset.threads import environment_limit

MOST_QUERIES, RAISED_BY = 1_000_000, "ANONSET_MOST_QUERIES"


@dataclass(frozen=True, slots=True)
class Query:
    """Count the records with every numeric value in its range, every categorical one among its values, and all the items.

    Or, instead of items that are present, with none of the items `absent` ([004]'s type II).
    """

    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    items: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if any(not low <= high for low, high in self.ranges.values()):
            raise InputError(f"a query's range must have low <= high; got {dict(self.ranges)}")
        if len(set(self.items)) != len(self.items) or len(set(self.absent)) != len(self.absent):
            raise InputError("the items of a query must differ from each other")
        if self.items and self.absent:
            raise InputError("a query asks for items that are present or for items that are absent, not for both")

    def __str__(self) -> str:
        parts = [f"{name} in [{low:g}:{high:g}]" for name, (low, high) in self.ranges.items()]
        parts += [f"{name} in {{{', '.join(values)}}}" for name, values in self.values.items()]
        parts += ["has " + ", ".join(self.items)] if self.items else []
        parts += ["has none of " + ", ".join(self.absent)] if self.absent else []
        return " and ".join(parts) or "all records"


@dataclass(frozen=True, slots=True)
class Workload:
    """Queries, in order."""

    queries: tuple[Query, ...]

    def __len__(self) -> int:
        return len(self.queries)

    def __repr__(self) -> str:
        some = "; ".join(str(query) for query in self.queries[:2])
        return f"<Workload of {len(self):,} queries{', e.g. ' + some if some else ''}>"

    def to_json(self) -> str:
        """The workload as JSON text: {"queries": [{"ranges": {..}, "values": {..}, "items": [..], "absent": [..]}]}."""
        rows = [
            {
                "ranges": {n: list(r) for n, r in q.ranges.items()},
                "values": {n: list(v) for n, v in q.values.items()},
                "items": list(q.items),
                **({"absent": list(q.absent)} if q.absent else {}),
            }
            for q in self.queries
        ]
        return json.dumps({"queries": rows}, ensure_ascii=False, indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str, *, file: str | None = None) -> "Workload":
        """The workload a JSON text describes; what is not one is an InputError that says where."""
        try:
            rows = json.loads(text)["queries"]
            return cls(tuple(_query(row) for row in rows))
        except json.JSONDecodeError as error:
            raise InputError(f"expected JSON; {error.msg}", file=file, line=error.lineno, column=error.colno) from None
        except (KeyError, TypeError, ValueError, AttributeError):
            raise InputError(
                'expected {"queries": [{"ranges": .., "values": .., "items": [..], "absent": [..]}, ..]}', file=file
            ) from None


def _query(row: Mapping[str, Any]) -> Query:
    if set(row) - {"ranges", "values", "items", "absent"}:
        raise ValueError("unknown key")
    ranges = {str(name): (float(low), float(high)) for name, (low, high) in row.get("ranges", {}).items()}
    values = {str(name): tuple(map(str, chosen)) for name, chosen in row.get("values", {}).items()}
    return Query(ranges, values, tuple(map(str, row.get("items", []))), tuple(map(str, row.get("absent", []))))


def check_sizes(*, least: int = 1, **sizes: int) -> None:
    """Raise unless every size is a whole number of at least `least`, and the number of queries one that memory holds."""
    for name, size in sizes.items():
        if isinstance(size, bool) or not isinstance(size, int) or size < least:
            raise ParameterError(f"{name} of a workload must be a whole number of at least {least}; got {size!r}")
    if sizes.get("n", 0) > (most := environment_limit(RAISED_BY, MOST_QUERIES)):
        raise ParameterError(f"n of a workload is {sizes['n']:,}, and {most:,} queries are the most; {RAISED_BY} allows more")


def check_share(**shares: float) -> None:
    """Raise unless every share is a number from 0 to 1."""
    for name, share in shares.items():
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
            raise ParameterError(f"{name} of a workload must be a number from 0 to 1; got {share!r}")


class LabelIndex:
    """The labels of item i are item_labels[item_offsets[i] : item_offsets[i + 1]], the records of label a likewise."""

    def __init__(self, original: Transactions, items: GeneralizedItems | None) -> None:
        d = len(original.domain)
        self.code = {name: i for i, name in enumerate(original.domain)}
        self.items = items
        if items is None:
            self.offsets, self.shown = original.offsets, original.items
            self.sizes = np.ones(d, np.int64)
            self.item_offsets, self.item_labels = np.arange(d + 1, dtype=np.int64), np.arange(d, dtype=np.int32)
        else:
            self.offsets, self.shown = items.offsets, items.shown
            self.sizes = items.labels.sizes
            codes = places_in(original.domain, items.domain)[items.labels.members]
            owner = rows_of(items.labels.offsets).astype(np.int32)
            owner, codes = owner[codes >= 0], codes[codes >= 0]
            self.item_labels = owner[np.argsort(codes, kind="stable")]
            self.item_offsets = offsets_of_rows(codes, d)
        self.n = len(self.offsets) - 1
        self.entry = np.argsort(self.shown, kind="stable")
        self.label_records = rows_of(self.offsets)[self.entry]
        self.label_offsets = offsets_of_rows(self.shown, len(self.sizes))
        self.covered = np.zeros(self.n, np.int64)

    def labels_of(self, item: int) -> Ids:
        """The labels that may stand for an item."""
        return self.item_labels[self.item_offsets[item] : self.item_offsets[item + 1]]

    def free(self) -> Reals:
        """Return for each entry of label_records how many members of its label the record does not publish exactly."""
        if self.items is None or self.items.is_global:
            return np.repeat(self.sizes, np.diff(self.label_offsets)).astype(np.float64)
        labels = self.items.labels
        return free_members(self.offsets, self.shown, labels.offsets, labels.members)[self.entry].astype(np.float64)


Estimator = Literal["subsets", "expanded", "uniform", "calibrated"]
ESTIMATORS: tuple[Estimator, ...] = get_args(Estimator)


class ItemShares(Protocol):
    """How likely each record holds all of some items, or none of them."""

    def present(self, wanted: Ids) -> tuple[Rows, Reals]:
        """The records that may hold all the items, and how likely each does."""
        ...

    def absent(self, wanted: Ids) -> Reals:
        """How likely each record holds none of the items."""
        ...


def item_shares(estimator: Estimator, index: LabelIndex, margins: Margins | None = None) -> ItemShares:
    """The named estimator over an index; `calibrated` needs the margins of the release, unless every item is exact."""
    if estimator not in ESTIMATORS:
        raise ParameterError(f"no estimator {estimator!r}; choose from {', '.join(ESTIMATORS)}")
    if estimator == "subsets" or index.items is None:
        return Subsets(index)
    if estimator == "expanded":
        return SummedLabels(index, np.ones(len(index.code)), np.ones(len(index.label_records)))
    free = index.free()
    if estimator == "uniform":
        return SummedLabels(index, np.ones(len(index.code)), free)
    if margins is None:
        raise InputError("the estimator `calibrated` reads margins, and the release publishes none")
    return SummedLabels(index, calibrated_factors(index, free, margins), free)


def calibrated_factors(index: LabelIndex, free: Reals, margins: Margins) -> Reals:
    """For each item what its shares of labels are multiplied with, so that its expected count is its margin."""
    expected = np.array([np.nan if (e := margins.expected(name)) is None else e for name in index.code], np.float64)
    return item_factors(
        expected,
        index.item_offsets,
        index.item_labels,
        index.label_offsets,
        index.label_records,
        free,
        index.sizes,
        index.n,
    )


class Subsets:
    """Every non-empty subset of a label's n items is as likely: q of them are there with 2^(n-q) / (2^n - 1)."""

    def __init__(self, index: LabelIndex) -> None:
        self.index = index
        self.chosen = np.zeros((index.n, 0), np.int32)

    def present(self, wanted: Ids) -> tuple[Rows, Reals]:
        """By the smallest label a record shows for each item."""
        if self.chosen.shape[1] < len(wanted):
            self.chosen = np.zeros((self.index.n, len(wanted)), np.int32)
        at = self.index
        labels = (at.item_offsets, at.item_labels, at.label_offsets, at.label_records, at.sizes)
        return item_query_shares(wanted, *labels, at.covered, self.chosen)

    def absent(self, wanted: Ids) -> Reals:
        """(2^(n-q) - 1) / (2^n - 1) for q of the items behind a label of n, over all labels of a record."""
        at, share = self.index, np.ones(self.index.n)
        asked = np.zeros(len(at.sizes), np.int64)
        for i in wanted:
            np.add.at(asked, at.labels_of(int(i)), 1)
        for a in np.flatnonzero(asked):
            whole, gone = float(at.sizes[a]), float(asked[a])
            holders = at.label_records[at.label_offsets[a] : at.label_offsets[a + 1]]
            share[holders] *= (2.0**-gone - 2.0**-whole) / (1.0 - 2.0**-whole)
        return share


class SummedLabels:
    """A record holds an item with the sum over its labels of min(1, factor / free members), at most 1."""

    def __init__(self, index: LabelIndex, factors: Reals, free: Reals) -> None:
        self.index, self.factors, self.free = index, factors, free
        self.total = np.zeros((index.n, 0), np.float64)

    def present(self, wanted: Ids) -> tuple[Rows, Reals]:
        """Items are taken as independent of each other."""
        if self.total.shape[1] < len(wanted):
            self.total = np.zeros((self.index.n, len(wanted)), np.float64)
        at = self.index
        labels = (at.item_offsets, at.item_labels, at.label_offsets, at.label_records, self.free, at.sizes)
        return summed_item_shares(wanted, self.factors, *labels, at.covered, self.total)

    def absent(self, wanted: Ids) -> Reals:
        """One item after the other is not there."""
        share = np.ones(self.index.n)
        for i in wanted:
            records, held = self.present(np.array([i], np.int32))
            share[records] *= 1.0 - held
        return share


class RecordIndex:
    """Groups of equal values, items to labels, labels to records: of the original (exact) or of a release."""

    def __init__(self, original: Dataset, release: Release | None = None, estimator: Estimator = "subsets") -> None:
        items = None if release is None else release.items
        assert items is None or isinstance(items, GeneralizedItems), "uncertain items have no labels to index"
        self.n = len(original) if release is None else len(release)
        published = tuple(map(_exact, original.columns)) if release is None else release.columns
        self.originals = {column.name: column for column in original.columns}
        texts = [column for column in original.columns if column.values is None]
        self.places = {column.name: {text: i for i, text in enumerate(column.domain)} for column in texts}
        self.columns = {column.name: _anything(column, self.n) for column in original.columns}  # what is not published
        self.columns |= {column.name: column for column in published}
        self.group, self.n_groups = groups(published, self.n)
        _, self.first = np.unique(self.group, return_index=True)
        self.group_sizes = np.bincount(self.group, minlength=self.n_groups).astype(np.float64)
        if original.transactions is None:
            return
        if release is not None and items is None:
            items = _any_items(original.transactions.domain, self.n)
        self.labels = LabelIndex(original.transactions, items)
        self.shares: ItemShares = item_shares(estimator, self.labels, None if release is None else release.margins)

    def count(self, query: Query) -> float:
        """The expected number of records the query finds."""
        if not query.items and not query.absent:
            return float(self._group_shares(query) @ self.group_sizes)
        return float(self.matches(query)[1].sum())

    def matches(self, query: Query) -> tuple[Rows, Reals]:
        """The records the query may find, and how likely it finds each (above 0)."""
        share = self._group_shares(query)
        if query.items:
            records, shares = self.shares.present(self._codes(query.items))
            shares = shares * share[self.group[records]]
        else:
            records, shares = np.arange(self.n), share[self.group]
            shares = shares * self.shares.absent(self._codes(query.absent)) if query.absent else shares
        return records[shares > 0], shares[shares > 0]

    def _codes(self, items: tuple[str, ...]) -> Ids:
        return np.array([self.labels.code[item] for item in items], np.int32)

    def _group_shares(self, query: Query) -> Reals:
        share = np.ones(self.n_groups)
        asked: dict[str, tuple[float, float] | tuple[str, ...]] = {**query.ranges, **query.values}
        for name, wanted in asked.items():
            column = self.columns[name]
            by_label = np.append(label_shares(self.originals[name], column.labels, wanted, self.places.get(name)), 0.0)
            share *= by_label[column.codes[self.first]]
        return share


def label_shares(
    original: Column,
    labels: Labels | Ranges,
    wanted: tuple[float, float] | tuple[str, ...],
    places: Mapping[str, int] | None = None,
) -> Reals:
    """For each label the share of what it stands for that the query wants; `places`: those of the values in the domain."""
    if isinstance(labels, Ranges):
        low, high = float(wanted[0]), float(wanted[1])
        if original.is_integer:  # count whole numbers
            inside = np.floor(np.minimum(labels.high, high)) - np.ceil(np.maximum(labels.low, low)) + 1.0
            return np.maximum(inside, 0.0) / (np.floor(labels.high) - np.ceil(labels.low) + 1.0)
        length = labels.high - labels.low
        inside = np.maximum(np.minimum(labels.high, high) - np.maximum(labels.low, low), 0.0)
        point = (low <= labels.low) & (labels.high <= high)
        return np.where(length > 0, inside / np.where(length > 0, length, 1.0), point)
    known = {text: i for i, text in enumerate(original.domain)} if places is None else places
    asked = np.zeros(len(original.domain))
    asked[[known[text] for text in map(str, wanted) if text in known]] = 1.0
    return np.add.reduceat(asked[labels.members], labels.offsets[:-1]) / labels.sizes if len(labels) else np.zeros(0)


def _anything(column: Column, n: int) -> PublishedColumn:
    """The column as if each of n records said "anything"."""
    labels: Labels | Ranges = _all_of(len(column.domain))
    if column.values is not None and len(column.values):
        labels = Ranges(column.values.min(keepdims=True), column.values.max(keepdims=True), ("*",))
    return PublishedColumn(column.name, column.role, np.full(n, len(labels) - 1, np.int32), labels)


def _any_items(domain: tuple[str, ...], n: int) -> GeneralizedItems:
    """The items as if each of n records said "at least one of all"."""
    labels = _all_of(len(domain))
    shown = np.zeros(n * len(labels), np.int32)
    return GeneralizedItems(np.arange(n + 1) * len(labels), shown, labels, domain, np.zeros(0, np.int32))


def _all_of(d: int) -> Labels:
    """One label for all of d values, or none where there is no value."""
    return Labels.from_groups([range(d)], ["*"]) if d else Labels.from_groups([], [])


def _exact(column: Column) -> PublishedColumn:
    """The column as if it were published as it is."""
    d = len(column.domain)
    labels: Labels | Ranges
    if column.values is not None:
        labels = Ranges(column.values.copy(), column.values.copy(), column.domain)
    else:
        labels = Labels(np.arange(d + 1, dtype=np.int64), np.arange(d, dtype=np.int32), column.domain)
    return PublishedColumn(column.name, column.role, column.codes, labels)


SIZES = (
    ("none", 0.0, 1.0),
    ("1 to 4", 1.0, 5.0),
    ("5 to 19", 5.0, 20.0),
    ("20 to 99", 20.0, 100.0),
    ("100 to 999", 100.0, 1000.0),
    ("1000 and more", 1000.0, float("inf")),
)


@dataclass(frozen=True, slots=True, eq=False)
class QueryCounts:
    """The count of each query on the original and what a release makes of it."""

    workload: Workload
    actual: Reals
    estimate: Reals

    def relative_errors(self, sanity: float = 1.0) -> Reals:
        """abs(actual - estimate) / max(actual, sanity) of each query."""
        return np.abs(self.actual - self.estimate) / np.maximum(self.actual, sanity)

    def worst(self, most: int = 10) -> tuple[tuple[Query, float, float, float], ...]:
        """The queries with the largest relative errors: query, actual count, estimate, error."""
        errors = self.relative_errors()
        order = np.argsort(-errors, kind="stable")[:most].tolist()
        return tuple(
            (self.workload.queries[q], float(self.actual[q]), float(self.estimate[q]), float(errors[q])) for q in order
        )

    def errors_by_size(self) -> dict[str, tuple[int, float]]:
        """By how many records queries count: the number of such queries, and the mean of their relative errors."""
        errors = self.relative_errors()
        found = {}
        for name, low, high in SIZES:
            inside = errors[(self.actual >= low) & (self.actual < high)]
            if len(inside):
                found[name] = (len(inside), float(inside.mean()))
        return found


def count_queries(original: Dataset, release: Release, workload: Workload, *, estimator: Estimator = "subsets") -> QueryCounts:
    """The counts of a workload on both sides; the estimator says how items behind labels are counted."""
    if estimator not in ESTIMATORS:
        raise ParameterError(f"no estimator {estimator!r}; choose from {', '.join(ESTIMATORS)}")
    check_workload(original, workload)
    before = RecordIndex(original)
    actual = np.array([before.count(query) for query in workload.queries], np.float64)
    if isinstance(release.items, UncertainItems):
        return QueryCounts(workload, actual, _uncertain_estimates(release.items, workload, estimator))
    if release.items is None and any(query.items or query.absent for query in workload.queries):
        raise InputError("the workload asks for items, and the release has none")
    after = RecordIndex(original, release, estimator)
    return QueryCounts(workload, actual, np.array([after.count(query) for query in workload.queries], np.float64))


def _uncertain_estimates(items: UncertainItems, workload: Workload, estimator: Estimator) -> Reals:
    """Of uncertain item sets: every set that a record may stand for as likely, or (`expanded`) every record that may fit."""
    if any(query.ranges or query.values for query in workload.queries):
        raise InputError("of a release of uncertain items only counts of items are estimated; the workload asks for values")
    if estimator not in ("subsets", "expanded"):
        raise ParameterError(f"the estimator `{estimator}` reads labels; of uncertain items choose from subsets, expanded")
    asked = [ItemQuery(query.items, query.absent) for query in workload.queries]
    found = answers(items, asked)
    return np.array([a.expected if estimator == "subsets" else a.possible for a in found], np.float64)


def check_workload(original: Dataset, workload: Workload) -> None:
    """Raise unless every query asks for columns and items the original has."""
    known = set(original.transactions.domain) if original.transactions is not None else set()
    for number, query in enumerate(workload.queries, 1):
        for name in query.ranges:
            if original.column(name).kind != "numeric":
                raise InputError(f"query {number} asks for a range of {name!r}, which is not numeric")
        for name in query.values:
            if original.column(name).kind == "numeric":
                raise InputError(f"query {number} asks for values of {name!r}, which is numeric: give a range")
        unknown = [item for item in (*query.items, *query.absent) if item not in known]
        if unknown:
            raise InputError(f"query {number} asks for the item {unknown[0]!r}, which the data do not have")


def are(
    original: Dataset, release: Release, workload: Workload, *, estimator: Estimator = "subsets", sanity: float = 1.0
) -> float:
    """Return the mean relative error of the queries: 0.0 all counts exact, 1.0 off by as much as there is."""
    if len(workload) == 0:
        raise InputError("an average relative error needs at least one query, and the workload has none")
    return float(np.mean(count_queries(original, release, workload, estimator=estimator).relative_errors(sanity)))


MOST_FREQUENT_SETS = 200_000


def presence_queries(original: Dataset, n: int = 500, *, items: int = 1, absent: int = 5, seed: int = 0) -> Workload:
    """n queries for random items that are present (type I), then n for random items that are absent (type II) ([004])."""
    check_sizes(n=n, items=items, absent=absent)
    drawn = draw_queries(original, n, present=items, absent=absent, seed=seed)
    return Workload(tuple(Query(items=query.present, absent=query.absent) for query in drawn))


def generalized_queries(original: Dataset, release: Release, n: int = 1000, *, items: int = 5, seed: int = 0) -> Workload:
    """Sets of items, each drawn from a random different published item of a release ([003] 5.1).

    Sensitive items are not drawn. A release of fewer published items gives smaller sets.
    """
    check_sizes(n=n, items=items)
    published = generalized(release)
    usable = np.flatnonzero(~sensitive_labels(original, published))
    if len(usable) == 0:
        raise InputError("queries from generalized items need a release that publishes items")
    rng = np.random.default_rng(seed)
    members, offsets = published.labels.members, published.labels.offsets

    def draw() -> tuple[str, ...]:
        labels = rng.choice(usable, size=min(items, len(usable)), replace=False)
        picks = {int(members[rng.integers(offsets[a], offsets[a + 1])]) for a in labels}
        return tuple(published.domain[i] for i in sorted(picks))

    return Workload(tuple(Query(items=draw()) for _ in range(n)))


def frequent_queries(original: Dataset, n: int = 1000, *, support: float = 0.05, longest: int = 5, seed: int = 0) -> Workload:
    """Sets drawn from the itemsets that at least `support` of the records hold ([003] 5.3.4)."""
    check_sizes(n=n, longest=longest)
    check_share(support=support)
    t = original.linkable
    least = max(1, int(np.ceil(support * len(t))))
    offsets, items, supports, complete = frequent_itemsets(
        t.offsets, t.items, len(t.domain), least, longest, MOST_FREQUENT_SETS
    )
    if len(supports) == 0:
        raise InputError(f"no itemset is in {support:.1%} of the records: lower the support")
    if not complete:
        raise InputError(f"more than {MOST_FREQUENT_SETS:,} itemsets are in {support:.1%} of the records: raise the support")
    picks = np.random.default_rng(seed).integers(0, len(supports), n)
    return Workload(tuple(Query(items=tuple(t.domain[i] for i in items[offsets[p] : offsets[p + 1]])) for p in picks))


Parts = Literal["relational", "items", "both"]


def random_queries(
    original: Dataset,
    n: int = 100,
    *,
    kind: Parts = "both",
    values: int = 1,
    items: int = 2,
    columns: Sequence[str] | None = None,
    width: float = 0.1,
    seed: int = 0,
) -> Workload:
    """Queries for random values and sets of items, each taken from a random record so that it counts somebody ([000]).

    Values are drawn from the quasi columns, or from the named ones. A numeric value becomes a range of `width` of the column's
    span around it; a record with fewer items gives those it has.
    """
    if kind not in get_args(Parts):
        raise ParameterError(f"random queries ask for one of {', '.join(get_args(Parts))}; got {kind!r}")
    check_sizes(n=n, items=items)
    check_share(width=width)
    asked = () if kind == "items" else _query_columns(original, values, columns)
    if kind != "items" and not asked:
        raise InputError("relational queries need quasi columns, and the data have none")
    held = None if kind == "relational" else original.transactions
    if kind != "relational" and (held is None or len(held.items) == 0):
        raise InputError("item queries need items, and the data have none")
    rows = np.arange(len(original))
    if held is not None:
        rows = np.flatnonzero(held.lengths >= 1)
        rows = long if len(long := np.flatnonzero(held.lengths >= items)) else rows
    return _drawn(_with_values(rows, asked, values), n, asked, values, held, items, width, seed)


def held_queries(
    original: Dataset,
    n: int = 1000,
    *,
    items: int = 5,
    values: int = 0,
    columns: Sequence[str] | None = None,
    width: float = 0.1,
    seed: int = 0,
) -> Workload:
    """Queries for exactly `items` items that a random record holds together ([003] 5.1, [001]), and `values` of its values.

    Only records with that many items are drawn from, so every count is positive. Sensitive items are not asked for.
    """
    check_sizes(n=n, items=items)
    check_share(width=width)
    held, asked = original.linkable, _query_columns(original, values, columns)
    rows = np.flatnonzero(held.lengths >= items)
    if len(rows) == 0:
        longest = int(held.lengths.max(initial=0))
        raise InputError(f"no record holds {items} items to ask for together: the longest holds {longest}, ask for fewer")
    return _drawn(_with_values(rows, asked, values), n, asked, values, held, items, width, seed)


def _query_columns(original: Dataset, values: int, names: Sequence[str] | None) -> tuple[Column, ...]:
    """The columns that values are drawn from; asking for more values than there are columns is an error."""
    check_sizes(least=0, values=values)
    if isinstance(names, str):
        raise ParameterError(f"columns of a workload must be a list of names; got {names!r}")
    columns = original.quasi if names is None else tuple(original.column(name) for name in names)
    if columns and values > len(columns):
        raise ParameterError(f"a query asks for {values} values of different columns, and there are {len(columns)}")
    return columns


def _with_values(rows: Rows, columns: Sequence[Column], values: int) -> Rows:
    """The rows where enough of the columns have a value; all where no row does."""
    known = np.zeros(len(rows), np.int64)
    for column in columns:
        known += column.codes[rows] >= 0
    return full if len(full := rows[known >= min(values, len(columns))]) else rows


def _drawn(
    rows: Rows,
    n: int,
    columns: Sequence[Column],
    values: int,
    held: Transactions | None,
    items: int,
    width: float,
    seed: int,
) -> Workload:
    rng = np.random.default_rng(seed)
    queries = []
    for _ in range(n):
        row = int(rng.choice(rows))
        ranges, chosen = _values_of(columns, row, values, width, rng)
        names: tuple[str, ...] = ()
        if held is not None:
            basket = held.items[held.offsets[row] : held.offsets[row + 1]]
            names = tuple(held.domain[i] for i in np.sort(rng.permutation(basket)[:items]))
        queries.append(Query(ranges, chosen, names))
    return Workload(tuple(queries))


def _values_of(
    columns: Sequence[Column], row: int, values: int, width: float, rng: np.random.Generator
) -> tuple[dict[str, tuple[float, float]], dict[str, tuple[str, ...]]]:
    """Ranges around, and categories of, `values` random values of a row."""
    ranges: dict[str, tuple[float, float]] = {}
    chosen: dict[str, tuple[str, ...]] = {}
    known = [column for column in columns if column.codes[row] >= 0]
    for c in rng.permutation(len(known))[:values] if columns else ():
        column, code = known[c], int(known[c].codes[row])
        if column.values is None:
            chosen[column.name] = (column.domain[code],)
        else:
            half = width / 2 * (column.span[1] - column.span[0])
            ranges[column.name] = (float(column.values[code] - half), float(column.values[code] + half))
    return ranges, chosen


class WorkloadKind(NamedTuple):
    """A generator, and what its queries ask for; one of a release is drawn from its published items."""

    generator: Callable[..., Workload]
    meaning: str
    of_release: bool = False


WORKLOAD_KINDS: dict[str, WorkloadKind] = {
    "random": WorkloadKind(random_queries, "values and items of random records"),
    "held": WorkloadKind(held_queries, "items that some record holds together, and values of that record where asked for"),
    "frequent": WorkloadKind(frequent_queries, "itemsets in a share of the records"),
    "generalized": WorkloadKind(generalized_queries, "items behind different published items of a release", of_release=True),
    "presence": WorkloadKind(presence_queries, "items that are present, then items that are absent"),
}


def draw_workload(kind: str, original: Dataset, release: Release | None = None, /, **values: Any) -> Workload:
    """A workload of the named kind; what its generator does not take is an error that says what it takes."""
    if kind not in WORKLOAD_KINDS:
        raise ParameterError(f"the kind of a workload must be one of {', '.join(WORKLOAD_KINDS)}; got {kind!r}")
    generator, _, of_release = WORKLOAD_KINDS[kind]
    if of_release and release is None:
        raise ParameterError(f"queries of kind {kind} are drawn from a release, and none is given")
    taken = [name for name in signature(generator).parameters if name not in ("original", "release")]
    for name in values:
        if name not in taken:
            raise ParameterError(f"queries of kind {kind} take {', '.join(taken)}; got {name}")
    return generator(original, release, **values) if of_release else generator(original, **values)
