"""Which engine, how large the pieces, how long: estimated from a sample before the work, and refused where it cannot fit."""

import os
from dataclasses import dataclass
from typing import Literal

from anonset.data.coding import Table
from anonset.data.read import set_column
from anonset.data.roles import Guess
from anonset.engine.source import PieceSource
from anonset.errors import Advice, Fix, InfeasibleError, Set

MB = 1 << 20
BASE = 400 * MB  # what Python, its libraries and compiled code take before any data
COLUMN = 4e-6  # seconds that a value of a column takes in all passes
READINGS = 17  # what all passes take for the items of a record, in readings of the sample
GROWTH = 14  # bytes that work on a piece takes for each byte of it when coded
LARGEST, SMALLEST = 500_000, 2_000  # rows of a piece
ALONE = 1_000_000  # records that are worked on as one part at most
KEPT_SHARE = 0.5  # of the memory that coded records may take for all of them to stay there


@dataclass(frozen=True, slots=True)
class Resources:
    """What the work may take: bytes of memory in a process, workers or threads, a scheduler's address."""

    memory: int | None = None
    jobs: int | None = None
    scheduler: str | None = None


@dataclass(frozen=True, slots=True)
class WorkPlan:
    """How the work is done, what it is expected to take, and why."""

    engine: Literal["memory", "stream", "dask"]
    jobs: int
    piece_rows: int
    memory: int
    seconds: float
    because: str
    alone_rows: int  # that an algorithm which is not made for pieces gets at once

    @property
    def threads(self) -> int:
        """How many units a process works on at once."""
        return 1 if self.engine == "dask" else self.jobs

    @property
    def why(self) -> str:
        """What is done and why, in a line."""
        return f"{self.because}; pieces of {self.piece_rows:,} records, about {_spoken(self.seconds)} of work"

    @property
    def keeps(self) -> bool:
        """Whether coded records stay in memory between passes."""
        return self.engine == "memory"


def plan(source: PieceSource, sample: Table, reading: float, guess: Guess, given: Resources) -> WorkPlan:
    """The plan, where reading the sample takes so many seconds; InfeasibleError where not even small pieces fit."""
    held = set_column(sample, guess.schema)
    each = 64.0 + 12 * len(guess.schema.kinds) + (16.0 * len(held.items) / len(sample) if held is not None else 0.0)  # bytes
    memory = given.memory or _available() // 2
    on_cluster = given.scheduler is not None
    jobs = given.jobs or (2 if on_cluster else 1)
    threads = 1 if on_cluster else jobs
    room = (memory - BASE) / threads
    fits = int(room / (GROWTH * each))
    rows = min(LARGEST, fits)
    if fits < min(SMALLEST, source.rows):
        least = (BASE + int(threads * SMALLEST * GROWTH * each)) // MB + 1
        too_little = Fix("{} is too little for these data", Set("memory", f"{memory // MB}MB"))
        raise InfeasibleError(Advice(too_little, f"; {least}MB is the least"))
    whole = int(source.rows * each)
    keeps = not on_cluster and whole + min(rows, source.rows) * GROWTH * each < KEPT_SHARE * (memory - BASE)
    engine: Literal["memory", "stream", "dask"] = "dask" if on_cluster else "memory" if keeps else "stream"
    rows = min(rows, max(SMALLEST, -(-source.rows // max(1, 2 * jobs)))) if jobs > 1 else rows
    seconds = (READINGS * reading / len(sample) + COLUMN * len(guess.schema.kinds)) * source.rows / jobs
    because = {
        "memory": f"the coded records take some {whole // MB} MB and stay in memory",
        "stream": f"{memory // MB} MB have no room for the coded records, some {whole // MB} MB, beside the work on a piece",
        "dask": f"the workers of a Dask cluster ({given.scheduler}), {memory // MB} MB each",
    }[engine]
    return WorkPlan(engine, jobs, rows, memory, seconds, f"{engine}: {because}", max(1, min(ALONE, fits // 2)))


def _available() -> int:
    """The memory of the machine that is free now, in bytes."""
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return 4096 * MB


def _spoken(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
