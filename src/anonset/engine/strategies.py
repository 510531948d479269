"""How each algorithm works on data in batches, and how long it takes; algorithms that are not listed here are refused."""

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
from anonset.engine.source import BatchSource
from anonset.errors import Advice, AnonsetError, Fix, InfeasibleError, InputError, ParameterError, Set
from anonset.model.dataset import Column, Dataset
from anonset.model.release import Release

WORTH_IT = 20_000  # fewest records for which the time is estimated
FIRST = 500  # records of the first trial
ENOUGH = 1.0  # seconds: a trial that takes longer is the last one
SHARE = 0.03  # largest share of all records in a trial
GROWTH = (0.9, 2.0)  # bounds of the exponent with which time grows in the records of a partition


def seconds_on_parts(
    algorithm: Algorithm, data: Dataset, part: int, records: int, clock: Callable[[], float] = time.process_time
) -> float:
    """Estimate CPU seconds for `records` records in partitions of `part` from trials on `data`; 0 for too few records."""
    if records < WORTH_IT:
        return 0.0
    part, tried = min(part, records), list[tuple[int, float]]()
    most = min(part, len(data), max(2 * FIRST, int(SHARE * records)))
    n = FIRST
    try:
        algorithm.anonymize(_some(data, FIRST))  # compile the kernels, or load them from the cache
        while n <= most and (not tried or tried[-1][1] < ENOUGH):
            start = clock()
            algorithm.anonymize(_some(data, n))
            tried.append((n, clock() - start))
            n = 2 * n if 2 * n <= most or n == most else most
    except AnonsetError:
        pass  # few records may be infeasible where many are not
    if not tried:
        return 0.0
    (few, quick), (many, slow) = tried[-2:] if len(tried) > 1 else (tried[-1], tried[-1])
    grown = math.log(slow / quick) / math.log(many / few) if many > few and slow > 0 < quick else 1.0
    return float(slow * (part / many) ** min(max(grown, GROWTH[0]), GROWTH[1]) * records / part)


def _some(data: Dataset, n: int) -> Dataset:
    """Return n records at equal distances."""
    return data.take(np.linspace(0, len(data) - 1, min(n, len(data))).astype(np.int64))


EXACT = ("aa", "vpa", "pcta", "upcta", "coat", "mondrian")
RUNS = {"lift": 1_000_000, "lra": 200_000}  # records of a partition: neighbours in the input
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
}  # records of a partition: cut at medians of the quasi columns
GRAY = {"nr-k": 100_000, "nr-l": 100_000, "gray-ring": 100_000, "cahd": 100_000}  # of a partition: neighbours in Gray order
WHOLE = 20_000  # records: mondrian cuts smaller partitions at more places than the median, so they are not split before


