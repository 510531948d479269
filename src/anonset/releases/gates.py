"""What may be published: everything linkable covered, no column that nearly names people, and something worth reading.

Whoever publishes passes through here, from the command line, from Python or over a network.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from anonset.errors import AnonsetError, ExposureError, ParameterError, UncoveredError, WorthlessError
from anonset.measure.published import standing
from anonset.model.accepted import Accepted
from anonset.model.columns import Column
from anonset.model.dataset import Dataset
from anonset.model.guarantees import Constraints, Guarantee, Part
from anonset.model.labels import GeneralizedItems, PublishedColumn, Ranges
from anonset.model.left_out import is_public
from anonset.model.release import Release

RARE_SHARE = 0.1  # of the records of a column that may have a value which fewer than k share
LOST_SHARE = 0.9  # of an attribute that may say "anything"
HELP = "another item step (items=...), refine, a smaller m, a larger delta, a suppression limit, a hierarchy with more levels"


@dataclass(frozen=True, slots=True)
class Admission:
    """What was found at the gates and accepted, in sentences."""

    exposed: Mapping[str, str]
    lost: Mapping[str, float]

    @property
    def sentences(self) -> tuple[str, ...]:
        """What a reader of the release must know."""
        lost = (f"{share:.0%} of {name} say nothing (accepted)" for name, share in self.lost.items())
        return (*(f"{reason} (accepted)" for reason in self.exposed.values()), *lost)


def admit(original: Dataset, release: Release, accepted: Accepted) -> Admission:
    """Let a release pass, with what was accepted; or raise what speaks against it."""
    names = {column.name for column in original.columns} | {original.item_column}
    unknown = next((name for name in accepted.exposure if name not in names), None)
    if unknown is not None:
        raise ParameterError(f"exposure is accepted for {unknown!r}, which is no column; there are {', '.join(sorted(names))}")
    exposed = exposures(original, release)
    if refused := [name for name in exposed if name not in accepted.exposure]:
        raise ExposureError(f"{exposed[refused[0]]}; leave it out, or insist with --accept-exposure {refused[0]}")
    bare = bare_attributes(original, release)
    if refused := [name for name in bare if name not in accepted.exposure]:
        raise UncoveredError(_uncovered_text(release, refused))
    open_to = {name: f"{name} is published and no guarantee covers it" for name in bare}
    lost = {name: share for name, share in lost_shares(original, release).items() if share > LOST_SHARE}
    if lost and not accepted.loss:
        raise WorthlessError(worthless_text(lost))
    return Admission(exposed | open_to, lost)


def refusal(original: Dataset, release: Release) -> str:
    """Why the release would not be published without something being accepted; empty where it would."""
    try:
        admit(original, release, Accepted())
    except AnonsetError as error:
        return str(error)
    return ""


def bare_attributes(original: Dataset, release: Release) -> tuple[str, ...]:
    """The attributes an attacker may know that are published and that no guarantee of the release covers."""
    quasi, items = linkable_parts(original)
    shown = {column.name for column in release.columns}
    known = [name for name in quasi if name in shown]
    return uncovered(known, items if release.items is not None else None, release.guarantees)


def exposures(original: Dataset, release: Release) -> dict[str, str]:
    """The columns published as they are in which more than a few values are shared by fewer than k records, and how many."""
    k = max((getattr(g, "k", getattr(g, "l", 1)) for g in release.guarantees), default=1)
    found = {}
    for column in release.columns:
        if column.role != "quasi":
            rare = _rare_share(original.column(column.name), release, k)
            if rare > RARE_SHARE:
                found[column.name] = (
                    f"{column.name} ({column.role}) would be published as it is, and {rare:.0%} of its values are shared by "
                    f"fewer than {k} records"
                )
    return found


def lost_shares(original: Dataset, release: Release) -> dict[str, float]:
    """The share of each generalized attribute that says "anything": of a column's values, or of the items there were."""
    lost = {column.name: _lost_values(original.column(column.name).take(release.rows), column) for column in release.quasi}
    if isinstance(release.items, GeneralizedItems) and original.transactions is not None:
        sizes = np.append(release.items.labels.sizes, 0)
        label = standing(original, release)
        label = label[label > -2]
        everything = len(original.transactions.domain)
        gone = (label == -1) | ((sizes[label] >= everything) & (everything > 1))
        lost[original.item_column] = float(gone.mean()) if len(gone) else 0.0
    return lost


def worthless_text(lost: Mapping[str, float]) -> str:
    """What is lost, and what would help."""
    parts = ", ".join(f"{share:.0%} of {name}" for name, share in lost.items())
    return f"the release would be worthless: {parts} say nothing; try {HELP}, or insist with --accept-loss"


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
        f"or leave out what is not needed (--identifier), or insist with --accept-exposure {','.join(bare)}"
    )


def _rare_share(column: Column, release: Release, k: int) -> float:
    """The share of the published records with a value that occurs in fewer than k of them."""
    codes = column.codes[release.rows]
    codes = codes[codes >= 0]
    counts = np.bincount(codes, minlength=len(column.domain))
    return float((counts[codes] < k).sum() / max(1, len(release)))


def _lost_values(original: Column, published: PublishedColumn) -> float:
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
    parts = [_covered(guarantee) for guarantee in guarantees]
    wanted = frozenset[Part]((*(("quasi",) if quasi else ()), *(("items",) if items is not None else ())))
    if any(wanted <= covered for covered in parts) or not wanted:
        return ()
    missing = wanted - frozenset[Part]().union(*parts) or wanted
    return (*(quasi if "quasi" in missing else ()), *([items] if items is not None and "items" in missing else ()))


def _covered(guarantee: Guarantee) -> frozenset[Part]:
    """What a guarantee covers; constraints without a single itemset cover nothing."""
    if isinstance(guarantee, Constraints) and not guarantee.itemsets:
        return frozenset()
    return guarantee.covers
