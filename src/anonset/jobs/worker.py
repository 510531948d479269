"""The process behind a pool: answers one request after the other, reports as it goes, and never outlives its parent."""

import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

from anonset.errors import AnonsetError
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
    """Answer requests until the pipe closes; what an error says may hold data, so only ours are quoted."""
    threading.Thread(target=_watch, args=(memory_mb,), daemon=True).start()
    try:
        serve = make(*arguments)
        while True:
            request = pipe.recv()
            forget_peak()
            try:
                pipe.send(Message("done", serve(request, Reporter(pipe)), peak_mb()))
            except AnonsetError as error:
                pipe.send(Message("failed", str(error), peak_mb()))
            except MemoryError:
                os._exit(MEMORY_EXCEEDED)
            except Exception as error:
                pipe.send(Message("failed", f"internal error: {type(error).__name__}", peak_mb()))
    except (EOFError, KeyboardInterrupt, BrokenPipeError):
        return


def _watch(limit_mb: float) -> None:
    """End this process when it uses too much memory, or when nobody is left to answer to."""
    parent = multiprocessing.parent_process()
    while True:
        time.sleep(WATCH)
        if peak_mb() > limit_mb:
            os._exit(MEMORY_EXCEEDED)
        if parent is not None and not parent.is_alive():
            os._exit(ORPHANED)


def peak_mb() -> float:
    """The most memory this process has used since the peak was last forgotten, in MB; 0 where the system does not tell."""
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1024
    try:
        import resource
    except ImportError:  # Windows
        return 0.0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1024 * 1024 if sys.platform == "darwin" else 1024)


def forget_peak() -> None:
    """Count the peak from what is in use now."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return  # not on this system: the peak is that of the whole process
