"""The numbers and names a guarantee may promise: what is none is refused when the guarantee is made."""

import math
from collections.abc import Sequence
from typing import Any

from anonset.errors import ParameterError


def check_count(guarantee: Any, *names: str) -> None:
    """Raise unless each of these values is a whole number from 1."""
    for name in names:
        value = getattr(guarantee, name)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ParameterError(f"{guarantee.id}: {name} must be a whole number from 1; got {value!r}")


def check_number(guarantee: Any, name: str, *, high: float = math.inf) -> None:
    """Raise unless the value is a finite number from 0 to `high`."""
    value = getattr(guarantee, name)
    number = not isinstance(value, bool) and isinstance(value, int | float)
    if not number or not math.isfinite(value) or not 0 <= value <= high:
        wanted = "a finite number from 0" + (f" to {high:g}" if math.isfinite(high) else "")
        raise ParameterError(f"{guarantee.id}: {name} must be {wanted}; got {value!r}")


def check_text(guarantee: Any, name: str, *, choices: Sequence[str] = ()) -> None:
    """Raise unless the value is a text, one of the choices where there are some."""
    value = getattr(guarantee, name)
    if not isinstance(value, str) or not value or (choices and value not in choices):
        wanted = f"one of {', '.join(choices)}" if choices else "the name of a column"
        raise ParameterError(f"{guarantee.id}: {name} must be {wanted}; got {value!r}")


def check_texts(guarantee: Any, name: str, *, depth: int) -> None:
    """Raise unless the value is a tuple of texts (depth 1), or of such tuples (depth 2)."""
    value = getattr(guarantee, name)
    if not _is_texts(value, depth):
        what = "a list of items" if depth == 1 else "a list of lists of items"
        raise ParameterError(f"{guarantee.id}: {name} must be {what}; got {str(value)[:60]!r}")


def _is_texts(value: Any, depth: int) -> bool:
    if not isinstance(value, tuple):
        return False
    if depth == 1:
        return all(isinstance(part, str) for part in value)
    return all(_is_texts(part, depth - 1) for part in value)
