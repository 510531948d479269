"""The domains of columns and items, which one pass over all batches finds, and the coding of batches with them.

The roster is a small dataset in which every value of the data occurs at least once. It has the spans, domains, hierarchies and
roles of the whole data, so code that needs only these can work on the roster instead of reading the data.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonset.data.coding import Table, coded_column, guess_kind
from anonset.data.read import ITEMS, as_given, attach, combined_values, item_column, set_column, set_column_and_removed
from anonset.data.roles import Guess, present
from anonset.engine.source import BatchSource
from anonset.errors import InputError
from anonset.kernels.records import sort_sets
from anonset.model.arrays import Ids, Rows
from anonset.model.builders import Material
from anonset.model.dataset import Column, Dataset, Transactions, item_order
from anonset.model.schema import NO_ROLE, Fate, Schema

Answer = dict[str, NDArray[Any]]
MOST_VALUES = 20_000_000  # most different values of a column that can be published


@dataclass(frozen=True, slots=True, eq=False)
class Coder:
    """Codes the texts of a batch: texts[c] of a column is code codes[c] of the roster's column."""

    schema: Schema
    roster: Dataset
    texts: dict[str, tuple[str, ...]]
    codes: dict[str, Ids]
    supports: Rows  # of each item of the roster
    counts: dict[str, Rows]  # of each value of a column of the roster
    records: int

    def batch(self, table: Table) -> Dataset:
        """Return the coded records of a batch."""
        columns = tuple(self._column(column, table) for column in self.roster.columns)
        return replace(self.roster, columns=columns, transactions=self._items(table), sources=())

    def _column(self, column: Column, table: Table) -> Column:
        found = table.columns.get(column.name)
        if found is None:
            raise InputError("a column of the other batches is not there", column=column.name)
        try:
            places = present(found, self.schema).cast(pl.Enum(self.texts[column.name]))
        except pl.exceptions.PolarsError:
            raise InputError("has values now that it had not when the data were first read", column=column.name) from None
        number = np.append(self.codes[column.name], np.int32(-1))
        codes = number[places.to_physical().cast(pl.Int64).fill_null(len(number) - 1).to_numpy()]
        return Column(column.name, column.role, column.kind, codes, column.domain, column.values, column.hierarchy)

    def _items(self, table: Table) -> Transactions | None:
        if self.roster.transactions is None:
            return None
        held = set_column(table, self.schema)
        assert held is not None
        domain = self.roster.transactions.domain
        place = {name: i for i, name in enumerate(domain)}
        try:
            entries = np.array([place[name] for name in held.domain], np.int32)[held.items]
        except KeyError:
            raise InputError("has items now that it had not when the data were first read") from None
        return Transactions(sort_sets(held.offsets.copy(), entries), entries, domain)


def count_values(table: Table, schema: Schema) -> Answer:
    """Return every value of every published column, and every item, with the number of records that have it."""
    found: Answer = {"records": np.array([len(table)], np.int64)}
    for c, name in enumerate(_published_columns(schema)):
        if name not in table.columns:
            raise InputError("a column of the other batches is not there", column=name)
        counted = present(table.columns[name], schema).drop_nulls().alias("text").value_counts(name="n")
        found[f"{c} texts"] = packed(counted["text"].to_list())
        found[f"{c} counts"] = counted["n"].to_numpy().astype(np.int64)
    held, removed = set_column_and_removed(table, schema)
    if schema.drop_items:
        found |= {"removed texts": packed(removed), "removed counts": np.array(list(removed.values()), np.int64)}
    if held is not None:
        found |= {"items texts": packed(held.domain), "items counts": held.supports}
    return found


def merge_values(first: Answer, second: Answer) -> Answer:
    """Merge two answers of `count_values`, adding the counts."""
    merged: Answer = {"records": first["records"] + second["records"]}
    for key in first:
        if key.endswith(" texts"):
            counts = f"{key.removesuffix(' texts')} counts"
            total = dict(zip(unpacked(first[key]), first[counts].tolist(), strict=True))
            for text, n in zip(unpacked(second[key]), second[counts].tolist(), strict=True):
                total[text] = total.get(text, 0) + n
            if len(total) > MOST_VALUES:
                raise InputError(f"a column has more than {MOST_VALUES:,} different values; make it an identifier")
            merged |= {key: packed(total), counts: np.array(list(total.values()), np.int64)}
    return merged


