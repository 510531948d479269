"""A table of a database as a table of texts, and its item table batch by batch."""

from collections.abc import Iterator

import numpy as np
import polars as pl

from anonset.data.coding import Codebook, ItemSets, Table, as_text, ordered, sets_of_lists
from anonset.data.databases import DatabaseConnection, quoted, quoted_name
from anonset.data.formats.frames import hashed, texts_and_sets
from anonset.errors import InputError, unknown, way
from anonset.model.progress import Progress, silent
from anonset.model.schema import Schema
from anonset.model.sets import offsets_of

BETWEEN = "\x1f"  # items, where sets are compared


def read_main_table(database: DatabaseConnection, schema: Schema, progress: Progress = silent) -> Table:
    """The table or query that the schema names, in an order of its own: that of the id, or of all values.

    A database keeps no order, and a release must find its records again.
    """
    query = main_query(database, schema)
    what = f"table {schema.table}" if schema.table is not None else "query"
    gathered = _Gathered(f"{database.shown}, {what}")
    for n, batch in enumerate(database.batches(query)):
        gathered.add(batch)
        progress(1 - 0.9**n)
    return gathered.table(what, schema.id if not schema.repeated else None)


def main_query(database: DatabaseConnection, schema: Schema) -> str:
    """The query that the schema gives, or one for all of its table."""
    if schema.table is not None:
        return _everything(database, schema.table)
    if schema.query is None:
        names = ", ".join(sorted(database.tables())) or "none"
        raise InputError(
            f"name a table or a query: {way('table')} or {way('query')}; there are the tables {names}", file=database.shown
        )
    return schema.query


def ordered_query(database: DatabaseConnection, schema: Schema) -> str:
    """The same, in the order of the id where one is named: so the same rows are found again, batch by batch."""
    query = main_query(database, schema)
    return query if schema.id is None else f"select * from ({query}) as people order by {quoted_name(schema.id)}"


def item_batches(database: DatabaseConnection, schema: Schema) -> Iterator[Table]:
    """The rows of the item table that the schema names, batch by batch."""
    assert schema.items_table is not None
    file = f"{database.shown}, table {schema.items_table}"
    empty = True
    for batch in database.batches(_everything(database, schema.items_table)):
        if batch.height:
            empty = False
            columns, sets = texts_and_sets(batch, file)
            yield Table(columns, (), file, sets)
    if empty:
        raise InputError("has no records", file=file)


def _everything(database: DatabaseConnection, table: str) -> str:
    if "." not in table and table not in (names := database.tables()):
        raise InputError("there is " + unknown("table", table, names, choose="there are"), file=database.shown)
    return f"select * from {quoted(table)}"


class _Gathered:
    """Batches as they come: columns as texts, lists coded."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.texts: dict[str, list[pl.Series]] = {}
        self.lists: dict[str, list[ItemSets]] = {}
        self.keys: dict[str, list[pl.Series]] = {}
        self.books: dict[str, Codebook] = {}

    def add(self, batch: pl.DataFrame) -> None:
        """Append the rows of a batch."""
        for name in batch.columns:
            column = batch[name]

            def error(message: str, row: int | None, name: str = name) -> InputError:
                return InputError(f"{message}; cast it in a query: {way('query')}", file=self.file, column=name)

            if isinstance(column.dtype, pl.List):
                book = self.books.setdefault(name, Codebook())
                self.lists.setdefault(name, []).append(sets_of_lists(column, error, book))
                texts = column.list.eval(pl.element().cast(pl.String)).list.sort()
                self.keys.setdefault(name, []).append(texts.list.join(BETWEEN, ignore_nulls=True))
            else:
                self.texts.setdefault(name, []).append(as_text(column, error).str.strip_chars())

    def table(self, what: str, id: str | None) -> Table:
        """The whole table in its order."""
        columns = {name: pl.concat(parts) for name, parts in self.texts.items()}
        if not columns and not self.lists:
            raise InputError("has no records", file=self.file)
        first = {id: columns[id]} if id is not None and id in columns else {}
        sort_by = first | columns | {n: pl.concat(p) for n, p in self.keys.items()}
        order = pl.DataFrame(list(sort_by.values()), [str(n) for n in range(len(sort_by))]).with_row_index("row")
        rows = order.sort(pl.exclude("row"), maintain_order=True)["row"].cast(pl.Int64).to_numpy()
        columns = {name: column.gather(rows) for name, column in columns.items()}
        sets = {name: ordered(_joined(parts, self.books[name]), rows) for name, parts in self.lists.items()}
        return Table(columns, (hashed(columns, sets, what),), self.file, sets)


def _joined(parts: list[ItemSets], book: Codebook) -> ItemSets:
    """Sets of several batches, coded by one book."""
    offsets = offsets_of(np.concatenate([np.diff(part.offsets) for part in parts]))
    return ItemSets(offsets, np.concatenate([part.entries for part in parts]), book.names)
