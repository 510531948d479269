"""How long a search may go on: until its time is over, or for a number of steps that another run counted."""

import time

from anonset.errors import ParameterError
from anonset.model.progress import Progress

STARTING = 0.4  # of the time that starts may take, so that the best of them can be improved


class Budget:
    """Starts judged and rounds made: by the clock, or, to repeat a run, by their numbers, "12+7"."""

    def __init__(self, seconds: float, steps: str, progress: Progress) -> None:
        self._until, self._seconds, self._progress = time.monotonic() + STARTING * seconds, seconds, progress
        self._wanted = parse_steps(steps)
        self._done = [0, 0]
        self._phase = 0

    @property
    def is_spent(self) -> bool:
        """Whether the present phase is to end."""
        if self._wanted is not None:
            return self._done[self._phase] >= self._wanted[self._phase]
        return time.monotonic() >= self._until

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
        left = self._until - time.monotonic() + (0.0 if self._phase else (1.0 - STARTING) * self._seconds)
        self._progress(min(0.95, max(0.0, 1.0 - left / max(self._seconds, 1e-9))))

    def start_rounds(self) -> None:
        """From now on rounds are counted."""
        self._phase = 1
        self._until += (1.0 - STARTING) * self._seconds


def parse_steps(steps: str) -> tuple[int, int] | None:
    """The numbers of starts and of rounds; None where nothing is said."""
    if not steps:
        return None
    first, plus, second = steps.partition("+")
    if not (plus and first.isdigit() and second.isdigit()):
        raise ParameterError(f"steps must be two numbers such as 12+7, or nothing; got {steps!r}")
    return int(first), int(second)
