"""Attacks on a release in parts: targets are drawn from all batches, and matching records are counted over all of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anonset.attacks import AttackResult, default_kinds
from anonset.attacks.attackers import Attacker, AttackerKnowledge, Rarity, sample_attackers
from anonset.attacks.inference import Inference, ValueCounts, inference, secrets, value_counts
from anonset.attacks.linkage import Linkage, exposure, published_candidates, raw_candidates, tally
from anonset.engine.domains import Answer
from anonset.engine.journal import Driver
from anonset.engine.measures import Looked
from anonset.engine.questions import Context, Summed
from anonset.engine.record_pairs import RecordPairs
from anonset.engine.sampling import Draw, drawn_records
from anonset.engine.source import BatchRef, BatchSource
from anonset.measure.workload import Query, RecordIndex
from anonset.model.arrays import Ids, Mask, Rows
from anonset.model.dataset import Dataset

EVERYBODY, WITH_ITEMS = 0, 1  # kinds of targets; then two for each secret: its holders, and its holders who have items


@dataclass(frozen=True)
class DrawTargets(Draw):
    """A sample of targets: of all persons, of those with items, and of the holders of each secret."""

    name: ClassVar[str] = "drawing attackers"

    def kinds(self, batch: Dataset) -> list[Mask]:
        """Return a mask of the possible targets of each kind."""
        everybody = np.ones(len(batch), np.bool_)
        items = batch.linkable.lengths > 0 if batch.transactions is not None else everybody
        hide = [values >= 0 for values in secrets(batch).values()]
        return [everybody, items, *(mask for has in hide for mask in (has, has & items))]


@dataclass(frozen=True)
class Holders(Summed):
    """The number of records that hold all items of each set."""

    sets: tuple[tuple[str, ...], ...]
    name: ClassVar[str] = "counting who holds what"

    def ask(self, unit: BatchRef, context: Context) -> Answer:
        """Return the counts of a batch."""
        index = RecordIndex(context.batch(unit))
        return {"counts": np.array([index.count(Query(items=items)) for items in self.sets], np.float64)}

    def both(self, first: Answer, second: Answer) -> Answer:
        """Add the counts of two batches."""
        return {"counts": first["counts"] + second["counts"]}


class CountedRarity(Rarity):
    """The rarity of items in all batches; the most identifying items of the sampled persons take one pass for each item."""

    def __init__(self, driver: Driver, source: BatchSource, drawn: Dataset, m: int) -> None:
        super().__init__(drawn)
        coder, t = driver.context.coder, drawn.linkable
        assert coder is not None
        self.supports = coder.supports
        self.picked = {held.tobytes(): [int(held[np.argmin(self.supports[held])])] for held in _sets(drawn)}
        for _ in range(1, m):
            candidates = {}
            for held in _sets(drawn):
                mine = self.picked[held.tobytes()]
                candidates[held.tobytes()] = [(i, tuple(sorted((*mine, i)))) for i in held.tolist() if i not in mine]
            sets = sorted({items for options in candidates.values() for _, items in options})
            names = tuple(tuple(t.domain[i] for i in items) for items in sets)
            counts = driver.ask(Holders(names), source.batches, hash(names))["counts"] if names else np.zeros(0)
            count = dict(zip(sets, counts.tolist(), strict=True))
            for held_bytes, options in candidates.items():
                if options:
                    self.picked[held_bytes].append(min(options, key=lambda option: count[option[1]])[0])

    def most_identifying(self, held: Ids, n: int) -> Ids:
        """Return n items chosen greedily, each the one that leaves the fewest matching records in all batches."""
        return np.array(self.picked[held.tobytes()][:n], np.int32)


def _sets(drawn: Dataset) -> list[Ids]:
    t = drawn.linkable
    return [held for held in np.split(t.items, t.offsets[1:-1]) if len(held)]


@dataclass(frozen=True, eq=False)
class Play(RecordPairs):
    """The matching records of each attacker on both sides; for attackers on a secret, counted by its value."""

    attackers: tuple[tuple[Attacker, ...], ...]
    after: tuple[str | None, ...]  # the secret that each group of attackers guesses
    widths: tuple[int, ...]  # the number of values of that secret
    name: ClassVar[str] = "attacking"

    def ask(self, unit: tuple[int, BatchRef], context: Context) -> Answer:
        """Return the counts of a batch."""
        batch, release = self.pair(unit, context)
        hidden, rows, found = secrets(batch), np.arange(len(batch)), {}
        sides = {"before": raw_candidates(batch), "after": published_candidates(batch, release)}
        for a, (attackers, secret, width) in enumerate(zip(self.attackers, self.after, self.widths, strict=True)):
            here = [Attacker(attacker.row - unit[1].first, attacker.known) for attacker in attackers]
            for side, candidates in sides.items():
                if secret is None:
                    found[f"{a} {side}"], own = tally(here, candidates, rows)
                else:
                    counts, own = value_counts(here, candidates, rows, hidden[secret])
                    found[f"{a} {side}"] = np.pad(counts, ((0, 0), (0, width - counts.shape[1])))
                found[f"{a} own {side}"] = own.astype(np.int64)
        return found

    def both(self, first: Answer, second: Answer) -> Answer:
        """Add the counts of two batches."""
        return {name: first[name] + second[name] for name in first}


@dataclass(frozen=True, eq=False)
class Side:
    """One group of attackers: their knowledge, the secret that they guess, and its values for the targets."""

    knowledge: AttackerKnowledge
    secret: str | None
    attackers: tuple[Attacker, ...]
    mine: Rows


def attack_parts(looked: Looked, *, m: int = 2, attackers: int = 1000, seed: int | None = None) -> AttackResult:
    """Simulate attackers as `attack` does; all kinds have the same targets, as far as these have items or the secret."""
    driver, roster, rng = looked.driver, looked.driver.context.roster, np.random.default_rng(seed)
    number = int(rng.integers(2**62))
    answer = driver.ask(DrawTargets(attackers, number), looked.source.batches, attackers, number)
    groups = _groups(looked, answer, default_kinds(roster, m), m, attackers, rng)
    held = _values_held(looked, secrets(roster))
    widths = tuple(0 if group.secret is None else len(held[group.secret]) for group in groups)
    question = Play(looked.copies, tuple(g.attackers for g in groups), tuple(g.secret for g in groups), widths)
    found = driver.ask(question, looked.units, attackers, number, m)
    linkages: list[Linkage] = []
    inferences: list[Inference] = []
    for a, group in enumerate(groups):
        before, after = ((found[f"{a} {side}"], found[f"{a} own {side}"] > 0) for side in ("before", "after"))
        if group.secret is None:
            linkages.append(Linkage(group.knowledge, len(group.attackers), exposure(*before, 0), exposure(*after, 0)))
        else:
            sides, everybody = (ValueCounts(*before), ValueCounts(*after)), held[group.secret]
            inferences.append(inference(group.secret, group.knowledge, group.mine, sides, (everybody, everybody)))
    return AttackResult(tuple(linkages), tuple(inferences))


def _groups(
    looked: Looked, answer: Answer, kinds: Sequence[AttackerKnowledge], m: int, n: int, rng: np.random.Generator
) -> list[Side]:
    """Return the attackers of each kind, and for each secret those of the kinds with uniform choice of items."""
    roster = looked.driver.context.roster
    drawn = drawn_records(answer, roster)
    rarity = CountedRarity(looked.driver, looked.source, drawn, m) if drawn.transactions is not None else None
    hidden, order = secrets(drawn), np.argsort(answer["numbers"], kind="stable")

    def group(knowledge: AttackerKnowledge, kind: int, secret: str | None) -> Side:
        rows = order[answer["kinds"][order, kind + bool(knowledge.items)]][:n]
        sampled = sample_attackers(drawn, knowledge, rows, n, rng, rarity)
        mine = np.array([hidden[secret][a.row] for a in sampled], np.int64) if secret is not None else np.zeros(0, np.int64)
        persons = tuple(Attacker(int(answer["rows"][a.row]), a.known) for a in sampled)
        return Side(knowledge, secret, persons, mine)

    found = [group(kind, EVERYBODY, None) for kind in kinds]
    guessing = [kind for kind in kinds if kind.choice == "uniform"]
    return found + [group(kind, 2 + 2 * s, secret) for kind in guessing for s, secret in enumerate(secrets(roster))]


def _values_held(looked: Looked, hidden: dict[str, Rows]) -> dict[str, Rows]:
    """Return for each secret the number of records with each value, that of -1 (without the secret) first."""
    coder = looked.driver.context.coder
    assert coder is not None
    found = {}
    for secret in hidden:
        if secret in coder.counts:
            held = coder.counts[secret]
        else:
            assert coder.roster.transactions is not None
            held = np.array([0, coder.supports[coder.roster.transactions.domain.index(secret)]], np.int64)
        found[secret] = np.concatenate([[coder.records - held.sum()], held])
    return found
