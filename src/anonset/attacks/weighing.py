"""Attackers who weigh the records that fit by how likely each is the person, with published margins and without."""

from dataclasses import dataclass

import numpy as np

from anonset.attacks.attackers import Attacker, AttackerKnowledge, sample_attackers
from anonset.attacks.intervals import Rate, mean
from anonset.errors import ParameterError
from anonset.measure.workload import Estimator, RecordIndex
from anonset.model.dataset import Dataset
from anonset.model.labels import GeneralizedItems
from anonset.model.release import Release


@dataclass(frozen=True, slots=True)
class Weighed:
    """How attackers fare who take one of the likeliest records.

    `right`: how often that is the person's, on average over the attacked. `fewest`: the smallest number of records that fit.
    `surest`: the highest weight that any attacker gave any record, right or wrong, out of all that fit.
    """

    right: Rate
    surest: float
    fewest: int


@dataclass(frozen=True, slots=True)
class MarginAttack:
    """The same attackers of one kind without the margins and with them."""

    knowledge: AttackerKnowledge
    attackers: int
    without: Weighed
    with_margins: Weighed


def attack_margins(
    original: Dataset, release: Release, knowledge: AttackerKnowledge, *, attackers: int, rng: np.random.Generator
) -> MarginAttack:
    """Let sampled attackers weigh what fits, each label's items alike, then each as often as the margins say."""
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
