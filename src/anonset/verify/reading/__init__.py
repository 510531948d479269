"""The verifier's own reader of release folders; it shares no code with the writers.

It is written against the description of the release folder alone (docs/release.md): records of labels, what labels stand for,
and, where private/ is there, which input row is behind each record.
"""

from collections.abc import Sequence
from pathlib import Path
from tokenize import TokenError

import numpy as np
from numpy.typing import NDArray

from anonset.errors import GuaranteeViolated, InputError
from anonset.model.arrays import Ids, Rows
from anonset.model.dataset import Dataset
from anonset.model.labels import GeneralizedItems, PublishedColumn, PublishedItems
from anonset.model.release import Provenance, Release
from anonset.model.release_files import Manifest, Recoding, damage, read_release_file
from anonset.runtime.native_panics import without_panic
from anonset.verify.reading.formats import WrittenTable, read_batches, read_numbers, reader_of
from anonset.verify.reading.parts import read_all_parts, read_matches, read_rows
from anonset.verify.reading.promises import margins_of, promised, published_half, read_about, require_known
from anonset.verify.reading.written import Attributes, Guide, WrittenValues, column_of, items_of

__all__ = ["WrittenTable", "read_for_verdict"]


def read_for_verdict(folder: Path, original: Dataset, table: "WrittenTable | None" = None) -> Release:
    """The release in a folder, or in a table with the same records; raises if about.json does not explain them.

    Without private/ the input rows of the records are unknown, and numbered in file order.
    """
    place = published_half(folder)
    about = read_about(place / "about.json")
    private = folder / "private" if (folder / "private").is_dir() else None
    manifest = None if private is None else dict(read_release_file(private / "manifest.json", Manifest))
    name, read = reader_of(about["format"])
    if not (place / name).exists():  # a folder if the release is in parts
        raise InputError("the published file is missing", file=place / name)
    _check_attributes(about, original)
    try:
        require_known(about)
        in_parts = table is None and (place / name).is_dir()
        guarantees = promised(about, manifest)
        guides = about["attributes"] if table is None else table.guides
        with without_panic(f"{name} cannot be read as about.json explains it"):
            if in_parts:
                columns, items = _of_parts(place / name, about, original, private)
            else:
                attributes = read(place / name, guides) if table is None else read_batches(table)
                columns, items = _published(attributes, guides, original, private)
        n = len(items) if items is not None else len(columns[0])
        if n != about["records"]:
            raise GuaranteeViolated(f"{name} has {n} records; about.json says {about['records']}")
        rows, assignments = _private(private, n, len(original))
        made = Provenance(str(about["algorithm"]))
        return Release(columns, items, guarantees, made, rows, assignments, margins=margins_of(about))
    except GuaranteeViolated:
        raise
    except Exception as error:
        raise GuaranteeViolated(f"{name} cannot be read as about.json explains it: {damage(error)}") from None


def _published(
    attributes: Attributes, guides: Sequence[Guide], original: Dataset, private: Path | None
) -> tuple[tuple[PublishedColumn, ...], PublishedItems | None]:
    columns, items = [], None
    for guide in guides:
        written = attributes[guide["name"]]
        if isinstance(written, WrittenValues):
            columns.append(column_of(written, guide, original.column(guide["name"])))
        else:
            assert original.transactions is not None
            items = items_of(written, guide, original.transactions.domain, _suppressed(private, original))
            items = _with_suppressed(items, original) if private is None else items
    return tuple(columns), items


def _of_parts(
    folder: Path, about: Guide, original: Dataset, private: Path | None
) -> tuple[tuple[PublishedColumn, ...], PublishedItems | None]:
    """What all parts show, one after the other; about.json explains nothing else."""
    columns, items = read_all_parts(folder, about, original)
    if isinstance(items, GeneralizedItems):
        gone = _suppressed(private, original)
        items = GeneralizedItems(items.offsets, items.shown, items.labels, items.domain, gone)
        items = _with_suppressed(items, original) if private is None else items
    return columns, items


def _check_attributes(about: Guide, original: Dataset) -> None:
    for guide in about["attributes"]:
        if guide["role"] != "items":
            original.column(guide["name"])
        elif original.transactions is None:
            raise InputError("the release has a set-valued attribute, and the original has none")


def _suppressed(private: Path | None, original: Dataset) -> Ids:
    """The suppressed items that private/ lists."""
    assert original.transactions is not None
    if private is None or not (private / "recoding.json").is_file():
        return np.zeros(0, np.int32)
    names = set(read_release_file(private / "recoding.json", Recoding)["suppressed"])
    return np.array([i for i, name in enumerate(original.transactions.domain) if name in names], np.int32)


def _with_suppressed(items: PublishedItems, original: Dataset) -> PublishedItems:
    """The items with their suppressed items if private/ is not there: those that occur and that no label stands for."""
    if not isinstance(items, GeneralizedItems) or original.transactions is None:
        return items
    gone = np.zeros(len(items.domain), np.bool_)
    gone[np.unique(original.transactions.items)] = True
    gone[items.labels.members] = False
    return GeneralizedItems(items.offsets, items.shown, items.labels, items.domain, np.flatnonzero(gone).astype(np.int32))


def _private(private: Path | None, n: int, n_original: int) -> tuple[Rows, NDArray[np.int64] | None]:
    """The input row behind each record, and the assignments of a nonreciprocal release."""
    if private is None:
        return np.arange(n, dtype=np.int64), None
    try:
        if (private / "rows.parquet").is_dir():
            header, rows = "input_row", read_rows(private / "rows.parquet")
        else:
            header, rows = read_numbers(private / "rows.csv")
    except (OSError, ValueError):
        raise GuaranteeViolated("private/rows.csv is damaged: one column input_row of whole numbers is expected") from None
    if header != "input_row" or len(rows) != n or (n and (rows.min() < 0 or rows.max() >= n_original)):
        raise GuaranteeViolated(f"private/rows.csv must name one of the {n_original} input rows for each of {n} records")
    if (private / "matches.parquet").is_dir():
        return rows, read_matches(private / "matches.parquet", n_original)
    path = private / "assignments.npy"
    if not path.is_file():
        return rows, None
    try:
        assignments = np.load(path, allow_pickle=False)
    except (ValueError, EOFError, OSError, MemoryError, SyntaxError, TokenError):  # its header is Python
        assignments = None
    if not isinstance(assignments, np.ndarray) or not np.issubdtype(assignments.dtype, np.integer):
        raise GuaranteeViolated("private/assignments.npy must be an array of whole numbers")
    return rows, assignments.astype(np.int64)
