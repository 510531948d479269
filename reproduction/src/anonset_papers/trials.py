"""One run of an algorithm as a row of figures."""

import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from anonset.algorithms import make
from anonset.errors import InfeasibleError
from anonset.jobs import forget_peak, peak_mb
from anonset.measure import measure
from anonset.measure.are import are
from anonset.measure.workload import Query, Workload, random_queries
from anonset.model.builders import balanced
from anonset.model.dataset import Dataset
from anonset.model.labels import GeneralizedItems
from anonset.verify import verify
from anonset_papers.claims import Row, Value

ITEMS_OF_A_QUERY = 5
MEASURES = {"ncp": "ncp-items", "ul": "ul-log2"}
WORKLOAD_NOTE = (
    "AvgRE: one workload a dataset for all algorithms, so that all answer the same questions: 1000 sets of 5 different items, "
    "drawn at random from the items that occur ([003] draws them from the generalized items; nearly all items are "
    "generalized by some algorithm). Most such sets are in no record, where a relative error is not defined: the error is "
    "divided by max(actual, 1), so that it counts the records found wrongly, as [003] 5.1 reads AvgRE. "
    "The column `held` has the error of a second workload, 1000 sets of 5 items that a random record holds."
)
SAME_WORKLOAD = "AvgRE is measured as the first claim of this paper says."


class Questions(NamedTuple):
    """The workloads of a dataset: sets of random items, and sets that some record holds."""

    drawn: Workload
    held: Workload


def questions(data: Dataset, n: int = 1000, *, seed: int = 0) -> Questions:
    """The workloads that all algorithms answer on this dataset."""
    t = data.linkable
    rng, items = np.random.default_rng(seed), np.flatnonzero(t.supports)
    size = min(ITEMS_OF_A_QUERY, len(items))
    sets = [np.sort(rng.choice(items, size, replace=False)) for _ in range(n)]
    drawn = Workload(tuple(Query(items=tuple(t.domain[i] for i in chosen)) for chosen in sets))
    return Questions(drawn, random_queries(data, n, kind="items", items=size, seed=seed))


def with_balanced(data: Dataset, fanout: int = 5) -> Dataset:
    """The item sets alone, with a balanced hierarchy over the items in the order of their ids."""
    assert data.transactions is not None
    return Dataset(transactions=data.transactions).with_item_hierarchy(balanced(data.transactions.domain, fanout))


def trial(
    data: Dataset,
    algorithm: str,
    values: Mapping[str, Any],
    *,
    asked: Questions | None = None,
    extra: Mapping[str, Workload] | None = None,
    ids: tuple[str, ...] = (),
) -> dict[str, Value]:
    """The figures of one verified release; where there is none, `outcome` says so.

    `cpu` is CPU seconds of the first run in the process, `mb` the peak of memory beyond what was in use before.
    """
    forget_peak()
    memory, before = peak_mb(), time.process_time()
    try:
        release = make(algorithm, values).anonymize(data)
    except InfeasibleError:
        return {"algorithm": algorithm, "outcome": "cannot be met"}
    row: dict[str, Value] = {"algorithm": algorithm, "outcome": "done", "cpu": time.process_time() - before}
    row["mb"] = peak_mb() - memory
    verify(data, release).require()
    found = measure(data, release, [*MEASURES.values(), *ids])
    row |= {name: found[id] for name, id in MEASURES.items()} | {id: found[id] for id in ids}
    assert isinstance(release.items, GeneralizedItems)
    row |= {"largest": int(release.items.labels.sizes.max(initial=0)), "suppressed": len(release.items.suppressed)}
    workloads = {"are": asked.drawn, "held": asked.held} if asked is not None else {}
    return row | {name: are(data, release, workload) for name, workload in {**workloads, **(extra or {})}.items()}


def timed(data: Dataset, algorithm: str, values: Mapping[str, Any], *, repeats: int = 3) -> dict[str, Value]:
    """The least CPU time of this process over some runs, after one that loads what is compiled."""
    ready = make(algorithm, values)
    try:
        ready.anonymize(data)
        cpu = min(cpu_seconds(lambda: ready.anonymize(data)) for _ in range(repeats))
    except InfeasibleError:
        return {"algorithm": algorithm, "outcome": "cannot be met"}
    return {"algorithm": algorithm, "outcome": "done", "cpu": cpu}


def cpu_seconds(run: Callable[[], object]) -> float:
    """The CPU time of one run in this process."""
    before = time.process_time()
    run()
    return time.process_time() - before


def labelled(row: Mapping[str, Value], **labels: Value) -> Row:
    """The row with what it was run on in front."""
    return {**labels, **row}
