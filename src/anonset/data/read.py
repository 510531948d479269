"""From a file, a database or a DataFrame to a dataset: read, decide what columns mean, fold several rows a person, attach
hierarchies.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonset.data.coding import (
    Codebook,
    ItemSets,
    Table,
    coded_column,
    counted,
    guess_kind,
    joined,
    ordered,
    sets_of_texts,
    transactions_of,
)
from anonset.data.databases import connected, is_database, item_batches, read_main_table
from anonset.data.files import fingerprint, located, text, trimmed
from anonset.data.formats import read_file
from anonset.data.formats.frames import hashed, is_frame, read_frame
from anonset.data.hierarchies import read_hierarchy, require_leaves
from anonset.data.identifiers import without_items
from anonset.data.population import attached, with_items_of, with_population
from anonset.data.roles import (
    Guess,
    flagged,
    gathered_items,
    guess_roles,
    id_like,
    numbered_alike,
    own_number,
    present,
    repeated_items,
    set_separator,
)
from anonset.errors import Fix, InputError, Set
from anonset.model.arrays import Ids, Rows
from anonset.model.builders import Material, build, is_spec
from anonset.model.dataset import HIGHEST, JOINED_BY, LOWEST, Column, Dataset, Gathered, Source, Transactions
from anonset.model.hierarchy import Hierarchy, plant
from anonset.model.literals import are_dates
from anonset.model.progress import Progress, silent
from anonset.model.schema import ROLES, Kind, Schema
from anonset.model.sets import offsets_of_rows, rows_of


@dataclass(frozen=True, slots=True)
class Layout:
    """How rows of people are gathered: the item columns, what separates items, and columns that differ within other people.

    `elsewhere` has these columns with their kinds, where a table is a share of all rows.
    """

    items: tuple[str, ...]
    separator: str | None
    elsewhere: Mapping[str, Kind] = field(default_factory=dict)

    @classmethod
    def of(cls, table: Table, schema: Schema, id: str) -> "Layout":
        """The layout of a table."""
        table.require(id, "id")
        items = gathered_items(table, schema, id=id)
        _only_texts(table, id)
        cells = [table.columns[name] for name in items if name in table.columns]
        return cls(items, schema.item_separator or set_separator(cells))


def gather(table: Table, schema: Schema, id: str, layout: Layout | None = None) -> tuple[Table, Schema]:
    """One record a person, in order of first appearance, and the schema with the columns as they are now.

    Items are united; a row may hold several, with a separator between them. Where rows of a person differ in a column that is
    to be published, numbers become their lowest and their highest, in two columns, and anything else a value of its own that
    names all of them. What has no role and differs is left out.
    """
    layout = layout or Layout.of(table, schema, id)
    people = _people(table, id, schema)
    first = np.unique(people, return_index=True)[1]
    merged = _Merged(table, schema, people, first, layout.elsewhere)
    for name in table.columns:
        if name not in layout.items:
            merged.add(name)
    sets = {name: _sets(_item_rows(table, schema, name, layout.separator), people, len(first)) for name in layout.items}
    found = replace(
        table,
        columns=merged.columns,
        sets=sets,
        line=lambda row: table.line(int(first[row])),
        varying=frozenset(merged.varying),
        gathered=merged.gathered(id),
        numbers=None if table.numbers is None else table.numbers[first],
    )
    return found, replace(schema, items=layout.items, item_separator=layout.separator, **merged.renamed())


def differences(table: Table, schema: Schema, id: str, layout: Layout) -> dict[str, tuple[int, Kind | None]]:
    """For each column without items, the people in whose rows it differs, and its kind if it has values."""
    people, found = _people(table, id, schema), dict[str, tuple[int, Kind | None]]()
    for name in table.columns:
        if name not in layout.items and name != id:
            texts = present(table.columns[name], schema)
            several = _rows_of_people(people, texts).filter(pl.len().over("person") > 1)["person"].n_unique()
            published = schema.role(name) not in (None, "identifier") and texts.null_count() < len(texts)
            found[name] = several, (schema.kinds.get(name) or guess_kind(table, name, texts)[0]) if published else None
    return found


def _rows_of_people(people: Ids, texts: pl.Series) -> pl.DataFrame:
    """Each value of each person once."""
    return pl.DataFrame({"person": people, "value": texts}).filter(pl.col("value").is_not_null()).unique()


class _Merged:
    """Columns of people as their rows have them."""

    def __init__(self, table: Table, schema: Schema, people: Ids, first: Rows, elsewhere: Mapping[str, Kind]) -> None:
        self.table, self.schema, self.people, self.first, self.elsewhere = table, schema, people, first, elsewhere
        self.columns: dict[str, pl.Series] = {}
        self.varying: list[str] = []
        self.differing: dict[str, int] = {}
        self.combined: dict[str, dict[str, tuple[str, ...]]] = {}
        self.ends: dict[str, tuple[str, str]] = {}

    def add(self, name: str) -> None:
        """Add a column: as it is in the first row of a person that has a value, or what all rows have."""
        texts = present(self.table.columns[name], self.schema)
        rows = _rows_of_people(self.people, texts)
        count = rows.filter(pl.len().over("person") > 1)["person"].n_unique()
        differs = count > 0 or name in self.elsewhere
        published = self.schema.role(name) not in (None, "identifier")
        if differs and not published:
            self.varying.append(name)
        if differs:
            self.differing[name] = count
        if differs and published and self._kind(name, texts) == "numeric":
            self._add_ends(name, rows)
        elif differs and published:
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
        return self.elsewhere.get(name) or self.schema.kinds.get(name) or guess_kind(self.table, name, texts)[0]

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
    """Collects item rows: the codes of the record and of the item of each."""

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
            f"every row needs an id; {without} have none: remove them first", column=id, row=int(np.argmin(codes))
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


SUFFIXES = (".csv", ".csv.gz", ".json", ".json.gz")
ITEMS = "items"
FLAGS = ""  # what all columns are called that say who has them as an item; no column has an empty name
DERIVED = "derived:"


def attach(data: Dataset, schema: Schema, materials: Mapping[str, Material] | None = None) -> Dataset:
    """The dataset with the schema's hierarchies and sensitive items; every file used is among its sources.

    `materials`: what hierarchies are built from where the dataset is not all there is, by column and under `items`.
    """
    wanted, known = _hierarchy_sources(data, schema), materials or {}
    sources: list[Source] = []
    for column in data.columns:
        if column.name in wanted:
            combined = combined_values(data, column.name)
            material = known.get(column.name) or Material.of_column(single_values(column, combined))
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


def single_values(column: Column, combined: Mapping[str, tuple[str, ...]]) -> Column:
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
    return replace(plant(labels, parent, tree.root), derived=True)  # combinations are known from the data only


def _hierarchy_sources(data: Dataset, schema: Schema) -> dict[str, str | Path]:
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
    dated = [c.name for c in texts if are_dates(single_values(c, combined_values(data, c.name)).domain)]
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
            raise InputError(error.advice, column=column) from None
    if str(wanted).startswith(DERIVED):  # a file made from the data is no public knowledge
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
    if isinstance(given, Path) or os.path.isfile(given):  # unlike Path.is_file, accepts a text of any length
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


READ_SHARE = 0.7  # share of the time that reading takes; coding takes the rest


def read(source: str | Path | Any, *, schema: Schema | None = None, progress: Progress = silent) -> Dataset:
    """The dataset in a file, a folder of files, a database or a DataFrame; a database is given by its URL."""
    wanted = schema or Schema()
    table, found = _with_roles(source, wanted, lambda done: progress(READ_SHARE * done))
    data = _dataset(table, found)
    if wanted.population is None:
        data = replace(attach(data, wanted), sampling=wanted.sampling)
    else:
        data = _with_population(data, wanted, as_given(found.schema, table.gathered))
    progress(1.0)
    return data


def _with_population(data: Dataset, wanted: Schema, found: Schema) -> Dataset:
    """The data with their population, which is read as they are, by its quasi columns and items; hierarchies are over both."""
    kinds = {name: kind for name, kind in found.kinds.items() if name in (found.quasi or ())}
    unused: dict[str, Any] = dict.fromkeys(("sensitive", "other", "identifier"), ())
    unused |= dict.fromkeys(("population", "long", "table", "query", "items_table", "items_key", "sensitive_items"))
    schema = replace(found, kinds=kinds, repeated=False, **unused)
    table, seen = _with_roles(wanted.population, schema, silent)
    whole = with_items_of(_dataset(table, seen), data)
    if whole.repeats or data.repeats:
        raise InputError(
            "people are counted in the population, and some have several rows",
            fix=[Fix("name the column that identifies a person with {}", Set("key"))],
        )
    whole = attach(whole, replace(wanted, sensitive_items=None))
    data = with_population(data, whole)
    if wanted.sensitive_items is not None:
        data = attach(data, Schema(sensitive_items=wanted.sensitive_items))
    return attached(data, whole)


def guess(source: str | Path | Any, *, schema: Schema | None = None) -> Guess:
    """How `read` would read the source."""
    return _with_roles(source, schema or Schema(), silent)[1]


def read_table(source: str | Path | Any, *, schema: Schema, progress: Progress = silent) -> Table:
    """The table in a file or a DataFrame, without roles."""
    given = next((name for name in ("table", "query", "items_table") if getattr(schema, name) is not None), None)
    if given is not None:
        raise InputError(f"`{given}` is given, and the data are in no database")
    if is_frame(source):
        return read_frame(source)
    if not isinstance(source, str | Path):
        raise InputError(f"a path or a DataFrame is expected; got {type(source).__name__}")
    return read_file(located(source), schema.format, schema.delimiter, schema.sheet, progress)


def read_unguessed(address: str, *, schema: Schema, progress: Progress = silent) -> Table:
    """A table of a database with the items of its item table, if one is named, without roles."""
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
        raise table.error("nothing to publish: every column is an identifier or has no role")
    people, column = _people_and_column(table, found)
    alone = column is not None and not found.ties and column in table.columns
    held, removed = set_column_and_removed(table, schema)
    return Dataset(
        columns=tuple(columns),
        transactions=held,
        item_column=item_column(table, items),
        identifiers=schema.identifier or (),
        sources=table.sources,
        reading=as_given(schema, table.gathered).reading,
        fates=found.fates,
        people=people,
        people_column=column,
        marks=person_marks(present(table.columns[column], schema)) if alone and column is not None else None,
        gathered=table.gathered,
        removed=(len(removed), sum(removed.values())),
    )


def _people_and_column(table: Table, found: Guess) -> tuple[Ids | None, str | None]:
    """The number of the person of each record, and the column that identifies people; rows without an id are one person."""
    if found.ties:
        codes = Codebook().encode(present(table.columns[found.ties[0]], found.schema))
        return np.where(codes < 0, codes.max(initial=-1) + 1, codes).astype(np.int32), found.ties[0]
    told = found.schema.id if found.schema.id is not None else own_number(table, found.schema)
    return (None, None) if told is None else (np.arange(len(table), dtype=np.int32), told)


def person_marks(keys: pl.Series) -> NDArray[np.uint64]:
    """A hash of the key of each person, the same in every dataset and version."""
    digests = (blake2b(key.encode(), digest_size=8).digest() for key in keys.to_list())
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)


def as_given(schema: Schema, gathered: Gathered | None) -> Schema:
    """The schema with the names of columns that the input has."""
    if gathered is None or not gathered.ends:
        return schema
    roles: dict[str, Any] = {role: gathered.original_names(getattr(schema, role) or ()) for role in ROLES}
    kinds = {gathered.original_names((name,))[0]: kind for name, kind in schema.kinds.items()}
    return replace(schema, kinds=kinds, **roles)


def item_column(table: Table, items: tuple[str, ...]) -> str:
    """The name of the set-valued columns together."""
    called = {name: called for called, columns in numbered_alike(items).items() for name in columns}
    names = tuple(dict.fromkeys(called.get(name, name) for name in items))
    if len(names) == 1 and names[0] not in table.columns:
        return names[0]
    return items[0] if len(items) == 1 else "items" if "items" not in table.names else "+".join(items)


def set_column(table: Table, schema: Schema) -> Transactions | None:
    """The set-valued columns of a table as one; those that are numbered alike hold one item each of the same set."""
    return set_column_and_removed(table, schema)[0]


def set_column_and_removed(table: Table, schema: Schema) -> tuple[Transactions | None, dict[str, int]]:
    """The set-valued columns as one, and the items that the schema removes with the number of their occurrences."""
    items, parts, removed = schema.items or (), [], dict[str, int]()
    flags = [name for name in items if schema.kinds.get(name) == "flag"]
    called = {name: called for called, columns in numbered_alike(items).items() for name in columns}
    called |= dict.fromkeys(flags, FLAGS)
    several = len({called.get(name, name) for name in items}) > 1
    for name in items:
        separator = None if name in called else schema.item_separator or " "
        if name in flags:
            sets = flagged(table, schema, name)
        else:
            sets = table.sets.get(name) or sets_of_texts(present(table.columns[name], schema), separator)
        column = called.get(name, name)
        if schema.drop_items:
            sets, gone = without_items(sets, schema.drop_items, f"{column}." if several and column else "")
            removed |= {item: removed.get(item, 0) + times for item, times in gone.items()}
        parts.append((column, sets))
    if not parts:
        return None, removed
    sets = parts[0][1] if len(parts) == 1 else joined(parts)
    return transactions_of(counted(sets) if schema.multiset else sets), removed
