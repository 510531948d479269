"""What sets two releases apart: frozen values that become JSON as they are."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from anonset.workbench.values import Run


@dataclass(frozen=True, slots=True)
class Difference:
    """A setting or a measure in two releases; `better` names the one that it speaks for, where it speaks for one."""

    name: str
    a: Any
    b: Any
    better: Literal["a", "b"] | None = None
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class Kept:
    """A column, or an item: in how many records it is there, and in how many it is shown as it is, in one release or both."""

    name: str
    records: int
    a: int
    b: int
    only_a: int
    only_b: int


@dataclass(frozen=True, slots=True)
class Versus:
    """Two releases of the same data: what was set otherwise, what came out, and what is exact in one and not in the other.

    `items` are those in which the releases differ most, `item_count` says in how many they do; none where a release has doubts
    about items instead of groups of them.
    """

    a: Run
    b: Run
    settings: tuple[Difference, ...]
    measures: tuple[Difference, ...]
    columns: tuple[Kept, ...]
    items: tuple[Kept, ...]
    item_count: int


@dataclass(frozen=True, slots=True)
class Threefold:
    """Records before and in two releases: the same fields in all; `changed` are those in which the two differ, row by row."""

    total: int
    start: int
    columns: tuple[str, ...]
    before: tuple[Mapping[str, Any], ...]
    a: tuple[Mapping[str, Any] | None, ...]
    b: tuple[Mapping[str, Any] | None, ...]
    changed: tuple[tuple[str, ...], ...]
