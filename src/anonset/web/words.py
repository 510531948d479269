"""The words of the pages, each with its technical name as a hint; numbers as people read them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Term:
    """A term in plain words, and its technical name."""

    words: str
    hint: str


@dataclass(frozen=True, slots=True)
class Role:
    """A role of a column; the letter says the same as the colour."""

    letter: str
    words: str
    hint: str


TERMS = {
    "k": Term("people who look alike", "k: everybody shares what may be known about them with at least k - 1 others"),
    "m": Term("items someone may know", "m: the guarantee holds against whoever knows up to m items of a person"),
    "l": Term("different sensitive values", "l: behind everything that looks alike are at least l sensitive values"),
    "now": Term("unique today", "the share of people who are the only one in the original with what could be known about them"),
    "after": Term("re-identification risk", "risk: the highest chance to pick the right record of a person in the release"),
    "columns": Term(
        "kept in columns",
        "1 - NCP (normalized certainty penalty) of the columns: 100 % is the original, 0 % says nothing",
    ),
    "items": Term(
        "kept in items", "1 - NCP (normalized certainty penalty) of the items: 100 % is the original, 0 % says nothing"
    ),
    "verified": Term("verification", "the verifier, which shares no code with the algorithms, read the written files again"),
    "infeasible": Term("cannot be promised", "infeasible: no release meets the request"),
    "error": Term(
        "average error in counts",
        "ARE, average relative error of 200 random counts; of a label of n items each counts as 1 of n",
    ),
    "records": Term("records published", "records of the release; the others were left out"),
    "map": Term("Risk against what is lost", "R-U map: each dot is a release; towards the lower left both are better"),
    "frontier": Term("best available", "Pareto frontier: no other run has less risk without losing more"),
    "knee": Term("good trade-off", "knee: where less loss begins to cost much more risk"),
}

ROLES = {
    "quasi": Role("K", "could be known", "quasi-identifier: somebody may know it about a person, so it is protected"),
    "sensitive": Role("S", "sensitive", "sensitive attribute: published, but not to be connected to a person"),
    "identifier": Role("N", "identifies a person", "direct identifier: never published"),
    "items": Role("I", "list of items", "set-valued attribute: up to m of its items may be known"),
    "other": Role("O", "published unchanged", "other: nobody is expected to know it, and nothing protects it"),
    "none": Role("–", "left out", "no role: not published"),
}

MEASURES = {  # those that are shares
    "risk": "re-identification risk, highest",
    "risk-mean": "re-identification risk, average",
    "ncp": "information lost in columns",
    "ncp-items": "information lost in items",
    "are": "average error in counts",
    "item-error": "average error in how often items occur",
    "exact-values": "values shown exactly",
    "lost-values": "values that say nothing any more",
    "exact-items": "items shown exactly",
    "lost-items": "items that say nothing any more",
    "exact-bound": "items that could be shown exactly, at most",
}

CHECKS = {
    "k-anonymity": "in the columns, everybody looks like at least k people",
    "km-anonymity": "at least k people share any m items",
    "k-km": "at least k people share the columns and any m items",
    "k-map": "the columns shown fit at least k people of the population",
    "km-map": "any m items shown fit at least k people of the population, counted or estimated",
    "kkm-map": "the columns and any m items shown fit at least k people of the population",
    "l-diversity": "people who look alike have at least l different sensitive values",
    "truthful": "every shown value is true of its record",
    "unchanged since published": "the files are those that were written",
}

COVER = {  # the fields of report and certificate
    "title": "Title",
    "by": "Prepared by",
    "language": "Language",
    "recipient": "Recipient",
    "purpose": "Purpose",
    "contact": "Contact",
    "licence": "Licence",
    "valid_until": "Valid until",
    "actor": "Expected attacker",
    "context": "Where and under which agreements it is used",
    "residual_risk": "Remaining risk, and why it is acceptable",
}

PLACES = {
    "data": "Data",
    "hierarchies": "Hierarchies",
    "promise": "Promise",
    "try": "Try",
    "inspect": "Inspect",
    "release": "Release",
}

STATES = {
    "waiting": "waiting",
    "running": "running",
    "done": "done",
    "failed": "failed",
    "infeasible": "cannot be promised",
    "refused": "refused",
    "cancelled": "cancelled",
    "interrupted": "interrupted",
}


def percent(share: float | None) -> str:
    """A share as text: 12 %, 0.3 %, or a dash where it is unknown."""
    if share is None:
        return "–"
    if 0 < share < 0.001:
        return "below 0.1 %"
    return f"{100 * share:.1f} %" if 0 < share < 0.1 else f"{100 * share:,.0f} %"


def one_in(chance: float | None) -> str:
    """A probability as text: 1 in 5."""
    if chance is None:
        return "–"
    return "nobody" if chance <= 0 else f"1 in {round(1 / chance):,}"


def short_time(seconds: float) -> str:
    """A duration as text: 40 s, 3 min."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def size(count: int) -> str:
    """A number of bytes as text."""
    if count < 1_000:
        return f"{count} bytes"
    return f"{count / 1_000:,.0f} KB" if count < 1_000_000 else f"{count / 1_000_000:,.1f} MB"


def sentence(text: str) -> str:
    """A text with a capital first letter."""
    return text[:1].upper() + text[1:]
