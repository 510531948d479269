"""Inferring what was not known: sensitive items and values, beyond what anybody could have guessed."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from anonset.attacks.attackers import Attacker, Knowledge, sample_attackers
from anonset.attacks.candidates import Candidates, published_candidates, raw_candidates
from anonset.attacks.intervals import Rate, share
from anonset.model.arrays import Rows
from anonset.model.dataset import Dataset
from anonset.model.release import Release
from anonset.model.sets import rows_of


@dataclass(frozen=True, slots=True)
class Inference:
    """How often attackers guess a secret right: the value most of the fitting records have.

    The attacked persons are those who have something to hide: of a sensitive item its holders, of a sensitive column all whose
    value is known. `control`: the same guess with the person's own record taken away, which is what anybody could have guessed
    had the person not been in the data. `leak` is what the person's being there adds. `surest_before` and `surest_after` are
    the shares of the fitting records with the person's value, for the worst person: how sure an attacker may be.
    """

    secret: str
    knowledge: Knowledge
    attackers: int
    before: Rate
    after: Rate
    control: Rate
    surest_before: float
    surest_after: float

    @property
    def leak(self) -> float:
        """The share of right guesses that the control does not explain, 0 where it explains all."""
        return max(0.0, (self.after.value - self.control.value) / max(1e-12, 1.0 - self.control.value))


def attack_inference(
    original: Dataset, release: Release, knowledge: Knowledge, *, attackers: int, rng: np.random.Generator
) -> tuple[Inference, ...]:
    """Let sampled attackers guess every sensitive column and item of published persons."""
    raw, published = raw_candidates(original), published_candidates(original, release)
    everybody = np.arange(len(original))
    found = []
    for secret, values in secrets(original).items():
        targets = release.rows[values[release.rows] >= 0]
        sampled = sample_attackers(original, knowledge, targets, attackers, rng)
        before = _guesses(sampled, raw, everybody, values)
        after = _guesses(sampled, published, release.rows, values)
        found.append(
            Inference(secret, knowledge, len(sampled), before.right, after.right, after.control, before.surest, after.surest)
        )
    return tuple(found)


def secrets(original: Dataset) -> dict[str, Rows]:
    """Each secret by name, with its value for every record as a code; below 0 where the person has nothing to hide."""
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
    """On one side: right guesses, right guesses without the person, and how sure an attacker was at most."""

    right: Rate
    control: Rate
    surest: float


def _guesses(attackers: list[Attacker], candidates: Candidates, rows: Rows, values: Rows) -> _Guesses:
    """rows[p]: the person behind record p of this side."""
    right = without = 0
    surest = 0.0
    for row, known in attackers:
        fitting = rows[candidates(known)]
        right += _commonest(fitting, rows, values) == values[row]
        without += _commonest(fitting[fitting != row], rows[rows != row], values) == values[row]
        if len(fitting):
            surest = max(surest, float((values[fitting] == values[row]).mean()))
    return _Guesses(share(right, len(attackers)), share(without, len(attackers)), surest)


def _commonest(fitting: Rows, everybody: Rows, values: Rows) -> int | None:
    """The commonest value among the fitting records, or among all where none fits."""
    pool = fitting if len(fitting) else everybody
    if len(pool) == 0:
        return None
    codes, counts = np.unique(values[pool], return_counts=True)
    return int(codes[np.argmax(counts)])
