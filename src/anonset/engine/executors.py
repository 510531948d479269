"""Engines that answer questions: threads of this process, or the workers of a Dask cluster, local or at an address."""

import pickle
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any, Protocol, cast

from anonset.engine.domains import Answer
from anonset.engine.heap import share_heap
from anonset.engine.questions import Context, LostBatch, Question, folded
from anonset.errors import InputError, ParameterError
from anonset.model.progress import Progress, silent


class Engine(Protocol):
    """Answers questions about units of work."""

    @property
    def jobs(self) -> int:
        """Return the number of units that are worked on at the same time."""
        ...

    def reduce(self, question: Question, units: Sequence[Any], context: Context, progress: Progress = silent) -> Answer:
        """The one answer for all units."""
        ...

    def close(self) -> None:
        """Release the workers."""
        ...


@dataclass(frozen=True, slots=True)
class Threads:
    """`jobs` threads of this process, each with one unit at a time."""

    jobs: int = 1

    def reduce(self, question: Question, units: Sequence[Any], context: Context, progress: Progress = silent) -> Answer:
        """The one answer for all units."""
        share_heap()
        number = count(1)

        def done() -> None:
            progress(min(1.0, next(number) / len(units)))

        if self.jobs == 1 or len(units) == 1:
            return folded(question, units, context, done)
        shares = [units[j :: self.jobs] for j in range(min(self.jobs, len(units)))]
        state = None
        with ThreadPoolExecutor(len(shares)) as pool:
            for future in [pool.submit(folded, question, share, context, done) for share in shares]:
                state = question.merge(state, future.result())
        return question.answer(state)

    def close(self) -> None:
        """Do nothing: threads end with each question."""


AT_ONCE = 5  # most units in one task, so that fewer answers are sent
MERGED = 4  # answers that a worker merges into one
LOCAL = "local"
PATIENCE = 30  # seconds to wait for a scheduler


@dataclass(eq=False)
class DaskCluster:
    """A client of a cluster."""

    client: Any
    own: Any  # the local cluster to close with the client, or None
    jobs: int
    contexts: int = 0  # number of contexts written so far

    @classmethod
    def open(cls, scheduler: str | None, jobs: int) -> "DaskCluster":
        """Start a cluster of `jobs` workers on this machine, or connect to the one at an address."""
        try:
            distributed: Any = import_module("distributed")
        except ImportError:
            raise ParameterError("a Dask cluster needs the extra `scale`: pip install 'anonset[scale]'") from None
        own = None
        if scheduler in (None, LOCAL):
            own = distributed.LocalCluster(n_workers=jobs, threads_per_worker=1, memory_limit=0, dashboard_address=None)
        try:
            client = distributed.Client(own or scheduler, set_as_default=False, timeout=PATIENCE)
        except (OSError, ValueError, TimeoutError):
            raise InputError(f"there is no Dask scheduler at {scheduler}") from None
        return cls(client, own, max(1, len(client.scheduler_info()["workers"]) or jobs))

    def reduce(self, question: Question, units: Sequence[Any], context: Context, progress: Progress = silent) -> Answer:
        """Return the merged answer for all units; the units of a worker that dies are given to another one."""
        distributed: Any = import_module("distributed")
        self.contexts += 1
        path = context.work / f"context-{self.contexts}.pickle"
        path.write_bytes(pickle.dumps(context))
        size = max(1, min(AT_ONCE, len(units) // (2 * self.jobs)))
        chunks = [list(units[start : start + size]) for start in range(0, len(units), size)]
        leaves = {self.client.submit(answered, question, chunk, str(path), pure=False): chunk for chunk in chunks}
        whole = self._merged(question, list(leaves))
        try:
            for n, future in enumerate(distributed.as_completed(leaves, loop=self.client.loop), 1):
                if future.status == "error":
                    _raise(question, future, leaves[future], distributed.KilledWorker)
                progress(n / len(chunks))
            return cast(Answer, whole.result())
        finally:
            for future in (whole, *leaves):
                future.release()  # not cancel, which can confuse the scheduler

    def _merged(self, question: Question, futures: list[Any]) -> Any:
        """Merge many answers on the workers, a few at a time; only the last one is sent to the driver."""
        while len(futures) > 1:
            groups = [futures[start : start + MERGED] for start in range(0, len(futures), MERGED)]
            futures = [self.client.submit(merged, question, group, pure=False) for group in groups]
        return futures[0]

    def close(self) -> None:
        """Close the client, and the cluster if it is local."""
        self.client.close()
        if self.own is not None:
            self.own.close()


def _raise(question: Question, future: Any, chunk: list[Any], killed: type[Exception]) -> None:
    """Raise the error of a task, with the names of its units if the workers died."""
    try:
        future.result()
    except killed:
        names = "; ".join(map(str, chunk))
        raise LostBatch(f"{question.name}: {names}: every worker that took it died; is memory enough?") from None


def merged(question: Question, answers: Sequence[Answer]) -> Answer:
    """Merge several answers into one."""
    state = None
    for answer in answers:
        state = question.merge(state, answer)
    return question.answer(state)


def answered(question: Question, units: Sequence[Any], path: str) -> Answer:
    """Return the answer of one worker."""
    share_heap()
    return folded(question, units, _context(path))


@lru_cache(maxsize=1)
def _context(path: str) -> Context:
    """Read the context that the driver wrote to its work folder."""
    found: Context = pickle.loads(Path(path).read_bytes())
    return found
