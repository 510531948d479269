"""How much work a check may be before it is refused. Nothing is ever sampled in silence."""

from anonset.model.verdict import Finding

LIMIT = 4_000_000_000  # elementary steps: sets looked at in records, or pairs of records compared
BLOCK = 4_000_000  # steps whose traces are held in memory at once


class TooLargeError(Exception):
    """The check would take more steps than the limit allows."""


def require_within(steps: int, limit: int) -> None:
    """Raise where a check takes more steps than the limit."""
    if steps > limit:
        raise TooLargeError(f"it takes more than the {limit:,} steps that the limit allows")


def not_checked(guarantee: str, why: object) -> Finding:
    """The finding that says a check was refused, which counts as not holding."""
    return Finding(guarantee, holds=False, checked=False, worst=str(why))
