"""What is promised, in plain words."""

from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any

from anonset.model.guarantees import Guarantee, Part, promise_words
from anonset.model.release import Release
from anonset.report.words import Words

SHARES = ("share", "suppression")


def promises(release: Release, item_column: str, words: Words) -> list[dict[str, str]]:
    """Each guarantee as a sentence, with its technical name; policies of the owner are counted, not listed."""
    known = [column.name for column in release.quasi]
    return [{"id": g.id, "name": promise_words(g), "words": promise(g, known, item_column, words)} for g in release.guarantees]


def promise(guarantee: Guarantee, known: Sequence[str], item_column: str, words: Words) -> str:
    """One guarantee as a sentence."""
    values: dict[str, Any] = {f.name: _said(f.name, getattr(guarantee, f.name), words) for f in fields(guarantee)}
    return words(f"promise.{guarantee.id}", **{"known": words.listed(known), "items": item_column} | values)


def people_alike(guarantees: Iterable[Guarantee]) -> int | None:
    """How many people look alike at least, by what is promised about linking; None where nothing is."""
    counts = [getattr(g, "k", getattr(g, "l", 1)) for g in guarantees if g.covers & {"quasi", "items"}]
    return min(counts, default=None)


def about(release: Release, parts: set[Part], item_column: str, words: Words) -> str:
    """What the promises say of some kind of attack."""
    known = [column.name for column in release.quasi]
    said = [promise(g, known, item_column, words) for g in release.guarantees if g.covers & parts]
    return words("annex.covered", promise=" ".join(said)) if said else words("annex.not_covered")


def _said(name: str, value: Any, words: Words) -> Any:
    if name in SHARES:
        return words.percent(value)
    return len(value) if isinstance(value, tuple) else words.number(value) if isinstance(value, int) else value
