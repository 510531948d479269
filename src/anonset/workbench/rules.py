"""Constraints as lines, and what each is about: frozen values that become JSON as they are."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rules:
    """Constraints as lines: sets that need protection, groups that may be shown as one, the share of items that may go.

    With an `m`, all sets of at most m items are meant.
    """

    privacy: tuple[tuple[str, ...], ...] = ()
    utility: tuple[tuple[str, ...], ...] = ()
    suppression: float = 0.0
    m: int | None = None


@dataclass(frozen=True, slots=True)
class RuleFacts:
    """A line: the people who hold all of its items, or any of them; names that do not occur, and what is close to them."""

    all_of: int
    any_of: int
    unknown: tuple[str, ...] = ()
    close: tuple[str, ...] = ()
