"""What becomes of every column of the input, and why."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from anonset.model.ways import way

Role = Literal["identifier", "quasi", "sensitive", "other"]
Kind = Literal["numeric", "categorical"]
NO_ROLE = "none"
VARIES = "rows of one person differ"  # the reason why a column has no role

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
    ties: bool = False  # rows of one person: its values stand for people or what they did, and repeat

    @property
    def fate(self) -> str:
        """What happens to it: left out, generalized, or published as it is."""
        return FATES[self.role]

    def as_json(self) -> dict[str, Any]:
        """The same as plain data."""
        return asdict(self) | {"fate": self.fate}


def left_out_sentence(fates: tuple[Fate, ...]) -> str | None:
    """What to say of the columns that nobody gave a role."""
    varying = [fate.column for fate in fates if fate.reason == VARIES]
    names = [fate.column for fate in fates if fate.role == NO_ROLE and fate.column not in varying]
    said = [f"left out, {VARIES}: {', '.join(varying)}"] if varying else []
    if names:
        published, generalized = way("other", names), way("quasi", names)
        said += [f"left out, no role given: {', '.join(names)}; {published} to publish as it is, {generalized} to generalize"]
    return "; ".join(said) or None


def guesses_sentence(fates: tuple[Fate, ...]) -> str | None:
    """What to say of roles that were guessed; a file of item sets alone leaves nothing to guess."""
    guessed = [fate for fate in fates if not fate.given]
    if not guessed or len(fates) == 1:
        return None
    return "guessed: " + ", ".join(f"{fate.column} is {fate.role}" for fate in guessed)
