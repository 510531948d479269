"""Conditions for publishing: all linkable attributes are covered, no column identifies people, and the release is of use.

Every interface publishes through these gates. A guarantee covers quasi columns and items only: an attacker who also knows
columns that are published unchanged, such as age and town with the role sensitive, may find fewer than k records.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl

from anonset.data.identifiers import Family, could_be_known, naming_families, values_name_people
from anonset.data.roles import numbered_alike
from anonset.errors import AnonsetError, ExposureError, Fix, ParameterError, Set, UncoveredError, WorthlessError
from anonset.measure.coded_release import label_counts
from anonset.model.arrays import Mask, Rows
from anonset.model.dataset import Column, Dataset
from anonset.model.guarantees import Constraints, Guarantee, Part
from anonset.model.hierarchy import is_public
from anonset.model.labels import GeneralizedItems, PublishedColumn, Ranges
from anonset.model.release import LOST_SHARE, Accepted, Release
from anonset.verify.reading.parts import TYPED, frame_columns, part_frame

Singling = Callable[[Collection[str]], float]
"""The share of records that these columns single out together with the quasi values, but the quasi values alone do not."""


def exact_names(columns: Iterable[Column | PublishedColumn]) -> tuple[str, ...]:
    """The columns that are published unchanged."""
    return tuple(column.name for column in columns if column.role != "quasi")


def known_names(original: Dataset, columns: Iterable[Column | PublishedColumn]) -> tuple[str, ...]:
    """The columns that are published unchanged and whose values others may know."""
    names = exact_names(columns)
    found = [column for column in original.columns if column.name in names]
    return tuple(c.name for c in found if could_be_known(c.name, c.role, _occurring(c)))


def singling(original: Dataset, release: Release, k: int) -> Singling:
    """The share that columns single out in a release in memory."""
    base = _groups([column.codes for column in release.quasi], len(release))

    def share(names: Collection[str]) -> float:
        exact = [original.column(name).codes[release.rows] for name in names]
        return _share(_few(base, k), _few(_groups([base, *exact], len(release)), k))

    return share


def singling_before(original: Dataset, k: int) -> Singling:
    """The share that columns single out in the original, without a release."""

    def share(names: Collection[str]) -> float:
        base = np.zeros(len(original), np.int64)
        return _share(_few(base, k), _few(_groups([original.column(name).codes for name in names], len(original)), k))

    return share


def singling_in_parts(files: Sequence[Path], about: Mapping[str, Any], k: int) -> Singling:
    """The share that columns single out in the files of a release in parts."""
    guides, typed = about["attributes"], about["format"] in TYPED
    written = {guide["name"]: frame_columns(guide, typed=typed) for guide in guides}
    quasi = [column for guide in guides if guide["role"] == "quasi" for column in written[guide["name"]]]

    def counted(columns: list[str]) -> tuple[Any, Rows]:
        keys, counts = np.zeros(0, np.uint64), np.zeros(0, np.int64)
        for file in files:
            here, times = np.unique(_hashes(file, columns, about), return_counts=True)
            keys, place = np.unique(np.concatenate([keys, here]), return_inverse=True)
            counts = np.bincount(place, np.concatenate([counts, times])).astype(np.int64)
        return keys, counts

    def few(columns: list[str], file: Path, found: tuple[Any, Rows]) -> Mask:
        keys, counts = found
        small: Mask = counts[np.searchsorted(keys, _hashes(file, columns, about))] < k
        return small

    def share(names: Collection[str]) -> float:
        both = [*quasi, *(column for name in names for column in written[name])]
        of_quasi, of_both = counted(quasi), counted(both)
        pairs = [(few(quasi, file, of_quasi), few(both, file, of_both)) for file in files]
        return _share(*(np.concatenate(masks) for masks in zip(*pairs, strict=True))) if pairs else 0.0

    return share


def rare_values(
    columns: Sequence[Column | PublishedColumn], counts: Callable[[str], Rows], k: int
) -> dict[str, tuple[int, int]]:
    """The numbers of values with fewer than k records, and of these records, for each sensitive column that has any."""
    found = {}
    for name in (column.name for column in columns if column.role == "sensitive"):
        few = counts(name)[(counts(name) > 0) & (counts(name) < k)]
        if len(few):
            found[name] = (len(few), int(few.sum()))
    return found


def _occurring(column: Column) -> list[str]:
    return [column.domain[c] for c in np.unique(column.codes[column.codes >= 0]).tolist()]


def _groups(codes: Sequence[Any], n: int) -> Rows:
    """The number of the group of each record: records that agree in all codes."""
    found = np.zeros(n, np.int64)
    for column in codes:
        places = np.unique(column, return_inverse=True)[1].astype(np.int64)
        found = np.unique(found * (int(places.max(initial=0)) + 1) + places, return_inverse=True)[1].astype(np.int64)
    return found


def _few(groups: Rows, k: int) -> Mask:
    few: Mask = np.bincount(groups)[groups] < k if len(groups) else np.zeros(0, np.bool_)
    return few


def _share(before: Mask, after: Mask) -> float:
    return float((after & ~before).mean()) if len(after) else 0.0


def _hashes(file: Path, columns: list[str], about: Mapping[str, Any]) -> Any:
    """A hash of the given columns for each record of a file."""
    if about["format"] == "parquet" and columns:
        frame = pl.read_parquet(file, columns=columns, memory_map=False)
    else:
        frame = part_frame(file, dict(about))
    if not columns:
        return np.zeros(frame.height, np.uint64)
    return frame.select(pl.col(columns).cast(pl.String)).hash_rows(seed=0).to_numpy()


NO_PROTECTION = "identity"  # the algorithm that publishes records unchanged, without guarantees
RARE_SHARE = 0.1  # largest share of the records of a column whose value fewer than k records share
HELPS = {  # parameters that improve utility, if an algorithm takes them
    "k": "a smaller k",
    "m": "a smaller m",
    "items": "another item step (the parameter items)",
    "refine": "refine",
    "delta": "a larger delta",
    "suppression": "a suppression limit",
    "seconds": "more seconds",
}


@dataclass(frozen=True, slots=True)
class ColumnExposure:
    """Why a column is not published: it connects records, no guarantee covers it, or a share of its values is rare.

    Rare is what fewer than k records hold. It may also name people, some of its items may, or it singles out a share of the
    records together with other columns. `patterns` find the items that name people.
    """

    column: str
    kind: Literal["tied", "uncovered", "rare", "named", "family", "combined"]
    role: str = ""
    share: float = 0.0
    k: int = 0
    reason: str = ""
    patterns: tuple[str, ...] = ()

    @property
    def fix(self) -> Fix:
        """The alternative to accepting the exposure."""
        if self.kind == "family":
            return Fix("remove them with {}", Set("drop_items", list(self.patterns)))
        return Fix("leave it out")

    def __str__(self) -> str:
        if self.kind == "tied":
            return f"records are counted, not people: values of {self.column} repeat, and several records are one person's"
        if self.kind == "uncovered":
            return f"{self.column} is published and no guarantee covers it"
        if self.kind == "named":
            exact = self.role in ("sensitive", "other")
            listed = "it would be published as it is" if exact else "a published set of its values would still list them"
            return f"{self.column} names people ({self.reason}), and {listed}"
        if self.kind == "family":
            return f"{self.column} has items that name people: {self.reason}"
        if self.kind == "combined":
            return (
                f"{self.column} ({self.role}) is published as it is, and fewer than {self.k} records share it with what else "
                f"others may know: of {share_text(self.share)} of the records"
            )
        return (
            f"{self.column} ({self.role}) would be published as it is, and {self.share:.0%} of its values are shared by "
            f"fewer than {self.k} records"
        )


@dataclass(frozen=True, slots=True)
class Admission:
    """What the gates found and the owner accepted."""

    exposed: Mapping[str, ColumnExposure]
    lost: Mapping[str, float]
    exact: tuple[str, ...] = ()  # columns published unchanged
    singled_out: float = 0.0  # share of the records for which fewer than k have the same values in these and the quasi columns
    rare: Mapping[str, tuple[int, int]] = field(
        default_factory=dict
    )  # number of values with fewer than k records, and of all values
    k: int = 1
    earlier: tuple[str, ...] = ()  # earlier releases that leave people fewer than k candidates, which was accepted

    @property
    def sentences(self) -> tuple[str, ...]:
        """The accepted exposures as sentences for readers of the release."""
        lost = (f"{share:.0%} of {name} say nothing (accepted)" for name, share in self.lost.items())
        held = (f"{sentence} (accepted)" for sentence in self.earlier)
        return (*(f"{reason} (accepted)" for reason in self.exposed.values()), *lost, *held)

    def as_json(self) -> dict[str, Any]:
        """The accepted exposures by column, for the manifest."""
        exposure = {name: str(reason) for name, reason in self.exposed.items()}
        found = {"exposure": exposure, "loss": self.lost, "repeats": self.repeats}
        return found | ({"earlier": list(self.earlier)} if self.earlier else {})

    @property
    def repeats(self) -> bool:
        """Whether records were counted although people have several."""
        return any(reason.kind == "tied" for reason in self.exposed.values())

    def outside(self) -> dict[str, Any]:
        """What is published outside the guarantees, for the manifest; contains no values."""
        rare = {name: {"values": values, "records": records} for name, (values, records) in self.rare.items()}
        return {"columns": list(self.exact), "singled_out": round(self.singled_out, 4), "rare_values": rare}


def admit(original: Dataset, release: Release, accepted: Accepted) -> Admission:
    """Check a release against all gates; raise unless every exposure is accepted."""
    counts = _counts(original, release.rows)
    exposed = {**naming_columns(original), **exposures_of(release, counts, len(release))}
    alone = singling(original, release, k_of(release))
    return admit_exposures(original, release, accepted, exposed, lambda: lost_shares(original, release), alone, counts)


def admit_exposures(
    original: Dataset,
    release: Release,
    accepted: Accepted,
    exposed: Mapping[str, ColumnExposure],
    shares: Callable[[], Mapping[str, float]],
    alone: Singling | None = None,
    counts: Mapping[str, Rows] | None = None,
) -> Admission:
    """Check exposures and lost shares that were computed elsewhere, as `admit` does.

    `alone` gives the share that columns single out together, `counts` the number of records of each value.
    """
    require_k(release.provenance.algorithm, release.provenance.parameters)
    tied = one_record_a_person(original, accepted)
    names = {column.name for column in original.columns} | {fate.column for fate in original.fates} | {original.item_column}
    if unknown := sorted(set(accepted.exposure) - names):
        listed = ", ".join(sorted(names))
        raise ParameterError(f"accept_exposure names an unknown column {unknown[0]!r}; columns: {listed}")
    _require_accepted(original, {name: e for name, e in exposed.items() if e.kind != "rare"}, accepted)
    k = k_of(release)
    combined = {} if alone is None else _combined(original, known_names(original, release.columns), accepted, alone, k)
    _require_accepted(original, exposed, accepted)
    bare = bare_attributes(original, release)
    if refused := [name for name in bare if name not in accepted.exposure]:
        raise _uncovered(release, refused)
    open_to = {name: ColumnExposure(name, "uncovered") for name in bare}
    lost = {name: share for name, share in shares().items() if share > LOST_SHARE}
    if lost and not accepted.loss:
        parts = ", ".join(f"{share:.0%} of {name}" for name, share in lost.items())
        fix = [Fix(f"try {_helping(release)}"), Fix("insist with {}", Set("accept_loss", True))]
        raise WorthlessError(f"the release would be worthless: {parts} say nothing", fix=fix)
    exact = exact_names(release.columns)
    rare = {} if counts is None else rare_values(release.columns, lambda name: counts[name], k)
    return Admission({**combined, **tied, **exposed, **open_to}, lost, exact, alone(exact) if alone and exact else 0.0, rare, k)


def foresee(original: Dataset, accepted: Accepted, k: int) -> None:
    """Raise for what would be refused whatever the algorithm does; called before it runs."""
    _require_accepted(original, naming_columns(original), accepted)
    _combined(original, known_names(original, original.columns), accepted, singling_before(original, k), k, published=False)


def require_names(original: Dataset, accepted: Accepted, counts: Mapping[str, Rows], supports: Rows) -> None:
    """Raise if columns or items identify people; for data in batches, by counts of values."""
    _require_accepted(original, naming_columns(original, counts, supports), accepted)


def require_k(algorithm: str, parameters: Mapping[str, Any]) -> None:
    """Raise for k = 1, unless the algorithm is `identity`."""
    if str(parameters.get("k", "")).strip() == "1" and algorithm != NO_PROTECTION:
        fix = [Fix("ask for {} or more", Set("k", 2)), Fix("for {}", Set("algorithm", NO_PROTECTION))]
        raise ParameterError("k = 1 protects nobody:", fix=fix)


def earlier_refused(reason: str) -> ExposureError:
    """The error of a release that an earlier one exposes."""
    return ExposureError(
        reason,
        fix=[
            Fix("raise {}", Set("k")),
            Fix("leave out an earlier release that was never handed out"),
            Fix("insist with {}", Set("accept_earlier", True)),
        ],
    )


def k_of(release: Release) -> int:
    """The largest k of the guarantees of a release."""
    return max((getattr(g, "k", getattr(g, "l", 1)) for g in release.guarantees), default=1)


def share_text(share: float) -> str:
    """A share as text; never 0 % for a share above 0."""
    return f"{share:.0%}" if share >= 0.01 else f"{share:.2g}"


def _require_accepted(original: Dataset, exposed: Mapping[str, ColumnExposure], accepted: Accepted) -> None:
    for name, found in exposed.items():
        is_item = found.role == "items"
        if name in accepted.exposure or (is_item and original.item_column in accepted.exposure):
            continue
        known = name in {fate.column for fate in original.fates} or not is_item
        insist = Fix("insist with {}", Set("accept_exposure", [name if known else original.item_column]))
        raise ExposureError(str(found), [name], fix=[found.fix, insist])


def _combined(
    original: Dataset, names: Sequence[str], accepted: Accepted, alone: Singling, k: int, *, published: bool = True
) -> dict[str, ColumnExposure]:
    """The accepted columns that single out records together; raise if one is not accepted."""
    refused = [name for name in names if name not in accepted.exposure]
    if refused and (share := alone(refused)) > 0:
        quasi = [column.name for column in original.quasi]
        also = f" and what is published of {', '.join(quasi)}" if quasi and published else ""
        raise ExposureError(
            f"{', '.join(refused)} would be published as {'they are' if len(refused) > 1 else 'it is'}, and others may know "
            f"{'them' if len(refused) > 1 else 'it'}: of {share_text(share)} of the records fewer than {k} share "
            f"{', '.join(refused)}{also}",
            refused,
            fix=[
                Fix("let them be generalized ({})", Set("quasi", [*quasi, *refused])),
                Fix("leave them out"),
                Fix("insist with {}", Set("accept_exposure", refused)),
            ],
        )
    told = [name for name in names if name in accepted.exposure]
    share = alone(told) if told else 0.0
    return {name: ColumnExposure(name, "combined", original.column(name).role, share, k) for name in told} if share else {}


def _counts(original: Dataset, rows: Rows) -> dict[str, Rows]:
    """The number of records of each value of the columns that are published unchanged."""
    found = {}
    for column in original.columns:
        if column.role != "quasi":
            codes = column.codes[rows]
            found[column.name] = np.bincount(codes[codes >= 0], minlength=len(column.domain))
    return found


def one_record_a_person(original: Dataset, accepted: Accepted) -> dict[str, ColumnExposure]:
    """The accepted columns that connect several records of a person; raise if they are not accepted, since k counts people."""
    if original.tied and not accepted.takes_repeats(original.tied):
        raise ExposureError(
            f"values of {', '.join(original.tied)} repeat, so people have several rows and k rows may all be one person's",
            original.tied,
            fix=[
                Fix("gather one record a person ({})", gathering(original.tied[0])),
                Fix("insist on counting rows ({})", Set("accept_repeats", True)),
            ],
        )
    return {name: ColumnExposure(name, "tied") for name in original.tied}


def gathering(id: str) -> Set:
    """The setting that gathers the rows of a person into one record."""
    return Set("key", id)


def waved_through(original: Dataset, release: Release) -> Admission:
    """Everything that must be accepted to publish this release."""
    return admit(original, release, anything(original))


def anything(original: Dataset) -> Accepted:
    """Acceptance of everything."""
    names = {original.item_column, *(c.name for c in original.columns), *(fate.column for fate in original.fates)}
    return Accepted(tuple(names), loss=True, repeats=True)


def refusal(original: Dataset, release: Release) -> str:
    """Why this release would be refused if nothing were accepted; empty if it would not."""
    try:
        admit(original, release, Accepted(repeats=True))
    except AnonsetError as error:
        return error.advice
    return ""


def bare_attributes(original: Dataset, release: Release) -> tuple[str, ...]:
    """The attributes an attacker may know that are published and that no guarantee of the release covers."""
    quasi, items = linkable_parts(original)
    shown = {column.name for column in release.columns}
    known = [name for name in quasi if name in shown]
    return uncovered(known, items if release.items is not None else None, release.guarantees)


def exposures(original: Dataset, release: Release) -> dict[str, ColumnExposure]:
    """The columns published unchanged with too many values of fewer than k records."""
    return exposures_of(release, _counts(original, release.rows), len(release))


def exposures_of(release: Release, counts: Mapping[str, Rows], n: int) -> dict[str, ColumnExposure]:
    """The same, from the number of records of each value."""
    return _exposed(release.columns, counts, n, k_of(release))


def foreseen_exposures(original: Dataset, k: int) -> dict[str, ColumnExposure]:
    """The same before there is a release, for all records; and the columns that identify people."""
    counts = _counts(original, np.arange(len(original)))
    exposed = {**naming_columns(original), **_exposed(original.columns, counts, len(original), k)}
    names, alone = known_names(original, original.columns), singling_before(original, k)
    share = alone(names) if names else 0.0
    combined = {name: ColumnExposure(name, "combined", original.column(name).role, share, k) for name in names if share}
    return {**combined, **exposed}


def naming_columns(
    original: Dataset, counts: Mapping[str, Rows] | None = None, supports: Rows | None = None
) -> dict[str, ColumnExposure]:
    """The columns whose values or items identify people, whatever their role.

    `counts` and `supports` say how many records have each value and each item, if the dataset is not all of the data.
    """
    found = {}
    for column in original.columns:
        held = column.codes[column.codes >= 0]
        times = np.bincount(held, minlength=len(column.domain)) if counts is None else counts[column.name]
        reason = _reason(column.name, column.domain, times.astype(np.int64).tobytes(), column.hierarchy is not None)
        if reason is not None:
            found[column.name] = ColumnExposure(column.name, "named", column.role, reason=reason)
    if original.transactions is not None:
        times = original.transactions.supports if supports is None else supports
        columns, public = _item_columns(original), is_public(original.item_hierarchy)
        families = _families(columns, original.transactions.domain, times.astype(np.int64).tobytes(), public)
        for name in dict.fromkeys(family.column for family in families):
            found[name] = _of_items(name, [family for family in families if family.column == name])
    return found


@lru_cache(maxsize=128)
def _reason(name: str, domain: tuple[str, ...], counts: bytes, arranged: bool) -> str | None:
    return values_name_people(name, domain, np.frombuffer(counts, np.int64), arranged=arranged)


@lru_cache(maxsize=8)
def _families(columns: tuple[str, ...], domain: tuple[str, ...], supports: bytes, public: bool) -> tuple[Family, ...]:
    return naming_families(columns, domain, np.frombuffer(supports, np.int64), public=public)


def _item_columns(original: Dataset) -> tuple[str, ...]:
    """The columns that the items come from, as their items are marked."""
    given = [fate.column for fate in original.fates if fate.role == "items"]
    called = {name: stem for stem, columns in numbered_alike(given).items() for name in columns}
    return tuple(dict.fromkeys(called.get(name, name) for name in given)) or (original.item_column,)


def _of_items(column: str, families: Sequence[Family]) -> ColumnExposure:
    whole = next((family for family in families if not family.pattern), None)
    if whole is not None:
        return ColumnExposure(column, "named", "items", reason=whole.reason)
    reason = "; ".join(f"{family.items:,} like {family.pattern} ({family.reason})" for family in families)
    return ColumnExposure(column, "family", "items", reason=reason, patterns=tuple(family.pattern for family in families))


def _exposed(
    columns: Sequence[Column | PublishedColumn], counts: Mapping[str, Rows], n: int, k: int
) -> dict[str, ColumnExposure]:
    found = {}
    for name, role in ((column.name, column.role) for column in columns if column.role != "quasi"):
        rare = float(counts[name][counts[name] < k].sum() / max(1, n))
        if rare > RARE_SHARE:
            found[name] = ColumnExposure(name, "rare", role, rare, k)
    return found


def lost_shares(original: Dataset, release: Release) -> dict[str, float]:
    """The share of each generalized attribute that says "anything": of a column's values, or of the items there were."""
    lost = {column.name: lost_values(original.column(column.name).take(release.rows), column) for column in release.quasi}
    if isinstance(release.items, GeneralizedItems) and original.transactions is not None:
        *of_label, _, none = label_counts(original, release).all.tolist()
        everything = len(original.transactions.domain)
        sizes = release.items.labels.sizes if everything > 1 else np.zeros(len(of_label), np.int64)
        gone = none + sum(times for times, size in zip(of_label, sizes.tolist(), strict=True) if size >= everything)
        lost[original.item_column] = gone / max(1, sum(of_label) + none)
    return lost


