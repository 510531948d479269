"""Several rows a person: item rows of a second file, or of the table itself, folded into one set a record."""

from dataclasses import replace

import numpy as np
import polars as pl

from anonset.data.coding import Codebook
from anonset.data.guessing import present, repeated_items
from anonset.data.table import ItemSets, Table
from anonset.model.arrays import Ids
from anonset.model.schema import Schema
from anonset.model.sets import offsets_of_rows


def fold_repeated(table: Table, schema: Schema, id: str) -> tuple[Table, str]:
    """One record a person, in order of first appearance, and the item column; all other columns must agree within a person."""
    table.require(id, "id")
    item = repeated_items(table, schema, id=id)
    _only_texts(table, id, item)
    people = _people(table, id, schema)
    first = np.unique(people, return_index=True)[1]
    for name, column in table.columns.items():
        if name != item:
            _check_agree(table, name, column, people, first)
    columns = {name: column.gather(first) for name, column in table.columns.items() if name != item}
    sets = _sets(present(table.columns[item], schema), people, len(first))
    return replace(table, columns=columns, sets={item: sets}, line=lambda row: table.line(int(first[row]))), item


def fold_long(table: Table, rows: Table, schema: Schema, id: str) -> tuple[Table, str]:
    """The table with the items that a second file lists by id, and their column."""
    table.require(id, "id")
    rows.require(id, "id")
    item = repeated_items(rows, schema, id=id)
    if item in table.names:
        raise table.error(f"the item column {item!r} of the second file is a column here too", column=item)
    _only_texts(table, id)
    _only_texts(rows, id, item)
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
    wanted = present(rows.columns[id], schema)
    known = wanted.is_in(ids.to_list()).fill_null(False)
    if not known.all():
        row = int((~known).arg_true()[0])
        what = "every row needs an id" if wanted[row] is None else f"the id {wanted[row]!r} is that of no record"
        raise rows.error(what, column=id, row=row)
    sets = _sets(present(rows.columns[item], schema), place[record.encode(wanted)], len(table))
    return replace(table, sets={**table.sets, item: sets}, sources=table.sources + rows.sources), item


def _only_texts(table: Table, *columns: str) -> None:
    for column in columns:
        if column in table.sets:
            raise table.error("one value a row is expected; got sets", column=column)


def _people(table: Table, id: str, schema: Schema) -> Ids:
    """The number of the person of each row, in order of first appearance."""
    codes = Codebook().encode(present(table.columns[id], schema))
    if (codes < 0).any():
        raise table.error("every row needs an id", column=id, row=int(np.argmin(codes)))
    _, first = np.unique(codes, return_index=True)
    number = np.empty(len(first), np.int32)
    number[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    return number[codes]


def _check_agree(table: Table, name: str, column: pl.Series, people: Ids, first: np.ndarray) -> None:
    codes = Codebook().encode(column)
    differs = codes != codes[first[people]]
    if differs.any():
        raise table.error("differs from an earlier row of the same person", column=name, row=int(np.argmax(differs)))


def _sets(items: pl.Series, people: np.ndarray, n: int) -> ItemSets:
    """The items of each person; a missing item is none."""
    book = Codebook()
    entries = book.encode(items)
    kept = entries >= 0
    order = np.argsort(people[kept], kind="stable")
    offsets = offsets_of_rows(people[kept], n)
    return ItemSets(offsets, entries[kept][order], book.names)
