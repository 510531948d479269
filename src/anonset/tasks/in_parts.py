"""Releases in parts beside their originals, both read in pieces: what they lost, what they are good for, and queries."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

from anonset.engine.domains import Answer
from anonset.engine.measures import Looked, count_workload, kept_columns, levels_of, look, measures_of, one_of
from anonset.engine.planning import BASE, MB
from anonset.engine.record_pairs import beside
from anonset.engine.sampling import Draw, drawn_records, published_rows
from anonset.measure.usefulness import SizedError, Usefulness, single_and_pair_counts, sized_errors
from anonset.model.dataset import Dataset
from anonset.model.progress import Phases
from anonset.model.release import Release
from anonset.tasks.inputs import Input, schema_of_original
from anonset.tasks.limits import Pieces

SAMPLE, PAIRS, SEED = 10_000, 1000, 0  # records that pairs to be counted are drawn from


@contextmanager
def looked_at(folder: Path, original: Input, pieces: Pieces, phases: Phases) -> Iterator[Looked]:
    """A release in parts whose parts were read once; what else is asked is asked about pieces."""
    limits = pieces.resources()
    with beside(folder, original.data, schema_of_original(folder, original), limits, phases) as (driver, source, parts):
        yield look(driver, source, parts, max(64 * MB, (limits.memory or 4 * BASE) - BASE))


def drawn_pairs(looked: Looked, n: int) -> tuple[Dataset, Release]:
    """Records drawn from all pieces, in the order of the input, and what is published of them."""
    driver, roster = looked.driver, looked.driver.context.roster
    answer = driver.ask(Draw(n, SEED), looked.source.pieces, n, SEED)
    order = np.argsort(answer["rows"])
    original = drawn_records(answer, roster).take(order)
    original = replace(original, fates=roster.fates, sources=roster.sources, identifiers=roster.identifiers)
    return original, published_rows(looked, answer["rows"][order])


def usefulness_of_parts(looked: Looked, sums: Answer) -> Usefulness:
    """What a release in parts is still good for; itemsets are not mined and nothing is predicted."""
    driver, coder = looked.driver, looked.driver.context.coder
    assert coder is not None
    found = measures_of(sums, coder)
    counts: tuple[SizedError, ...] = ()
    if "exact-items" in found:
        drawn = drawn_records(driver.ask(Draw(SAMPLE, SEED), looked.source.pieces, SAMPLE, SEED), coder.roster)
        hidden = coder.roster.sensitive_items
        supports = coder.supports if hidden is None else np.where(hidden, 0, coder.supports)
        counts = sized_errors(count_workload(looked, single_and_pair_counts(drawn, PAIRS, SEED, supports), "uniform"))
    levels, elsewhere = levels_of(sums) or (None, None)
    return Usefulness(
        coder.roster.item_column,
        coder.records,
        0,
        "uniform",
        found.get("exact-items"),
        found.get("lost-items"),
        levels,
        elsewhere,
        one_of(sums),
        kept_columns(sums) or None,
        counts,
    )
