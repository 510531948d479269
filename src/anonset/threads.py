"""Work on all cores that gives the results of one thread, and limits that keep work from filling the memory."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import cache, partial
from itertools import pairwise
from threading import local
from typing import TypeVar

import numpy as np

from anonset.model.arrays import Offsets
from anonset.model.progress import Progress, silent, with_progress

T = TypeVar("T")
R = TypeVar("R")
THREADS = min(8, os.cpu_count() or 1)
Tasks = deque[Callable[[], None]]  # what nobody has begun; threads take from it what they do
_HERE = local()


def parallel_map(work: Callable[[T], R], jobs: Iterable[T], progress: Progress = silent) -> list[R]:
    """What the work makes of each job, in the order of the jobs; the listener hears in that order, in the thread it is from.

    However deep calls are nested, one pool works for all of them, and no more threads than there are cores: who calls from a
    thread of the pool takes part, and is helped by those that have nothing else to do; who calls from elsewhere waits.
    """
    waiting = list(jobs)
    if len(waiting) < 2 or THREADS == 1:
        return [work(job) for job in with_progress(waiting, progress)]
    tasks: Tasks = deque()
    results = [_offered(tasks, work, job) for job in waiting]
    try:
        return [_awaited(tasks, result) for result in with_progress(results, progress)]
    finally:  # who stops does not wait for what has not begun
        tasks.clear()


def prefetch_map(work: Callable[[T], R], jobs: Iterable[T]) -> Iterator[R]:
    """What the work makes of each job, in the order of the jobs; one a thread is made before it is asked for."""
    if THREADS == 1:
        yield from map(work, jobs)
        return
    tasks: Tasks = deque()
    results: deque[Future[R]] = deque()
    try:
        for job in jobs:
            results.append(_offered(tasks, work, job))
            if len(results) > THREADS:
                yield _awaited(tasks, results.popleft())
        while results:
            yield _awaited(tasks, results.popleft())
    finally:
        tasks.clear()


def chunks(n: int, least: int) -> list[tuple[int, int]]:
    """The numbers 0 .. n-1 in runs (first, last + 1), one a thread, unless that leaves less than `least` to each."""
    parts = max(1, min(THREADS, n // max(1, least)))
    return list(pairwise(n * p // parts for p in range(parts + 1)))


def even_chunks(ends: Offsets, parts: int) -> list[tuple[int, int]]:
    """Jobs in runs (first, last + 1) of about as much work each, at most so many; ends[j] is the work of all up to job j."""
    parts = min(parts, len(ends))
    wanted = [int(ends[-1]) * s // parts for s in range(1, parts)]
    return list(pairwise(np.unique([0, *np.searchsorted(ends, wanted), len(ends)]).tolist()))


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, "side-by-side")


if hasattr(os, "register_at_fork"):  # threads do not go along
    os.register_at_fork(after_in_child=_pool.cache_clear)


def _offered(tasks: Tasks, work: Callable[[T], R], job: T) -> Future[R]:
    """The result of a job that a thread of the pool will take up when it has nothing else to do."""
    result: Future[R] = Future()
    tasks.append(partial(_finish, result, work, job))
    _pool(THREADS).submit(_take_part, tasks)
    return result


def _awaited(tasks: Tasks, result: Future[R]) -> R:
    if getattr(_HERE, "in_pool", False):
        _take_part(tasks)
    return result.result()


def _take_part(tasks: Tasks) -> None:
    """Do what nobody has begun, until nothing is left."""
    _HERE.in_pool = True
    with suppress(IndexError):
        while True:
            tasks.popleft()()


def _finish(result: Future[R], work: Callable[[T], R], job: T) -> None:
    try:
        result.set_result(work(job))
    except BaseException as error:  # raised again in the thread that asked
        result.set_exception(error)


def environment_limit(variable: str, otherwise: int) -> int:
    """What the variable says where it is a whole number, else what is usual."""
    given = os.environ.get(variable, "")
    return int(given) if given.isdecimal() and len(given) < 30 else otherwise
