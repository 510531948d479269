"""Finding a person's record: singling out and linking, before and after."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anonset.attacks.attackers import Attacker, AttackerKnowledge, sample_attackers
from anonset.attacks.candidates import CandidateFinder, published_candidates, raw_candidates
from anonset.attacks.intervals import Rate, mean, share
from anonset.model.arrays import Mask, Rows
from anonset.model.dataset import Dataset
from anonset.model.release import Release


@dataclass(frozen=True, slots=True)
class SideExposure:
    """How exposed the attacked persons are on one side.

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
    """For each attacker how many records fit, and whether the person's is among them; rows[p]: the person behind record p."""
    fits, own = np.zeros(len(attackers), np.int64), np.zeros(len(attackers), np.bool_)
    for a, (row, known) in enumerate(attackers):
        fitting = rows[candidates(known)]
        fits[a], own[a] = len(fitting), row in fitting
    return fits, own


def exposure(fits: Rows, own: Mask, left_out: int) -> SideExposure:
    """How exposed the attacked persons are on a side where so many records fit."""
    chance = np.where(own, 1.0 / np.maximum(fits, 1), 0.0)
    worst = float(chance.max(initial=0.0))
    fewest = 1.0 / worst if worst else np.inf
    return SideExposure(share(int((own & (fits == 1)).sum()), len(fits)), mean(chance), worst, 1.0 / (fewest + left_out))
