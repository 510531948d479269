"""One run of an algorithm as a row of figures."""

import time
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np

from anonset.algorithms import make
from anonset.errors import InfeasibleError
from anonset.jobs import peak_mb, reset_peak
from anonset.measure import measure
from anonset.measure.workload import Query, Workload, are, held_queries
from anonset.model.builders import balanced
from anonset.model.dataset import Dataset
from anonset.model.labels import GeneralizedItems
from anonset.model.release import Release
from anonset.verify import verify
from anonset_papers.claims import Row, Value

ITEMS_OF_A_QUERY = 5
DRAWN = 200  # queries for random items, which hardly ever count anybody
MEASURES = {"ncp": "ncp-items", "ul": "ul-log2"}
LeafOrder = Literal["id", "support", "random"]
READ_AS = (
    "a query asks for 5 items that some record holds (a relative error needs a count), the same 1000 for all algorithms; it is "
    "answered after each generalized item is replaced with all its items ([003] 5.1, [001] 4). COAT generalizes the commonest "
    "item of a constraint, which no paper states. The leaves of Apriori's hierarchy are in the order of their ids."
)
COAT_READ_AS = "COAT generalizes the commonest item of a constraint, which no paper states."
SUBSETS = "answers by the share of subsets behind a label, 2^(n-q)/(2^n-1)"
RANDOM_SETS = "sets of 5 random items, most of them in no record, by the share of subsets"
RAREST = "COAT generalizes the rarest item of a constraint"
FIRST = "COAT generalizes the first item of a constraint"
BY_SUPPORT = "the leaves of Apriori's hierarchy in the order of their supports"


class Questions(NamedTuple):
    """The workloads of a dataset: sets that some record holds, and sets of random items."""

    held: Workload
    drawn: Workload


def questions(data: Dataset, n: int = 1000, *, seed: int = 0) -> Questions:
    """The workloads that all algorithms answer on this dataset."""
    t = data.linkable
    rng, items = np.random.default_rng(seed), np.flatnonzero(t.supports)
    size = min(ITEMS_OF_A_QUERY, int(t.lengths.max(initial=1)))
    sets = [np.sort(rng.choice(items, min(size, len(items)), replace=False)) for _ in range(min(n, DRAWN))]
    drawn = Workload(tuple(Query(items=tuple(t.domain[i] for i in chosen)) for chosen in sets))
    return Questions(held_queries(data, n, items=size, seed=seed), drawn)


def with_balanced(data: Dataset, fanout: int = 5, order: LeafOrder = "id") -> Dataset:
    """The item sets alone, with a balanced hierarchy over the items in an order: of ids, of falling supports, or none."""
    t = data.transactions
    assert t is not None
    places = np.arange(len(t.domain))
    if order == "support":
        places = np.argsort(-t.supports, kind="stable")
    elif order == "random":
        places = np.random.default_rng(0).permutation(len(t.domain))
    leaves = tuple(t.domain[p] for p in places)
    return Dataset(transactions=t).with_item_hierarchy(balanced(leaves, fanout))


def trial(
    data: Dataset,
    algorithm: str,
    values: Mapping[str, Any],
    *,
    asked: Questions | None = None,
    frequent: Workload | None = None,
    ids: tuple[str, ...] = (),
) -> dict[str, Value]:
    """The figures of one verified release; where there is none, `outcome` says so.

    `cpu` is CPU seconds of the first run in the process, `mb` the peak of memory beyond what was in use before.
    """
    reset_peak()
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
    if asked is not None:
        row |= errors(data, release, asked.held)
        row["drawn"] = are(data, release, asked.drawn)
    return row if frequent is None else row | errors(data, release, frequent)


def errors(data: Dataset, release: Release, workload: Workload) -> dict[str, Value]:
    """The error of a workload, with each label replaced with all its items, and by the share of subsets behind a label."""
    return {
        "are": are(data, release, workload, estimator="expanded"),
        "subsets": are(data, release, workload, estimator="subsets"),
    }


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
