"""How far work has come: one listener, called with a share of 0 to 1, which may raise `Cancelled` to stop the work."""

from collections.abc import Callable

Progress = Callable[[float], None]
Phases = Callable[[str], Progress]  # the name of a phase ("Reading") to the listener of its progress


def silent(done: float) -> None:
    """Listen to progress and say nothing."""


def unheard(phase: str) -> Progress:
    """Listen to every phase and say nothing."""
    return silent


def part_of(progress: Progress, start: float, stop: float) -> Progress:
    """A listener that hears of one part of the work."""
    return lambda done: progress(start + done * (stop - start))
