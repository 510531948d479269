"""An anonymized file of another tool, read with its original: the spelling of a value says which values it stands for.

An item or a categorical value is one of the original, a label of the hierarchy, a set like (a,b) {a,b} a|b, or * for anything.
A number is exact, or a range like [20:39] 20-39 [20,40) 20..39, a label of the hierarchy, or *.
"""

import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from anonset.data.coding import Table
from anonset.data.files import text
from anonset.data.formats import format_of
from anonset.data.formats.tokens import coded, ranges, split
from anonset.data.read import read_table
from anonset.errors import Fix, GuaranteeViolated, InputError, Set
from anonset.kernels.recode import collapse
from anonset.model.arrays import Ids, Offsets
from anonset.model.dataset import Column, Dataset
from anonset.model.hierarchy import Hierarchy
from anonset.model.labels import GeneralizedItems, Labels, PublishedColumn
from anonset.model.literals import is_held
from anonset.model.release import Provenance, Release
from anonset.model.schema import NO_ROLE, Schema
from anonset.model.sets import offsets_of, rows_of

NUMBER = r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
RANGE = re.compile(rf"([\[(\]]?)\s*{NUMBER}\s*(?:\.\.|[:;,–-])\s*{NUMBER}\s*([\])\[]?)")
SEPARATORS = (" ", "|", ";", ",", "\t")
ANYTHING = "*"
Pair = tuple[float, float]


def read_foreign(path: Path, original: Dataset, *, aligned: bool) -> Release:
    """The release in a file, without guarantees; the roles of its columns are those of the original."""
    schema = Schema(**original.reading)
    table = _table(path, original, schema)
    n = len(table)
    if n > len(original) or (aligned and n < len(original)):
        wanted = "as many as" if aligned else "no more than"
        raise InputError(f"has {n} records; {wanted} the {len(original)} of the original are expected", file=path)
    _check_names(table, original)
    columns = tuple(_column(table, column, [*schema.missing]) for column in original.columns if column.name in table.columns)
    items = _items(table, original, schema) if original.transactions is not None else None
    if items is None and not columns:
        raise InputError("has none of the original's attributes", file=path)
    return Release(columns, items, (), Provenance("unknown"), np.arange(n, dtype=np.int64))


def read_unaligned(path: Path, original: Dataset) -> Release:
    """The release in a file whose records need not be the original's: synthetic data, or a file of any length.

    Columns that the original does not have are left out. Values and items that it does not have stand for themselves: their
    codes follow those of its domains.
    """
    schema = Schema(**original.reading)
    table = _table(path, original, schema)
    columns = tuple(
        _column(table, column, [*schema.missing], new_values=True)
        for column in original.columns
        if column.name in table.columns
    )
    items = _items(table, original, schema, new_values=True) if original.transactions is not None else None
    if items is None and not columns:
        raise InputError("has none of the original's attributes", file=path)
    return Release(columns, items, (), Provenance("unknown"), np.arange(len(table), dtype=np.int64))


def _table(path: Path, original: Dataset, schema: Schema) -> Table:
    """The table in the file; lines of baskets are read as texts, since generalized items need not be numbers."""
    format = format_of(path)
    if format in ("fimi", "spmf"):
        lines = pl.Series(text(path).removesuffix("\n").split("\n"), dtype=pl.String).str.strip_chars()
        return Table({original.item_column: lines}, (), str(path), line=lambda row: row + 1)
    same_kind = Schema(delimiter=schema.delimiter if format == "csv" else None)
    return read_table(path, schema=same_kind)


def _check_names(table: Table, original: Dataset) -> None:
    known = {column.name for column in original.columns}
    known |= {original.item_column} if original.transactions is not None else set()
    left_out = {fate.column for fate in original.fates if fate.role == NO_ROLE}
    for name in table.names:
        if name in original.identifiers:
            raise GuaranteeViolated(f"{table.file}: the identifier {name!r} is published")
        if name in left_out:
            fix = Fix("say what it is: {}, {} or {}", Set("quasi"), Set("sensitive"), Set("other"))
            raise InputError("is published and has no role", file=table.file, column=name, fix=[fix])
        if name not in known:
            raise table.error(f"the original has no such column; it has {', '.join(sorted(known))}", column=name)


def _column(table: Table, original: Column, missing: list[str], *, new_values: bool = False) -> PublishedColumn:
    texts, codes = coded(table.columns[original.name].replace(missing, [None] * len(missing)))
    if original.kind == "numeric":
        pairs = _understood(texts, _range_reader(original), table, original.name, codes)
        return PublishedColumn(original.name, original.role, codes, ranges(pairs, texts))
    read = _set_reader(original.domain, original.hierarchy)
    groups = _understood(texts, _with_new(read, list(original.domain)) if new_values else read, table, original.name, codes)
    return PublishedColumn(original.name, original.role, codes, Labels.from_groups(groups, texts))


