"""Long lists, a page at a time."""

from collections.abc import Sequence
from typing import Generic, TypeVar

from pydantic import BaseModel

T = TypeVar("T")


class Page(BaseModel, Generic[T]):
    """Some of `total` entries, from `start` on."""

    total: int
    start: int
    entries: tuple[T, ...]

    @classmethod
    def of(cls, total: int, start: int, entries: Sequence[T]) -> "Page[T]":
        """A page."""
        return cls(total=total, start=start, entries=tuple(entries))
