"""Inference attacks on sensitive items and values, compared with guesses from the data without the person's record."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonset.attacks.attackers import Attacker, AttackerKnowledge, sample_attackers
from anonset.attacks.linkage import CandidateFinder, Rate, published_candidates, raw_candidates, share
from anonset.model.arrays import Mask, Rows
from anonset.model.dataset import Dataset
from anonset.model.release import Release
from anonset.model.sets import rows_of


@dataclass(frozen=True, slots=True)
class Inference:
    """The success rate of attackers who guess a secret: the commonest value of the matching records.

    The targets are the persons who have the secret: the holders of a sensitive item, or all persons with a known value of a
    sensitive column. `control` is the rate of the same guess without the person's own record: what anybody could guess if the
    person were not in the data. `leak` is what the person's record adds. `surest_before` and `surest_after` are the largest
    share, over all targets, of matching records with the person's value: the highest certainty of an attacker.
    """

    secret: str
    knowledge: AttackerKnowledge
    attackers: int
    before: Rate
    after: Rate
    control: Rate
    surest_before: float
    surest_after: float

    @property
    def leak(self) -> float:
        """Return the share of right guesses that the control does not explain; 0 if it explains all."""
        return max(0.0, (self.after.value - self.control.value) / max(1e-12, 1.0 - self.control.value))


def attack_inference(
    original: Dataset, release: Release, knowledge: AttackerKnowledge, *, attackers: int, rng: np.random.Generator
) -> tuple[Inference, ...]:
    """Let sampled attackers guess every sensitive column and item of published persons."""
    raw, published = raw_candidates(original), published_candidates(original, release)
    everybody = np.arange(len(original))
    found = []
    for secret, values in secrets(original).items():
        targets = release.rows[values[release.rows] >= 0]
        sampled = sample_attackers(original, knowledge, targets, attackers, rng)
        mine = values[[attacker.row for attacker in sampled]]
        before = value_counts(sampled, raw, everybody, values)
        after = value_counts(sampled, published, release.rows, values)
        everybody_has = [np.bincount(values[rows] + 1, minlength=before.counts.shape[1]) for rows in (everybody, release.rows)]
        found.append(inference(secret, knowledge, mine, (before, after), everybody_has))
    return tuple(found)


def inference(
    secret: str, knowledge: AttackerKnowledge, mine: Rows, sides: tuple["ValueCounts", "ValueCounts"], everybody: Sequence[Rows]
) -> Inference:
    """Return the success of attackers on persons with the values `mine`; everybody[s] counts each value on side s."""
    before, after = (_guesses(side, mine, held) for side, held in zip(sides, everybody, strict=True))
    return Inference(secret, knowledge, len(mine), before.right, after.right, after.control, before.surest, after.surest)


def secrets(original: Dataset) -> dict[str, Rows]:
    """Return each secret by name, with its code for every record; negative for a person without the secret."""
    found = {column.name: column.codes.astype(np.int64) for column in original.with_role("sensitive")}
    if original.sensitive_items is not None and original.transactions is not None:
        t = original.transactions
        record = rows_of(t.offsets)
        for i in np.flatnonzero(original.sensitive_items):
            values = np.full(len(t), -1, np.int64)
            values[record[t.items == i]] = 1
            found[t.domain[i]] = values
    return found


class _Guesses(NamedTuple):
    """On one side: the rate of right guesses, the rate without the person's record, and the highest certainty."""

    right: Rate
    control: Rate
    surest: float


class ValueCounts(NamedTuple):
    """counts[a, v + 1]: matching records of attacker a with value v; own[a]: whether the person's record is among them."""

    counts: NDArray[np.int64]
    own: Mask


def value_counts(attackers: Sequence[Attacker], candidates: CandidateFinder, rows: Rows, values: Rows) -> ValueCounts:
    """Count the values of the matching records; rows[p] is the input row of record p on this side."""
    width = int(values.max(initial=0)) + 2
    counts, own = np.zeros((len(attackers), width), np.int64), np.zeros(len(attackers), np.bool_)
    for a, (row, known) in enumerate(attackers):
        fitting = rows[candidates(known)]
        counts[a], own[a] = np.bincount(values[fitting] + 1, minlength=width), row in fitting
    return ValueCounts(counts, own)


def _guesses(found: ValueCounts, mine: Rows, everybody: Rows) -> _Guesses:
    """Guess the commonest value of the matching records, or of all records if none matches."""
    right = without = 0
    surest = 0.0
    for counts, own, value in zip(found.counts, found.own, mine, strict=True):
        person = np.zeros_like(counts)
        person[value + 1] = 1
        right += _commonest(counts, everybody) == value
        without += _commonest(counts - person * own, everybody - person) == value
        if counts.any():
            surest = max(surest, float(counts[value + 1] / counts.sum()))
    return _Guesses(share(right, len(mine)), share(without, len(mine)), surest)


def _commonest(fitting: Rows, everybody: Rows) -> int | None:
    pool = fitting if fitting.any() else everybody
    return int(np.argmax(pool)) - 1 if (pool > 0).any() else None
