"""How long `rt-search` goes on: a number of seconds, or, to repeat a run, the numbers of starts and rounds that it made."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from numba.core import event

from anonset.algorithms.rt.tuning import SHARE_OF_TIME_FOR_STARTS
from anonset.errors import ParameterError
from anonset.model.progress import Progress

Clock = Callable[[], float]


class SearchBudget:
    """Counts starts, then rounds, and ends each of the two phases by the clock or at a given number, "12+7" for example."""

    def __init__(self, seconds: float, steps: str, progress: Progress, clock: Clock = time.monotonic) -> None:
        self._clock, self._seconds, self._progress = clock, seconds, progress
        self._until = clock() + SHARE_OF_TIME_FOR_STARTS * seconds
        self._limits = parse_steps(steps)
        self._done = [0, 0]
        self._phase = 0

    @property
    def is_spent(self) -> bool:
        """Whether the present phase is over."""
        if self._limits is not None:
            return self._done[self._phase] >= self._limits[self._phase]
        return self._clock() >= self._until

    @property
    def is_counted(self) -> bool:
        """Whether steps are counted instead of seconds."""
        return self._limits is not None

    @property
    def steps(self) -> str:
        """The steps made so far, in the form that repeats the run."""
        return f"{self._done[0]}+{self._done[1]}"

    def step(self) -> None:
        """Count one more start, or one more round, and report the progress; the listener may cancel."""
        self._done[self._phase] += 1
        left = self._until - self._clock()
        if self._phase == 0:
            left += (1.0 - SHARE_OF_TIME_FOR_STARTS) * self._seconds
        self._progress(min(0.95, max(0.0, 1.0 - left / max(self._seconds, 1e-9))))

    def start_rounds(self) -> None:
        """Begin the second phase, which has the rest of the time."""
        self._phase = 1
        self._until += (1.0 - SHARE_OF_TIME_FOR_STARTS) * self._seconds


def parse_steps(steps: str) -> tuple[int, int] | None:
    """The numbers of starts and of rounds; None for an empty text."""
    if not steps:
        return None
    first, plus, second = steps.partition("+")
    if not (plus and first.isdigit() and second.isdigit()):
        raise ParameterError(f"steps must be two numbers such as 12+7, or nothing; got {steps!r}")
    return int(first), int(second)


@contextmanager
def working_time() -> Iterator[Clock]:
    """A clock that stops while kernels compile: the first run of an installation searches as long as any other."""
    compiling = _CompileTime()
    with event.install_listener("numba:compile", compiling):
        yield lambda: time.monotonic() - compiling.seconds


class _CompileTime(event.Listener):
    """The seconds that Numba spent on compiling; nested compilations count once."""

    def __init__(self) -> None:
        self.seconds, self._depth, self._since = 0.0, 0, 0.0

    def on_start(self, event: event.Event) -> None:
        if self._depth == 0:
            self._since = time.monotonic()
        self._depth += 1

    def on_end(self, event: event.Event) -> None:
        self._depth -= 1
        if self._depth == 0:
            self.seconds += time.monotonic() - self._since