def _items(table: Table, original: Dataset, schema: Schema, *, new_values: bool = False) -> GeneralizedItems | None:
    assert original.transactions is not None
    domain, name = list(original.transactions.domain), original.item_column
    read = _set_reader(original.transactions.domain, original.item_hierarchy)
    if name in table.sets:
        sets = table.sets[name]
        offsets, texts, codes = sets.offsets, list(sets.names), sets.entries
    elif name in table.columns:
        offsets, texts, codes = _split(table.columns[name], schema, read)
    else:
        return None
    rows = rows_of(offsets)
    groups = _understood(texts, _with_new(read, domain) if new_values else read, table, name, codes, rows)
    offsets, shown = collapse(offsets, codes)
    gone = np.append(original.transactions.supports > 0, np.zeros(len(domain) - len(original.transactions.domain), np.bool_))
    gone[[i for group in groups for i in group]] = False
    labels = Labels.from_groups(groups, texts)
    return GeneralizedItems(offsets, shown, labels, tuple(domain), np.flatnonzero(gone).astype(np.int32))


def _split(cells: pl.Series, schema: Schema, read: Callable[[str], Any]) -> tuple[Offsets, list[str], Ids]:
    """The tokens of the cells, split by the first separator that explains all of them, else by the original's."""
    usual = schema.item_separator or " "
    for sign in dict.fromkeys((usual, *SEPARATORS)):
        offsets, tokens = _tokens(cells, sign)
        texts, codes = coded(tokens)
        if all(read(token) is not None for token in texts):
            return offsets, texts, codes
    offsets, tokens = _tokens(cells, usual)
    return offsets, *coded(tokens)


def _tokens(cells: pl.Series, sign: str) -> tuple[Offsets, pl.Series]:
    offsets, tokens = split(cells.fill_null("").str.strip_chars(sign), sign)
    tokens = tokens.str.strip_chars()
    kept = (tokens != "").to_numpy()
    return offsets_of(kept)[offsets], tokens.filter(pl.Series(kept))


def _understood(
    texts: Sequence[str], read: Callable[[str], Any], table: Table, column: str, codes: Ids, rows: Any = None
) -> list[Any]:
    """The meaning of each text; raises with the line of the first text that has none."""
    meanings = [read(text) for text in texts]
    for a, meaning in enumerate(meanings):
        if meaning is None:
            place = int(np.flatnonzero(codes == a)[0])
            row = place if rows is None else int(rows[place])
            raise table.error(f"{texts[a]!r} is no value of the original and no generalization of any", column=column, row=row)
    return meanings


def _set_reader(domain: tuple[str, ...], tree: Hierarchy | None) -> Callable[[str], list[int] | None]:
    code = {name: c for c, name in enumerate(domain)}
    node = {} if tree is None else {label: v for v, label in enumerate(tree.labels)}

    def read(token: str) -> list[int] | None:
        if token in code:
            return [code[token]]
        if tree is not None and token in node:
            return list(range(int(tree.low[node[token]]), int(tree.high[node[token]])))
        if token == ANYTHING:
            return list(range(len(domain)))
        inner = token[1:-1] if token[:1] + token[-1:] in {"()", "{}", "[]"} else token
        for sign in ("|", ",", ";"):
            parts = [part.strip() for part in inner.split(sign)]
            if (len(parts) > 1 or inner != token) and all(part in code for part in parts):
                return sorted({code[part] for part in parts})
        return None

    return read


def _with_new(read: Callable[[str], list[int] | None], domain: list[str]) -> Callable[[str], list[int]]:
    """A reader that takes what the other does not understand as a new value, and appends it to the domain."""

    def read_or_add(token: str) -> list[int]:
        found = read(token)
        if found is None:
            domain.append(token)
            return [len(domain) - 1]
        return found

    return read_or_add


def _range_reader(original: Column) -> Callable[[str], Pair | None]:
    assert original.values is not None
    number = dict(zip(original.domain, original.values.tolist(), strict=True))
    tree = original.hierarchy
    node = {} if tree is None else {label: v for v, label in enumerate(tree.labels)}
    whole = (float(original.values.min()), float(original.values.max())) if len(original.values) else (0.0, 0.0)

    def read(token: str) -> Pair | None:
        if token in number:
            return number[token], number[token]
        if tree is not None and token in node and original.values is not None:
            inside = original.values[tree.low[node[token]] : tree.high[node[token]]]
            return float(inside.min()), float(inside.max())
        if token == ANYTHING:
            return whole
        return _pair(token)

    return read


def _pair(token: str) -> Pair | None:
    """The ends of a range as it is spelled; an open end stops just before its number."""
    if re.fullmatch(NUMBER, token):
        return (float(token), float(token)) if is_held(token) else None
    found = RANGE.fullmatch(token)
    if found is None:
        return None
    opening, low, high, closing = found.groups()
    if not (is_held(low) and is_held(high)):
        return None
    start, stop = float(low), float(high)
    start = math.nextafter(start, math.inf) if opening in {"(", "]"} and closing else start
    stop = math.nextafter(stop, -math.inf) if closing in {")", "["} else stop
    return (start, stop) if start <= stop else None
