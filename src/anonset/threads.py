"""Map functions over threads with the results in order, and limits that an environment variable raises."""

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
Tasks = deque[Callable[[], None]]  # not begun; threads take tasks from it
_HERE = local()


def parallel_map(work: Callable[[T], R], jobs: Iterable[T], progress: Progress = silent) -> list[R]:
    """Return the results of all jobs, in order; progress is reported in that order, from the calling thread.

    Nested calls share one pool of at most as many threads as cores: a caller in a thread of the pool does tasks itself, helped
    by idle threads; a caller elsewhere waits.
    """
    waiting = list(jobs)
    if len(waiting) < 2 or THREADS == 1:
        return [work(job) for job in with_progress(waiting, progress)]
    tasks: Tasks = deque()
    results = [_offered(tasks, work, job) for job in waiting]
    try:
        return [_awaited(tasks, result) for result in with_progress(results, progress)]
    finally:  # an error does not wait for tasks that have not begun
        tasks.clear()


def prefetch_map(work: Callable[[T], R], jobs: Iterable[T]) -> Iterator[R]:
    """Yield the results of all jobs, in order; each thread computes one result ahead."""
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
    """Return chunks (first, last + 1) of the numbers 0 .. n-1: one a thread, but none below `least` numbers."""
    parts = max(1, min(THREADS, n // max(1, least)))
    return list(pairwise(n * p // parts for p in range(parts + 1)))


def even_chunks(ends: Offsets, parts: int) -> list[tuple[int, int]]:
    """Return at most `parts` chunks (first, last + 1) of jobs with about equal work; ends[j] is the work up to job j."""
    parts = min(parts, len(ends))
    wanted = [int(ends[-1]) * s // parts for s in range(1, parts)]
    return list(pairwise(np.unique([0, *np.searchsorted(ends, wanted), len(ends)]).tolist()))


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, "side-by-side")


if hasattr(os, "register_at_fork"):  # a forked process has no threads of its parent
    os.register_at_fork(after_in_child=_pool.cache_clear)


def _offered(tasks: Tasks, work: Callable[[T], R], job: T) -> Future[R]:
    """Return the future of a job that an idle thread of the pool will do."""
    result: Future[R] = Future()
    tasks.append(partial(_finish, result, work, job))
    _pool(THREADS).submit(_take_part, tasks)
    return result


def _awaited(tasks: Tasks, result: Future[R]) -> R:
    if getattr(_HERE, "in_pool", False):
        _take_part(tasks)
    return result.result()


def _take_part(tasks: Tasks) -> None:
    """Do tasks that no thread has begun until none is left."""
    _HERE.in_pool = True
    with suppress(IndexError):
        while True:
            tasks.popleft()()


def _finish(result: Future[R], work: Callable[[T], R], job: T) -> None:
    try:
        result.set_result(work(job))
    except BaseException as error:  # raised again in the calling thread
        result.set_exception(error)


def environment_limit(variable: str, otherwise: int) -> int:
    """Return the whole number in an environment variable, or the default."""
    given = os.environ.get(variable, "")
    return int(given) if given.isdecimal() and len(given) < 30 else otherwise
