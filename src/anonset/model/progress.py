"""How far work has come: one listener, called with a share of 0 to 1, which may raise `Cancelled` to stop the work."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")
Progress = Callable[[float], None]
Phases = Callable[[str], Progress]  # the name of a phase ("Reading") to the listener of its progress


def silent(done: float) -> None:
    """Listen to progress and say nothing."""


def unheard(phase: str) -> Progress:
    """Listen to every phase and say nothing."""
    return silent


def with_progress(items: Sequence[T], progress: Progress) -> Iterator[T]:
    """The items one after the other; the listener hears after each how many are done."""
    for number, item in enumerate(items, 1):
        yield item
        progress(number / len(items))
    if not items:
        progress(1.0)


def part_of(progress: Progress, start: float, stop: float) -> Progress:
    """A listener that hears of one part of the work."""
    return lambda done: progress(start + done * (stop - start))
