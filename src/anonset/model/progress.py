"""Progress of work: a listener called with the share done, 0 to 1; it may raise `Cancelled` to stop the work."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")
Progress = Callable[[float], None]
Phases = Callable[[str], Progress]  # the name of a phase ("Reading") to the listener of its progress


def silent(done: float) -> None:
    """Ignore progress."""


def unheard(phase: str) -> Progress:
    """Ignore the progress of every phase."""
    return silent


def with_progress(items: Sequence[T], progress: Progress) -> Iterator[T]:
    """Yield the items and report after each the share that is done."""
    for number, item in enumerate(items, 1):
        yield item
        progress(number / len(items))
    if not items:
        progress(1.0)


def part_of(progress: Progress, start: float, stop: float) -> Progress:
    """Return a listener for one part of the work, from `start` to `stop` of the whole."""
    return lambda done: progress(start + done * (stop - start))
