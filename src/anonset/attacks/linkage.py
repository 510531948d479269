"""Linkage attacks: find the published records that match an attacker's knowledge, measure singling out and linkability before
and after, and simulate attackers who weight the matching records by their probability.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from anonset.attacks.attackers import Attacker, AttackerKnowledge, sample_attackers
from anonset.errors import ParameterError
from anonset.measure.workload import Estimator, Query, RecordIndex
from anonset.model.arrays import Ids, Mask, Offsets, Reals, Rows
from anonset.model.dataset import Dataset
from anonset.model.labels import GeneralizedItems, UncertainItems
from anonset.model.release import Release
from anonset.model.sets import rows_of

Z95 = 1.959963984540054


class Rate(NamedTuple):
    """A rate and the 95% confidence interval around it."""

    value: float
    low: float
    high: float


def share(successes: int, n: int) -> Rate:
    """Return the share of successes with Wilson's interval; (0, 0, 1) without any trial."""
    if n == 0:
        return Rate(0.0, 0.0, 1.0)
    p, z2 = successes / n, Z95**2
    middle = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = Z95 / (1 + z2 / n) * float(np.sqrt(p * (1 - p) / n + z2 / (4 * n * n)))
    low, high = middle - half, middle + half
    return Rate(p, max(0.0, low) if successes else 0.0, min(1.0, high) if successes < n else 1.0)


def mean(values: Reals) -> Rate:
    """Return the mean of values in [0, 1] with the normal interval, clipped to [0, 1]."""
    if len(values) == 0:
        return Rate(0.0, 0.0, 1.0)
    value = float(values.mean())
    half = Z95 * float(values.std(ddof=1)) / float(np.sqrt(len(values))) if len(values) > 1 else 1.0
    return Rate(value, max(0.0, value - half), min(1.0, value + half))


class CandidateFinder(Protocol):
    """Finds the records that match a query."""

    def __call__(self, known: Query) -> Rows:
        """Return the published records that may be the person's."""
        ...


def raw_candidates(original: Dataset) -> CandidateFinder:
    """Return the finder of matching records in the original."""
    index = RecordIndex(original)
    return lambda known: index.matches(known)[0]


def published_candidates(original: Dataset, release: Release) -> CandidateFinder:
    """Return the finder of matching records in a release."""
    if not isinstance(release.items, UncertainItems):
        index = RecordIndex(original, release)
        return lambda known: index.matches(known)[0]
    return _UncertainCandidates(original, release, release.items)


class _UncertainCandidates:
    """A record matches if each known item is in its base or may be added, and no more are missing than may be added."""

    def __init__(self, original: Dataset, release: Release, items: UncertainItems) -> None:
        self.n = len(release)
        self.code = {name: i for i, name in enumerate(items.domain)}
        self.threshold = items.threshold
        self.in_base = _records_by_item(items.base_offsets, items.base, len(items.domain))
        self.uncertain = _records_by_item(items.distance_offsets, items.distance, len(items.domain))
        alone = Release(release.columns, None, release.guarantees, release.provenance, release.rows)
        self.columns = RecordIndex(original, alone) if release.columns else None

    def __call__(self, known: Query) -> Rows:
        fits, missing = np.zeros(self.n, np.int64), np.zeros(self.n, np.int64)
        for name in known.items:
            i = self.code[name]
            base, doubtful = self.in_base[i], np.setdiff1d(self.uncertain[i], self.in_base[i], assume_unique=True)
            fits[base] += 1
            fits[doubtful] += 1
            missing[doubtful] += 1
        found = (fits == len(known.items)) & (missing <= self.threshold)
        if self.columns is not None and (known.ranges or known.values):
            inside = np.zeros(self.n, np.bool_)
            inside[self.columns.matches(Query(known.ranges, known.values))[0]] = True
            found &= inside
        return np.flatnonzero(found)


def _records_by_item(offsets: Offsets, entries: Ids, d: int) -> list[Rows]:
    record = rows_of(offsets)
    order = np.argsort(entries, kind="stable")
    return np.split(record[order], np.cumsum(np.bincount(entries, minlength=d))[:-1])


