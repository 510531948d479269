"""What a second thread is worth: each piece of work with one thread and with two, in turn, in one process.

The shortest of many short runs of either, by the clock; a run counts only where two threads have two cores at that moment. On
a machine that others use, what the busiest thread has to do tells more: CPU seconds do not know who else is there.
Small cases (5,000 people by aa, a check of 20,000) take some milliseconds, of which starting threads and waiting for the
interpreter are a part: the larger ones beside them tell what threads are worth.
Run: python bench/bench_threads.py [NAME ...]
"""

import hashlib
import os
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import thread
from pathlib import Path
from typing import Any

import numpy as np

from anonset import threads
from anonset.algorithms.relational.encoding import encode
from anonset.algorithms.rt.cluster_merge import Btd
from anonset.algorithms.rt.item_step import ItemPolicies, Items, make_step
from anonset.algorithms.rt.local_search import partners
from anonset.data import read
from anonset.model.dataset import Dataset
from anonset.model.schema import Schema
from anonset.tasks.algorithms import AlgorithmChoice, choose
from anonset.verify import verify
from bench_scale import PEOPLE, baskets, people

Job = Callable[[], Any]
RUNS, LONG = 20, float(os.environ.get("BENCH_SECONDS", "60"))  # runs of either at most, and seconds after which it is enough
ENOUGH = 1.7  # times that hashing must gain before and after a run for it to count: else somebody else has the other core
BYTES = bytes(5_000_000)
SIZE = 5  # records of a cluster


def data_of(kind: Callable[[Path, int], Path], records: int, **settings: Any) -> Dataset:
    """A look-alike in memory, with a hierarchy of items."""
    with tempfile.TemporaryDirectory() as place:
        path = next(kind(Path(place), records).iterdir())
        return read(path, schema=Schema(item_hierarchy="balanced:5", **settings))


def clusters_of(data: Dataset) -> list[Any]:
    """Neighbours in the order of the quasi values."""
    order = np.lexsort([column.codes for column in data.quasi])
    return np.split(order, np.arange(SIZE, len(order), SIZE))


def verification(data: Dataset, algorithm: str, **parameters: Any) -> Job:
    """All promises of a release, and its truth."""
    release = choose(data, AlgorithmChoice(algorithm, {"k": 5, "m": 2, **parameters})).algorithm.anonymize(data)
    return lambda: verify(data, release).require()


def item_step(data: Dataset, name: str) -> Job:
    """The items of all clusters, each on its own."""
    items = Items(make_step(data, name, 5, 2, 1, ItemPolicies()), exact_weight=1.0)
    clusters = clusters_of(data)
    return lambda: items.outcomes(clusters)


def distances(data: Dataset) -> Job:
    """The nearest partner of each cluster among all others, by what their union loses."""
    clusters, quasi = clusters_of(data), encode(data)
    return lambda: partners(quasi, clusters, np.arange(len(clusters)), 0)


def jobs() -> dict[str, Callable[[], Job]]:
    """What is timed, by name; nothing is made before it is asked for."""
    sets = {"items": ["items"]}
    return {
        "hashing of bytes, for comparison": lambda: _hashing,
        "verification, 100,000 baskets": lambda: verification(data_of(baskets, 100_000, **sets), "aa"),
        "verification, 400,000 baskets": lambda: verification(data_of(baskets, 400_000, **sets), "aa"),
        "verification, 1,000,000 baskets": lambda: verification(data_of(baskets, 1_000_000, **sets), "aa"),
        "verification, 20,000 people": lambda: verification(data_of(people, 20_000, **PEOPLE), "r-first"),
        "verification, 200,000 people": lambda: verification(data_of(people, 200_000, **PEOPLE), "r-first"),
        "btd, 10,000 people": lambda: _btd(data_of(people, 10_000, **PEOPLE)),
        "cluster distances, 20,000 people": lambda: distances(data_of(people, 20_000, **PEOPLE)),
        "item step lift, 20,000 people": lambda: item_step(data_of(people, 20_000, **PEOPLE), "lift"),
        "item step aa, 5,000 people": lambda: item_step(data_of(people, 5_000, **PEOPLE), "aa"),
        "item step aa, 100,000 people": lambda: item_step(data_of(people, 100_000, **PEOPLE), "aa"),
    }


def _hashing() -> None:
    """What lets go of the interpreter and shares nothing: as much as two cores give at this moment."""
    threads.parallel_map(lambda _: hashlib.sha256(BYTES).digest(), range(4))


def _btd(data: Dataset) -> Job:
    clusters = clusters_of(data)
    assert data.transactions is not None
    return lambda: Btd(data.transactions, clusters)


def best(job: Job, runs: int) -> dict[int, float]:
    """The shortest run by the clock, with one thread and with two."""
    took = {1: np.inf, 2: np.inf}
    for _ in range(runs):
        for n in took:
            threads.THREADS = n
            before = time.perf_counter()
            job()
            took[n] = min(took[n], time.perf_counter() - before)
    return took


def shared(job: Job) -> float:
    """How many times less the busiest thread has to do of two than one alone, in CPU seconds; half of all at least."""
    threads.THREADS = 1
    alone = min(_spent(job)[0] for _ in range(RUNS))
    threads.THREADS = 2
    return alone / min(max(busiest, total / 2) for total, busiest in (_spent(job) for _ in range(RUNS)))


def _spent(job: Job) -> tuple[float, float]:
    """CPU seconds in all, and of this thread with the busiest of those that it started."""
    spent: Counter[int] = Counter()

    def run(item: Any) -> None:
        before = time.thread_time()
        usual(item)
        spent[threading.get_ident()] += time.thread_time() - before

    usual, thread._WorkItem.run = thread._WorkItem.run, run
    try:
        before, mine = time.process_time(), time.thread_time()
        job()
        return time.process_time() - before, time.thread_time() - mine + max(spent.values(), default=0.0)
    finally:
        thread._WorkItem.run = usual


def _free() -> bool:
    """Whether two threads have two cores now."""
    took = best(_hashing, 1)
    return took[1] > ENOUGH * took[2]


def main() -> None:
    wanted = sys.argv[1:]
    for name, make in jobs().items():
        if wanted and not any(name.startswith(one) for one in wanted):
            continue
        job, found, start = make(), [], time.perf_counter()
        job()  # compiles
        while len(found) < RUNS and time.perf_counter() - start < LONG:
            took = best(job, 1) if _free() else {}
            if took and _free():
                found.append(took)
            else:
                time.sleep(0.2)
        took = {n: min((one[n] for one in found), default=np.nan) for n in (1, 2)}
        clock = f"{took[1]:7.3f} s {took[2]:7.3f} s  {took[1] / took[2]:5.2f} times by the clock, best of {len(found):2}"
        print(f"{name:34} {clock}; {shared(job):5.2f} times by CPU", flush=True)


if __name__ == "__main__":
    main()
