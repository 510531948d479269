"""Seeded workloads of what random records hold, so that every query counts somebody."""

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from anonset.errors import InputError, ParameterError
from anonset.measure.workload.queries import Query, Workload, check_share, check_sizes
from anonset.model.arrays import Rows
from anonset.model.dataset import Column, Dataset, Transactions

Parts = Literal["relational", "items", "both"]


def random_queries(
    original: Dataset,
    n: int = 100,
    *,
    kind: Parts = "both",
    values: int = 1,
    items: int = 2,
    columns: Sequence[str] | None = None,
    width: float = 0.1,
    seed: int = 0,
) -> Workload:
    """Queries for random values and sets of items, each taken from a random record so that it counts somebody ([000]).

    Values are drawn from the quasi columns, or from the named ones. A numeric value becomes a range of `width` of the column's
    span around it; a record with fewer items gives those it has.
    """
    if kind not in get_args(Parts):
        raise ParameterError(f"random queries ask for one of {', '.join(get_args(Parts))}; got {kind!r}")
    check_sizes(n=n, items=items)
    check_share(width=width)
    asked = () if kind == "items" else _asked_columns(original, values, columns)
    if kind != "items" and not asked:
        raise InputError("relational queries need quasi columns, and the data have none")
    held = None if kind == "relational" else original.transactions
    if kind != "relational" and (held is None or len(held.items) == 0):
        raise InputError("item queries need items, and the data have none")
    rows = np.arange(len(original))
    if held is not None:
        rows = np.flatnonzero(held.lengths >= 1)
        rows = long if len(long := np.flatnonzero(held.lengths >= items)) else rows
    return _drawn(_with_values(rows, asked, values), n, asked, values, held, items, width, seed)


def held_queries(
    original: Dataset,
    n: int = 1000,
    *,
    items: int = 5,
    values: int = 0,
    columns: Sequence[str] | None = None,
    width: float = 0.1,
    seed: int = 0,
) -> Workload:
    """Queries for exactly `items` items that a random record holds together ([003] 5.1, [001]), and `values` of its values.

    Only records with that many items are drawn from, so every count is positive. Sensitive items are not asked for.
    """
    check_sizes(n=n, items=items)
    check_share(width=width)
    held, asked = original.linkable, _asked_columns(original, values, columns)
    rows = np.flatnonzero(held.lengths >= items)
    if len(rows) == 0:
        longest = int(held.lengths.max(initial=0))
        raise InputError(f"no record holds {items} items to ask for together: the longest holds {longest}, ask for fewer")
    return _drawn(_with_values(rows, asked, values), n, asked, values, held, items, width, seed)


def _asked_columns(original: Dataset, values: int, names: Sequence[str] | None) -> tuple[Column, ...]:
    """The columns that values are drawn from; asking for more values than there are columns is an error."""
    check_sizes(least=0, values=values)
    if isinstance(names, str):
        raise ParameterError(f"columns of a workload must be a list of names; got {names!r}")
    columns = original.quasi if names is None else tuple(original.column(name) for name in names)
    if columns and values > len(columns):
        raise ParameterError(f"a query asks for {values} values of different columns, and there are {len(columns)}")
    return columns


def _with_values(rows: Rows, columns: Sequence[Column], values: int) -> Rows:
    """The rows where enough of the columns have a value; all where no row does."""
    known = np.zeros(len(rows), np.int64)
    for column in columns:
        known += column.codes[rows] >= 0
    return full if len(full := rows[known >= min(values, len(columns))]) else rows


def _drawn(
    rows: Rows,
    n: int,
    columns: Sequence[Column],
    values: int,
    held: Transactions | None,
    items: int,
    width: float,
    seed: int,
) -> Workload:
    rng = np.random.default_rng(seed)
    queries = []
    for _ in range(n):
        row = int(rng.choice(rows))
        ranges, chosen = _values_of(columns, row, values, width, rng)
        names: tuple[str, ...] = ()
        if held is not None:
            basket = held.items[held.offsets[row] : held.offsets[row + 1]]
            names = tuple(held.domain[i] for i in np.sort(rng.permutation(basket)[:items]))
        queries.append(Query(ranges, chosen, names))
    return Workload(tuple(queries))


def _values_of(
    columns: Sequence[Column], row: int, values: int, width: float, rng: np.random.Generator
) -> tuple[dict[str, tuple[float, float]], dict[str, tuple[str, ...]]]:
    """Ranges around, and categories of, `values` random values of a row."""
    ranges: dict[str, tuple[float, float]] = {}
    chosen: dict[str, tuple[str, ...]] = {}
    known = [column for column in columns if column.codes[row] >= 0]
    for c in rng.permutation(len(known))[:values] if columns else ():
        column, code = known[c], int(known[c].codes[row])
        if column.values is None:
            chosen[column.name] = (column.domain[code],)
        else:
            half = width / 2 * (column.span[1] - column.span[0])
            ranges[column.name] = (float(column.values[code] - half), float(column.values[code] + half))
    return ranges, chosen
