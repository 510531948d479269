"""Wrong passwords and tokens: who tries must wait longer after each, by account and by address."""

import math
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

LONGEST_WAIT = 300.0  # seconds
FORGET_AFTER = 3_600.0  # seconds without a wrong attempt
MOST_REMEMBERED = 10_000
FREE = {"both": 5, "account": 30, "address": 100, "device": 10}  # wrong attempts before one must wait


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt to sign in: for which account, from which address, and the browser, if it signed in there before.

    A browser that did is not kept out by the wrong attempts of others; its own count.
    """

    account: str
    address: str
    device: str = ""

    def counters(self) -> Iterator[tuple[str, str]]:
        """The counters that the attempt belongs to."""
        if self.device:
            yield "device", f"{self.account}\n{self.device}"
            return
        yield "both", f"{self.account}\n{self.address}"
        yield "account", self.account
        yield "address", self.address


@dataclass(slots=True)
class _Failures:
    count: int
    last: float


class Attempts:
    """The wrong attempts of the last hour. After five with one account from one address the wait is 1 s, and doubles.

    An account is held back from all addresses, and an address for all accounts, only after many more.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures: OrderedDict[tuple[str, str], _Failures] = OrderedDict()

    def wait(self, attempt: Attempt) -> int:
        """The seconds that this attempt must wait; 0 if it may be made now."""
        return math.ceil(max((self._left(counter) for counter in attempt.counters()), default=0.0))

    def begin(self, attempt: Attempt) -> None:
        """Count an attempt as wrong, before it is checked: many at once must not slip through."""
        now = self._clock()
        for counter in attempt.counters():
            known = self._failures.pop(counter, None)
            count = 0 if known is None or now - known.last > FORGET_AFTER else known.count
            self._failures[counter] = _Failures(count + 1, now)
        while len(self._failures) > MOST_REMEMBERED:
            self._failures.popitem(last=False)

    def succeeded(self, attempt: Attempt) -> None:
        """Forget the wrong attempts with this account from this address or browser; this one was right."""
        for counter in attempt.counters():
            if counter[0] in ("both", "device"):
                self._failures.pop(counter, None)
            elif (known := self._failures.get(counter)) is not None:
                known.count -= 1

    def _left(self, counter: tuple[str, str]) -> float:
        known = self._failures.get(counter)
        if known is None or known.count < FREE[counter[0]]:
            return 0.0
        wait = min(2.0 ** min(known.count - FREE[counter[0]], 30), LONGEST_WAIT)
        return max(0.0, known.last + wait - self._clock())
