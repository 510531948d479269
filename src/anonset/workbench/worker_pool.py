"""A pool of processes at the side of a server, and an LRU cache of worker results."""

import logging
import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from multiprocessing import Pipe
from typing import Any

from anonset.jobs import TICK, Ended, Event, Pool, Serve

LOG = logging.getLogger("anonset.workbench")
STOPPED = "the server stopped"
Listener = Callable[[Event], None]


class Crew:
    """Processes that answer requests; every event of a request goes to its listener, in the thread of the crew."""

    def __init__(self, make: Callable[..., Serve], *arguments: Any, processes: int, memory_mb: float = float("inf")) -> None:
        self._pool = Pool(make, *arguments, processes=processes, memory_mb=memory_mb)  # only the thread of the crew calls it
        self._orders: deque[Callable[[], None]] = deque()
        self._listeners: dict[str, Listener] = {}
        self._lock = threading.Lock()
        self._awake, self._wake = Pipe(duplex=False)
        self._open = True
        self._thread = threading.Thread(target=self._work, name="anonset-crew", daemon=True)
        self._thread.start()

    def submit(self, key: str, request: Any, listener: Listener, *, seconds: float = float("inf")) -> None:
        """Queue a request under a key of its own."""
        with self._lock:
            if self._open:
                self._listeners[key] = listener
                self._order(partial(self._pool.submit, key, request, seconds=seconds))
                return
        listener(Ended(key, "cancelled", reason=STOPPED))

    def ask(self, key: str, request: Any, *, seconds: float = 600.0) -> Any:
        """The answer to a request; waits for it."""
        answer: Future[Ended] = Future()
        self.submit(key, request, lambda event: answer.set_result(event) if isinstance(event, Ended) else None, seconds=seconds)
        return answer.result()

    def cancel(self, key: str) -> None:
        """Take a request back; the process that is at it ends."""
        with self._lock:
            if self._open and key in self._listeners:
                self._order(partial(self._pool.cancel, key))

    def close(self) -> None:
        """End every process."""
        with self._lock:
            if self._open:
                self._open = False
                self._order(lambda: None)
        self._thread.join(timeout=5)
        self._pool.close()
        for key in list(self._listeners):  # nobody is left waiting
            self._tell(Ended(key, "cancelled", reason=STOPPED))

    def _order(self, call: Callable[[], None]) -> None:
        """Have the thread of the crew call something, whatever it waits for."""
        self._orders.append(call)
        self._wake.send_bytes(b"x")

    def _work(self) -> None:
        while self._open:
            while self._orders:
                self._orders.popleft()()
            events = self._pool.poll(TICK if self._pool.unfinished else None, self._awake)
            while self._awake.poll():
                self._awake.recv_bytes()
            for event in events:
                self._tell(event)

    def _tell(self, event: Event) -> None:
        listener = self._listeners.get(event.key)
        if isinstance(event, Ended):
            self._listeners.pop(event.key, None)
        if listener is not None:
            try:
                listener(event)
            except Exception as error:  # one that fails must not keep the others from hearing
                LOG.error("a listener failed: %s", type(error).__name__)


MOST = 100


class Answers:
    """The last answers to questions that have but one; who asks while it is being found waits for the same."""

    def __init__(self, most: int = MOST) -> None:
        self._most, self._lock = most, threading.Lock()
        self._found: OrderedDict[str, Future[Any]] = OrderedDict()

    def get(self, question: str, find: Callable[[], Any]) -> Any:
        """The answer, found where it is not at hand; an error is not kept."""
        with self._lock:
            answer = self._found.get(question)
            if finds := answer is None:
                answer = self._found[question] = Future()
            self._found.move_to_end(question)
            if len(self._found) > self._most:
                self._found.popitem(last=False)
        if finds:
            try:
                answer.set_result(find())
            except BaseException as error:
                self._drop(question)
                answer.set_exception(error)
        return answer.result()

    def at_hand(self, question: str) -> Any:
        """The answer, or nothing where it would have to be found first."""
        answer = self._found.get(question)
        return answer.result() if answer is not None and answer.done() and answer.exception() is None else None

    def forget(self) -> None:
        """Keep nothing."""
        with self._lock:
            self._found.clear()

    def _drop(self, question: str) -> None:
        with self._lock:
            self._found.pop(question, None)
