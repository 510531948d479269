"""What becomes of every column of the input, and why."""

from dataclasses import dataclass
from typing import Literal

Role = Literal["identifier", "quasi", "sensitive", "other"]
Kind = Literal["numeric", "categorical"]
NO_ROLE = "none"

FATES = {
    "identifier": "left out",
    NO_ROLE: "left out",
    "quasi": "generalized",
    "items": "generalized",
    "sensitive": "published as it is",
    "other": "published as it is",
}


@dataclass(frozen=True, slots=True)
class Fate:
    """How one column is read, and why: said before anything is published."""

    column: str
    role: str  # quasi, sensitive, identifier, other, items; or none
    kind: str  # numeric, categorical or items
    reason: str
    given: bool  # by the user, not guessed

    @property
    def fate(self) -> str:
        """What happens to it: left out, generalized, or published as it is."""
        return FATES[self.role]


def left_out_sentence(fates: tuple[Fate, ...]) -> str | None:
    """What to say of the columns that nobody gave a role."""
    names = [fate.column for fate in fates if fate.role == NO_ROLE]
    if not names:
        return None
    listed = ",".join(names)
    return f"left out, no role given: {', '.join(names)}; --other {listed} to publish as it is, --quasi {listed} to generalize"


def guesses_sentence(fates: tuple[Fate, ...]) -> str | None:
    """What to say of roles that were guessed; a file of item sets alone leaves nothing to guess."""
    guessed = [fate for fate in fates if not fate.given]
    if not guessed or len(fates) == 1:
        return None
    return "guessed: " + ", ".join(f"{fate.column} is {fate.role}" for fate in guessed)
