"""Several rows a person: item rows of a second file, or rows of the table itself, gathered into one record."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from anonset.data.coding import Codebook, guess_kind, ordered, sets_of_texts
from anonset.data.formats.frames import hashed
from anonset.data.guessing import gathered_items, present, repeated_items, set_separator
from anonset.data.table import ItemSets, Table
from anonset.errors import InputError
from anonset.model.arrays import Ids, Rows
from anonset.model.dataset import Source
from anonset.model.people import HIGHEST, JOINED_BY, LOWEST, Gathered
from anonset.model.schema import ROLES, Schema
from anonset.model.sets import offsets_of_rows, rows_of


def gather(table: Table, schema: Schema, id: str) -> tuple[Table, Schema]:
    """One record a person, in order of first appearance, and the schema with the columns as they are now.

    Items are united; a row may hold several, with a separator between them. Where rows of a person differ in a column that is
    to be published, numbers become their lowest and their highest, in two columns, and anything else a value of its own that
    names all of them. What has no role and differs is left out.
    """
    table.require(id, "id")
    items = gathered_items(table, schema, id=id)
    _only_texts(table, id)
    people = _people(table, id, schema)
    first = np.unique(people, return_index=True)[1]
    merged = _Merged(table, schema, people, first)
    for name in table.columns:
        if name not in items:
            merged.add(name)
    cells = [table.columns[name] for name in items if name in table.columns]
    separator = schema.item_separator or set_separator(cells)
    sets = {name: _sets(_item_rows(table, schema, name, separator), people, len(first)) for name in items}
    line = lambda row: table.line(int(first[row]))  # noqa: E731
    gathered = merged.gathered(id)
    found = replace(table, columns=merged.columns, sets=sets, line=line, varying=frozenset(merged.varying), gathered=gathered)
    return found, replace(schema, items=items, item_separator=separator, **merged.renamed())


class _Merged:
    """Columns of people as their rows have them."""

    def __init__(self, table: Table, schema: Schema, people: Ids, first: Rows) -> None:
        self.table, self.schema, self.people, self.first = table, schema, people, first
        self.columns: dict[str, pl.Series] = {}
        self.varying: list[str] = []
        self.differing: dict[str, int] = {}
        self.combined: dict[str, dict[str, tuple[str, ...]]] = {}
        self.ends: dict[str, tuple[str, str]] = {}

    def add(self, name: str) -> None:
        """Add a column: as it is in the first row of a person that has a value, or what all rows have."""
        texts = present(self.table.columns[name], self.schema)
        rows = pl.DataFrame({"person": self.people, "value": texts}).filter(pl.col("value").is_not_null()).unique()
        several = rows.filter(pl.len().over("person") > 1)
        count = several["person"].n_unique()
        published = self.schema.role(name) not in (None, "identifier")
        if count and not published:
            self.varying.append(name)
        if count:
            self.differing[name] = count
        if count and published and self._kind(name, texts) == "numeric":
            self._add_ends(name, rows)
        elif count and published:
            self._add_combined(name, rows)
        elif published:
            self.columns[name] = self._of_people(rows.group_by("person").agg(pl.col("value").min()))
        else:
            self.columns[name] = self.table.columns[name].gather(self.first)

    def gathered(self, id: str) -> Gathered:
        """What was done."""
        differing = {name: n for name, n in self.differing.items() if name != id}
        left_out = tuple(name for name in self.varying if name != id)
        return Gathered(id, len(self.people), len(self.first), differing, self.combined, self.ends, left_out)

    def renamed(self) -> dict[str, Any]:
        """The roles and kinds of the schema with both ends for a column that became two."""
        changes: dict[str, Any] = {}
        for role in ROLES:
            if (names := getattr(self.schema, role)) is not None:
                changes[role] = tuple(new for name in names for new in self.ends.get(name, (name,)))
        changes["kinds"] = {new: kind for name, kind in self.schema.kinds.items() for new in self.ends.get(name, (name,))}
        return changes

    def _kind(self, name: str, texts: pl.Series) -> str:
        return self.schema.kinds.get(name) or guess_kind(self.table, name, texts)[0]

    def _add_ends(self, name: str, rows: pl.DataFrame) -> None:
        self.ends[name] = (name + LOWEST, name + HIGHEST)
        for end in self.ends[name]:
            if end in self.table.names:
                raise self.table.error(f"differs within a person and would become {end!r}, which is there too", column=name)
        number = pl.col("value").cast(pl.Float64, strict=False)
        if rows.select(number.is_null().any()).item():
            raise self.table.error("a finite number is expected in every row", column=name)
        for end, place in zip(self.ends[name], ("first", "last"), strict=True):
            inside = rows.sort(number, "value").group_by("person", maintain_order=True)
            self.columns[end] = self._of_people(inside.agg(getattr(pl.col("value"), place)()))

    def _add_combined(self, name: str, rows: pl.DataFrame) -> None:
        listed = rows.sort("value").group_by("person", maintain_order=True).agg(pl.col("value").alias("values"))
        listed = listed.with_columns(pl.col("values").list.join(JOINED_BY).alias("value"))
        several = listed.filter(pl.col("values").list.len() > 1).unique("value")
        self.combined[name] = {value: tuple(values) for value, values in several.select("value", "values").sort("value").rows()}
        self.columns[name] = self._of_people(listed.select("person", "value"))

    def _of_people(self, values: pl.DataFrame) -> pl.Series:
        """The value of each person, by number; null where there is none."""
        places = np.full(len(self.first), values.height, np.int64)
        places[values["person"].to_numpy()] = np.arange(values.height)
        return pl.concat([values["value"], pl.Series("value", [None], dtype=pl.String)]).gather(places)


def fold_long(table: Table, batches: Iterable[Table], schema: Schema, id: str) -> tuple[Table, str]:
    """The table with the items that a second file or table lists by id, and their column; its rows may come in batches."""
    table.require(id, "id")
    _only_texts(table, id)
    ids = present(table.columns[id], schema)
    record = Codebook()
    codes = record.encode(ids)
    if (codes < 0).any():
        raise table.error("every record needs an id", column=id, row=int(np.argmin(codes)))
    if len(record.code) < len(codes):
        again = np.setdiff1d(np.arange(len(codes)), np.unique(codes, return_index=True)[1])[0]
        raise table.error(f"the id {ids[int(again)]!r} occurs a second time", column=id, row=int(again))
    place = np.empty(len(codes), np.int64)
    place[codes] = np.arange(len(codes))
    folded = _Folded(place, record, schema, schema.items_key or id)
    for rows in batches:
        folded.add(rows)
    if folded.item in table.names:
        raise table.error(f"the item column {folded.item!r} of the second file is a column here too", column=folded.item)
    sets = folded.sets()
    sources = folded.sources or (hashed({}, {folded.item: ordered(sets)}, folded.called),)
    return replace(table, sets={**table.sets, folded.item: sets}, sources=table.sources + sources), folded.item


class _Folded:
    """Item rows as they come: the record and the item of each, coded."""

    def __init__(self, place: Rows, record: Codebook, schema: Schema, key: str) -> None:
        self.place, self.record, self.schema, self.key = place, record, schema, key
        self.book = Codebook()
        self.people, self.entries = [np.zeros(0, np.int64)], [np.zeros(0, np.int32)]
        self.item, self.called = "", "items"
        self.sources: tuple[Source, ...] = ()

    def add(self, rows: Table) -> None:
        """Append the rows of a batch."""
        rows.require(self.key, "id")
        self.called, items = (rows.file or "items").rpartition(", ")[2], repeated_items(rows, self.schema, id=self.key)
        if len(items) != 1:
            raise InputError(f"one item column is expected beside {self.key!r}; got {len(items)}", file=rows.file)
        self.item = items[0]
        _only_texts(rows, self.key, self.item)
        wanted = present(rows.columns[self.key], self.schema)
        codes = self.record.encode(wanted)
        strange = (codes < 0) | (codes >= len(self.place))
        if strange.any():
            row = int(np.argmax(strange))
            what = "every row needs an id" if wanted[row] is None else f"the id {wanted[row]!r} is that of no record"
            raise rows.error(what, column=self.key, row=row)
        entries = self.book.encode(present(rows.columns[self.item], self.schema))
        self.people.append(self.place[codes[entries >= 0]])
        self.entries.append(entries[entries >= 0])
        self.sources += rows.sources

    def sets(self) -> ItemSets:
        """The items of each record."""
        people = np.concatenate(self.people)
        order = np.argsort(people, kind="stable")
        return ItemSets(offsets_of_rows(people, len(self.place)), np.concatenate(self.entries)[order], self.book.names)


def _only_texts(table: Table, *columns: str) -> None:
    for column in columns:
        if column in table.sets:
            raise table.error("one value a row is expected; got sets", column=column)


def _people(table: Table, id: str, schema: Schema) -> Ids:
    """The number of the person of each row, in order of first appearance."""
    codes = Codebook().encode(present(table.columns[id], schema))
    if (codes < 0).any():
        without = int((codes < 0).sum())
        raise table.error(
            f"every row needs an id; {without} have none: take them out first", column=id, row=int(np.argmin(codes))
        )
    _, first = np.unique(codes, return_index=True)
    number = np.empty(len(first), np.int32)
    number[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    return number[codes]


def _item_rows(table: Table, schema: Schema, name: str, separator: str | None) -> ItemSets:
    return table.sets[name] if name in table.sets else sets_of_texts(present(table.columns[name], schema), separator)


def _sets(rows: ItemSets, people: np.ndarray, n: int) -> ItemSets:
    """The items of each person; a missing item is none."""
    whose = people[rows_of(rows.offsets)]
    return ItemSets(offsets_of_rows(whose, n), rows.entries[np.argsort(whose, kind="stable")], rows.names)
