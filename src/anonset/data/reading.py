"""From a file, a database or a DataFrame to a dataset: read, decide what columns mean, code them, attach hierarchies."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from anonset.data.attaching import attach
from anonset.data.coding import Codebook, coded_column, counted, joined, sets_of_texts, transactions_of
from anonset.data.databases import connected, is_database
from anonset.data.databases.reading import item_batches, read_main_table
from anonset.data.formats import read_file
from anonset.data.formats.frames import is_frame, read_frame
from anonset.data.guessing import Guess, guess_roles, id_like, own_number, present
from anonset.data.item_families import without_items
from anonset.data.joining import fold_long, gather
from anonset.data.numbering import numbered_alike
from anonset.data.places import located
from anonset.data.table import Table
from anonset.errors import InputError
from anonset.model.arrays import Ids
from anonset.model.dataset import Dataset
from anonset.model.people import Gathered
from anonset.model.progress import Progress, silent
from anonset.model.schema import ROLES, Schema
from anonset.model.transactions import Transactions

READ_SHARE = 0.7  # of the time, spent on reading rather than on coding


def read(source: str | Path | Any, *, schema: Schema | None = None, progress: Progress = silent) -> Dataset:
    """The dataset in a file, a folder of files, a database or a DataFrame; an address tells where a database is."""
    table, found = _with_roles(source, schema or Schema(), lambda done: progress(READ_SHARE * done))
    data = attach(_dataset(table, found), schema or Schema())
    progress(1.0)
    return data


def guess(source: str | Path | Any, *, schema: Schema | None = None) -> Guess:
    """How `read` would read the source."""
    return _with_roles(source, schema or Schema(), silent)[1]


def read_table(source: str | Path | Any, *, schema: Schema, progress: Progress = silent) -> Table:
    """The table in a file or a DataFrame, before its columns mean anything."""
    given = next((name for name in ("table", "query", "items_table") if getattr(schema, name) is not None), None)
    if given is not None:
        raise InputError(f"`{given}` is given, and the data are in no database")
    if is_frame(source):
        return read_frame(source)
    if not isinstance(source, str | Path):
        raise InputError(f"a path or a DataFrame is expected; got {type(source).__name__}")
    return read_file(located(source), schema.format, schema.delimiter, schema.sheet, progress)


def read_unguessed(address: str, *, schema: Schema, progress: Progress = silent) -> Table:
    """A table of a database with the items of its item table, if one is named, before its columns mean anything."""
    with connected(address) as database:
        table = read_main_table(database, schema, progress)
        if schema.items_table is None or schema.id is None:
            return table
        return fold_long(table, item_batches(database, schema), schema, schema.id)[0]


def _with_roles(source: str | Path | Any, schema: Schema, progress: Progress) -> tuple[Table, Guess]:
    """The table with one row a record, and what its columns mean."""
    if not is_database(source):
        return _folded(read_table(source, schema=schema, progress=progress), _second_file(schema), schema)
    with connected(str(source)) as database:
        table = read_main_table(database, schema, progress)
        return _folded(table, item_batches(database, schema) if schema.items_table else _second_file(schema), schema)


def _second_file(schema: Schema) -> Iterable[Table] | None:
    if schema.long is None:
        return None
    return [read_table(schema.long, schema=Schema(missing=schema.missing))]


def _folded(table: Table, rows: Iterable[Table] | None, schema: Schema) -> tuple[Table, Guess]:
    """The table with one row a person: with the item rows of a second file or table, or with its own rows gathered by a key."""
    if rows is not None and schema.id is not None:
        table, item = fold_long(table, rows, schema, schema.id)
        schema = replace(schema, items=(item,))
    elif schema.id is not None:
        table, schema = gather(table, schema, schema.id)
    elif schema.items is None and not schema.gives_roles and (id := id_like(table)):
        table, schema = gather(table, replace(schema, id=id, repeated=True), id)
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
    people, column = _people(table, found)
    held, removed = set_column_and_removed(table, schema)
    return Dataset(
        columns=tuple(columns),
        transactions=held,
        item_column=item_column(table, items),
        identifiers=schema.identifier or (),
        sources=table.sources,
        reading=_as_given(schema, table.gathered).to_plain(),
        fates=found.fates,
        people=people,
        people_column=column,
        gathered=table.gathered,
        removed=(len(removed), sum(removed.values())),
    )


def _people(table: Table, found: Guess) -> tuple[Ids | None, str | None]:
    """The number of the person of each record, and the column that tells; rows of nobody known are taken for one person's."""
    if found.ties:
        codes = Codebook().encode(present(table.columns[found.ties[0]], found.schema))
        return np.where(codes < 0, codes.max(initial=-1) + 1, codes).astype(np.int32), found.ties[0]
    told = found.schema.id if found.schema.id is not None else own_number(table, found.schema)
    return (None, None) if told is None else (np.arange(len(table), dtype=np.int32), told)


def _as_given(schema: Schema, gathered: Gathered | None) -> Schema:
    """The schema with the names of columns that the input has."""
    if gathered is None or not gathered.ends:
        return schema
    roles: dict[str, Any] = {role: gathered.original_names(getattr(schema, role) or ()) for role in ROLES}
    kinds = {gathered.original_names((name,))[0]: kind for name, kind in schema.kinds.items()}
    return replace(schema, kinds=kinds, **roles)


def item_column(table: Table, items: tuple[str, ...]) -> str:
    """What the set-valued columns are called together."""
    called = {name: called for called, columns in numbered_alike(items).items() for name in columns}
    names = tuple(dict.fromkeys(called.get(name, name) for name in items))
    if len(names) == 1 and names[0] not in table.columns:
        return names[0]
    return items[0] if len(items) == 1 else "items" if "items" not in table.names else "+".join(items)


def set_column(table: Table, schema: Schema) -> Transactions | None:
    """The set-valued columns of a table as one; those that are numbered alike hold one item each of the same set."""
    return set_column_and_removed(table, schema)[0]


def set_column_and_removed(table: Table, schema: Schema) -> tuple[Transactions | None, dict[str, int]]:
    """The same, and the items that the schema wants removed, with the number of places that each had."""
    items, parts, removed = schema.items or (), [], dict[str, int]()
    called = {name: called for called, columns in numbered_alike(items).items() for name in columns}
    several = len({called.get(name, name) for name in items}) > 1
    for name in items:
        separator = None if name in called else schema.item_separator or " "
        sets = table.sets.get(name) or sets_of_texts(present(table.columns[name], schema), separator)
        column = called.get(name, name)
        if schema.drop_items:
            sets, gone = without_items(sets, schema.drop_items, f"{column}." if several else "")
            removed |= {item: removed.get(item, 0) + times for item, times in gone.items()}
        parts.append((column, sets))
    if not parts:
        return None, removed
    sets = parts[0][1] if len(parts) == 1 else joined(parts)
    return transactions_of(counted(sets) if schema.multiset else sets), removed
