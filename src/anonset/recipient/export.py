"""The published records as a DuckDB file, with what labels stand for as tables and counts with bounds as views."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from anonset.errors import InputError, Set
from anonset.model.arrays import Ids, Mask, Reals, Rows
from anonset.recipient.estimates import judge_doubts
from anonset.recipient.query import Alternative, all_items
from anonset.recipient.records import PublishedRecords, ShownBatch, ShownDoubts, ShownSets, ShownValues
from anonset.recipient.weights import ItemWeights, overlaps

MOST_NUMBERS = 1_000  # whole numbers of a column up to which each is a member of its ranges
KINDS = {"Int64": "bigint", "Int32": "bigint", "Float64": "double", "String": "varchar"}
TABLES = {
    "labels": "label bigint, attribute varchar, text varchar, lo double, hi double, size bigint",
    "members": "label bigint, value varchar, chance double",
    "shown": "record bigint, label bigint, certain boolean, scale double",
    "margins": "attribute varchar, value varchar, low bigint, high bigint",
    "release": "records bigint, left_out bigint, items varchar, missing_items bigint, estimator varchar",
}
VIEWS = {  # in this order
    "holds": """
        select record, attribute, value, bool_or(certain) as certain,
               case when bool_or(certain) then 1.0 else 1.0 - product(1.0 - least(1.0, scale * chance)) end as chance
        from shown join labels using (label) join members using (label) group by record, attribute, value""",
    "counts": """
        with found as (
          select attribute, value, count(*) filter (certain) as certain, count(*) as possible, sum(chance) as chance
          from holds group by attribute, value),
        bounds as (
          select attribute, value, chance * (records + left_out) / greatest(records, 1) as estimate,
                 greatest(certain, coalesce(margins.low, 0)) as low,
                 least(least(possible + case when attribute = items then missing_items else 0 end, records) + left_out,
                       coalesce(margins.high, records + left_out)) as high
          from found cross join release left join margins using (attribute, value))
        select attribute, value, low, least(greatest(estimate, low), high) as expected, high from bounds""",
    "certain": "select attribute, value, low as count from counts",
    "possible": "select attribute, value, high as count from counts",
    "expected": "select attribute, value, expected as count from counts",
}


def export_duckdb(records: PublishedRecords, weights: ItemWeights, file: Path, *, overwrite: bool = False) -> None:
    """Write the records and their labels into a new DuckDB file; after an error there is none."""
    try:
        from adbc_driver_duckdb import dbapi
    except ImportError:
        raise InputError("a DuckDB file needs the extra duckdb: pip install 'anonset[duckdb]'", file=file) from None
    if file.exists() and not overwrite:
        raise InputError("exists already", file=file, fix=[Set("overwrite", True)])
    if not file.absolute().parent.is_dir():
        raise InputError("the folder to write into does not exist", file=file.absolute().parent)
    unfinished = file.with_name(f".{file.name}.unfinished")
    unfinished.unlink(missing_ok=True)
    try:
        with dbapi.connect(str(unfinished)) as database:
            _Export(records, weights, database).write()
            database.commit()
        unfinished.replace(file)
    except (dbapi.Error, OSError) as error:
        raise InputError(f"cannot be written: {str(error).splitlines()[0]}", file=file) from None
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)


class _Export:
    """Writes batch after batch; labels have the same number in all of them."""

    def __init__(self, records: PublishedRecords, weights: ItemWeights, database: Any) -> None:
        self.records, self.weights, self.database = records, weights, database
        self.numbers: dict[tuple[str, str], int] = {}
        self.done = 0
        self.items = str(records.fields.items)

    def write(self) -> None:
        """Write all tables and views."""
        for name, columns in TABLES.items():
            self._run(f"create table {name} ({columns})")
        for batch in self.records.batches(list(self.records.guides), items=self.records.item_guide is not None):
            self._add(batch)
        self._facts()
        for name, query in VIEWS.items():
            self._run(f"create view {name} as {query}")

    def _add(self, batch: ShownBatch) -> None:
        numbers = np.arange(self.done + 1, self.done + 1 + batch.records, dtype=np.int64)
        columns: dict[str, Any] = {"record": numbers}
        for name, values in batch.columns.items():
            columns |= _fresh(columns, self._columns_of(name, values))
            codes = self._labels_of(name, values)
            rows = np.flatnonzero(values.codes >= 0)
            certain = ((values.sizes(whole=True) == 1) & ~values.anything)[values.codes[rows]]
            self._show(numbers[rows], codes[values.codes[rows]], certain, np.ones(len(rows)))
        if isinstance(batch.items, ShownDoubts):
            columns |= _fresh(columns, {f"{self.items}.errors": batch.items.errors})
            self._add_doubts(batch.items, numbers)
        elif batch.items is not None:
            self._add_sets(batch.items, numbers)
        frame = pl.DataFrame(columns)
        if self.done == 0:
            named = [f"{_quoted(name)} {KINDS[str(kind)]}" for name, kind in frame.schema.items()]
            self._run(f"create table records ({', '.join(named)})")
        self._insert("records", frame)
        self.done += batch.records

    def _columns_of(self, name: str, values: ShownValues) -> dict[str, pl.Series]:
        """The exact values of a column, and the ends of ranges."""
        codes = np.where(values.codes < 0, len(values), values.codes)
        if not values.are_ranges and self.records.guides[name]["labels"] != "ranges":
            number = self.records.fields.numeric[name]
            single = [members[0] if len(members) == 1 else None for members in values.members]
            return {name: pl.Series([*single, None], dtype=pl.Float64 if number else pl.String).gather(codes)}
        kind: Any = pl.Int64 if self.records.is_whole(name) else pl.Float64
        low, high = (
            pl.Series([*side.tolist(), None], dtype=pl.Float64).cast(kind).gather(codes) for side in (values.low, values.high)
        )
        exact = pl.select(pl.when(low == high).then(low)).to_series()
        return {name: exact, f"{name}.lo": low, f"{name}.hi": high}

    def _labels_of(self, name: str, values: ShownValues) -> Ids:
        """The number of each label of a column; new ones are written with their members."""
        sizes, texts = values.sizes(whole=True), values.texts
        fresh = [a for a, text in enumerate(texts) if (name, text) not in self.numbers]
        members: list[tuple[str, list[str]]] = []
        listed = self._lists_numbers(name) if values.are_ranges else False
        for a in fresh:
            if not values.are_ranges:
                members.append((texts[a], [f"{v:g}" if isinstance(v, float) else str(v) for v in values.members[a]]))
            elif listed:
                members.append((texts[a], [str(v) for v in range(int(values.low[a]), int(values.high[a]) + 1)]))
            else:
                members.append((texts[a], []))
        ends = [(values.low[a], values.high[a]) if values.are_ranges else (None, None) for a in fresh]
        self._name(name, members, [None] * len(fresh), ends, [int(sizes[a]) for a in fresh])
        return np.array([self.numbers[name, text] for text in texts], np.int64)

    def _lists_numbers(self, name: str) -> bool:
        low, high = self.records.ends_of(name)
        return self.records.is_whole(name) and high - low < MOST_NUMBERS

    def _name(
        self, attribute: str, members: list[tuple[str, list[str]]], chances: list[Any], ends: list[Any], sizes: list[int]
    ) -> None:
        """Number new labels and write them with their members."""
        first = len(self.numbers)
        for number, (text, _) in enumerate(members, first):
            self.numbers[attribute, text] = number
        labels = range(first, first + len(members))
        rows = {"label": labels, "attribute": [attribute] * len(labels), "text": [text for text, _ in members]}
        rows |= {"lo": [low for low, _ in ends], "hi": [high for _, high in ends], "size": sizes}
        kinds: Any = {"label": pl.Int64, "lo": pl.Float64, "hi": pl.Float64, "text": pl.String, "attribute": pl.String}
        self._insert("labels", pl.DataFrame(rows, schema_overrides=kinds))
        listed = {
            "label": [n for n, (_, names) in zip(labels, members, strict=True) for _ in names],
            "value": [name for _, names in members for name in names],
            "chance": [
                float(chance)
                for (_, names), given in zip(members, chances, strict=True)
                for chance in (np.full(len(names), 1.0 / max(1, len(names))) if given is None else given)
            ],
        }
        self._insert("members", pl.DataFrame(listed, schema={"label": pl.Int64, "value": pl.String, "chance": pl.Float64}))

    def _item_labels(self, texts: list[str], *, single: bool = False) -> Ids:
        """The number of each label of items, or of each item."""
        fresh = [text for text in texts if (self.items, text) not in self.numbers]
        members = [(text, [text] if single else list(self.records.members_of(text))) for text in fresh]
        chances = [None if len(names) == 1 else self.weights.of_label(text) for text, names in members]
        self._name(self.items, members, chances, [(None, None)] * len(fresh), [len(names) for _, names in members])
        return np.array([self.numbers[self.items, text] for text in texts], np.int64)

    def _add_sets(self, sets: ShownSets, numbers: Rows) -> None:
        """What records show of items; of each label for several, what the record does not show exactly shares its chance."""
        codes = self._item_labels(list(sets.texts))
        sizes = np.array([len(self.records.members_of(text)) for text in sets.texts], np.int64)
        wide = np.flatnonzero(sizes > 1)
        which, place, entries = overlaps(self.records, sets, wide)
        chances = [
            self.weights.of_label(text) if size > 1 else np.ones(1) for text, size in zip(sets.texts, sizes, strict=True)
        ]
        starts = np.concatenate([[0], np.cumsum([len(some) for some in chances])]).astype(np.int64)
        flat, total = np.concatenate([*chances, np.zeros(0)]), np.array([some.sum() for some in chances])
        gone = np.bincount(which, flat[starts[sets.codes[entries[which]]] + place], minlength=len(entries))
        left = total[sets.codes[entries]] - gone
        scale = np.ones(len(sets.codes))
        one = (total[sets.codes[entries]] <= 1.0 + 1e-6) & (left > 1e-9)  # one item of the label, unless the chances say more
        scale[entries[one]] = 1.0 / left[one]
        self._show(numbers[sets.owners], codes[sets.codes], (sizes == 1)[sets.codes], scale)

    def _add_doubts(self, items: ShownDoubts, numbers: Rows) -> None:
        """What records show of uncertain items: how likely each has each item that it shows."""
        names = sorted({*items.base.texts, *items.uncertain.texts})
        codes = self._item_labels(names, single=True)
        for name, code in zip(names, codes, strict=True):
            found = judge_doubts(items, Alternative(some=frozenset([frozenset([name])])))
            rows = np.flatnonzero(found.possible)
            self._show(numbers[rows], np.full(len(rows), code), found.certain[rows], found.chance[rows])

    def _show(self, records: Rows, labels: Ids, certain: Mask, scale: Reals) -> None:
        self._insert("shown", pl.DataFrame({"record": records, "label": labels, "certain": certain, "scale": scale}))

    def _facts(self) -> None:
        """What bounds depend on beyond the labels."""
        about, missing = self.records, 0 if self.records.item_guide is None else self.weights.most_missing
        facts = (len(about), about.left_out, about.fields.items, missing, self.weights.estimator)
        self._run("insert into release values (?, ?, ?, ?, ?)", *facts)
        if self.weights.margins is None:
            return
        query = "select distinct value from members join labels using (label) where attribute = ?"
        bounds = [(name, *self.weights.margin_bounds(all_items([name]))) for (name,) in self._run(query, self.items)]
        most = np.iinfo(np.int64).max
        rows = [(self.items, name, low, most if high == np.inf else int(high)) for name, low, high in bounds]
        self._insert("margins", pl.DataFrame(rows, schema=["attribute", "value", "low", "high"], orient="row"))

    def _insert(self, table: str, frame: pl.DataFrame) -> None:
        if not frame.height:
            return
        with self.database.cursor() as cursor:
            cursor.adbc_ingest(table, frame.to_arrow(compat_level=pl.CompatLevel.oldest()), mode="append")

    def _run(self, query: str, *values: Any) -> list[Any]:
        """The rows of a statement; each has a cursor of its own, since ADBC keeps what a cursor did before."""
        with self.database.cursor() as cursor:
            cursor.execute(query, values or None)
            return list(cursor.fetchall())


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _fresh(taken: dict[str, Any], columns: dict[str, Any]) -> dict[str, Any]:
    """The columns under names that differ from those before by more than case: DuckDB does not tell these apart."""
    used = {name.lower() for name in taken}
    found = {}
    for name, values in columns.items():
        while name.lower() in used:
            name += "_"
        used.add(name.lower())
        found[name] = values
    return found