def coder_of(
    values: Answer,
    guess: Guess,
    given: Schema,
    sample: Table,
    source: BatchSource,
    dress: Callable[[Dataset], Dataset] = lambda roster: roster,
) -> Coder:
    """Return the coder for the counted values; kinds that were guessed from a sample are guessed again from all values.

    `dress` adds hierarchies and sensitive items to the roster that the schema does not name.
    """
    if str(given.item_hierarchy or "").partition(":")[0] == "learned":
        raise InputError("a hierarchy is learned from records in memory: learn it from a sample, write it, and give the file")
    texts, codes, counts, columns, kinds = {}, {}, {}, [], dict(guess.schema.kinds)
    for c, name in enumerate(_published_columns(guess.schema)):
        series = pl.Series(unpacked(values[f"{c} texts"]), dtype=pl.String)
        table = Table({name: series}, (), sample.file)
        if name not in given.kinds:
            kinds[name] = guess_kind(table, name, series)[0]
        role = guess.schema.role(name)
        assert role is not None
        column = coded_column(table, name, role, kinds[name], series)
        texts[name], codes[name] = tuple(series.to_list()), column.codes
        counts[name] = np.bincount(column.codes, values[f"{c} counts"], len(column.domain)).astype(np.int64)
        columns.append(column)
    names = unpacked(values["items texts"]) if guess.schema.items else []
    domain = item_order(names)
    held = dict(zip(names, values["items counts"].tolist() if guess.schema.items else [], strict=True))
    supports = np.array([held[name] for name in domain], np.int64)
    schema = replace(guess.schema, kinds=kinds)
    if not columns and not schema.items:
        raise sample.error("nothing to publish: every column is an identifier or has no role")
    fates = tuple(f if f.role == ITEMS else replace(f, kind=kinds.get(f.column, f.kind)) for f in guess.fates)
    whole = _roster(columns, domain if schema.items else None, schema, sample, source, fates)
    if schema.drop_items:
        gone = unpacked(values["removed texts"]), values["removed counts"]
        whole = replace(whole, removed=(len(gone[0]), int(gone[1].sum())))
    materials = {c.name: _material(c, counts[c.name], combined_values(whole, c.name)) for c in columns}
    if whole.transactions is not None:
        materials[ITEMS] = Material(domain, supports, whole.transactions)
    roster = dress(attach(whole, given, materials))
    for column in roster.columns:  # with a hierarchy the codes are those of its leaves
        n = len(texts[column.name])
        old, new = codes[column.name], column.codes[:n]
        if len(column.domain) != len(counts[column.name]) or not np.array_equal(old, new):
            moved = np.zeros(len(column.domain), np.int64)
            moved[new] = counts[column.name][old]
            codes[column.name], counts[column.name] = new, moved
    if roster.transactions is not None:
        supports = np.array([held.get(name, 0) for name in roster.transactions.domain], np.int64)
    return Coder(schema, roster, texts, codes, supports, counts, int(values["records"][0]))


def _roster(
    columns: list[Column],
    domain: tuple[str, ...] | None,
    schema: Schema,
    sample: Table,
    source: BatchSource,
    fates: tuple[Fate, ...],
) -> Dataset:
    """Return the roster: a dataset in which every value of every column, and every item, occurs."""
    n = max([1, len(domain or ()), *(len(column.codes) for column in columns)])
    turned = tuple(replace(c, codes=np.resize(c.codes, n) if len(c.codes) else np.full(n, -1, np.int32)) for c in columns)
    transactions = None
    if domain is not None:
        items = np.resize(np.arange(len(domain), dtype=np.int32), n if domain else 0)
        offsets = np.arange(n + 1, dtype=np.int64) if domain else np.zeros(n + 1, np.int64)
        transactions = Transactions(offsets, items, domain)
    return Dataset(
        turned,
        transactions,
        item_column=item_column(sample, schema.items or ()),
        identifiers=schema.identifier or (),
        sources=source.files,
        reading=as_given(schema, sample.gathered).reading,
        fates=fates,
        gathered=sample.gathered,
    )


def _material(column: Column, counts: Rows, combined: Mapping[str, tuple[str, ...]]) -> Material:
    """Return the single values of a column with their counts: what a person had several of counts for each."""
    totals = dict[str, int]()
    for text, n in zip(column.domain, counts.tolist(), strict=True):
        for part in combined.get(text, (text,)):
            totals[part] = totals.get(part, 0) + n
    domain = tuple(sorted(totals)) if combined else column.domain
    return Material(domain, np.array([totals[text] for text in domain], np.int64))


def _published_columns(schema: Schema) -> list[str]:
    """Return the columns that are published, always in the same order."""
    return [name for name in schema.kinds if schema.role(name) not in (None, "identifier", NO_ROLE)]


def packed(texts: Any) -> NDArray[np.uint8]:
    """Return texts as an array of bytes."""
    return np.frombuffer(json.dumps(list(texts), ensure_ascii=False).encode("utf-8", "surrogatepass"), np.uint8)


def unpacked(array: NDArray[Any]) -> list[str]:
    """Return the texts of an array of bytes."""
    texts: list[str] = json.loads(array.tobytes().decode("utf-8", "surrogatepass"))
    return texts
