"""Join a release in parts with its original: the published records of each batch, in the order of the input."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from anonset.engine.domains import Answer
from anonset.engine.journal import Driver, clear_work
from anonset.engine.part_files import MATCHES, PUBLISHED, ROWS
from anonset.engine.planning import Resources
from anonset.engine.questions import Context, Summed
from anonset.engine.session import open_session
from anonset.engine.source import BatchRef, BatchSource
from anonset.errors import GuaranteeViolated, InputError
from anonset.model.arrays import Rows
from anonset.model.dataset import Dataset
from anonset.model.progress import Phases
from anonset.model.release import Release
from anonset.model.release_files import Manifest, Recoding, read_release_file
from anonset.model.schema import Schema
from anonset.model.serialization import write_json
from anonset.releases.folder import is_in_parts, with_domains
from anonset.verify.reading.parts import part_frame, part_name, read_back, read_part_file, records_name, sort_back
from anonset.verify.reading.promises import full_about, read_about
from anonset.verify.reading.written import Guide

BACK = "back"
PRIVATE_GUIDE = "told.json"  # guarantees with their policies, and suppressed items, which the public about.json leaves out


def published_guide(context: Context) -> Guide:
    """Return the about.json of the release, completed from its private half."""
    return full_about(context.work / PUBLISHED / "about.json", context.work / PRIVATE_GUIDE)


def part_release(unit: int, context: Context) -> Release:
    """Read one published part."""
    about = published_guide(context)
    return read_part_file(part_path(unit, context, about), about, context.roster)


def part_path(unit: int, context: Context, about: Guide) -> Path:
    """Return the file of a published part."""
    return context.work / PUBLISHED / records_name(about) / part_name(about, unit)


@dataclass(frozen=True, eq=False)
class SortBack(Summed):
    """Copies the parts into slices, one for each batch of the input; `bounds` are the first records of the batches."""

    bounds: Rows
    name: ClassVar[str] = "sorting back"

    def ask(self, unit: int, context: Context) -> Answer:
        """Write the copy of a part; return its number."""
        file, about = f"part-{unit:06}.parquet", published_guide(context)
        (context.work / BACK).mkdir(exist_ok=True)
        frame, copy = part_frame(part_path(unit, context, about), about), context.work / BACK / f"{unit:06}"
        matches = context.work / MATCHES / file if (context.work / MATCHES).is_dir() else None
        sort_back(frame, context.work / ROWS / file, self.bounds, copy, matches)
        return {"part": np.array([unit], np.int64)}


@dataclass(frozen=True, eq=False)
class RecordPairs(Summed):
    """A question about batches and their published records, which are read from the copies that `SortBack` wrote."""

    files: tuple[str, ...]

    def pair(self, unit: tuple[int, BatchRef], context: Context) -> tuple[Dataset, Release]:
        """Return the records of a batch, and the published ones in the same order."""
        number, ref = unit
        batch = context.batch(ref)
        return batch, read_back(self.copies(context), number, published_guide(context), batch, ref.first)

    def copies(self, context: Context) -> list[Path]:
        """Return the copies of the parts."""
        return [context.work / BACK / file for file in self.files]


def bounds_of(source: BatchSource) -> Rows:
    """Return the first record of each batch, followed by the number of all records."""
    return np.array([*(ref.first for ref in source.batches), source.rows], np.int64)


def copies_of(answer: Answer) -> tuple[str, ...]:
    """Return the file names of the copies that `SortBack` wrote."""
    return tuple(f"{number:06}" for number in answer["part"].tolist())


def part_numbers(folder: Path) -> list[int]:
    """Return the numbers of the parts in a folder; raise GuaranteeViolated if it holds any other file."""
    found = sorted(path.name for path in folder.iterdir())
    try:
        numbers = [int(name.removeprefix("part-").removesuffix(folder.suffix)) for name in found]
    except ValueError:
        numbers = []
    if found != [f"part-{number:06}{folder.suffix}" for number in numbers]:
        raise GuaranteeViolated(f"{folder.name} holds other files than the parts that were written")
    return numbers


def private_guide(guarantees: Any, suppressed: Sequence[str], items: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return what verifying needs of the private half."""
    return {"guarantees": guarantees, "suppressed": suppressed, "items": items}


@contextmanager
def release_session(
    folder: Path, data: Any, schema: Schema, resources: Resources, phases: Phases
) -> Iterator[tuple[Driver, BatchSource, list[int]]]:
    """Open the original of a release in parts; yield a driver whose work folder links to the release, batches, part numbers."""
    rows = folder / "private" / ROWS
    if not is_in_parts(folder):
        raise InputError("is no release in parts with its private half", file=folder)
    records = folder / "published" / records_name(read_about(folder / "published" / "about.json"))
    if not records.is_dir():
        raise InputError("the published file is missing", file=records)
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
        guarantees = read_release_file(folder / "private" / "manifest.json", Manifest)["guarantees"]
        recoding = read_release_file(folder / "private" / "recoding.json", Recoding)
        write_json(work / PRIVATE_GUIDE, private_guide(guarantees, recoding["suppressed"], recoding["items"]))
        with open_session(data, schema, resources, work, phases, dress) as (driver, source, _):
            yield driver, source, part_numbers(records)
    finally:
        clear_work(work)
