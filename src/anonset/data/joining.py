"""Several rows a person: item rows of a second file, or of the table itself, folded into one set a record."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import polars as pl

from anonset.data.coding import Codebook, ordered, sets_of_texts
from anonset.data.formats.frames import hashed
from anonset.data.guessing import present, repeated_items, set_separator
from anonset.data.table import ItemSets, Table
from anonset.errors import InputError
from anonset.model.arrays import Ids, Rows
from anonset.model.dataset import Source
from anonset.model.schema import Schema
from anonset.model.sets import offsets_of_rows, rows_of


def fold_repeated(table: Table, schema: Schema, id: str) -> tuple[Table, Schema]:
    """One record a person, in order of first appearance, and the schema with the item columns.

    Columns that are published must agree within a person; what has no role and differs is left out.
    A row may hold several items, with a separator between them.
    """
    table.require(id, "id")
    items = repeated_items(table, schema, id=id)
    _only_texts(table, id, *items)
    people = _people(table, id, schema)
    first = np.unique(people, return_index=True)[1]
    begun = first[people]
    varying = frozenset(name for name in table.columns if name not in items and _varies(table, name, begun, schema))
    columns = {name: column.gather(first) for name, column in table.columns.items() if name not in items}
    separator = schema.item_separator or set_separator([table.columns[name] for name in items])
    sets = {name: _sets(present(table.columns[name], schema), separator, people, len(first)) for name in items}
    line = lambda row: table.line(int(first[row]))  # noqa: E731
    return replace(table, columns=columns, sets=sets, line=line, varying=varying), replace(
        schema, items=items, item_separator=separator
    )


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


def _varies(table: Table, name: str, first: Rows, schema: Schema) -> bool:
    """Whether rows differ from the first of their person in a column that need not be published; raise where it is to be."""
    codes = Codebook().encode(table.columns[name])
    differs = codes != codes[first]
    if differs.any() and schema.role(name) not in (None, "identifier"):
        raise table.error("differs from an earlier row of the same person", column=name, row=int(np.argmax(differs)))
    return bool(differs.any())


def _sets(cells: pl.Series, separator: str | None, people: np.ndarray, n: int) -> ItemSets:
    """The items of each person; a missing item is none."""
    rows = sets_of_texts(cells, separator)
    whose = people[rows_of(rows.offsets)]
    return ItemSets(offsets_of_rows(whose, n), rows.entries[np.argsort(whose, kind="stable")], rows.names)
