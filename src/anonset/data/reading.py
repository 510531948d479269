"""From a file or a DataFrame to a dataset: read the table, decide what its columns mean, code them, attach hierarchies."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from anonset.data.attaching import attach
from anonset.data.coding import coded_column, counted, joined, sets_of_texts, transactions_of
from anonset.data.formats import read_file
from anonset.data.formats.frames import is_frame, read_frame
from anonset.data.guessing import Guess, guess_roles, id_like, present
from anonset.data.joining import fold_long, fold_repeated
from anonset.data.table import Table
from anonset.errors import InputError
from anonset.model.dataset import Dataset
from anonset.model.progress import Progress, silent
from anonset.model.schema import Schema
from anonset.model.transactions import Transactions

READ_SHARE = 0.7  # of the time, spent on reading rather than on coding


def read(source: str | Path | Any, *, schema: Schema | None = None, progress: Progress = silent) -> Dataset:
    """The dataset in a file (CSV, TSV, Parquet, JSON lines, FIMI, SPMF, also gzipped) or in a DataFrame."""
    table, found = _with_roles(source, schema or Schema(), lambda done: progress(READ_SHARE * done))
    data = attach(_dataset(table, found), schema or Schema())
    progress(1.0)
    return data


def guess(source: str | Path | Any, *, schema: Schema | None = None) -> Guess:
    """How `read` would read the source."""
    return _with_roles(source, schema or Schema(), silent)[1]


def read_table(source: str | Path | Any, *, schema: Schema, progress: Progress = silent) -> Table:
    """The table in a file or a DataFrame, before its columns mean anything."""
    if is_frame(source):
        return read_frame(source)
    if not isinstance(source, str | Path):
        raise InputError(f"a path or a DataFrame is expected; got {type(source).__name__}")
    return read_file(Path(source), schema.format, schema.delimiter, progress)


def _with_roles(source: str | Path | Any, schema: Schema, progress: Progress) -> tuple[Table, Guess]:
    """The table with one row a record, and what its columns mean."""
    table = read_table(source, schema=schema, progress=progress)
    if schema.long is not None and schema.id is not None:
        rows = read_table(schema.long, schema=replace(schema, format=None, delimiter=None))
        table, item = fold_long(table, rows, schema, schema.id)
        schema = replace(schema, items=(item,))
    elif schema.repeated and schema.id is not None:
        table, item = fold_repeated(table, schema, schema.id)
        schema = replace(schema, items=(item,))
    elif schema.items is None and not schema.gives_roles and (id := id_like(table)):
        table, item = fold_repeated(table, schema, id)
        schema = replace(schema, items=(item,), id=id, repeated=True)
    return table, guess_roles(table, schema)


def _dataset(table: Table, found: Guess) -> Dataset:
    """The coded dataset of a table and a complete schema."""
    schema = found.schema
    columns = []
    for name, texts in table.columns.items():
        role = schema.role(name)
        if role is not None and role != "identifier":
            columns.append(coded_column(table, name, role, schema.kinds[name], present(texts, schema)))
    items = schema.items or ()
    if not columns and not items:
        raise table.error("nothing is left to publish: every column is an identifier or has no role")
    together = "items" if "items" not in table.names else "+".join(items)
    return Dataset(
        columns=tuple(columns),
        transactions=_transactions(table, schema, items),
        item_column=items[0] if len(items) == 1 else together,
        identifiers=schema.identifier or (),
        sources=table.sources,
        reading=schema.to_plain(),
        fates=found.fates,
    )


def _transactions(table: Table, schema: Schema, items: tuple[str, ...]) -> Transactions | None:
    """The set-valued columns as one."""
    parts = []
    for name in items:
        sets = table.sets.get(name) or sets_of_texts(present(table.columns[name], schema), schema.item_separator or " ")
        parts.append((name, counted(sets) if schema.multiset else sets))
    if not parts:
        return None
    return transactions_of(parts[0][1] if len(parts) == 1 else joined(parts))
