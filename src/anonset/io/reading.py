"""From a file or a DataFrame to a dataset: read the table, settle what its columns mean, code them, attach hierarchies."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonset.errors import InputError
from anonset.io.schema import Schema
from anonset.model.dataset import Dataset

Progress = Callable[[float], None]


def silent(done: float) -> None:
    """Listen to progress and say nothing."""


@dataclass(frozen=True, slots=True)
class Note:
    """How one column is read, and why: to be shown for confirmation."""

    column: str
    role: str  # quasi, sensitive, identifier, other or items
    kind: str  # numeric, categorical or items
    reason: str
    given: bool  # by the schema, not guessed


@dataclass(frozen=True, slots=True)
class Guess:
    """A schema with nothing left open, and a note on each column."""

    schema: Schema
    notes: tuple[Note, ...]


def read(source: str | Path | Any, *, schema: Schema | None = None, progress: Progress = silent) -> Dataset:
    """The dataset in a file (CSV, TSV, Parquet, JSON lines, FIMI, SPMF, also gzipped) or in a DataFrame."""
    return read_and_guess(source, schema=schema, progress=progress)[0]


def guess(source: str | Path | Any, *, schema: Schema | None = None) -> Guess:
    """How `read` would read the source."""
    return read_and_guess(source, schema=schema)[1]


def read_and_guess(
    source: str | Path | Any, *, schema: Schema | None = None, progress: Progress = silent
) -> tuple[Dataset, Guess]:
    """The dataset, and how it was read."""
    raise InputError("reading is being built")
