"""Hierarchies and sensitive items, laid onto a dataset that was read."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from anonset.errors import InputError
from anonset.io.hierarchies import read_hierarchy
from anonset.io.schema import Schema
from anonset.io.sources import fingerprint, text
from anonset.model.arrays import Rows
from anonset.model.builders import build, is_spec
from anonset.model.columns import Column
from anonset.model.dataset import Dataset, Source
from anonset.model.hierarchy import Hierarchy

SUFFIXES = (".csv", ".csv.gz", ".json", ".json.gz")
ITEMS = "items"


def attach(data: Dataset, schema: Schema) -> Dataset:
    """The dataset with the schema's hierarchies and sensitive items; every file used is among its sources."""
    wanted = _wanted(data, schema)
    sources: list[Source] = []
    for column in data.columns:
        if column.name in wanted:
            tree, used = _column_hierarchy(column, wanted[column.name])
            if column.kind == "numeric" and column.name not in schema.kinds and not all(map(_is_number, tree.leaves)):
                data = _as_categorical(data, column)
            data = data.with_hierarchies({column.name: tree})
            sources += used
    if data.transactions is not None and ITEMS in wanted:
        tree, used = _hierarchy(wanted[ITEMS], data.transactions.domain, data.transactions.supports, data.item_column)
        data = data.with_item_hierarchy(tree)
        sources += used
    if schema.sensitive_items is not None:
        names, used = _names(schema.sensitive_items)
        data = _with_sensitive(data, names, file=None if not used else str(schema.sensitive_items))
        sources += used
    return replace(data, sources=data.sources + tuple(sources))


def _wanted(data: Dataset, schema: Schema) -> dict[str, str | Path]:
    """The file or the builder for each column, and for the items under the name `items`."""
    quasi = [column.name for column in data.quasi]
    found: dict[str, str | Path] = {}
    if isinstance(schema.hierarchies, Mapping):
        found = dict(schema.hierarchies)
        if data.transactions is not None and data.item_column in found:
            found[ITEMS] = found.pop(data.item_column)
        for name in found:
            if name not in quasi and (name != ITEMS or data.transactions is None):
                raise InputError(f"a hierarchy is given for {name!r}, which is neither a quasi column nor the items")
    elif schema.hierarchies is not None:
        found = _in_folder(Path(schema.hierarchies), quasi, () if data.transactions is None else (ITEMS, data.item_column))
    if schema.item_hierarchy is not None:
        if data.transactions is None:
            raise InputError("an item hierarchy is given, and the data has no items")
        found[ITEMS] = schema.item_hierarchy
    return found


def _in_folder(folder: Path, columns: Sequence[str], item_names: Sequence[str]) -> dict[str, str | Path]:
    if not folder.is_dir():
        raise InputError("is not a folder of hierarchies", file=folder)
    found: dict[str, str | Path] = {}
    for name in (*columns, *reversed(item_names)):
        for suffix in SUFFIXES:
            if (folder / f"{name}{suffix}").is_file():
                found[name if name not in item_names else ITEMS] = folder / f"{name}{suffix}"
                break
    if not found:
        names = ", ".join(f"{name}.csv" for name in dict.fromkeys((*columns, *item_names))) or "none"
        raise InputError(f"holds no hierarchy for this data; looked for {names}", file=folder)
    return found


def _column_hierarchy(column: Column, wanted: str | Path) -> tuple[Hierarchy, list[Source]]:
    supports = np.bincount(column.codes[column.codes >= 0], minlength=len(column.domain)).astype(np.int64)
    return _hierarchy(wanted, column.domain, supports, column.name)


def _hierarchy(wanted: str | Path, domain: tuple[str, ...], supports: Rows, column: str) -> tuple[Hierarchy, list[Source]]:
    """The hierarchy from a file or a builder."""
    if isinstance(wanted, str) and is_spec(wanted) and not Path(wanted).exists():
        try:
            return build(wanted, domain, supports), []
        except InputError as error:
            raise InputError(str(error), column=column) from None
    occurring = [name for name, support in zip(domain, supports.tolist(), strict=True) if support]
    return read_hierarchy(wanted, occurring, column=column), [fingerprint(Path(wanted))]


def _is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False


def _as_categorical(data: Dataset, numeric: Column) -> Dataset:
    """The dataset with a column taken for codes that happen to look like numbers."""
    column = replace(numeric, kind="categorical", values=None)
    return replace(data, columns=tuple(column if c is numeric else c for c in data.columns))


def _names(given: tuple[str, ...] | str | Path) -> tuple[tuple[str, ...], list[Source]]:
    """Names as given, from a file with one a line, or from a text with commas between."""
    if isinstance(given, tuple):
        return given, []
    path = Path(given)
    if isinstance(given, Path) or path.is_file():
        lines = [line.strip() for line in text(path).splitlines()]
        return tuple(dict.fromkeys(line for line in lines if line)), [fingerprint(path)]
    return tuple(dict.fromkeys(name.strip() for name in given.split(",") if name.strip())), []


def _with_sensitive(data: Dataset, names: Sequence[str], file: str | None) -> Dataset:
    if data.transactions is None:
        raise InputError("sensitive items are given, and the data has no items")
    code = {name: i for i, name in enumerate(data.transactions.domain)}
    unknown = [name for name in names if name not in code]
    if unknown:
        raise InputError(f"{len(unknown)} sensitive items do not occur in the data, e.g. {unknown[0]!r}", file=file)
    flags = np.zeros(len(code), np.bool_)
    flags[[code[name] for name in names]] = True
    return replace(data, sensitive_items=flags)
