"""What each algorithm does with data in pieces, and how long it will take; those that are not here are refused."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from anonset.algorithms.base import Algorithm
from anonset.algorithms.constraints.pcta import ConstraintBased
from anonset.algorithms.nonreciprocal.rings import sensitive_labels
from anonset.algorithms.relational.base import constraint_of_records, guarantees_of
from anonset.algorithms.relational.encoding import encode
from anonset.algorithms.relational.mondrian import Mondrian, partition
from anonset.algorithms.relational.publication import publish_groups
from anonset.algorithms.transactions.aa import Aa
from anonset.algorithms.transactions.vpa import Vpa
from anonset.engine.coreset import cut_of
from anonset.engine.domains import Answer
from anonset.engine.item_clusters import clusters_of
from anonset.engine.journal import Driver
from anonset.engine.part_files import SHOWN, AloneRule, ClusterRule, CutRule, Publish
from anonset.engine.partitioning import Further, Sizes, Solve, Space, parts_by_gray, parts_by_tree, runs_of
from anonset.engine.planning import BASE, WorkPlan
from anonset.engine.source import PieceSource
from anonset.errors import Advice, AnonsetError, Fix, InfeasibleError, InputError, ParameterError, Set
from anonset.model.dataset import Column, Dataset
from anonset.model.release import Release

WORTH_IT = 20_000  # records: with fewer nobody waits
FIRST = 500  # records of the first trial
ENOUGH = 1.0  # seconds of a trial that is not doubled any more
SHARE = 0.03  # of all records that are tried at most
GROWTH = (0.9, 2.0)  # how time may grow with the records of a part, as an exponent


def seconds_on_parts(
    algorithm: Algorithm, data: Dataset, part: int, records: int, clock: Callable[[], float] = time.process_time
) -> float:
    """CPU seconds for so many records in parts of this size, from trials on `data`; 0 where it is not worth a trial."""
    if records < WORTH_IT:
        return 0.0
    part, tried = min(part, records), list[tuple[int, float]]()
    most = min(part, len(data), max(2 * FIRST, int(SHARE * records)))
    n = FIRST
    try:
        algorithm.anonymize(_some(data, FIRST))  # compiles, or loads what was compiled
        while n <= most and (not tried or tried[-1][1] < ENOUGH):
            start = clock()
            algorithm.anonymize(_some(data, n))
            tried.append((n, clock() - start))
            n = 2 * n if 2 * n <= most or n == most else most
    except AnonsetError:
        pass  # what few records do not allow, many may
    if not tried:
        return 0.0
    (few, quick), (many, slow) = tried[-2:] if len(tried) > 1 else (tried[-1], tried[-1])
    grown = math.log(slow / quick) / math.log(many / few) if many > few and slow > 0 < quick else 1.0
    return float(slow * (part / many) ** min(max(grown, GROWTH[0]), GROWTH[1]) * records / part)


def _some(data: Dataset, n: int) -> Dataset:
    """So many records, from everywhere."""
    return data.take(np.linspace(0, len(data) - 1, min(n, len(data))).astype(np.int64))


EXACT = ("aa", "vpa", "pcta", "upcta", "coat", "mondrian")
RUNS = {"lift": 1_000_000, "lra": 200_000}  # records of a part: neighbours in the input
TREES = {
    "cluster": 20_000,
    "peel": 20_000,
    "r-first": 20_000,
    "t-first": 20_000,
    "rmerge-r": 20_000,
    "rmerge-t": 20_000,
    "rmerge-rt": 20_000,
    "tmerge-r": 20_000,
    "tmerge-t": 20_000,
    "tmerge-rt": 20_000,
    "rt-search": 20_000,
}  # records of a part: cut at medians of the quasi columns
GRAY = {"nr-k": 100_000, "nr-l": 100_000, "gray-ring": 100_000, "cahd": 100_000}  # records of a part: neighbours in Gray order
WHOLE = 20_000  # records: smaller parts are cut by mondrian at more places than the median, so they are worked on whole


def shown_by(driver: Driver, source: PieceSource, algorithm: Algorithm, plan: WorkPlan) -> tuple[Answer, tuple[str, ...]]:
    """Where what the algorithm publishes was written, and what there is to say about it."""
    parts = max(1, -(-source.rows // plan.piece_rows))
    name = algorithm.name
    if isinstance(algorithm, Aa | Vpa):
        nodes = cut_of(driver, source, algorithm, plan.memory // 6, (plan.memory - BASE) // plan.threads)
        return driver.ask(Publish(CutRule(algorithm, nodes), parts), list(enumerate(source.pieces)), into=(SHOWN,)), ()
    if isinstance(algorithm, ConstraintBased):
        clusters = clusters_of(driver, source, algorithm, plan.memory // 6, (plan.memory - BASE) // 2)
        rule = ClusterRule(algorithm, clusters)
        return driver.ask(Publish(rule, parts), list(enumerate(source.pieces)), into=(SHOWN,)), ()
    if isinstance(algorithm, Mondrian):
        return _mondrian(driver, source, algorithm, parts, plan), ()
    if name in RUNS:
        return _in_runs(driver, source, algorithm, parts, plan)
    if name in TREES:
        return _in_tree(driver, source, algorithm, parts, plan)
    if name in GRAY:
        return _in_gray(driver, source, algorithm, parts, plan)
    raise ParameterError(f"{name} works on data in memory only; in pieces: {', '.join((*EXACT, *RUNS, *TREES, *GRAY))}")


def forecast(driver: Driver, source: PieceSource, algorithm: Algorithm, plan: WorkPlan) -> WorkPlan:
    """The plan with the time that the algorithm takes on parts, tried on records of the first piece."""
    sizes = RUNS | TREES | GRAY | {"mondrian": WHOLE}
    if algorithm.name not in sizes or source.rows < WORTH_IT:
        return plan
    part = min(sizes[algorithm.name], plan.alone_rows)
    more = seconds_on_parts(algorithm, driver.context.batch(source.pieces[0]), part, source.rows)
    return replace(plan, seconds=plan.seconds + more / plan.jobs)


@dataclass(frozen=True, eq=False)
class MondrianRule:
    """A part as `mondrian` goes on with it: the spans of all data say what a range costs."""

    algorithm: Mondrian
    roster: Dataset

    def apply(self, batch: Dataset) -> Release:
        """What is published of a part."""
        wanted, n = self.algorithm, len(batch)
        guarantees = guarantees_of(wanted, batch)
        columns = tuple(_below(c, self.roster.column(c.name)) for c in batch.columns)
        q = encode(Dataset(columns), wanted.recoding, wanted.weights)
        groups = partition(q._replace(values=q.values[:n]), constraint_of_records(batch, guarantees), relaxed=False)
        return publish_groups(wanted, batch, groups, guarantees, recoding=wanted.recoding)


def _below(column: Column, other: Column) -> Column:
    """The column with the values of another one behind its own."""
    codes = np.append(column.codes, other.codes)
    return Column(column.name, column.role, column.kind, codes, column.domain, column.values, column.hierarchy)


def _mondrian(driver: Driver, source: PieceSource, wanted: Mondrian, parts: int, plan: WorkPlan) -> Answer:
    if wanted.splits == "relaxed" or wanted.l > 1 or wanted.t < 1.0:
        raise ParameterError("mondrian on data in pieces is strict and without l and t")
    roster = driver.context.roster
    if wanted.k > source.rows:
        raise InfeasibleError(f"k={wanted.k} exceeds the {source.rows} records of the dataset")
    if not roster.quasi:
        raise InputError("this needs quasi columns, and the dataset has none", fix=[Fix("name them with {}", Set("quasi"))])
    space = Space.of(roster, wanted.recoding, wanted.weights)
    units = parts_by_tree(driver, source, space, max(WHOLE, plan.alone_rows), wanted.k, _room(plan))
    return driver.ask(Solve(MondrianRule(wanted, roster), parts), units, into=(SHOWN,))


def _in_runs(
    driver: Driver, source: PieceSource, wanted: Algorithm, parts: int, plan: WorkPlan
) -> tuple[Answer, tuple[str, ...]]:
    if driver.context.roster.item_hierarchy is None:
        example = Fix("e.g. {}", Set("item_hierarchy", "balanced:5"))
        raise ParameterError(Advice(f"{wanted.name} on data in pieces needs one hierarchy for all of them, ", example))
    if getattr(wanted, "minimize", "queries") != "queries":
        raise ParameterError("lift on data in pieces minimizes wrong counts: leave minimize as it is")
    units = runs_of(source, min(RUNS[wanted.name], plan.alone_rows))
    return driver.ask(Solve(AloneRule(wanted), parts), units, into=(SHOWN,)), _said(wanted, len(units))


def _in_tree(
    driver: Driver, source: PieceSource, wanted: Algorithm, parts: int, plan: WorkPlan
) -> tuple[Answer, tuple[str, ...]]:
    asked: Any = wanted
    roster = driver.context.roster
    if not roster.quasi:
        raise InputError("this needs quasi columns, and the dataset has none", fix=[Fix("name them with {}", Set("quasi"))])
    fit = min(TREES[wanted.name], plan.alone_rows)
    space = Space.of(roster, getattr(asked, "recoding", "nodes"), getattr(asked, "weights", ""))
    least, together = max(asked.k, fit // 4), min(plan.alone_rows, source.rows // (4 * plan.jobs))
    units = parts_by_tree(driver, source, space, max(fit, together), least, _room(plan))
    shown = driver.ask(Solve(AloneRule(wanted), parts, Further(space, fit, least)), units, into=(SHOWN,))
    return shown, _said(wanted, int(shown["batches"].sum()))


def _in_gray(
    driver: Driver, source: PieceSource, wanted: Algorithm, parts: int, plan: WorkPlan
) -> tuple[Answer, tuple[str, ...]]:
    asked: Any = wanted
    l = getattr(asked, "l", 1)  # noqa: E741 - the papers' letter
    k, fit = getattr(asked, "k", l), min(GRAY[wanted.name], plan.alone_rows)
    label = sensitive_labels(driver.context.roster).column if hasattr(asked, "l") else ""
    sizes = Sizes(fit, max(k, fit // 4), max(2 * k, plan.alone_rows), label, l)
    units = parts_by_gray(driver, source, asked.bits, sizes)
    return driver.ask(Solve(AloneRule(wanted), parts), units, into=(SHOWN,)), _said(wanted, len(units))


def _room(plan: WorkPlan) -> int:
    """Bytes for the histograms of one pass: there are up to four more of them where answers are merged."""
    return (plan.memory - BASE) // plan.threads // 8


def _said(wanted: Algorithm, n: int) -> tuple[str, ...]:
    return (
        (f"{wanted.name} worked on {n} parts of the records as if there were nothing else; see docs/scale.md",) if n > 1 else ()
    )
