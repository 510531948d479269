"""Hierarchies and sensitive items, laid onto a dataset that was read."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from anonset.data.hierarchies import read_hierarchy, require_leaves
from anonset.data.sources import fingerprint, text, trimmed
from anonset.errors import InputError
from anonset.model.arrays import Rows
from anonset.model.builders import Material, build, is_spec
from anonset.model.calendar import are_dates
from anonset.model.columns import Column
from anonset.model.dataset import Dataset, Source
from anonset.model.hierarchy import Hierarchy, plant
from anonset.model.schema import Schema

SUFFIXES = (".csv", ".csv.gz", ".json", ".json.gz")
ITEMS = "items"
DERIVED = "derived:"


def attach(data: Dataset, schema: Schema, materials: Mapping[str, Material] | None = None) -> Dataset:
    """The dataset with the schema's hierarchies and sensitive items; every file used is among its sources.

    `materials`: what hierarchies are built from where the dataset is not all there is, by column and under `items`.
    """
    wanted, known = _wanted(data, schema), materials or {}
    sources: list[Source] = []
    for column in data.columns:
        if column.name in wanted:
            combined = combined_values(data, column.name)
            material = known.get(column.name) or Material.of_column(_single(column, combined))
            given = column.name in schema.kinds
            data, used = _with_hierarchy(data, column, wanted[column.name], material, combined, kind_given=given)
            sources += used
    if data.transactions is not None and ITEMS in wanted:
        items, file = data.transactions, wanted[ITEMS]
        tree, used = _hierarchy(file, known.get(ITEMS) or Material.of_items(items), data.item_column)
        if used:
            require_leaves(tree, _occurring(items.domain, items.supports), file=file, column=data.item_column)
        data = data.with_item_hierarchy(tree)
        sources += used
    if schema.sensitive_items is not None:
        names, used = _names(schema.sensitive_items)
        data = _with_sensitive(data, names, file=None if not used else str(schema.sensitive_items))
        sources += used
    return replace(data, sources=data.sources + tuple(sources))


def combined_values(data: Dataset, column: str) -> Mapping[str, tuple[str, ...]]:
    """The values of a column that stand for several values of one person, with these."""
    return {} if data.gathered is None else data.gathered.combined.get(column, {})


def _single(column: Column, combined: Mapping[str, tuple[str, ...]]) -> Column:
    """The column of single values: what a person had several of counts for each."""
    if not combined:
        return column
    domain = tuple(sorted({part for text in column.domain for part in combined.get(text, (text,))}))
    place, parts = {text: i for i, text in enumerate(domain)}, [combined.get(text, (text,)) for text in column.domain]
    there = column.codes[column.codes >= 0].tolist()
    codes = np.array([place[part] for code in there for part in parts[code]], np.int32)
    return Column(column.name, column.role, column.kind, codes, domain)


def with_combined(tree: Hierarchy, combined: Mapping[str, tuple[str, ...]]) -> Hierarchy:
    """The hierarchy with a leaf for each value that stands for several, below the lowest node that has all of them."""
    new = [text for text in combined if text not in tree.leaves]
    if not new:
        return tree
    place = {label: node for node, label in enumerate(tree.leaves)}  # leaves come first
    labels, parent = [*tree.labels], tree.parent.tolist()

    def above(node: int) -> list[int]:
        path = [node]
        while path[-1] != tree.root:
            path.append(parent[path[-1]])
        return path[::-1]

    for value in new:
        paths = [above(place[part]) for part in combined[value]]
        shared = [nodes[0] for nodes in zip(*paths, strict=False) if len(set(nodes)) == 1]
        labels.append(value)
        parent.append(shared[-1])
    return replace(plant(labels, parent, tree.root), derived=True)  # that somebody had both is known from the data alone


def _wanted(data: Dataset, schema: Schema) -> dict[str, str | Path]:
    """The file or the builder for each column, and for the items under the name `items`."""
    ends = {} if data.gathered is None else data.gathered.ends
    called = {end: name for name, both in ends.items() for end in both}
    quasi = list(dict.fromkeys(called.get(column.name, column.name) for column in data.quasi))
    found: dict[str, str | Path] = {}
    if isinstance(schema.hierarchies, Mapping):
        found = {called.get(name, name): how for name, how in schema.hierarchies.items()}
        if data.transactions is not None and data.item_column in found:
            found[ITEMS] = found.pop(data.item_column)
        for name in found:
            if name not in quasi and (name != ITEMS or data.transactions is None):
                raise InputError(f"a hierarchy is given for {name!r}, which is neither a quasi column nor the items")
    elif schema.hierarchies is not None:
        found = hierarchies_in(Path(schema.hierarchies), quasi, () if data.transactions is None else (ITEMS, data.item_column))
    if schema.item_hierarchy is not None:
        if data.transactions is None:
            raise InputError("an item hierarchy is given, and the data has no items")
        found[ITEMS] = schema.item_hierarchy
    found = {end: how for name, how in found.items() for end in ends.get(name, (name,))}
    texts = [c for c in data.quasi if c.kind == "categorical" and c.name not in found]
    dated = [c.name for c in texts if are_dates(_single(c, combined_values(data, c.name)).domain)]
    return found | dict.fromkeys(dated, "dates")


def hierarchies_in(folder: Path, columns: Sequence[str], item_names: Sequence[str]) -> dict[str, str | Path]:
    """The file for each column, and for the items under the name `items`, that a folder of hierarchies has."""
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


def _with_hierarchy(
    data: Dataset,
    column: Column,
    wanted: str | Path,
    material: Material,
    combined: Mapping[str, tuple[str, ...]],
    *,
    kind_given: bool,
) -> tuple[Dataset, list[Source]]:
    """The dataset with one column coded as leaves; numbers find the leaf of their value, however it is written."""
    tree, used = _hierarchy(wanted, material, column.name)
    fitted = column
    if column.values is not None:
        number = {leaf: value for leaf in tree.leaves if (value := _number(leaf)) is not None}
        if len(number) < tree.n_leaves and not kind_given:  # codes that happen to look like numbers
            fitted = replace(column, kind="categorical", values=None)
        leaf_of = {value: leaf for leaf, value in reversed(number.items())}
        texts = zip(column.domain, column.values.tolist(), strict=True)
        fitted = replace(fitted, domain=tuple(text if text in number else leaf_of.get(value, text) for text, value in texts))
    occurring = material.domain if combined else fitted.domain
    require_leaves(tree, _occurring(occurring, material.supports), file=wanted, column=column.name)
    tree = with_combined(tree, combined)
    data = replace(data, columns=tuple(fitted if c is column else c for c in data.columns))
    return data.with_hierarchies({column.name: tree}), used


def _hierarchy(wanted: str | Path, material: Material, column: str) -> tuple[Hierarchy, list[Source]]:
    """The hierarchy from a file or a builder."""
    if isinstance(wanted, str) and is_spec(wanted) and not os.path.exists(wanted):
        try:
            return build(wanted, material), []
        except InputError as error:
            raise InputError(str(error), column=column) from None
    if str(wanted).startswith(DERIVED):  # a file that somebody made from the data: not public knowledge
        file = Path(str(wanted).removeprefix(DERIVED))
        return replace(read_hierarchy(file), derived=True), [fingerprint(file)]
    return read_hierarchy(wanted), [fingerprint(Path(wanted))]


def _occurring(domain: tuple[str, ...], supports: Rows) -> list[str]:
    return [name for name, support in zip(domain, supports.tolist(), strict=True) if support]


def _number(text: str) -> float | None:
    try:
        return value if np.isfinite(value := float(text)) else None
    except ValueError:
        return None


def _names(given: tuple[str, ...] | str | Path) -> tuple[tuple[str, ...], list[Source]]:
    """Names as given, from a file with one a line, or from a text with commas between."""
    if isinstance(given, tuple):
        return given, []
    path = Path(given)
    if isinstance(given, Path) or os.path.isfile(given):  # unlike Path.is_file, at ease with a text of any length
        lines = [trimmed(line) for line in text(path).split("\n")]
        return tuple(dict.fromkeys(line for line in lines if line)), [fingerprint(path)]
    return tuple(dict.fromkeys(name for part in given.split(",") if (name := trimmed(part)))), []


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