def covering(parts: frozenset[Part]) -> list[str]:
    """The algorithms whose guarantees cover all these parts."""
    from anonset.algorithms import ALGORITHMS

    return [name for name, algorithm in ALGORITHMS.items() if parts <= algorithm.covers and not algorithm.comparator]


def _uncovered(release: Release, bare: list[str]) -> UncoveredError:
    wanted: set[Part] = {"quasi"} if release.quasi else set()
    wanted |= {"items"} if release.items is not None else set()
    promised = ", ".join(guarantee.id for guarantee in release.guarantees) or "nothing"
    return UncoveredError(
        f"{', '.join(bare)} may be known to an attacker and {'are' if len(bare) > 1 else 'is'} not covered by {promised}; "
        f"algorithms that cover {'it' if len(bare) == 1 else 'them'}: {', '.join(covering(frozenset(wanted)))}",
        bare,
        fix=[
            Fix("or leave out what is not needed ({})", Set("identifier")),
            Fix("insist with {}", Set("accept_exposure", bare)),
        ],
    )


def _helping(release: Release) -> str:
    """Parameters that could help: those that the algorithm takes and that can still be changed."""
    asked = release.provenance.parameters
    taken = [text for name, text in HELPS.items() if name in asked and asked[name] != 1]
    return ", ".join([*taken, "a hierarchy with more levels"])


def lost_values(original: Column, published: PublishedColumn) -> float:
    """The share of the records whose published value covers the whole domain."""
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
