"""Conditions on a table without labels: the original, a completed table, or what is exact in a release."""

from functools import reduce
from operator import and_, or_
from typing import Any, cast

import polars as pl

from anonset.errors import InputError
from anonset.recipient.query import Alternative, Condition, Fields
from anonset.recipient.regions import Border, Region


def count_in(table: pl.DataFrame, condition: Condition, fields: Fields) -> int:
    """The number of records of a table that meet a condition; a missing value meets no comparison."""
    asked = {name for one in condition for name in one.columns}
    asked |= {str(fields.items)} if any(one.items for one in condition) else set()
    if lacking := sorted(asked - set(table.columns)):
        raise InputError(f"the table has no column {lacking[0]!r}")
    return table.filter(reduce(or_, [_meets(one, fields) for one in condition])).height


def _meets(one: Alternative, fields: Fields) -> pl.Expr:
    tests = [_within(name, region, number=fields.numeric[name]) for name, region in one.columns.items()]
    items = pl.col(str(fields.items)).list
    tests += [pl.any_horizontal([items.contains(pl.lit(name)) for name in sorted(some)]) for some in one.some]
    tests += [~items.contains(pl.lit(name)) for name in sorted(one.absent)]
    return reduce(and_, tests, pl.lit(value=True))


def _within(name: str, region: Region, *, number: bool) -> pl.Expr:
    value = pl.col(name).cast(pl.Float64 if number else pl.String)
    pairs = zip(region.borders[::2], region.borders[1::2], strict=True)
    inside = reduce(or_, [_above(value, first) & _below(value, last) for first, last in pairs], pl.lit(value=False))
    return inside.fill_null(value=False) | value.is_null() if region.missing else inside


def _above(value: pl.Expr, border: Border) -> pl.Expr:
    if border.value is None:
        return value.is_not_null()
    end: Any = pl.lit(border.value)
    return cast(pl.Expr, value > end if border.after else value >= end)


def _below(value: pl.Expr, border: Border) -> pl.Expr:
    if border.value is None:
        return value.is_not_null()
    end: Any = pl.lit(border.value)
    return cast(pl.Expr, value <= end if border.after else value < end)
