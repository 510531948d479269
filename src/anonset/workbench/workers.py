"""The worker processes of the server: two answer questions, the others make releases; and a cache of their results."""

import logging
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future
from functools import partial
from multiprocessing import Pipe
from typing import Any

from anonset import errors
from anonset.errors import AnonsetError, Cancelled
from anonset.jobs import TICK, Ended, Event, Pool, Serve
from anonset.workbench.store import new_id
from anonset.workbench.worker_requests import Refused, WorkerRequest

LOG = logging.getLogger("anonset.workbench")
STOPPED = "the server stopped"
ANSWERING_PROCESSES = 2  # the second is started when a request waits for the first
ANSWER_SECONDS = 300.0
RUN_NICENESS = 10  # so that pages are drawn while all cores make releases
WARM_UP = "warm-up"
CACHED_RESULTS = 100
Listener = Callable[[Event], None]


class Workers:
    """The processes of a workbench; the server itself computes nothing that takes time."""

    def __init__(self, processes: int, memory_mb: float = float("inf")) -> None:
        self._answering = WorkerPool(start_server, processes=ANSWERING_PROCESSES, memory_mb=memory_mb)
        self.runs = WorkerPool(start_server, RUN_NICENESS, processes=processes, memory_mb=memory_mb)
        self._results = ResultCache(CACHED_RESULTS)
        self._warm = True

    def ask(self, verb: str, names: Collection[str] = (), **arguments: Any) -> Any:
        """The result of a verb, or the error that the worker raised; error messages may quote `names`."""
        ended = self._answering.ask(new_id(), WorkerRequest(verb, arguments, frozenset(names)), seconds=ANSWER_SECONDS)
        if ended.outcome == "cancelled":
            raise Cancelled("the work was stopped")
        if ended.outcome != "done":
            raise AnonsetError(ended.reason)
        if isinstance(ended.value, Refused):
            raise error_of(ended.value)
        return ended.value

    def ask_once(self, verb: str, names: Collection[str] = (), **arguments: Any) -> Any:
        """As `ask`, for results that depend on nothing but the arguments: they are cached."""
        return self._results.get(_cache_key(verb, arguments), lambda: self.ask(verb, names, **arguments))

    def cached(self, verb: str, **arguments: Any) -> Any:
        """The result of `ask_once` if it is in the cache, else None."""
        return self._results.cached(_cache_key(verb, arguments))

    def clear_cache(self) -> None:
        """Drop all cached results."""
        self._results.clear()

    def warm_up(self) -> None:
        """Load and, once per installation, compile what workers need, in the background."""
        self._warm = False

        def listen(event: Event) -> None:
            self._warm = self._warm or isinstance(event, Ended)

        self.runs.submit(WARM_UP, WorkerRequest("runs.warm_up", {}), listen)
        self._answering.submit(WARM_UP, WorkerRequest("runs.algorithms", {}), lambda event: None)

    def end_warm_up(self) -> None:
        """Make room for a run: what is compiled by now stays, and the run compiles what it needs."""
        self.runs.cancel(WARM_UP)

    @property
    def is_warm(self) -> bool:
        """Whether workers answer at once; the first time they compile for about a minute."""
        return self._warm

    def close(self) -> None:
        """End all processes."""
        self._answering.close()
        self.runs.close()


def start_server(niceness: int = 0) -> Serve:
    """The server of a worker process; the library is imported there, and not by the web server."""
    from anonset.workbench.worker import create_server

    return create_server(niceness)


def error_of(refused: Refused) -> AnonsetError:
    """The error that a worker raised, as one of this process."""
    kind: type[AnonsetError] = getattr(errors, refused.error, AnonsetError)
    return kind(refused.text)


def _cache_key(verb: str, arguments: Mapping[str, Any]) -> str:
    return repr((verb, sorted(arguments.items())))


class WorkerPool:
    """A `Pool` with a thread of its own, which alone calls it; every event of a request goes to its listener."""

    def __init__(self, make: Callable[..., Serve], *arguments: Any, processes: int, memory_mb: float = float("inf")) -> None:
        self._pool = Pool(make, *arguments, processes=processes, memory_mb=memory_mb)
        self._calls: deque[Callable[[], None]] = deque()
        self._listeners: dict[str, Listener] = {}
        self._lock = threading.Lock()
        self._awake, self._wake = Pipe(duplex=False)
        self._open = True
        self._thread = threading.Thread(target=self._work, name="anonset-workers", daemon=True)
        self._thread.start()

    def submit(self, key: str, request: Any, listener: Listener, *, seconds: float = float("inf")) -> None:
        """Queue a request under a key of its own."""
        with self._lock:
            if self._open:
                self._listeners[key] = listener
                self._call_soon(partial(self._pool.submit, key, request, seconds=seconds))
                return
        listener(Ended(key, "cancelled", reason=STOPPED))

    def ask(self, key: str, request: Any, *, seconds: float = 600.0) -> Ended:
        """Queue a request and wait for its end."""
        answer: Future[Ended] = Future()
        self.submit(key, request, lambda event: answer.set_result(event) if isinstance(event, Ended) else None, seconds=seconds)
        return answer.result()

    def cancel(self, key: str) -> None:
        """Cancel a request; the process that works on it ends."""
        with self._lock:
            if self._open and key in self._listeners:
                self._call_soon(partial(self._pool.cancel, key))

    def close(self) -> None:
        """End every process, and every request as cancelled."""
        with self._lock:
            if self._open:
                self._open = False
                self._call_soon(lambda: None)
        self._thread.join(timeout=5)
        self._pool.close()
        for key in list(self._listeners):
            self._notify(Ended(key, "cancelled", reason=STOPPED))

    def _call_soon(self, call: Callable[[], None]) -> None:
        """Have the pool's thread make a call, and interrupt its waiting."""
        self._calls.append(call)
        self._wake.send_bytes(b"x")

    def _work(self) -> None:
        while self._open:
            while self._calls:
                self._calls.popleft()()
            events = self._pool.poll(TICK if self._pool.unfinished else None, self._awake)
            while self._awake.poll():
                self._awake.recv_bytes()
            for event in events:
                self._notify(event)

    def _notify(self, event: Event) -> None:
        listener = self._listeners.get(event.key)
        if isinstance(event, Ended):
            self._listeners.pop(event.key, None)
        if listener is not None:
            try:
                listener(event)
            except Exception as error:  # a listener that fails must not stop the thread of all others
                LOG.error("a listener failed: %s", type(error).__name__)


class ResultCache:
    """LRU cache of results by key; threads that ask for the same key at once share one computation."""

    def __init__(self, size: int) -> None:
        self._size, self._lock = size, threading.Lock()
        self._results: OrderedDict[str, Future[Any]] = OrderedDict()

    def get(self, key: str, compute: Callable[[], Any]) -> Any:
        """The result of a key, computed where it is not cached; errors are raised and not cached."""
        with self._lock:
            result = self._results.get(key)
            if is_new := result is None:
                result = self._results[key] = Future()
            self._results.move_to_end(key)
            if len(self._results) > self._size:
                self._results.popitem(last=False)
        if is_new:
            try:
                result.set_result(compute())
            except BaseException as error:
                with self._lock:
                    self._results.pop(key, None)
                result.set_exception(error)
        return result.result()

    def cached(self, key: str) -> Any:
        """The result of a key if it is there, else None."""
        result = self._results.get(key)
        return result.result() if result is not None and result.done() and result.exception() is None else None

    def clear(self) -> None:
        """Drop all results."""
        with self._lock:
            self._results.clear()
