"""A format for input and releases: text with | between the fields."""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from anonset.data.coding import Table
from anonset.data.files import File
from anonset.data.formats.base import Guide, Published, ReleaseFormat
from anonset.data.formats.delimited import read_delimited, with_separator
from anonset.data.formats.tokens import coded, column_from_tokens, column_tokens, items_from_tokens, joined, split, token_sets
from anonset.errors import GuaranteeViolated, ParameterError
from anonset.model.arrays import Ids
from anonset.model.dataset import Dataset
from anonset.model.labels import UncertainItems
from anonset.model.progress import Progress, silent
from anonset.model.release import Release
from anonset.verify.reading.written import Attributes, WrittenSets, WrittenValues, empty

SIGN = "|"


def read_psv(path: File, progress: Progress = silent) -> Table:
    """Read a table."""
    return read_delimited(path, SIGN, progress)


def write(release: Release, original: Dataset, path: Path) -> list[Guide]:
    """Write the records; the guides say how to read each attribute."""
    if isinstance(release.items, UncertainItems):
        raise ParameterError("psv has no room for uncertain items; choose csv")
    cells, guides = [], []
    for column in release.columns:
        tokens, guide = column_tokens(column, original.column(column.name))
        cells.append(pl.Series([*tokens, ""], dtype=pl.String).gather(column.codes))
        guides.append(guide)
    if release.items is not None:
        sets = with_separator(token_sets(release.items, original.item_column), release)
        cells.append(joined(sets.offsets, sets.codes, sets.tokens, sets.guide["separator"]))
        guides.append(sets.guide)
    with path.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file, delimiter=SIGN, lineterminator="\n")
        lines.writerow([guide["column"] for guide in guides])
        lines.writerows(zip(*cells, strict=True))
    return guides


def read_back(path: Path, guides: list[Guide], original: Dataset, suppressed: Ids) -> Published:
    """Read what `write` wrote."""
    rows = list(_rows(path, guides))
    columns, items = [], None
    for place, guide in enumerate(guides):
        texts = pl.Series([row[place] for row in rows], dtype=pl.String)
        if guide["role"] == "items":
            assert original.transactions is not None, "the guide has items"
            offsets, tokens = split(texts, guide["separator"])
            items = items_from_tokens((offsets, *coded(tokens)), None, guide, original.transactions.domain, suppressed)
        else:
            columns.append(column_from_tokens(*coded(texts.replace("", None)), guide, original.column(guide["name"])))
    return tuple(columns), items


def _rows(path: Path, guides: Sequence[Guide]) -> Iterator[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        lines = csv.reader(file, delimiter=SIGN, strict=True)
        if next(lines, None) != [guide["column"] for guide in guides]:
            raise GuaranteeViolated(f"{path.name} has other columns than about.json explains")
        yield from lines


def read_written(path: Path, guides: Sequence[Guide]) -> Attributes:
    """Read the file for the verifier, by the definition of the format and with nothing of the code above."""
    found = empty(guides)
    with path.open(encoding="utf-8", newline="") as file:
        for number, cells in enumerate(csv.reader(file, delimiter="|", strict=True)):
            if len(cells) != len(guides) or (number == 0 and cells != [guide["column"] for guide in guides]):
                raise GuaranteeViolated(f"line {number + 1} of {path.name} has other fields than about.json explains")
            for cell, guide in zip(cells, guides, strict=True) if number else ():
                written = found[guide["name"]]
                if isinstance(written, WrittenSets):
                    written.add(cell.split(guide["separator"]) if cell else ())
                elif isinstance(written, WrittenValues):
                    written.add(cell or None)
                else:
                    raise GuaranteeViolated("psv has no room for uncertain items")
    return found


PSV = ReleaseFormat(id="psv", suffixes=(".psv",), read=read_psv, write=write, read_back=read_back, reader=read_written)
