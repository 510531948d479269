"""A release as its recipient has it: opened from published/ alone, counted with bounds and estimates, and read as a table."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from anonset.errors import InputError, ParameterError
from anonset.recipient.completion import completed
from anonset.recipient.estimates import CountEstimate, RecordCounter
from anonset.recipient.export import export_duckdb
from anonset.recipient.plain_tables import count_in
from anonset.recipient.query import Condition, all_items, both, column_condition, condition_of, region_of
from anonset.recipient.records import PublishedRecords, ShownBatch, ShownDoubts, ShownSets, ShownValues
from anonset.recipient.regions import Region, Value
from anonset.recipient.weights import EstimatorName, ItemWeights

if TYPE_CHECKING:
    import pandas as pd

MOST_GROUPS = 1_000  # values of a column that counts are given for
AT_ONCE = 200  # conditions that are counted in one pass
Where = str | pl.Expr | Mapping[str, Any] | None


def open_published(path: str | Path) -> "PublishedRelease":
    """Open a release as its recipient has it, to count in it and to read it as a table.

    Parameters
    ----------
    path : str or Path
        The `published` folder, or the folder of a release; nothing but published/ is read.

    Returns
    -------
    PublishedRelease
        The records and what their labels stand for.

    Raises
    ------
    InputError
        If there is no release, or its files do not fit together.

    Examples
    --------
    >>> import polars as pl
    >>> import anonset
    >>> towns = ["Oslo", "Oslo", "Rome", "Rome", "Oslo", "Rome"]
    >>> data = anonset.read(pl.DataFrame({"age": [30, 31, 34, 36, 38, 39], "town": towns}), quasi=["age", "town"])
    >>> _ = anonset.anonymize(data, "cluster", k=2).write("visits", report=False)
    >>> published = anonset.open_published("visits/published")
    >>> count = published.count("age < 35 and town = Oslo")
    >>> count.low, count.estimate, count.high
    (2, 2.0, 2)
    """
    return PublishedRelease(PublishedRecords(Path(path)))


class PublishedRelease:
    """The published records of a release, read when they are needed; made by `open_published`.

    The truth of every count is between its `low` and `high`. A missing value meets no comparison, nor its opposite, as in SQL;
    `is missing` asks for it.
    """

    def __init__(self, records: PublishedRecords) -> None:
        self._records = records
        self._weights: dict[str | None, ItemWeights] = {}

    def __len__(self) -> int:
        return len(self._records)

    def __repr__(self) -> str:
        return f"<PublishedRelease of {len(self):,} records: {', '.join(self.columns)}>"

    @property
    def about(self) -> dict[str, Any]:
        """The content of about.json."""
        return self._records.about

    @property
    def columns(self) -> tuple[str, ...]:
        """The published columns, that of the items last."""
        fields = self._records.fields
        return (*fields.numeric, *(() if fields.items is None else (fields.items,)))

    def count(
        self,
        where: Where = None,
        *,
        items: Iterable[str] = (),
        absent: Iterable[str] = (),
        estimator: EstimatorName | None = None,
    ) -> CountEstimate:
        """Count the records that meet a condition.

        Parameters
        ----------
        where : str, polars.Expr or mapping, optional
            A condition such as "age < 40 and diagnoses contains I10"; a polars expression such as `pl.col("age") < 40`; or the
            value of each column: a value, a list of values, or (low, high) of numbers. Without one all records count.
        items : sequence of str, optional
            Items that a record must have, all of them.
        absent : sequence of str, optional
            Items of which a record must have none.
        estimator : str, optional
            `uniform` or `calibrated`; the latter if the release has margins and nothing is given.

        Returns
        -------
        CountEstimate
            `low`, `high`, `estimate` and `standard_error`.

        Raises
        ------
        InputError
            If the condition cannot be read, or names a column or item that the release does not have.
        """
        return self.count_all([where], items=items, absent=absent, estimator=estimator)[0]

    def count_all(
        self,
        conditions: Sequence[Where],
        *,
        items: Iterable[str] = (),
        absent: Iterable[str] = (),
        estimator: EstimatorName | None = None,
    ) -> list[CountEstimate]:
        """Count several conditions in one pass over the records; parameters as for `count`."""
        fields, items, absent = self._records.fields, _listed(items), _listed(absent)
        return self._counted([condition_of(where, fields, items, absent) for where in conditions], estimator)

    def count_in(
        self, table: pl.DataFrame, where: Where = None, *, items: Iterable[str] = (), absent: Iterable[str] = ()
    ) -> int:
        """Count the records of a table without labels that meet a condition.

        Of `table()` it counts what a filter finds that knows nothing of labels, mostly too little; of tables of `complete`, one
        of the results to `combine`.

        Parameters
        ----------
        table : polars.DataFrame
            A table with the columns of the release, and a list of items.
        where, items, absent
            As for `count`.

        Returns
        -------
        int
            The number of records.
        """
        fields = self._records.fields
        return count_in(table, condition_of(where, fields, _listed(items), _listed(absent)), fields)

    def group_by(
        self,
        by: str | Mapping[str, Sequence[Any]],
        where: Where = None,
        *,
        items: Iterable[str] = (),
        absent: Iterable[str] = (),
        estimator: EstimatorName | None = None,
    ) -> pl.DataFrame:
        """Count the records that meet a condition for each value of a column.

        Parameters
        ----------
        by : str or mapping
            The column; or {column: groups}, where a group is a value, a list of values, or (low, high) of numbers.
            For the column of items, each item is a group.
        where, items, absent, estimator
            As for `count`.

        Returns
        -------
        polars.DataFrame
            The group and its `low`, `high`, `estimate` and `standard_error`.
        """
        name, groups = self._groups(by)
        fields = self._records.fields
        if name == fields.items:
            tests = [all_items([str(group)]) for group in groups]
        else:
            tests = [column_condition(name, region) for region in self._regions(name, groups)]
        asked = condition_of(where, fields, _listed(items), _listed(absent))
        found = self._counted([both(asked, test) for test in tests], estimator)
        return _framed({name: [_said(group) for group in groups]}, found)

    def items(self, names: Iterable[str] | None = None, *, estimator: EstimatorName | None = None) -> pl.DataFrame:
        """Count the records with each item: of all items, or of the named ones."""
        named = self.item_names if names is None else _listed(names)
        return _framed({"item": named}, self._counted([all_items([name]) for name in named], estimator))

    def top_items(self, n: int = 20, *, estimator: EstimatorName | None = None) -> pl.DataFrame:
        """The n items with the largest estimates."""
        if n < 1:
            raise ParameterError(f"n must be at least 1; got {n}")
        return self.items(estimator=estimator).sort("estimate", "item", descending=[True, False]).head(n)

    def pairs(self, names: Iterable[str] | None = None, *, estimator: EstimatorName | None = None) -> pl.DataFrame:
        """Count the records with each two of the named items, or of the 20 most frequent ones."""
        named = self.top_items(estimator=estimator)["item"].to_list() if names is None else _listed(names)
        both_of = list(combinations(named, 2))
        counted = self._counted([all_items(pair) for pair in both_of], estimator)
        return _framed({"first": [a for a, _ in both_of], "second": [b for _, b in both_of]}, counted)

    @cached_property
    def item_names(self) -> list[str]:
        """All items that labels stand for, in order."""
        records = self._records
        self._require_items()
        found = set(self._weigher(None).behind)
        for batch in records.batches([], items=True):
            sets = batch.items
            texts = [*sets.base.texts, *sets.uncertain.texts] if isinstance(sets, ShownDoubts) else sets.texts if sets else []
            found |= {name for text in texts for name in records.members_of(text)}
        return sorted(found)

    def table(self) -> pl.DataFrame:
        """The records, with exact values wherever the release has them.

        Returns
        -------
        polars.DataFrame
            For each column its exact values, empty where they are generalized; then `COLUMN.lo` and `COLUMN.hi` have the
            ranges, or `COLUMN.any` the values that a label stands for. Items are lists of exact items, and `ITEMS.any` has
            the other labels, each as the list of items of which at least one is there. Of uncertain sets the certain items,
            and `ITEMS.base`, `ITEMS.uncertain` and `ITEMS.errors`.
        """
        names = list(self._records.guides)
        has_items = self._records.item_guide is not None
        return pl.concat([self._frame(batch) for batch in self._records.batches(names, items=has_items)], how="diagonal")

    def complete(self, n: int = 10, *, seed: int, estimator: EstimatorName | None = None) -> list[pl.DataFrame]:
        """n ordinary tables, in which every label is replaced by a value that is drawn from it.

        They are for tools that know nothing of labels: compute a result on each table and give all of them to `combine`. One
        table alone looks more certain than it is. Records that were left out and items that are suppressed are in none.

        Parameters
        ----------
        n : int
            How many tables.
        seed : int
            The same seed draws the same tables.
        estimator : str, optional
            As for `count`.

        Returns
        -------
        list of polars.DataFrame
            The tables, with a list of items; `write_csv` and `write_parquet` write them.
        """
        if n < 1:
            raise ParameterError(f"n must be at least 1; got {n}")
        weights = self._weigher(estimator)
        return [completed(self._records, weights, np.random.default_rng([seed, number])) for number in range(n)]

    def to_duckdb(self, file: str | Path, *, overwrite: bool = False, estimator: EstimatorName | None = None) -> None:
        """Write the records, their labels and counts with bounds into a new DuckDB file, for SQL.

        Parameters
        ----------
        file : str or Path
            The file to make; `docs/recipient.md` lists its tables and views.
        overwrite : bool, optional
            Replace a file that exists already.
        estimator : str, optional
            As for `count`.
        """
        export_duckdb(self._records, self._weigher(estimator), Path(file), overwrite=overwrite)

    def to_pandas(self) -> "pd.DataFrame":
        """The same as a pandas DataFrame."""
        return self.table().to_pandas()

    def _frame(self, batch: ShownBatch) -> pl.DataFrame:
        frame: dict[str, pl.Series] = {}
        for name, values in batch.columns.items():
            frame |= _column(name, values, ranges=self._records.guides[name]["labels"] == "ranges")
        items = str(self._records.fields.items)
        if isinstance(batch.items, ShownDoubts):
            frame |= _doubted(items, batch.items)
        elif batch.items is not None:
            frame |= self._labelled(items, batch.items)
        return pl.DataFrame(frame)

    def _labelled(self, name: str, sets: ShownSets) -> dict[str, pl.Series]:
        members = [self._records.members_of(text) for text in sets.texts]
        single = np.array([len(some) == 1 for some in members], np.bool_)
        exact = [some[0] for some in members]
        found = {name: _lists(sets, single, exact, pl.String)}
        if not single.all():
            found[f"{name}.any"] = _lists(sets, ~single, [list(some) for some in members], pl.List(pl.String))
        return found

    def _counted(self, conditions: Sequence[Condition], estimator: str | None) -> list[CountEstimate]:
        counter = RecordCounter(self._records, self._weigher(estimator))
        found: list[CountEstimate] = []
        for first in range(0, len(conditions), AT_ONCE):
            found += counter.count(conditions[first : first + AT_ONCE])
        return found

    def _weigher(self, estimator: str | None) -> ItemWeights:
        if estimator not in self._weights:
            self._weights[estimator] = ItemWeights(self._records, estimator)
        return self._weights[estimator]

    def _require_items(self) -> None:
        if self._records.item_guide is None:
            raise InputError("the release has no items to ask for")

    def _groups(self, by: str | Mapping[str, Sequence[Any]]) -> tuple[str, list[Any]]:
        records = self._records
        if isinstance(by, Mapping):
            if len(by) != 1:
                raise InputError(f"groups are made of one column; got {', '.join(map(str, by)) or 'none'}")
            ((name, groups),) = by.items()
            records.fields.require(name)
            return name, list(groups)
        records.fields.require(by)
        if by == records.fields.items:
            return by, self.item_names
        if records.guides[by]["labels"] == "ranges":
            low, high = records.ends_of(by)
            if not records.is_whole(by) or high - low >= MOST_GROUPS:
                raise InputError(
                    f"{by!r} has too many numbers to count each of them; give groups: by={{{by!r}: [(0, 9), (10, 19)]}}"
                )
            return by, list(range(int(low), int(high) + 1))
        values = records.values_of(by)
        if len(values) > MOST_GROUPS:
            raise InputError(
                f"{by!r} has {len(values):,} values, and at most {MOST_GROUPS:,} are counted one by one; name some"
            )
        return by, list(values)

    def _regions(self, name: str, groups: Sequence[Any]) -> list[Region]:
        return [region_of(name, group, self._records.fields) for group in groups]


def _listed(names: Iterable[str]) -> list[str]:
    return [names] if isinstance(names, str) else [str(name) for name in names]


def _said(group: Any) -> str:
    """A group as text: a value, values with commas, or the two ends of a range."""
    if isinstance(group, tuple) and len(group) == 2:
        return f"{_said(group[0])}..{_said(group[1])}"
    if isinstance(group, list | tuple | set | frozenset):
        return ", ".join(map(_said, group))
    return f"{group:g}" if isinstance(group, float) else str(group)


def _framed(keys: Mapping[str, Sequence[str]], counts: Sequence[CountEstimate]) -> pl.DataFrame:
    figures = {name: [getattr(count, name) for count in counts] for name in ("low", "high", "estimate", "standard_error")}
    kinds = {"low": pl.Int64, "high": pl.Int64, "estimate": pl.Float64, "standard_error": pl.Float64}
    return pl.DataFrame({**keys, **figures}, schema={**dict.fromkeys(keys, pl.String), **kinds})


def _column(name: str, values: ShownValues, *, ranges: bool) -> dict[str, pl.Series]:
    """A column of exact values, and what stands for the others."""
    if ranges:
        low, high = (np.append(side, np.nan)[values.codes] for side in (values.low, values.high))
        whole = bool((values.low == np.floor(values.low)).all() and (values.high == np.floor(values.high)).all())
        number: Any = pl.Int64 if whole else pl.Float64
        ends = [pl.Series(side).fill_nan(None).cast(number) for side in (low, high)]
        if (values.low == values.high).all():
            return {name: ends[0]}
        exact = pl.DataFrame({"low": ends[0], "high": ends[1]}).select(pl.when(pl.col("low") == pl.col("high")).then("low"))
        return {name: exact.to_series(), f"{name}.lo": ends[0], f"{name}.hi": ends[1]}
    single = [members[0] if len(members) == 1 else None for members in values.members]
    numbers = any(isinstance(value, float) for members in values.members for value in members)
    kind: Any = pl.Float64 if numbers else pl.String
    codes = np.where(values.codes < 0, len(single), values.codes)
    found = {name: pl.Series([*single, None], dtype=kind).gather(codes)}
    if None in single:
        several: list[list[Value] | None] = [list(members) if len(members) > 1 else None for members in values.members]
        found[f"{name}.any"] = pl.Series([*several, None], dtype=pl.List(kind)).gather(codes)
    return found


def _lists(sets: ShownSets, picked: "np.ndarray[Any, Any]", values: Sequence[Any], kind: Any) -> pl.Series:
    """The picked labels of each record as lists of what they stand for."""
    entries = np.flatnonzero(picked[sets.codes])
    offsets = np.searchsorted(entries, sets.offsets)
    flat = pl.DataFrame({"record": sets.owners[entries], "value": pl.Series(values, dtype=kind).gather(sets.codes[entries])})
    grouped = flat.group_by("record", maintain_order=True).agg("value")
    every = pl.DataFrame({"record": np.arange(len(offsets) - 1)})
    return every.join(grouped, on="record", how="left", maintain_order="left")["value"].fill_null(
        pl.Series([[]], dtype=pl.List(kind))
    )


def _doubted(name: str, items: ShownDoubts) -> dict[str, pl.Series]:
    parts = {}
    for part, sets in (("base", items.base), ("uncertain", items.uncertain)):
        parts[part] = _lists(sets, np.ones(len(sets.texts), np.bool_), list(sets.texts), pl.String)
    frame = pl.DataFrame(parts)
    certain = frame.select(pl.col("base").list.set_difference("uncertain"))["base"]
    return {
        name: certain,
        f"{name}.base": parts["base"],
        f"{name}.uncertain": parts["uncertain"],
        f"{name}.errors": pl.Series(items.errors),
    }
