"""Datasets cut into batches in memory, and look-alike files, for the tests of the engine."""

import os
import signal
import time
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
import polars as pl

from anonset.engine.domains import Coder
from anonset.engine.executors import Threads
from anonset.engine.journal import Driver
from anonset.engine.questions import Context, Summed
from anonset.engine.source import BatchRef, BatchSource
from anonset.errors import InputError
from anonset.model.schema import Schema


def batches_of(data, cuts):
    """A source whose batches are runs of the records between the cuts, and a context that knows them already."""
    edges = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    batches = tuple(BatchRef("memory", a, b - a, a) for a, b in pairwise(edges))
    return BatchSource(batches, ()), {ref: data.take(np.arange(ref.first, ref.first + ref.rows)) for ref in batches}


def driver_of(data, cuts, work, jobs=1):
    """A driver over the batches, as it is when the domains are known."""
    source, kept = batches_of(data, cuts)
    supports = data.transactions.supports if data.transactions is not None else np.zeros(0, np.int64)
    counts = {c.name: np.bincount(c.codes[c.codes >= 0], minlength=len(c.domain)) for c in data.columns}
    coder = Coder(Schema(), data, {}, {}, supports, counts, len(data))
    return Driver(Threads(jobs), Context(work, coder, True, kept)), source


def write_baskets(folder, records, seed=0, files=3, d=40):
    """Parquet files of baskets, in several files of several row groups."""
    rng = np.random.default_rng(seed)
    popular = 1.0 / (np.arange(d) + 3)
    rows = [
        [f"i{i}" for i in rng.choice(d, size=n, replace=False, p=popular / popular.sum())] for n in rng.integers(0, 6, records)
    ]
    folder.mkdir(exist_ok=True)
    for f, part in enumerate(np.array_split(np.arange(records), files)):
        pl.DataFrame({"items": [rows[r] for r in part]}, {"items": pl.List(pl.String)}).write_parquet(
            folder / f"{f}.parquet", row_group_size=max(1, records // 10)
        )
    return folder


def write_people(folder, records, seed=0, files=2, items=True):
    """Parquet files of people with an age, a region, a job, a diagnosis and purchases."""
    rng = np.random.default_rng(seed)
    table = {
        "age": rng.integers(18, 90, records),
        "income": np.round(rng.normal(300, 90, records)).astype(int),
        "region": [f"r{i}" for i in rng.integers(0, 12, records)],
        "illness": [f"x{i}" for i in rng.integers(0, 4, records)],
    }
    if items:
        table["items"] = [[f"i{i}" for i in rng.choice(20, size=n, replace=False)] for n in rng.integers(0, 4, records)]
    frame = pl.DataFrame(table)
    folder.mkdir(exist_ok=True)
    for f in range(files):
        frame[records * f // files : records * (f + 1) // files].write_parquet(folder / f"{f}.parquet")
    return folder


@dataclass(frozen=True)
class Counting(Summed):
    """Says which units there are, and takes its time."""

    seconds: float
    name: ClassVar[str] = "counting"

    def ask(self, unit, context):
        time.sleep(self.seconds)
        return {"unit": np.array([unit])}


@dataclass(frozen=True)
class Poisoned(Counting):
    """Cannot read one unit; `seconds` is which."""

    name: ClassVar[str] = "poisoned"

    def ask(self, unit, context):
        if unit == self.seconds:
            raise InputError("no records")
        return {"unit": np.array([unit])}


@dataclass(frozen=True)
class Deadly(Counting):
    """Ends the process that takes one unit; `seconds` is which."""

    name: ClassVar[str] = "deadly"

    def ask(self, unit, context):
        if unit == self.seconds:
            os.kill(os.getpid(), signal.SIGKILL)
        return {"unit": np.array([unit])}


@dataclass(frozen=True)
class Writing(Counting):
    """Writes a file of some size for each unit; `seconds` is how large."""

    name: ClassVar[str] = "filling"

    def ask(self, unit, context):
        (context.work / f"{unit}.bin").write_bytes(bytes(self.seconds))
        return {"unit": np.array([unit])}


def limit_files(size):
    """Let this process write no file that is larger."""
    import resource

    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard if size is None else size, hard))
