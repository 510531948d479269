"""What is published of each piece of the original, in the order of the input: a release in parts beside its original."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from anonset.engine.domains import Answer
from anonset.engine.journal import Driver, clear_work
from anonset.engine.part_files import MATCHES, PUBLISHED, RECORDS, ROWS
from anonset.engine.planning import Resources
from anonset.engine.questions import Context, Summed
from anonset.engine.session import asking
from anonset.engine.source import Piece, PieceSource
from anonset.errors import GuaranteeViolated, InputError
from anonset.model.arrays import Rows
from anonset.model.dataset import Dataset
from anonset.model.progress import Phases
from anonset.model.release import Release
from anonset.model.release_files import Manifest, Recoding, read_release_file
from anonset.model.schema import Schema
from anonset.model.serialization import write_json
from anonset.releases.folder import with_domains
from anonset.verify.reading.parts import read_back, read_part_file, sort_back
from anonset.verify.reading.promises import full_about
from anonset.verify.reading.written import Guide

BACK = "back"
TOLD = "told.json"  # policies and suppressed items, which about.json does not name


def published_guide(context: Context) -> Guide:
    """The about.json of the release that is looked at, with what the private half adds to it."""
    return full_about(context.work / PUBLISHED / "about.json", context.work / TOLD)


def part_release(unit: int, context: Context) -> Release:
    """What one part shows."""
    path = context.work / PUBLISHED / RECORDS / f"part-{unit:06}.parquet"
    return read_part_file(path, published_guide(context), context.roster)


@dataclass(frozen=True, eq=False)
class SortBack(Summed):
    """Copies of the parts, in slices for the pieces of the input; `bounds` are the first records of these."""

    bounds: Rows
    name: ClassVar[str] = "sorting back"

    def ask(self, unit: int, context: Context) -> Answer:
        """The part whose copy is there."""
        file = f"part-{unit:06}.parquet"
        (context.work / BACK).mkdir(exist_ok=True)
        part, copy = context.work / PUBLISHED / RECORDS / file, context.work / BACK / f"{unit:06}"
        matches = context.work / MATCHES / file if (context.work / MATCHES).is_dir() else None
        sort_back(part, context.work / ROWS / file, self.bounds, copy, matches)
        return {"part": np.array([unit], np.int64)}


@dataclass(frozen=True, eq=False)
class RecordPairs(Summed):
    """Asks about pieces with what is published of them, from the files that were sorted back."""

    files: tuple[str, ...]

    def pair(self, unit: tuple[int, Piece], context: Context) -> tuple[Dataset, Release]:
        """The records of a piece, and as many published ones in the same order."""
        number, piece = unit
        batch = context.batch(piece)
        return batch, read_back(self.copies(context), number, published_guide(context), batch, piece.first)

    def copies(self, context: Context) -> list[Path]:
        """The copies of the parts."""
        return [context.work / BACK / file for file in self.files]


def bounds_of(source: PieceSource) -> Rows:
    """The first record of each piece and, behind them, the number of all."""
    return np.array([*(piece.first for piece in source.pieces), source.rows], np.int64)


def copies_of(answer: Answer) -> tuple[str, ...]:
    """The copies of the parts that were sorted back."""
    return tuple(f"{number:06}" for number in answer["part"].tolist())


def part_numbers(folder: Path) -> list[int]:
    """The numbers of the parts that a folder holds; whatever else is in it is refused."""
    found = sorted(path.name for path in folder.iterdir())
    try:
        numbers = [int(name.removeprefix("part-").removesuffix(".parquet")) for name in found]
    except ValueError:
        numbers = []
    if found != [f"part-{number:06}.parquet" for number in numbers]:
        raise GuaranteeViolated(f"{folder.name} holds other files than the parts that were written")
    return numbers


@contextmanager
def beside(
    folder: Path, data: Any, schema: Schema, resources: Resources, phases: Phases
) -> Iterator[tuple[Driver, PieceSource, list[int]]]:
    """A driver over the original of a release in parts, whose work folder shows the release; and the numbers of its parts."""
    rows, records = folder / "private" / ROWS, folder / "published" / RECORDS
    if not rows.is_dir() or not records.is_dir():
        raise InputError("is no release in parts with its private half; leave out the limits", file=folder)
    given = schema.item_hierarchy or schema.hierarchies or schema.sensitive_items
    dress = partial(with_domains, folder) if given is None else lambda roster: roster
    try:
        work = Path(tempfile.mkdtemp(".anonset.work", f".{folder.name}.", folder.absolute().parent))  # nobody else may read it
    except OSError as error:
        raise InputError(f"nothing can be written beside it: {error.strerror or error}", file=folder) from None
    try:
        (work / PUBLISHED).symlink_to((folder / "published").absolute())
        (work / ROWS).symlink_to(rows.absolute())
        if (folder / "private" / MATCHES).is_dir():
            (work / MATCHES).symlink_to((folder / "private" / MATCHES).absolute())
        told = read_release_file(folder / "private" / "manifest.json", Manifest)["guarantees"]
        gone = read_release_file(folder / "private" / "recoding.json", Recoding)["suppressed"]
        write_json(work / TOLD, {"guarantees": told, "suppressed": gone})
        with asking(data, schema, resources, work, phases, dress) as (driver, source, _):
            yield driver, source, part_numbers(records)
    finally:
        clear_work(work)
