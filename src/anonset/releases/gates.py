"""What may be published: everything linkable covered, no column that nearly names people, and something worth reading.

Whoever publishes passes through here, from the command line, from Python or over a network.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from anonset.data.naming import values_name_people
from anonset.errors import AnonsetError, ExposureError, ParameterError, UncoveredError, WorthlessError
from anonset.measure.published import standing_times
from anonset.model.accepted import LOST_SHARE, Accepted
from anonset.model.arrays import Rows
from anonset.model.columns import Column
from anonset.model.dataset import Dataset
from anonset.model.guarantees import Constraints, Guarantee, Part
from anonset.model.hierarchy import is_public
from anonset.model.labels import GeneralizedItems, PublishedColumn, Ranges
from anonset.model.release import Release
from anonset.model.ways import way

RARE_SHARE = 0.1  # of the records of a column that may have a value which fewer than k share
HELPS = {  # parameters that leave more to read, where an algorithm takes them
    "k": "a smaller k",
    "m": "a smaller m",
    "items": "another item step (the parameter items)",
    "refine": "refine",
    "delta": "a larger delta",
    "suppression": "a suppression limit",
    "seconds": "more seconds",
}


@dataclass(frozen=True, slots=True)
class Exposure:
    """Why a column is not let out: it ties records together, nothing covers it, or a share of its values is rare.

    Rare is what fewer than k records hold.
    """

    column: str
    kind: Literal["tied", "uncovered", "rare", "named"]
    role: str = ""
    share: float = 0.0
    k: int = 0
    reason: str = ""

    def __str__(self) -> str:
        if self.kind == "tied":
            return f"records are counted, not people: values of {self.column} repeat, and several records are one person's"
        if self.kind == "uncovered":
            return f"{self.column} is published and no guarantee covers it"
        if self.kind == "named":
            return f"{self.column} names people ({self.reason}), and a published set of its values would still list them"
        return (
            f"{self.column} ({self.role}) would be published as it is, and {self.share:.0%} of its values are shared by "
            f"fewer than {self.k} records"
        )


@dataclass(frozen=True, slots=True)
class Admission:
    """What was found at the gates and accepted, in sentences."""

    exposed: Mapping[str, Exposure]
    lost: Mapping[str, float]

    @property
    def sentences(self) -> tuple[str, ...]:
        """What a reader of the release must know."""
        lost = (f"{share:.0%} of {name} say nothing (accepted)" for name, share in self.lost.items())
        return (*(f"{reason} (accepted)" for reason in self.exposed.values()), *lost)

    def as_json(self) -> dict[str, Any]:
        """The same for a manifest, by column."""
        exposure = {name: str(reason) for name, reason in self.exposed.items()}
        return {"exposure": exposure, "loss": dict(self.lost), "repeats": self.repeats}

    @property
    def repeats(self) -> bool:
        """Whether records were counted although several are one person's."""
        return any(reason.kind == "tied" for reason in self.exposed.values())


def admit(original: Dataset, release: Release, accepted: Accepted) -> Admission:
    """Let a release pass, with what was accepted; or raise what speaks against it."""
    return judged(original, release, accepted, exposures(original, release), lambda: lost_shares(original, release))


def judged(
    original: Dataset,
    release: Release,
    accepted: Accepted,
    exposed: Mapping[str, Exposure],
    shares: Callable[[], Mapping[str, float]],
) -> Admission:
    """The same for what was found elsewhere: columns that nearly name people, and the share of each that says nothing."""
    tied = one_record_a_person(original, accepted)
    names = {column.name for column in original.columns} | {fate.column for fate in original.fates} | {original.item_column}
    if unknown := sorted(set(accepted.exposure) - names):
        listed = ", ".join(sorted(names))
        raise ParameterError(f"exposure is accepted for {unknown[0]!r}, which is no column; there are {listed}")
    exposed = {**exposed, **naming_columns(original)}
    if refused := [name for name in exposed if name not in accepted.exposure]:
        raise ExposureError(f"{exposed[refused[0]]}; leave it out, or insist with {way('accept_exposure', refused[:1])}")
    bare = bare_attributes(original, release)
    if refused := [name for name in bare if name not in accepted.exposure]:
        raise UncoveredError(_uncovered_text(release, refused))
    open_to = {name: Exposure(name, "uncovered") for name in bare}
    lost = {name: share for name, share in shares().items() if share > LOST_SHARE}
    if lost and not accepted.loss:
        parts = ", ".join(f"{share:.0%} of {name}" for name, share in lost.items())
        way_out = f"try {_helping(release)}, or insist with {way('accept_loss', True)}"
        raise WorthlessError(f"the release would be worthless: {parts} say nothing; {way_out}")
    return Admission({**tied, **exposed, **open_to}, lost)


