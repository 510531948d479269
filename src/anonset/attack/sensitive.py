"""Inferring what was not known: sensitive items and values, beyond what anybody could have guessed."""

from dataclasses import dataclass

import numpy as np

from anonset.attack.attackers import Attacker, Knowledge, sample_attackers
from anonset.attack.candidates import Candidates, published_candidates, raw_candidates
from anonset.attack.intervals import Rate, share
from anonset.model.arrays import Mask, Rows
from anonset.model.dataset import Dataset
from anonset.model.release import Release


@dataclass(frozen=True, slots=True)
class Inference:
    """How often attackers guess a secret right: the value most of the fitting records have.

    `control`: the same guess with the person's own record taken away, which is what anybody could have guessed had the person
    not been in the data. `leak` is what the person's being there adds.
    """

    secret: str
    knowledge: Knowledge
    attackers: int
    before: Rate
    after: Rate
    control: Rate

    @property
    def leak(self) -> float:
        """The share of right guesses that the control does not explain, 0 where it explains all."""
        return max(0.0, (self.after.value - self.control.value) / max(1e-12, 1.0 - self.control.value))


def attack_inference(
    original: Dataset, release: Release, knowledge: Knowledge, *, attackers: int, rng: np.random.Generator
) -> tuple[Inference, ...]:
    """Let sampled attackers guess every sensitive column and item of published persons."""
    sampled = sample_attackers(original, knowledge, release.rows, attackers, rng)
    raw, published = raw_candidates(original), published_candidates(original, release)
    everybody = np.arange(len(original))
    found = []
    for secret, values in secrets(original).items():
        before = share(sum(_guesses(a, raw, everybody, values) for a in sampled), len(sampled))
        after = share(sum(_guesses(a, published, release.rows, values) for a in sampled), len(sampled))
        control = share(sum(_guesses(a, published, release.rows, values, without=a.row) for a in sampled), len(sampled))
        found.append(Inference(secret, knowledge, len(sampled), before, after, control))
    return tuple(found)


def secrets(original: Dataset) -> dict[str, Rows]:
    """Each secret by name, with its value for every record as a code."""
    found = {column.name: column.codes.astype(np.int64) for column in original.with_role("sensitive")}
    if original.sensitive_items is not None and original.transactions is not None:
        t = original.transactions
        record = np.repeat(np.arange(len(t)), t.lengths)
        for i in np.flatnonzero(original.sensitive_items):
            holds: Mask = np.zeros(len(t), np.bool_)
            holds[record[t.items == i]] = True
            found[t.domain[i]] = holds.astype(np.int64)
    return found


def _guesses(attacker: Attacker, candidates: Candidates, rows: Rows, values: Rows, *, without: int | None = None) -> bool:
    """Whether the commonest value among the fitting records (of all, where none fits) is the person's."""
    fitting = rows[candidates(attacker.known)]
    fitting = fitting if without is None else fitting[fitting != without]
    pool = fitting if len(fitting) else rows[rows != without]
    if len(pool) == 0:
        return False
    codes, counts = np.unique(values[pool], return_counts=True)
    return bool(codes[np.argmax(counts)] == values[attacker.row])
