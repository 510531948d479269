"""How long a search may go on: until its time is over, or for a number of steps that another run counted."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from numba.core import event

from anonset.errors import ParameterError
from anonset.model.progress import Progress

Clock = Callable[[], float]
STARTING = 0.4  # of the time that starts may take, so that the best of them can be improved


class SearchBudget:
    """Starts judged and rounds made: by the clock, or, to repeat a run, by their numbers, "12+7"."""

    def __init__(self, seconds: float, steps: str, progress: Progress, clock: Clock = time.monotonic) -> None:
        self._clock, self._seconds, self._progress = clock, seconds, progress
        self._until = clock() + STARTING * seconds
        self._wanted = parse_steps(steps)
        self._done = [0, 0]
        self._phase = 0

    @property
    def is_spent(self) -> bool:
        """Whether the present phase is to end."""
        if self._wanted is not None:
            return self._done[self._phase] >= self._wanted[self._phase]
        return self._clock() >= self._until

    @property
    def is_counted(self) -> bool:
        """Whether steps are counted, and no clock is looked at."""
        return self._wanted is not None

    @property
    def steps(self) -> str:
        """What was done, to be done again."""
        return f"{self._done[0]}+{self._done[1]}"

    def step(self) -> None:
        """One more start, or one more round; the listener may cancel."""
        self._done[self._phase] += 1
        left = self._until - self._clock() + (0.0 if self._phase else (1.0 - STARTING) * self._seconds)
        self._progress(min(0.95, max(0.0, 1.0 - left / max(self._seconds, 1e-9))))

    def start_rounds(self) -> None:
        """From now on rounds are counted."""
        self._phase = 1
        self._until += (1.0 - STARTING) * self._seconds


@contextmanager
def working_time() -> Iterator[Clock]:
    """A clock that stands still while kernels compile: the first run of an installation searches as long as any other."""
    compiling = _Compiling()
    with event.install_listener("numba:compile", compiling):
        yield lambda: time.monotonic() - compiling.seconds


class _Compiling(event.Listener):
    """The seconds between the beginnings and ends of compiling; what is compiled on the way is part of them."""

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


def parse_steps(steps: str) -> tuple[int, int] | None:
    """The numbers of starts and of rounds; None where nothing is said."""
    if not steps:
        return None
    first, plus, second = steps.partition("+")
    if not (plus and first.isdigit() and second.isdigit()):
        raise ParameterError(f"steps must be two numbers such as 12+7, or nothing; got {steps!r}")
    return int(first), int(second)