def shown_by(driver: Driver, source: BatchSource, algorithm: Algorithm, plan: WorkPlan) -> tuple[Answer, tuple[str, ...]]:
    """Recode all records; return where they were written, and remarks."""
    parts = max(1, -(-source.rows // plan.batch_rows))
    name = algorithm.name
    if isinstance(algorithm, Aa | Vpa):
        nodes = cut_of(driver, source, algorithm, plan.memory // 6, (plan.memory - BASE) // plan.threads)
        return driver.ask(Publish(CutRule(algorithm, nodes), parts), list(enumerate(source.batches)), into=(SHOWN,)), ()
    if isinstance(algorithm, ConstraintBased):
        clusters = clusters_of(driver, source, algorithm, plan.memory // 6, (plan.memory - BASE) // 2)
        rule = ClusterRule(algorithm, clusters)
        return driver.ask(Publish(rule, parts), list(enumerate(source.batches)), into=(SHOWN,)), ()
    if isinstance(algorithm, Mondrian):
        return _mondrian(driver, source, algorithm, parts, plan), ()
    if name in RUNS:
        return _in_runs(driver, source, algorithm, parts, plan)
    if name in TREES:
        return _in_tree(driver, source, algorithm, parts, plan)
    if name in GRAY:
        return _in_gray(driver, source, algorithm, parts, plan)
    require_strategy(name)
    raise AssertionError(name)


def require_strategy(name: str) -> None:
    """Raise if an algorithm cannot work on data in batches."""
    known = (*EXACT, *RUNS, *TREES, *GRAY)
    if name not in known:
        raise ParameterError(f"{name} works on data in memory only; in batches: {', '.join(known)}")


def forecast(driver: Driver, source: BatchSource, algorithm: Algorithm, plan: WorkPlan) -> WorkPlan:
    """Return the plan with the time of the algorithm added, estimated on records of the first batch."""
    sizes = RUNS | TREES | GRAY | {"mondrian": WHOLE}
    if algorithm.name not in sizes or source.rows < WORTH_IT:
        return plan
    part = min(sizes[algorithm.name], plan.alone_rows)
    more = seconds_on_parts(algorithm, driver.context.batch(source.batches[0]), part, source.rows)
    return replace(plan, seconds=plan.seconds + more / plan.jobs)


@dataclass(frozen=True, eq=False)
class MondrianRule:
    """Applies `mondrian` to one partition; the spans of all data decide the cost of a range."""

    algorithm: Mondrian
    roster: Dataset

    def apply(self, batch: Dataset) -> Release:
        """Return the published records of a partition."""
        algorithm, n = self.algorithm, len(batch)
        guarantees = guarantees_of(algorithm, batch)
        columns = tuple(_below(c, self.roster.column(c.name)) for c in batch.columns)
        q = encode(Dataset(columns), algorithm.recoding, algorithm.weights)
        groups = partition(q._replace(values=q.values[:n]), constraint_of_records(batch, guarantees), relaxed=False)
        return publish_groups(algorithm, batch, groups, guarantees, recoding=algorithm.recoding)


def _below(column: Column, other: Column) -> Column:
    """Return the column with the codes of another one appended."""
    codes = np.append(column.codes, other.codes)
    return Column(column.name, column.role, column.kind, codes, column.domain, column.values, column.hierarchy)


def _mondrian(driver: Driver, source: BatchSource, algorithm: Mondrian, parts: int, plan: WorkPlan) -> Answer:
    if algorithm.splits == "relaxed" or algorithm.l > 1 or algorithm.t < 1.0:
        raise ParameterError("mondrian on data in batches is strict and without l and t")
    roster = driver.context.roster
    if algorithm.k > source.rows:
        raise InfeasibleError(f"k={algorithm.k} exceeds the {source.rows} records of the dataset")
    if not roster.quasi:
        raise InputError("this needs quasi columns, and the dataset has none", fix=[Fix("name them with {}", Set("quasi"))])
    space = Space.of(roster, algorithm.recoding, algorithm.weights)
    units = parts_by_tree(driver, source, space, max(WHOLE, plan.alone_rows), algorithm.k, _room(plan))
    return driver.ask(Solve(MondrianRule(algorithm, roster), parts), units, into=(SHOWN,))


def _in_runs(
    driver: Driver, source: BatchSource, algorithm: Algorithm, parts: int, plan: WorkPlan
) -> tuple[Answer, tuple[str, ...]]:
    if driver.context.roster.item_hierarchy is None:
        example = Fix("e.g. {}", Set("item_hierarchy", "balanced:5"))
        raise ParameterError(Advice(f"{algorithm.name} on data in batches needs one hierarchy for all of them, ", example))
    if getattr(algorithm, "minimize", "queries") != "queries":
        raise ParameterError("lift on data in batches minimizes wrong counts: leave minimize as it is")
    units = runs_of(source, min(RUNS[algorithm.name], plan.alone_rows))
    return driver.ask(Solve(AloneRule(algorithm), parts), units, into=(SHOWN,)), _remarks(algorithm, len(units))


def _in_tree(
    driver: Driver, source: BatchSource, algorithm: Algorithm, parts: int, plan: WorkPlan
) -> tuple[Answer, tuple[str, ...]]:
    settings: Any = algorithm
    roster = driver.context.roster
    if not roster.quasi:
        raise InputError("this needs quasi columns, and the dataset has none", fix=[Fix("name them with {}", Set("quasi"))])
    fit = min(TREES[algorithm.name], plan.alone_rows)
    space = Space.of(roster, getattr(settings, "recoding", "nodes"), getattr(settings, "weights", ""))
    least, together = max(settings.k, fit // 4), min(plan.alone_rows, source.rows // (4 * plan.jobs))
    units = parts_by_tree(driver, source, space, max(fit, together), least, _room(plan))
    shown = driver.ask(Solve(AloneRule(algorithm), parts, Further(space, fit, least)), units, into=(SHOWN,))
    return shown, _remarks(algorithm, int(shown["batches"].sum()))


def _in_gray(
    driver: Driver, source: BatchSource, algorithm: Algorithm, parts: int, plan: WorkPlan
) -> tuple[Answer, tuple[str, ...]]:
    settings: Any = algorithm
    l = getattr(settings, "l", 1)  # noqa: E741 - the papers' letter
    k, fit = getattr(settings, "k", l), min(GRAY[algorithm.name], plan.alone_rows)
    label = sensitive_labels(driver.context.roster).column if hasattr(settings, "l") else ""
    sizes = Sizes(fit, max(k, fit // 4), max(2 * k, plan.alone_rows), label, l)
    units = parts_by_gray(driver, source, settings.bits, sizes)
    return driver.ask(Solve(AloneRule(algorithm), parts), units, into=(SHOWN,)), _remarks(algorithm, len(units))


def _room(plan: WorkPlan) -> int:
    """Return the bytes for the histograms of one pass; merging answers needs up to four more copies of them."""
    return (plan.memory - BASE) // plan.threads // 8


def _remarks(algorithm: Algorithm, n: int) -> tuple[str, ...]:
    """Return a remark if the algorithm worked on several partitions separately."""
    return (
        (f"{algorithm.name} worked on {n} parts of the records as if there were nothing else; see docs/scale.md",)
        if n > 1
        else ()
    )
