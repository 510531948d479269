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
    "l": Term("different answers", "l: behind everything that looks alike are at least l sensitive values"),
    "now": Term("one of a kind now", "the share of people who are the only one with what could be known about them"),
    "after": Term("found after", "risk: the highest chance to pick the right person in the release"),
    "lost": Term("detail lost", "NCP, normalized certainty penalty: 0 % is the original, 100 % says nothing at all"),
    "verified": Term("checked", "the verifier, which shares no code with the algorithms, read the written files again"),
    "infeasible": Term("cannot be promised", "infeasible: no release meets the request"),
    "error": Term(
        "error of counts", "ARE, average relative error of 200 random counts; of a label of n items each counts as 1 of n"
    ),
    "records": Term("records published", "records of the release; the others were left out"),
    "map": Term("risk and loss", "R-U map: each dot is a release; towards the lower left both are better"),
    "frontier": Term("nothing better", "Pareto frontier: no other run has less risk without losing more"),
    "knee": Term("good bargain", "knee: where less loss begins to cost much more risk"),
    "hierarchy": Term("groups of groups", "generalization hierarchy: a value may be shown as any group above it"),
    "support": Term("records", "support: how many records hold the value or something below it"),
    "coverage": Term("occur in the data", "coverage: leaves of the hierarchy that are values of the data"),
}

ROLES = {
    "quasi": Role("K", "could be known", "quasi-identifier: somebody may know it about a person, so it is protected"),
    "sensitive": Role("S", "must not be learnt", "sensitive attribute: published, but not to be tied to a person"),
    "identifier": Role("N", "names a person", "direct identifier: never published"),
    "items": Role("I", "list of items", "set-valued attribute: up to m of its items may be known"),
    "other": Role("O", "harmless", "published as it is; nothing protects it"),
    "none": Role("–", "left out", "no role: not published"),
}

MEASURES = {  # those that are shares
    "risk": "chance of being found, at most",
    "risk-mean": "chance of being found, on average",
    "ncp": "detail lost in the columns",
    "ncp-items": "detail lost in the items",
    "are": "error of counts",
    "item-error": "error of how often items occur",
    "exact-values": "values shown as they are",
    "lost-values": "values that say nothing any more",
    "exact-items": "items shown as they are",
    "lost-items": "items that say nothing any more",
}

CHECKS = {
    "k-anonymity": "everybody shares the columns with k people",
    "km-anonymity": "up to m items are shared by k people",
    "k-km": "the columns, and up to m items beside them, are shared by k people",
    "l-diversity": "there are l different answers behind what looks alike",
    "truthful": "every shown value is true of its record",
    "unchanged since published": "the files are those that were written",
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
