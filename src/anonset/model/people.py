"""Whose records they are: rows of one person gathered into one record, and what became of values that differed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

JOINED_BY = " + "  # between the values of one person, in a value of its own
LOWEST, HIGHEST = "_lowest", "_highest"
EACH_RECORD = "each record was taken for one person: no column could tell"


@dataclass(frozen=True, slots=True)
class Gathered:
    """The rows of each person made one record, by a key.

    `differing` are the numbers of people who had several values of a column. `combined` has the values of their own that
    stand for several, with these, by column; `ends` the two columns that a numeric one became; `left_out` the columns that
    differed and had no role.
    """

    key: str
    rows: int
    people: int
    differing: Mapping[str, int] = field(default_factory=dict)
    combined: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    ends: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """What was done, in words; empty where everybody had one row."""
        if self.rows == self.people:
            return ""
        text = f"gathered by {self.key}: {self.rows:,} rows are {self.people:,} people, one record each"
        several = [f"{name} ({count:,})" for name, count in self.differing.items()]
        return text + (f"; people with several values: {', '.join(several)}" if several else "")

    def as_json(self) -> dict[str, Any]:
        """The same as plain data."""
        return {
            "key": self.key,
            "rows": self.rows,
            "people": self.people,
            "differing": dict(self.differing),
            "lowest_and_highest": {name: list(ends) for name, ends in self.ends.items()},
            "left_out": list(self.left_out),
        }

    def original_names(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Names of columns as the input has them: one for the two ends of what differed."""
        called = {end: name for name, ends in self.ends.items() for end in ends}
        return tuple(dict.fromkeys(called.get(name, name) for name in names))
