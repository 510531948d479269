"""Measure the information loss and the risk of a release."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from anonset.engine.measures import chosen, count_workload, losses, measure_parts
from anonset.errors import ParameterError
from anonset.measure import MEASURES, measure
from anonset.measure.information_loss import preserved_itemsets
from anonset.measure.usefulness import Usefulness, usefulness
from anonset.measure.workload import Estimator, QueryCounts, Workload, count_queries
from anonset.model.dataset import Dataset
from anonset.model.progress import Phases, Progress, part_of, silent, unheard
from anonset.model.release import Release
from anonset.tasks.inputs import Input, Pieces, load, read_workload
from anonset.tasks.partitioned import looked_at, usefulness_of_parts


@dataclass(frozen=True, slots=True)
class MeasureRequest:
    """A release and its original; the measures (all that apply, if None), and a workload of queries.

    `estimator` says how items behind labels are counted, `predict` which column a model is trained for.
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
    pieces: Pieces | None = None  # limits for reading a release in parts in batches


@dataclass(frozen=True, slots=True)
class Measured:
    """The values by id, and the queries behind `are` where there are some."""

    values: Mapping[str, float]
    usefulness: Usefulness
    counts: QueryCounts | None = None
    worst: int = 0

    @property
    def meanings(self) -> dict[str, str]:
        """What each value means, in a line."""
        return {id: MEASURES[id].meaning if id in MEASURES else "" for id in self.values}

    def as_json(self) -> dict[str, Any]:
        """The values by id; with the worst queries and the error by size if requested."""
        if self.counts is None or not self.worst:
            return dict(self.values)
        names = ("query", "actual", "estimate", "error")
        found = self.counts.worst(self.worst)
        return {
            **self.values,
            "worst": [dict(zip(names, (str(query), *figures), strict=True)) for query, *figures in found],
            "by_size": {name: {"queries": n, "are": error} for name, (n, error) in self.counts.errors_by_size().items()},
        }


def run(request: MeasureRequest, phases: Phases = unheard) -> Measured:
    """Measure a release against its original."""
    if request.pieces is not None:
        return _in_parts(request, request.pieces, phases)
    original, release, _ = load(request.release, request.original, phases("Reading"), aligned=request.aligned).require_rows()
    progress = phases("Measuring")
    values = of_release(original, release, request.ids, part_of(progress, 0.0, 0.7))
    counts = None
    if request.workload is not None:
        counts = count_answers(original, release, request.workload, request.estimator)
        values["are"] = float(counts.relative_errors().mean())
    if request.frequent is not None:
        values |= frequent_itemsets(original, release, request.frequent)
    useful = usefulness(original, release, column=request.predict)
    progress(1.0)
    return Measured(values, useful, counts, request.worst)


def _in_parts(request: MeasureRequest, pieces: Pieces, phases: Phases) -> Measured:
    if request.frequent is not None or request.predict is not None:
        raise ParameterError("itemsets are mined and models are trained in memory: leave out the limits of memory and jobs")
    with looked_at(request.release, request.original, pieces, phases) as looked:
        sums = losses(looked)
        values, counts = chosen(measure_parts(looked, sums), request.ids), None
        if request.workload is not None:
            counts = count_workload(looked, read_workload(request.workload), cast(Estimator, request.estimator))
            values["are"] = float(counts.relative_errors().mean())
        return Measured(values, usefulness_of_parts(looked, sums), counts, request.worst)


def of_release(
    original: Dataset, release: Release, ids: Sequence[str] | str | None = None, progress: Progress = silent
) -> dict[str, float]:
    """The named measures of a release in memory, or all that apply."""
    return measure(original, release, [ids] if isinstance(ids, str) else ids, progress=progress)


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
