"""Finding a person's record: singling out and linking, before and after."""

from dataclasses import dataclass

import numpy as np

from anonset.attacks.attackers import Attacker, Knowledge, sample_attackers
from anonset.attacks.candidates import Candidates, published_candidates, raw_candidates
from anonset.attacks.intervals import Rate, mean, share
from anonset.model.arrays import Rows
from anonset.model.dataset import Dataset
from anonset.model.release import Release


@dataclass(frozen=True, slots=True)
class Exposure:
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

    knowledge: Knowledge
    attackers: int
    before: Exposure
    after: Exposure


def attack_linkage(
    original: Dataset, release: Release, knowledge: Knowledge, *, attackers: int, rng: np.random.Generator
) -> Linkage:
    """Let sampled attackers of one kind look for published persons."""
    sampled = sample_attackers(original, knowledge, release.rows, attackers, rng)
    left_out = len(original) - len(release)
    everybody = np.arange(len(original))
    return Linkage(
        knowledge,
        len(sampled),
        _exposure(sampled, raw_candidates(original), everybody, 0),
        _exposure(sampled, published_candidates(original, release), release.rows, left_out),
    )


def _exposure(attackers: list[Attacker], candidates: Candidates, rows: Rows, left_out: int) -> Exposure:
    """rows[p]: the person behind record p of this side."""
    chance, singled = np.zeros(len(attackers)), 0
    for a, (row, known) in enumerate(attackers):
        fitting = rows[candidates(known)]
        if row in fitting:
            chance[a] = 1.0 / len(fitting)
            singled += len(fitting) == 1
    worst = float(chance.max(initial=0.0))
    fewest = 1.0 / worst if worst else np.inf
    return Exposure(share(singled, len(attackers)), mean(chance), worst, 1.0 / (fewest + left_out))