def one_record_a_person(original: Dataset, accepted: Accepted) -> dict[str, Exposure]:
    """What ties records of one person together although that was accepted; raise where it was not: k means people."""
    if original.tied and not accepted.takes_repeats(original.tied):
        raise ExposureError(
            f"values of {', '.join(original.tied)} repeat, so people have several rows and k rows may all be one person's; "
            f"gather one record a person ({gathering(original.tied[0])}), or insist on counting rows "
            f"({way('accept_repeats', True)})"
        )
    return {name: Exposure(name, "tied") for name in original.tied}


def gathering(id: str) -> str:
    """What to pass for the rows of a person to become one record."""
    return way("key", id)


def waved_through(original: Dataset, release: Release) -> Admission:
    """What a release needs to be accepted for, whatever it is."""
    return admit(original, release, anything(original))


def anything(original: Dataset) -> Accepted:
    """All that could be accepted."""
    names = {original.item_column, *(c.name for c in original.columns)}
    return Accepted(tuple(names), loss=True, repeats=True)


def refusal(original: Dataset, release: Release) -> str:
    """Why the release of these records would not be published without something being accepted; empty where it would."""
    try:
        admit(original, release, Accepted(repeats=True))
    except AnonsetError as error:
        return str(error)
    return ""


def bare_attributes(original: Dataset, release: Release) -> tuple[str, ...]:
    """The attributes an attacker may know that are published and that no guarantee of the release covers."""
    quasi, items = linkable_parts(original)
    shown = {column.name for column in release.columns}
    known = [name for name in quasi if name in shown]
    return uncovered(known, items if release.items is not None else None, release.guarantees)


def exposures(original: Dataset, release: Release) -> dict[str, Exposure]:
    """The columns published as they are in which more than a few values are shared by fewer than k records, and how many."""
    counts = {}
    for column in (original.column(c.name) for c in release.columns if c.role != "quasi"):
        codes = column.codes[release.rows]
        counts[column.name] = np.bincount(codes[codes >= 0], minlength=len(column.domain))
    return exposures_of(release, counts, len(release))


def exposures_of(release: Release, counts: Mapping[str, Rows], n: int) -> dict[str, Exposure]:
    """The same from the number of records of each value, of n records in all."""
    k = max((getattr(g, "k", getattr(g, "l", 1)) for g in release.guarantees), default=1)
    return _exposed(release.columns, counts, n, k)


def foreseen_exposures(original: Dataset, k: int) -> dict[str, Exposure]:
    """The same before there is a release, where all records are published, and what is known of quasi columns then."""
    counts = {c.name: np.bincount(c.codes[c.codes >= 0], minlength=1) for c in original.columns if c.role != "quasi"}
    return {**_exposed(original.columns, counts, len(original), k), **naming_columns(original)}


def naming_columns(original: Dataset) -> dict[str, Exposure]:
    """The quasi columns whose values name people and, without a tree that everybody knows, would be published in sets."""
    found = {}
    for column in original.quasi:
        listed = column.kind == "categorical" and not is_public(column.hierarchy)
        if listed and (reason := values_name_people(column.name, column.domain)):
            found[column.name] = Exposure(column.name, "named", column.role, reason=reason)
    return found


