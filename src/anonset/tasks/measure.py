"""Measure the information loss and the risk of a release."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from anonset.engine.domains import Answer
from anonset.engine.measures import (
    Looked,
    applicable,
    chosen,
    count_workload,
    looked_at,
    losses,
    measure_parts,
    usefulness_of,
)
from anonset.engine.sampling import Draw, drawn_records
from anonset.errors import ParameterError
from anonset.measure import MEASURES, measure
from anonset.measure.information_loss import preserved_itemsets
from anonset.measure.usefulness import Usefulness, single_and_pair_counts, sized_errors, usefulness
from anonset.measure.workload import Estimator, QueryCounts, Workload, count_queries
from anonset.model.dataset import Dataset
from anonset.model.progress import Phases, Progress, part_of, silent, unheard
from anonset.model.release import Release
from anonset.releases.folder import is_in_parts
from anonset.tasks.inputs import Input, Limits, load, read_workload, schema_of_original

SAMPLE, PAIRS, SEED = 10_000, 1000, 0  # records of the sample, and pairs of items drawn from it
ITEMSETS, PREDICTION = "itemsets", "prediction"  # what only all records at once can tell, besides measures


Wanted = str | Callable[..., float]  # the id of a measure, or a function of (original, release)


@dataclass(frozen=True, slots=True)
class MeasureRequest:
    """A release and its original; the measures (all that apply, if None), and a workload of queries.

    `estimator` says how items behind labels are counted, `predict` which column a model is trained for. A release in parts is
    read in batches, within the limits.
    """

    release: Path
    original: Input
    ids: Sequence[str] | None = None
    workload: str | Path | Workload | None = None
    worst: int = 0
    frequent: float | None = None
    estimator: str = "subsets"
    predict: str | None = None
    aligned: bool = False
    limits: Limits | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """The values by id, and the queries behind `are` where there are some.

    `not_measured` names what needs all records at once, of a release that is read in batches.
    """

    values: Mapping[str, float]
    usefulness: Usefulness
    counts: QueryCounts | None = None
    worst: int = 0
    not_measured: tuple[str, ...] = ()

    @property
    def meanings(self) -> dict[str, str]:
        """What each value means, in a line."""
        return {id: MEASURES[id].meaning if id in MEASURES else "" for id in self.values}

    def as_json(self) -> dict[str, Any]:
        """The values by id; with the worst queries and the error by size if requested, and what was not measured."""
        values = {**self.values, **({"not_measured": self.not_measured} if self.not_measured else {})}
        if self.counts is None or not self.worst:
            return values
        names = ("query", "actual", "estimate", "error")
        found = self.counts.worst(self.worst)
        return {
            **values,
            "worst": [dict(zip(names, (str(query), *figures), strict=True)) for query, *figures in found],
            "by_size": {name: {"queries": n, "are": error} for name, (n, error) in self.counts.errors_by_size().items()},
        }


def run(request: MeasureRequest, phases: Phases = unheard) -> Measured:
    """Measure a release against its original."""
    needs_all = request.frequent is not None or request.predict is not None
    if is_in_parts(request.release) and not (needs_all and request.limits is None):
        return _in_batches(request, request.limits or Limits(), phases)
    original, release, _ = load(request.release, request.original, phases("Reading"), aligned=request.aligned).require_rows()
    progress = phases("Measuring")
    values = of_release(original, release, request.ids, part_of(progress, 0.0, 0.7))
    counts = None
    if request.workload is not None:
        counts = count_answers(original, release, request.workload, request.estimator)
        values["are"] = float(counts.relative_errors().mean())
    if request.frequent is not None:
        values |= frequent_itemsets(original, release, request.frequent)
    useful = usefulness(original, release, column=request.predict, bound=values.get("exact-bound"))
    progress(1.0)
    return Measured(values, useful, counts, request.worst)


def _in_batches(request: MeasureRequest, limits: Limits, phases: Phases) -> Measured:
    """Measure a release in parts, which is read in batches."""
    schema = schema_of_original(request.release, request.original)
    with looked_at(request.release, request.original.data, schema, limits.resources(), phases) as looked:
        sums = losses(looked)
        every, apply = measure_parts(looked, sums), applicable(looked)
        values, counts = chosen(every, request.ids, apply), None
        missing = [id for id in (apply if request.ids is None else request.ids) if id not in every]
        missing += [ITEMSETS] if request.frequent is not None else []
        missing += [PREDICTION] if request.predict is not None else []
        if request.workload is not None:
            counts = count_workload(looked, read_workload(request.workload), cast(Estimator, request.estimator))
            values["are"] = float(counts.relative_errors().mean())
        return Measured(values, usefulness_of_parts(looked, sums), counts, request.worst, tuple(missing))


def usefulness_of_parts(looked: Looked, sums: Answer) -> Usefulness:
    """Return the usefulness of a release in parts, without itemset mining and prediction."""
    driver, coder = looked.driver, looked.driver.context.coder
    assert coder is not None
    if "items" not in sums:
        return usefulness_of(coder, sums)
    drawn = drawn_records(driver.ask(Draw(SAMPLE, SEED), looked.source.batches, SAMPLE, SEED), coder.roster)
    hidden = coder.roster.sensitive_items
    supports = coder.supports if hidden is None else np.where(hidden, 0, coder.supports)
    pairs = single_and_pair_counts(drawn, PAIRS, SEED, supports)
    return usefulness_of(coder, sums, sized_errors(count_workload(looked, pairs, "uniform")))


def of_release(
    original: Dataset,
    release: Release,
    ids: Iterable[Wanted] | Wanted | None = None,
    progress: Progress = silent,
) -> dict[str, float]:
    """The named measures of a release in memory, or all that apply."""
    return measure(original, release, listed(ids), progress=progress)


def listed(ids: Iterable[Wanted] | Wanted | None) -> list[Wanted] | None:
    """Several measures as a list; None for all that apply."""
    if isinstance(ids, str) or callable(ids):
        return [ids]
    if not (ids is None or isinstance(ids, Iterable)):
        raise ParameterError(f"ids of measures, or functions of (original, release), are expected; got {type(ids).__name__}")
    return None if ids is None else list(ids)


def count_answers(
    original: Dataset, release: Release, workload: str | Path | Workload, estimator: str = "subsets"
) -> QueryCounts:
    """What each query of a workload counts on the original and on the release."""
    return count_queries(original, release, read_workload(workload), estimator=cast(Estimator, estimator))


def frequent_itemsets(original: Dataset, release: Release, support: float) -> dict[str, float]:
    """Precision, recall and support error of the frequent itemsets."""
    found = preserved_itemsets(original, release, support=support)
    return {
        "itemset-precision": found.precision,
        "itemset-recall": found.recall,
        "itemset-support-error": found.support_error,
    }