@dataclass(frozen=True, slots=True)
class SideExposure:
    """The exposure of the targets on one side.

    `singled_out`: one record fits and it is theirs. `prosecutor`: the chance to pick theirs, for the worst person (the attacker
    knows that the person is in the data). `marketer`: the same on average: the share of persons an attacker after all of them
    would get right. `journalist`: as prosecutor, but the person is only known to be in the original, some of whose records
    may have been left out of the release.
    """

    singled_out: Rate
    marketer: Rate
    prosecutor: float
    journalist: float


@dataclass(frozen=True, slots=True)
class Linkage:
    """Attackers of one kind, on the raw data and on the release."""

    knowledge: AttackerKnowledge
    attackers: int
    before: SideExposure
    after: SideExposure


def attack_linkage(
    original: Dataset, release: Release, knowledge: AttackerKnowledge, *, attackers: int, rng: np.random.Generator
) -> Linkage:
    """Let sampled attackers of one kind look for published persons."""
    sampled = sample_attackers(original, knowledge, release.rows, attackers, rng)
    left_out = len(original) - len(release)
    everybody = np.arange(len(original))
    return Linkage(
        knowledge,
        len(sampled),
        exposure(*tally(sampled, raw_candidates(original), everybody), 0),
        exposure(*tally(sampled, published_candidates(original, release), release.rows), left_out),
    )


def tally(attackers: Sequence[Attacker], candidates: CandidateFinder, rows: Rows) -> tuple[Rows, Mask]:
    """Return for each attacker the number of matching records, and whether the person's is one; rows[p]: row of record p."""
    fits, own = np.zeros(len(attackers), np.int64), np.zeros(len(attackers), np.bool_)
    for a, (row, known) in enumerate(attackers):
        fitting = rows[candidates(known)]
        fits[a], own[a] = len(fitting), row in fitting
    return fits, own


def exposure(fits: Rows, own: Mask, left_out: int) -> SideExposure:
    """Return the exposure of the targets on one side; `fits` are the numbers of matching records."""
    chance = np.where(own, 1.0 / np.maximum(fits, 1), 0.0)
    worst = float(chance.max(initial=0.0))
    fewest = 1.0 / worst if worst else np.inf
    return SideExposure(share(int((own & (fits == 1)).sum()), len(fits)), mean(chance), worst, 1.0 / (fewest + left_out))


@dataclass(frozen=True, slots=True)
class Weighed:
    """The success of attackers who choose one of the most probable records.

    `right`: how often that is the person's, on average over the attacked. `fewest`: the smallest number of records that fit.
    `surest`: the highest weight that any attacker gave any record, right or wrong, out of all that fit.
    """

    right: Rate
    surest: float
    fewest: int


@dataclass(frozen=True, slots=True)
class MarginAttack:
    """The success of one kind of attackers without the margins and with them."""

    knowledge: AttackerKnowledge
    attackers: int
    without: Weighed
    with_margins: Weighed


def attack_margins(
    original: Dataset, release: Release, knowledge: AttackerKnowledge, *, attackers: int, rng: np.random.Generator
) -> MarginAttack:
    """Let sampled attackers weight the matching records, first with the items of a label equally, then by the margins."""
    if release.margins is None or not isinstance(release.items, GeneralizedItems):
        raise ParameterError("attacks with margins need a release that publishes margins")
    sampled = sample_attackers(original, knowledge, release.rows, attackers, rng)
    without, with_margins = (_weighed(original, release, sampled, name) for name in ("uniform", "calibrated"))
    return MarginAttack(knowledge, len(sampled), without, with_margins)


def _weighed(original: Dataset, release: Release, attackers: list[Attacker], estimator: Estimator) -> Weighed:
    index, everything = RecordIndex(original, release, estimator), RecordIndex(original, release, "expanded")
    chance, surest, fewest = np.zeros(len(attackers)), 0.0, len(release)
    for a, (row, known) in enumerate(attackers):
        fewest = min(fewest, len(everything.matches(known)[0]))
        records, weights = index.matches(known)
        if len(records) == 0:
            continue
        likeliest = release.rows[records[weights >= weights.max() * (1 - 1e-12)]]
        chance[a] = 1.0 / len(likeliest) if row in likeliest else 0.0
        surest = max(surest, float(weights.max() / weights.sum()))
    return Weighed(mean(chance), surest, fewest)