def _exposed(columns: Sequence[Column | PublishedColumn], counts: Mapping[str, Rows], n: int, k: int) -> dict[str, Exposure]:
    found = {}
    for name, role in ((column.name, column.role) for column in columns if column.role != "quasi"):
        rare = float(counts[name][counts[name] < k].sum() / max(1, n))
        if rare > RARE_SHARE:
            found[name] = Exposure(name, "rare", role, rare, k)
    return found


def lost_shares(original: Dataset, release: Release) -> dict[str, float]:
    """The share of each generalized attribute that says "anything": of a column's values, or of the items there were."""
    lost = {column.name: lost_values(original.column(column.name).take(release.rows), column) for column in release.quasi}
    if isinstance(release.items, GeneralizedItems) and original.transactions is not None:
        *of_label, _, none = standing_times(original, release).all.tolist()
        everything = len(original.transactions.domain)
        sizes = release.items.labels.sizes if everything > 1 else np.zeros(len(of_label), np.int64)
        gone = none + sum(times for times, size in zip(of_label, sizes.tolist(), strict=True) if size >= everything)
        lost[original.item_column] = gone / max(1, sum(of_label) + none)
    return lost


def covering(parts: frozenset[Part]) -> list[str]:
    """The algorithms whose guarantees cover all these parts."""
    from anonset.algorithms import ALGORITHMS

    return [name for name, algorithm in ALGORITHMS.items() if parts <= algorithm.covers and not algorithm.comparator]


def _uncovered_text(release: Release, bare: list[str]) -> str:
    wanted: set[Part] = {"quasi"} if release.quasi else set()
    wanted |= {"items"} if release.items is not None else set()
    promised = ", ".join(guarantee.id for guarantee in release.guarantees) or "nothing"
    return (
        f"{', '.join(bare)} may be known to an attacker and {'are' if len(bare) > 1 else 'is'} not covered by {promised}; "
        f"algorithms that cover {'it' if len(bare) == 1 else 'them'}: {', '.join(covering(frozenset(wanted)))}; "
        f"or leave out what is not needed ({way('identifier')}), or insist with {way('accept_exposure', bare)}"
    )


def _helping(release: Release) -> str:
    """What could be asked for instead: only what the algorithm takes, but for k, m, delta that cannot go on."""
    asked = release.provenance.parameters
    taken = [text for name, text in HELPS.items() if name in asked and asked[name] != 1]
    return ", ".join([*taken, "a hierarchy with more levels"])


def lost_values(original: Column, published: PublishedColumn) -> float:
    """The share of the records whose value is published as all the values there are."""
    if isinstance(published.labels, Ranges):
        low, high = original.span
        everything = (published.labels.low <= low) & (published.labels.high >= high) & (low < high)
    else:
        all_values = len(original.domain if is_public(original.hierarchy) else np.unique(original.codes[original.codes >= 0]))
        everything = (published.labels.sizes >= all_values) & (all_values > 1)
    there = published.codes[published.codes >= 0]
    return float(everything[there].sum() / max(1, len(published)))


def linkable_parts(data: Dataset) -> tuple[tuple[str, ...], str | None]:
    """The names of the quasi columns, and that of the items where some item that occurs is not sensitive."""
    quasi = tuple(column.name for column in data.quasi)
    items = data.transactions is not None and len(data.linkable.items) > 0
    return quasi, data.item_column if items else None


def uncovered(quasi: Sequence[str], items: str | None, guarantees: Iterable[Guarantee]) -> tuple[str, ...]:
    """The attributes an attacker may link on that no guarantee covers: quasi columns first, then the items.

    An attacker may know both kinds at once: two guarantees that each cover one of them do not cover them together.
    """
    wanted: set[Part] = {"quasi"} if quasi else set()
    wanted |= {"items"} if items is not None else set()
    covered: set[Part] = set()
    for guarantee in guarantees:
        if isinstance(guarantee, Constraints) and not guarantee.itemsets:
            continue  # without a single itemset they cover nothing
        if wanted <= guarantee.covers:
            return ()
        covered |= guarantee.covers
    missing = wanted - covered or wanted
    return (*(quasi if "quasi" in missing else ()), *([items] if items is not None and "items" in missing else ()))
