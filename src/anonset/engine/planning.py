"""Choose the engine and the batch size, and estimate the time, from a sample; refuse work that does not fit into memory."""

from dataclasses import dataclass
from typing import Literal

from anonset.data.coding import Table
from anonset.data.read import set_column
from anonset.data.roles import Guess
from anonset.engine.capacity import MB, free_memory
from anonset.engine.source import BatchSource
from anonset.errors import Advice, Fix, InfeasibleError, Set

BASE = 400 * MB  # memory of Python, its libraries and compiled code before any data
COLUMN = 4e-6  # seconds for one value of a column, over all passes
READINGS = 17  # time of all passes over the items of a record, as a multiple of the time to read it
GROWTH = 14  # peak bytes of work on a batch for each byte of the coded batch
LARGEST, SMALLEST = 500_000, 2_000  # rows of a batch
ALONE = 1_000_000  # most records that an algorithm without a version for batches gets at once
LEAST_BESIDE = 50_000  # least rows of a batch if all coded records stay in memory
KEPT_SHARE = 0.5  # largest share of memory for the coded records if all of them stay in memory


@dataclass(frozen=True, slots=True)
class Resources:
    """Limits of the work: bytes of memory for one process, workers or threads, and a scheduler's address."""

    memory: int | None = None
    jobs: int | None = None
    scheduler: str | None = None


@dataclass(frozen=True, slots=True)
class WorkPlan:
    """The engine, batch size and memory of the work, its expected time, and the reason."""

    engine: Literal["memory", "stream", "dask"]
    jobs: int
    batch_rows: int
    memory: int
    seconds: float
    because: str
    alone_rows: int  # most records that an algorithm without a version for batches gets at once

    @property
    def threads(self) -> int:
        """Return the number of units that one process works on at the same time."""
        return 1 if self.engine == "dask" else self.jobs

    @property
    def why(self) -> str:
        """Return the plan and its reason in one line."""
        return f"{self.because}; batches of {self.batch_rows:,} records, about {_duration(self.seconds)} of work"

    @property
    def keeps(self) -> bool:
        """Return whether coded records stay in memory between passes."""
        return self.engine == "memory"


def plan(source: BatchSource, sample: Table, reading: float, guess: Guess, given: Resources) -> WorkPlan:
    """Return the plan; `reading` is the time to read the sample. Raise InfeasibleError if even small batches do not fit."""
    held = set_column(sample, guess.schema)
    each = 64.0 + 12 * len(guess.schema.kinds) + (16.0 * len(held.items) / len(sample) if held is not None else 0.0)  # bytes
    memory = given.memory or free_memory() // 2
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
    coded = 24.0 + 4 * len(guess.schema.kinds) + (4.0 * len(held.items) / len(sample) if held is not None else 0.0)
    whole = int(source.rows * coded)
    beside = int((KEPT_SHARE * (memory - BASE) - whole) / (GROWTH * each))  # rows of a batch if all records are kept
    keeps = not on_cluster and beside >= min(rows, source.rows, LEAST_BESIDE)
    rows = min(rows, beside) if keeps else rows
    engine: Literal["memory", "stream", "dask"] = "dask" if on_cluster else "memory" if keeps else "stream"
    rows = min(rows, max(SMALLEST, -(-source.rows // max(1, 2 * jobs)))) if jobs > 1 else rows
    seconds = (READINGS * reading / len(sample) + COLUMN * len(guess.schema.kinds)) * source.rows / jobs
    because = {
        "memory": f"the coded records take some {whole // MB} MB and stay in memory",
        "stream": f"{memory // MB} MB have no room for the coded records, some {whole // MB} MB, beside the work on a batch",
        "dask": f"the workers of a Dask cluster ({given.scheduler}), {memory // MB} MB each",
    }[engine]
    return WorkPlan(engine, jobs, rows, memory, seconds, f"{engine}: {because}", max(1, min(ALONE, fits // 2)))


def _duration(seconds: float) -> str:
    """Return a duration in seconds, minutes or hours."""
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
