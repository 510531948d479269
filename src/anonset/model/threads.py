"""Work that lets go of the interpreter (compiled loops, large arrays) on all cores: the results are those of one thread."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

import numpy as np

from anonset.model.arrays import Offsets
from anonset.model.progress import Progress, silent, told

T = TypeVar("T")
R = TypeVar("R")
THREADS = min(8, os.cpu_count() or 1)


def side_by_side(work: Callable[[T], R], jobs: Iterable[T], progress: Progress = silent) -> list[R]:
    """What the work makes of each job, in the order of the jobs; the listener hears in that order, in the thread it is from."""
    waiting = list(jobs)
    if len(waiting) < 2 or THREADS == 1:
        return [work(job) for job in told(waiting, progress)]
    pool = ThreadPoolExecutor(THREADS)
    try:
        return [future.result() for future in told([pool.submit(work, job) for job in waiting], progress)]
    finally:  # who stops does not wait for what has not begun
        pool.shutdown(wait=False, cancel_futures=True)


def ahead(work: Callable[[T], R], jobs: Iterable[T]) -> Iterator[R]:
    """What the work makes of each job, in the order of the jobs; one a thread is made before it is asked for."""
    if THREADS == 1:
        yield from map(work, jobs)
        return
    with ThreadPoolExecutor(THREADS) as pool:
        waiting: deque[Future[R]] = deque()
        for job in jobs:
            waiting.append(pool.submit(work, job))
            if len(waiting) > THREADS:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def shares(n: int, least: int) -> list[tuple[int, int]]:
    """The numbers 0 .. n-1 in runs (first, last + 1), one a thread, unless that leaves less than `least` to each."""
    parts = max(1, min(THREADS, n // max(1, least)))
    return list(pairwise(n * p // parts for p in range(parts + 1)))


def even_shares(ends: Offsets, parts: int) -> list[tuple[int, int]]:
    """Jobs in runs (first, last + 1) of about as much work each, at most so many; ends[j] is the work of all up to job j."""
    parts = min(parts, len(ends))
    wanted = [int(ends[-1]) * s // parts for s in range(1, parts)]
    return list(pairwise(np.unique([0, *np.searchsorted(ends, wanted), len(ends)]).tolist()))
