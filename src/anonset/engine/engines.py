"""Where questions are answered: in threads of this process, or (cluster.py) by the workers of a Dask cluster."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from typing import Any, Protocol

from anonset.engine.coding import Answer
from anonset.engine.heap import share_heap
from anonset.engine.questions import Context, Question, folded
from anonset.model.progress import Progress, silent


class Engine(Protocol):
    """Answers questions about units of work."""

    @property
    def jobs(self) -> int:
        """How many units are worked on at once."""
        ...

    def reduce(self, question: Question, units: Sequence[Any], context: Context, progress: Progress = silent) -> Answer:
        """The one answer for all units."""
        ...

    def close(self) -> None:
        """Let go of workers."""
        ...


@dataclass(frozen=True, slots=True)
class Threads:
    """This process: so many threads, each with one unit at a time."""

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
        """There is nothing to let go of."""
