"""Promises and constraints, in a worker: whether they can be kept, and what each line of them is about."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from anonset.model.accepted import Accepted
from anonset.model.dataset import Dataset
from anonset.model.policy import Itemsets
from anonset.tasks import policy
from anonset.workbench.orders import Reading
from anonset.workbench.rules import RuleFacts, Rules
from anonset.workbench.steps import SetPromise
from anonset.workbench.values import Remark
from anonset.workbench.worker import in_words
from anonset.workbench.worker.reading import WorkerCaches


def remarks(
    desk: WorkerCaches,
    report: Any,
    *,
    reading: Reading,
    promise: SetPromise,
    accepted: tuple[str, ...] = (),
    repeats: bool = False,
) -> tuple[Remark, ...]:
    """What speaks against the promise on these data, before a run finds out."""
    data = desk.data(reading)
    found = []
    if promise.k > len(data):
        found.append(Remark("infeasible", f"there are {len(data):,} {data.unit}, and k is {promise.k:,}"))
    impossible, refused = policy.foreseen(data, promise.k, promise.l, accepted)
    found += [Remark("infeasible", text) for text in impossible]
    found += [Remark("warning", f"{text}; leave it out under Data, or accept it below") for text in refused]
    if tied := policy.repeats(data, Accepted(accepted, repeats=repeats)):
        found.append(Remark("warning", f"would be refused: {tied}; gather one record a person under Data, or accept it below"))
    found += _sensible(data, promise)
    if data.transactions is not None and (promise.privacy or promise.utility):
        privacy = Itemsets(promise.privacy) if promise.privacy else None
        utility = policy.utility_policy(data, promise.utility, promise.suppression)
        told = policy.of_dataset(data, privacy, utility, k=promise.k, m=promise.m)
        found += [Remark(remark.level, in_words(remark.text)) for remark in told]
    return tuple(found)


def _sensible(data: Dataset, promise: SetPromise) -> list[Remark]:
    if not data.with_role("quasi") and data.transactions is None:
        return [Remark("warning", "no column could be known, so nothing is protected; see Data")]
    names = [column.name for column in data.with_role("sensitive")]
    if names and promise.l is None:
        text = f"people who look alike may all have the same {names[0]}; say above how many different answers there must be"
        return [Remark("note", text)]
    return []


def look_at_rules(desk: WorkerCaches, report: Any, *, reading: Reading, lines: list[tuple[str, ...]]) -> tuple[RuleFacts, ...]:
    """What each line of items is about."""
    return tuple(RuleFacts(**asdict(facts)) for facts in policy.look(desk.data(reading), lines))


def make_rules(
    desk: WorkerCaches, report: Any, *, reading: Reading, privacy: str | None, utility: str | None, seed: int
) -> Rules:
    """Constraints made from the data."""
    return Rules(**asdict(policy.make(desk.data(reading), privacy, utility, seed=seed)))


def read_rules(desk: WorkerCaches, report: Any, *, file: Path, holds: str) -> Rules:
    """The constraints in a file."""
    return Rules(**asdict(policy.read(file, holds)))
