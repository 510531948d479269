"""Jobs in other processes: a pool with progress, results, limits and cancelling, and what its processes run."""

import multiprocessing
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, NamedTuple

from anonset.errors import AnonsetError
from anonset.model.progress import Progress
from anonset.runtime.native_panics import guard_process


def peak_mb() -> float:
    """The peak memory of this process since the last reset, in MB; 0 where the system does not report it."""
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


def reset_peak() -> None:
    """Reset the peak memory to what is in use now."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return  # not possible on this system: the peak is that of the whole process


MEMORY_EXCEEDED, ORPHANED = 77, 78
WATCH = 0.1  # seconds between two looks at the memory
PROGRESS_INTERVAL = 0.05  # seconds between two reports of progress


class Message(NamedTuple):
    """A message of a worker: "progress" (phase, share), "value" (a value), "done" (the result) or "failed" (the reason)."""

    kind: str
    value: Any
    memory_mb: float = 0.0


class Reporter:
    """Sends the progress of a job by phase, and values before its end."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe, self._last = pipe, 0.0

    def __call__(self, phase: str) -> Progress:
        """The progress listener of a phase."""

        def listen(done: float) -> None:
            now = time.monotonic()
            if done >= 1.0 or now - self._last >= PROGRESS_INTERVAL:
                self._last = now
                self._pipe.send(Message("progress", (phase, float(done))))

        return listen

    def send(self, value: Any) -> None:
        """Send a value before the job has ended."""
        self._pipe.send(Message("value", value))


Serve = Callable[[Any, Reporter], Any]  # from a request, and where to report progress, to the result


def answer_requests(pipe: Connection, make: Callable[..., Serve], arguments: tuple[Any, ...], memory_mb: float) -> None:
    """Answer requests until the pipe closes; the server is created for the first one."""
    guard_process()
    watch, server = _Watch(memory_mb), cache(partial(make, *arguments))
    threading.Thread(target=watch.run, daemon=True).start()
    try:
        while True:
            request = pipe.recv()
            reset_peak()
            watch.limit(True)
            answer = _answer(server, request, Reporter(pipe))
            watch.limit(False)
            pipe.send_bytes(answer)
    except (EOFError, KeyboardInterrupt, ConnectionError):
        return


def _answer(server: Callable[[], Serve], request: Any, report: Reporter) -> bytes:
    """The last message about a request, pickled; only deliberate errors are quoted, since others may contain data."""
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
    """Ends this process when a job uses too much memory, or when the parent process is gone."""

    def __init__(self, limit_mb: float) -> None:
        self._limit_mb, self._lock, self._limits = limit_mb, threading.Lock(), False

    def limit(self, limit: bool) -> None:
        """Enforce the limit during a job only, so that its result can still be sent."""
        with self._lock:
            self._limits = limit

    def run(self) -> None:
        """Check memory and parent in a loop."""
        parent = multiprocessing.parent_process()
        while True:
            time.sleep(WATCH)
            with self._lock:
                if self._limits and peak_mb() > self._limit_mb:
                    os._exit(MEMORY_EXCEEDED)
            if parent is not None and not parent.is_alive():
                os._exit(ORPHANED)


TICK = 0.2
Outcome = Literal["done", "failed", "time", "memory", "cancelled"]


class Progressed(NamedTuple):
    """The progress of a job in a phase."""

    key: str
    phase: str
    share: float


class Reported(NamedTuple):
    """A value that a job sent before its end."""

    key: str
    value: Any


class Ended(NamedTuple):
    """The end of a job: with a value, or with the reason why there is none."""

    key: str
    outcome: Outcome
    value: Any = None
    reason: str = ""
    seconds: float = 0.0
    memory_mb: float = 0.0


Event = Progressed | Reported | Ended


class _Job(NamedTuple):
    key: str
    request: Any
    seconds: float


@dataclass(slots=True, eq=False)
class _Worker:
    """One process, the pipe to it, and its job with the time it began."""

    process: BaseProcess
    pipe: Connection
    job: _Job | None = None
    began: float = 0.0


