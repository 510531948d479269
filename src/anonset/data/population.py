"""The population that records were taken from: coded as the records, which come first in it."""

from dataclasses import replace

import numpy as np

from anonset.errors import InputError
from anonset.model.arrays import Rows
from anonset.model.dataset import Column, Dataset, Transactions, item_order
from anonset.model.sets import places_in, set_ranks, sorted_within


def with_items_of(whole: Dataset, data: Dataset) -> Dataset:
    """The population with the items of the data in its domain too: sensitive ones may be unknown to it."""
    if whole.transactions is None or data.transactions is None:
        return whole
    domain = item_order({*whole.transactions.domain, *data.transactions.domain})
    return replace(whole, transactions=_recoded(whole.transactions, domain))


def with_population(data: Dataset, whole: Dataset) -> Dataset:
    """The data, coded as the population; InputError unless every record is in the population."""
    columns = {column.name: column for column in whole.columns}
    if columns.keys() != {column.name for column in data.quasi} or (whole.transactions is None) != (data.transactions is None):
        raise InputError("the population needs the quasi columns and the items of the data, read in the same way")
    transactions, tree = data.transactions, whole.item_hierarchy
    if transactions is not None and whole.transactions is not None:
        transactions = _recoded(transactions, whole.transactions.domain)
    coded = tuple(_coded_as(c, columns[c.name]) if c.role == "quasi" else c for c in data.columns)
    return replace(data, columns=coded, transactions=transactions, item_hierarchy=tree, sources=data.sources + whole.sources)


def attached(data: Dataset, whole: Dataset) -> Dataset:
    """The data with their population, in which the people of the records come first."""
    whole = replace(whole, sensitive_items=data.sensitive_items)
    rows = _places(data, whole)
    others = np.setdiff1d(np.arange(len(whole)), rows)
    transactions = None
    if data.transactions is not None and whole.transactions is not None:
        rest = whole.linkable.take(others)
        offsets = np.append(data.transactions.offsets, data.transactions.offsets[-1] + rest.offsets[1:])
        items = np.concatenate([data.transactions.items, rest.items])
        transactions = Transactions(offsets, items, data.transactions.domain)
    everybody = np.concatenate([rows, others])
    columns = tuple(column.take(everybody) for column in whole.columns)
    kept = Dataset(columns, transactions, whole.item_hierarchy, data.sensitive_items, data.item_column)
    return replace(data, population=kept)


def _recoded(old: Transactions, domain: tuple[str, ...]) -> Transactions:
    """The same item sets over a larger domain."""
    place = places_in(domain, old.domain)
    if (place[old.items] < 0).any():
        raise InputError("the population must contain every record: some have items that nobody in it has")
    return Transactions(old.offsets, sorted_within(old.offsets, place[old.items], len(domain)), domain)


def _coded_as(column: Column, other: Column) -> Column:
    """The column with the codes of the same column of the population; numbers are found by their value."""
    if column.values is not None and other.values is not None:
        place = places_in(other.values.tolist(), column.values.tolist())
    else:
        place = places_in(other.domain, column.domain)
    codes = np.append(place, -1)[column.codes].astype(np.int32)
    if ((codes < 0) & (column.codes >= 0)).any():
        raise InputError("the population must contain every record: some have values that nobody in it has", column=column.name)
    return replace(other, codes=codes)


def _places(data: Dataset, whole: Dataset) -> Rows:
    """A row of the population for each record, another one for each, that has the same quasi values and linkable items."""
    n = len(data)
    keys = np.zeros(n + len(whole), np.int64)
    parts = [np.concatenate([c.codes, whole.column(c.name).codes]) for c in data.quasi]
    if data.transactions is not None:
        ours, theirs = data.linkable, whole.linkable
        offsets = np.append(ours.offsets, ours.offsets[-1] + theirs.offsets[1:])
        parts.append(set_ranks(offsets, np.concatenate([ours.items, theirs.items]), len(ours.domain)))
    for part in parts:
        keys = np.unique(np.stack([keys, part], axis=1), axis=0, return_inverse=True)[1].ravel()
    mine, others = np.argsort(keys[:n], kind="stable"), np.argsort(keys[n:], kind="stable")
    sorted_mine, sorted_others = keys[:n][mine], keys[n:][others]
    nth = np.arange(n) - np.searchsorted(sorted_mine, sorted_mine)
    at = np.searchsorted(sorted_others, sorted_mine) + nth
    there = at < np.searchsorted(sorted_others, sorted_mine, side="right")
    if not there.all():
        raise InputError(f"the population must contain every record: {int((~there).sum())} of {n} records are not in it")
    rows = np.empty(n, np.int64)
    rows[mine] = others[at]
    return rows
