"""The process behind a pool: answers one request after the other, reports as it goes, and never outlives its parent."""

import multiprocessing
import os
import threading
import time
from collections.abc import Callable
from functools import cache, partial
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from typing import Any, NamedTuple

from anonset.errors import AnonsetError
from anonset.jobs.memory import forget_peak, peak_mb
from anonset.model.progress import Progress

MEMORY_EXCEEDED, ORPHANED = 77, 78
WATCH = 0.1
TELL_EVERY = 0.05  # seconds between two reports of progress


class Message(NamedTuple):
    """What a worker says: "progress" (phase, share), "said" (a value), "done" (the result) or "failed" (why)."""

    kind: str
    value: Any
    memory_mb: float = 0.0


class Reporter:
    """What a job reports through: progress by phase, and values before the end."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe, self._last = pipe, 0.0

    def __call__(self, phase: str) -> Progress:
        """The listener of a phase."""

        def listen(done: float) -> None:
            now = time.monotonic()
            if done >= 1.0 or now - self._last >= TELL_EVERY:
                self._last = now
                self._pipe.send(Message("progress", (phase, float(done))))

        return listen

    def say(self, value: Any) -> None:
        """Hand a value over before the job has ended."""
        self._pipe.send(Message("said", value))


Serve = Callable[[Any, Reporter], Any]  # a request and where to report, to the result


def answer_requests(pipe: Connection, make: Callable[..., Serve], arguments: tuple[Any, ...], memory_mb: float) -> None:
    """Answer requests until the pipe closes; the server is made for the first one."""
    watch, server = _Watch(memory_mb), cache(partial(make, *arguments))
    threading.Thread(target=watch.run, daemon=True).start()
    try:
        while True:
            request = pipe.recv()
            forget_peak()
            watch.limit(True)
            answer = _answer(server, request, Reporter(pipe))
            watch.limit(False)
            pipe.send_bytes(answer)
    except (EOFError, KeyboardInterrupt, ConnectionError):
        return


def _answer(server: Callable[[], Serve], request: Any, report: Reporter) -> bytes:
    """The last message about a request, ready to send; what an error says may hold data, so only ours are quoted."""
    try:
        return bytes(ForkingPickler.dumps(Message("done", server()(request, report), peak_mb())))
    except AnonsetError as error:
        reason = str(error)
    except MemoryError:
        os._exit(MEMORY_EXCEEDED)
    except Exception as error:
        reason = f"internal error: {type(error).__name__}"
    return bytes(ForkingPickler.dumps(Message("failed", reason, peak_mb())))


class _Watch:
    """Ends this process when a job uses too much memory, or when nobody is left to answer to."""

    def __init__(self, limit_mb: float) -> None:
        self._limit_mb, self._lock, self._limits = limit_mb, threading.Lock(), False

    def limit(self, limit: bool) -> None:
        """Look at the memory while a job is at work; a process that has an answer to send stays."""
        with self._lock:
            self._limits = limit

    def run(self) -> None:
        """Look every now and then."""
        parent = multiprocessing.parent_process()
        while True:
            time.sleep(WATCH)
            with self._lock:
                if self._limits and peak_mb() > self._limit_mb:
                    os._exit(MEMORY_EXCEEDED)
            if parent is not None and not parent.is_alive():
                os._exit(ORPHANED)