class Pool:
    """Processes that each create a server, `make(*arguments)`, and let it answer requests one after the other.

    `make`, its arguments, requests and results are pickled. Leaving the context ends every process.
    """

    def __init__(
        self, make: Callable[..., Serve], *arguments: Any, processes: int = 1, memory_mb: float = float("inf")
    ) -> None:
        self._make, self._arguments, self._processes, self._memory_mb = make, arguments, processes, memory_mb
        self._context = multiprocessing.get_context("spawn")
        self._todo: deque[_Job] = deque()
        self._workers: list[_Worker] = []
        self._cancelled: list[Ended] = []

    def __enter__(self) -> "Pool":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, place: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End every process at once."""
        self._todo.clear()
        self._cancelled.clear()
        for worker in list(self._workers):
            self._end(worker)

    @property
    def unfinished(self) -> int:
        """The number of jobs that wait, are at work, or whose end was not yet polled."""
        return len(self._todo) + len(self._cancelled) + sum(worker.job is not None for worker in self._workers)

    def submit(self, key: str, request: Any, *, seconds: float = float("inf")) -> None:
        """Queue a request under a key that its events carry."""
        self._todo.append(_Job(key, request, seconds))

    def cancel(self, key: str) -> None:
        """Remove a job from the queue, or end the process that works on it."""
        waiting = [job for job in self._todo if job.key == key]
        for job in waiting:
            self._todo.remove(job)
        working = [worker for worker in self._workers if worker.job is not None and worker.job.key == key]
        for worker in working:
            self._end(worker)
        self._cancelled += [Ended(key, "cancelled", reason="cancelled") for _ in (*waiting, *working)]

    def poll(self, timeout: float | None = TICK, *others: Connection) -> list[Event]:
        """The events until the timeout; returns early when one of the other connections is readable."""
        self._assign()
        events: list[Event] = list(self._cancelled)
        self._cancelled.clear()
        busy = [worker for worker in self._workers if worker.job is not None]
        pipes = [*(worker.pipe for worker in busy), *others]
        ready: list[Any] = wait(pipes, timeout=0 if events else timeout) if pipes else []
        for worker in busy:
            if worker.pipe in ready:
                events += self._receive(worker)
            job = worker.job  # none where it has just ended
            if job is not None and time.monotonic() - worker.began > job.seconds:
                events.append(self._abort(worker, "time", f"took more than {job.seconds:g} s"))
        return events

    def _assign(self) -> None:
        """Give every idle worker a job, and start workers while there are too few."""
        for worker in [worker for worker in self._workers if worker.job is None and not worker.process.is_alive()]:
            self._end(worker)
        while len(self._workers) < min(self._processes, self.unfinished - len(self._cancelled)):
            self._start()
        for worker in self._workers:
            if worker.job is None and self._todo:
                worker.job, worker.began = self._todo.popleft(), time.monotonic()
                with suppress(ConnectionError):  # a dead worker is noticed in `_receive`
                    worker.pipe.send(worker.job.request)

    def _start(self) -> None:
        ours, theirs = self._context.Pipe()
        arguments = (theirs, self._make, self._arguments, self._memory_mb)
        process = self._context.Process(target=answer_requests, args=arguments, daemon=True)
        process.start()
        theirs.close()
        self._workers.append(_Worker(process, ours))

    def _receive(self, worker: _Worker) -> list[Event]:
        assert worker.job is not None
        job, seconds = worker.job, time.monotonic() - worker.began
        try:
            message: Message = worker.pipe.recv()
        except (EOFError, ConnectionError):
            worker.process.join()
            if worker.process.exitcode == MEMORY_EXCEEDED:
                return [self._abort(worker, "memory", f"used more than {self._memory_mb:g} MB")]
            return [self._abort(worker, "failed", "the process ended without an answer")]
        match message.kind:
            case "progress":
                return [Progressed(job.key, *message.value)]
            case "value":
                return [Reported(job.key, message.value)]
            case "done":
                self._free(worker, message.memory_mb)
                return [Ended(job.key, "done", message.value, seconds=seconds, memory_mb=message.memory_mb)]
            case _:
                self._free(worker, message.memory_mb)
                return [Ended(job.key, "failed", None, message.value, seconds, message.memory_mb)]

    def _free(self, worker: _Worker, memory_mb: float) -> None:
        """Free a worker for the next job, or end it if it holds more memory than a job may use."""
        worker.job = None
        if memory_mb > self._memory_mb:
            self._end(worker)

    def _abort(self, worker: _Worker, outcome: Outcome, reason: str) -> Ended:
        """End a worker and its job."""
        assert worker.job is not None
        key, seconds = worker.job.key, time.monotonic() - worker.began
        self._end(worker)
        return Ended(key, outcome, reason=reason, seconds=seconds)

    def _end(self, worker: _Worker) -> None:
        self._workers.remove(worker)
        worker.job = None
        worker.process.kill()
        worker.process.join()
        worker.pipe.close()
