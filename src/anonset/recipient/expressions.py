"""Polars expressions as conditions: `(pl.col("age") < 40) & pl.col("diagnoses").list.contains("I10")`.

Polars writes the tree of an expression as JSON. A part without a column is a constant, which polars computes.
"""

import io
import json
import warnings
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import polars as pl

from anonset.errors import InputError
from anonset.recipient.query import TURNED, Condition, Fields, all_items, both, column_condition, either
from anonset.recipient.regions import FIRST, LAST, Region

SIGNS = {"Eq": "=", "NotEq": "!=", "Lt": "<", "LtEq": "<=", "Gt": ">", "GtEq": ">="}
CLOSED = {"Both": (">=", "<="), "Left": (">=", "<"), "Right": (">", "<="), "None": (">", "<")}
JOINED = {"And": "and", "LogicalAnd": "and", "AllHorizontal": "and", "Or": "or", "LogicalOr": "or", "AnyHorizontal": "or"}
UNDERSTOOD = "== != < <= > >=, is_in, is_between, is_null, is_not_null, list.contains, & | ~"


def condition_of_expression(expression: pl.Expr, fields: Fields) -> Condition:
    """The condition that a polars expression states of the columns of a release."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # other versions may write other trees; what is not understood is refused
        tree = json.loads(expression.meta.serialize(format="json"))
    return _Translator(fields).of(tree, inverted=False)


class _Translator:
    """Translates the nodes of a tree; `inverted` asks for the opposite."""

    def __init__(self, fields: Fields) -> None:
        self.fields = fields

    def of(self, node: Any, *, inverted: bool) -> Condition:
        """The condition that a node states."""
        kind, parts = next(iter(node.items())) if isinstance(node, dict) else ("", {})
        if kind == "Alias":
            return self.of(parts[0], inverted=inverted)
        if kind == "BinaryExpr" and parts["op"] in JOINED:
            return self._joined(JOINED[parts["op"]], [parts["left"], parts["right"]], inverted=inverted)
        if kind == "BinaryExpr" and parts["op"] in SIGNS:
            return self._compared(SIGNS[parts["op"]], parts["left"], parts["right"], inverted=inverted)
        if kind == "Function":
            (group, call), *_ = _pairs(parts["function"])
            return self._called(group, call, parts["input"], inverted=inverted)
        raise _refusal(node)

    def _joined(self, word: str, parts: Sequence[Any], *, inverted: bool) -> Condition:
        join = both if (word == "and") is not inverted else either
        found = self.of(parts[0], inverted=inverted)
        for part in parts[1:]:
            found = join(found, self.of(part, inverted=inverted))
        return found

    def _called(self, group: str, call: Any, inputs: Sequence[Any], *, inverted: bool) -> Condition:
        (name, options), *_ = _pairs(call)
        if group == "ListExpr" and name == "Contains":
            return self._contains(inputs, inverted=inverted)
        if group != "Boolean":
            raise _refusal({group: call})
        if name == "Not":
            return self.of(inputs[0], inverted=not inverted)
        if name in JOINED:
            return self._joined(JOINED[name], inputs, inverted=inverted)
        if name in ("IsNull", "IsNotNull"):
            present = (name == "IsNotNull") is not inverted
            return column_condition(self._column(inputs[0]), Region((FIRST, LAST)) if present else Region(missing=True))
        if name == "IsIn":
            return self._is_in(inputs, inverted=inverted)
        if name == "IsBetween":
            column, (low, high) = self._column(inputs[0]), (_constant(part) for part in inputs[1:])
            first, last = CLOSED[options["closed"]]
            region = self.fields.compared(column, first, low) & self.fields.compared(column, last, high)
            return column_condition(column, region.inverted if inverted else region)
        raise _refusal({group: call})

    def _contains(self, inputs: Sequence[Any], *, inverted: bool) -> Condition:
        if (name := _name(inputs[0])) != self.fields.items:
            raise InputError(f"list.contains is for the column of items; got {name!r}")
        return all_items([str(_constant(inputs[1]))], absent=inverted)

    def _compared(self, sign: str, left: Any, right: Any, *, inverted: bool) -> Condition:
        if _name(left) is None and _name(right) is not None:
            left, right, sign = right, left, TURNED[sign]
        column = self._column(left)
        region = self.fields.compared(column, sign, _constant(right))
        return column_condition(column, region.inverted if inverted else region)

    def _is_in(self, inputs: Sequence[Any], *, inverted: bool) -> Condition:
        column = self._column(inputs[0])
        region = Region.of(self.fields.value(column, value) for value in _constant(inputs[1]) if value is not None)
        return column_condition(column, region.inverted if inverted else region)

    def _column(self, node: Any) -> str:
        name = _name(node)
        if name is None:
            raise _refusal(node)
        self.fields.require(name)
        if name == self.fields.items:
            raise InputError(f"{name!r} is the column of items: ask for them by list.contains, or as items=[...]")
        return name


def _pairs(call: Any) -> list[tuple[str, Any]]:
    """A call with its options: polars writes one without options as a text."""
    return list(call.items()) if isinstance(call, Mapping) else [(str(call), {})]


def _name(node: Any) -> str | None:
    """The column that a node is."""
    kind, parts = next(iter(node.items())) if isinstance(node, dict) else ("", {})
    return str(parts) if kind == "Column" else None


def _constant(node: Any) -> Any:
    """The value of a part without columns: a number, a text, or a list of these; dates are texts."""
    try:
        made = pl.Expr.deserialize(io.BytesIO(json.dumps(node).encode()), format="json")
        found = pl.select(made).to_series() if not made.meta.root_names() else None
    except pl.exceptions.PolarsError:
        found = None
    if found is None or len(found) != 1:
        raise _refusal(node)
    value = found.item()
    if isinstance(value, pl.Series):
        return [_plain(one) for one in value]
    return _plain(value)


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value


def _refusal(node: Any) -> InputError:
    """What is expected, and what the expression has instead."""
    kind, parts = next(iter(node.items())) if isinstance(node, dict) else (str(node), {})
    said = parts["op"] if kind == "BinaryExpr" else kind
    return InputError(f"a comparison of a column with a value is expected ({UNDERSTOOD}); the expression has {said}")
