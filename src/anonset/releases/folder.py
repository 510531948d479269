"""The release folder: published/ is safe to hand out, private/ is not; what is read back comes from the files alone."""

import json
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonset.errors import GuaranteeViolated, InputError
from anonset.model.arrays import Ids, Rows
from anonset.model.dataset import Dataset
from anonset.model.guarantees import Guarantee
from anonset.model.labels import GeneralizedItems
from anonset.model.plain_json import from_plain, to_plain
from anonset.model.release import Margins, Provenance, Release, Trace
from anonset.model.release_files import About, Recoding, damage, read_release_file
from anonset.releases.about import published_guarantee, read_guarantee
from anonset.releases.formats import CODECS
from anonset.releases.originals import published_folder, read_manifest
from anonset.releases.writing import with_sorted_labels
from anonset.runtime.native_panics import without_panic


def read_folder(folder: Path, original: Dataset) -> Release:
    """The release as its files have it. Without private/ the rows are unknown (and numbered as they come): see `is_aligned`."""
    published = published_folder(folder)
    guide = read_about(published / "about.json")
    manifest = read_manifest(folder)
    path = published / CODECS[guide["format"]].file
    if not path.exists():  # a folder, where the release is in parts
        raise InputError("the published file is not there", file=path)
    _check_attributes(guide, original)
    try:
        suppressed = _suppressed(folder, original)
        with without_panic(f"{path.name} cannot be read as about.json explains it"):
            columns, items = CODECS[guide["format"]].read(path, guide["attributes"], original, suppressed)
        if isinstance(items, GeneralizedItems) and manifest is None:
            items = _with_suppressed(items, original)
        columns, items = with_sorted_labels(columns, items)
        n = len(items) if items is not None else len(columns[0])
        if n != guide["records"]:
            raise GuaranteeViolated(f"{path.name} has {n} records; about.json speaks of {guide['records']}")
        rows, assignments, trace = _read_private(folder, n, len(original))
        made = manifest or {"algorithm": guide["algorithm"], "parameters": {}, "anonset": guide["made_with"].split()[-1]}
        ends = made.get("ends", "exact")
        provenance = Provenance(made["algorithm"], from_plain(made["parameters"]), made["anonset"], ends)
        told = guide.get("margins")
        margins = None if told is None else Margins(told["k"], dict(told["counts"]), frozenset(told["withheld"]))
        return Release(columns, items, _guarantees(guide, manifest), provenance, rows, assignments, trace, margins)
    except GuaranteeViolated:
        raise
    except Exception as error:
        raise GuaranteeViolated(f"{path.name} cannot be read as about.json explains it: {damage(error)}") from None


def is_aligned(folder: Path) -> bool:
    """Whether it is known which input row is behind each published record."""
    return (folder / "private").is_dir()


def read_about(path: Path) -> dict[str, Any]:
    """The about.json of a release."""
    guide = read_release_file(path, About)
    if guide["format"] not in CODECS:
        raise GuaranteeViolated(f"about.json is damaged: format: must be one of {', '.join(CODECS)}")
    return dict(guide)


def _check_attributes(guide: dict[str, Any], original: Dataset) -> None:
    for attribute in guide["attributes"]:
        if attribute["role"] != "items":
            original.column(attribute["name"])
        elif original.transactions is None:
            raise InputError("the release has a set-valued attribute, and the original has none")


def _guarantees(guide: dict[str, Any], manifest: dict[str, Any] | None) -> tuple[Guarantee, ...]:
    if manifest is None:
        return tuple(read_guarantee(data) for data in guide["guarantees"])
    found = tuple(read_guarantee(data) for data in manifest["guarantees"])
    unit = "people" if guide.get("unit") == "people" else "records"
    if [to_plain(published_guarantee(guarantee, unit)) for guarantee in found] != guide["guarantees"]:
        raise GuaranteeViolated("about.json promises something else than private/manifest.json")
    return found


def _suppressed(folder: Path, original: Dataset) -> Ids:
    """The suppressed items as private/ lists them."""
    path = folder / "private" / "recoding.json"
    if original.transactions is None or not path.is_file():
        return np.zeros(0, np.int32)
    names = set(read_release_file(path, Recoding)["suppressed"])
    return np.array([i for i, name in enumerate(original.transactions.domain) if name in names], np.int32)


def _with_suppressed(items: GeneralizedItems, original: Dataset) -> GeneralizedItems:
    """The items with every original item that occurs and that no label stands for counted as suppressed."""
    assert original.transactions is not None
    gone = original.transactions.supports > 0
    gone[items.labels.members] = False
    return GeneralizedItems(items.offsets, items.shown, items.labels, items.domain, np.flatnonzero(gone).astype(np.int32))


def _read_private(folder: Path, n: int, n_original: int) -> tuple[Rows, NDArray[np.int64] | None, Trace]:
    private = folder / "private"
    if not private.is_dir():
        return np.arange(n, dtype=np.int64), None, ()
    try:
        if (private / "rows.parquet").is_dir():
            rows = pl.read_parquet(private / "rows.parquet")["input_row"].to_numpy().astype(np.int64)
        else:
            rows = pl.read_csv(private / "rows.csv", schema={"input_row": pl.Int64}).to_series().to_numpy().astype(np.int64)
    except (OSError, pl.exceptions.PolarsError):
        raise GuaranteeViolated("private/rows.csv is damaged: one column input_row of whole numbers is expected") from None
    if len(rows) != n or (n and (rows.min() < 0 or rows.max() >= n_original)):
        raise GuaranteeViolated(f"private/rows.csv must name one of the {n_original} input rows for each of {n} records")
    if (private / "matches.parquet").is_dir():
        return rows, _read_matches(private / "matches.parquet", n, n_original), _read_steps(private)
    return rows, _read_assignments(private / "assignments.npy"), _read_steps(private)


def _read_matches(path: Path, n: int, n_original: int) -> NDArray[np.int64]:
    """The assignments of a release in parts, which name for each record the input rows it may be of."""
    try:
        behind = pl.read_parquet(path)["input_rows"].explode().to_numpy().reshape(n, -1)
        assignments = np.full((behind.shape[1], n_original), -1, np.int64)
        for a, originals in enumerate(behind.T):
            assignments[a, originals] = np.arange(n)
    except (OSError, ValueError, LookupError, pl.exceptions.PolarsError):
        raise GuaranteeViolated("private/matches.parquet is damaged: as many input rows for each record are expected") from None
    return assignments


def _read_assignments(path: Path) -> NDArray[np.int64] | None:
    if not path.is_file():
        return None
    try:
        assignments = np.load(path, allow_pickle=False)
    except (ValueError, EOFError, OSError, MemoryError, SyntaxError, TokenError):  # its header is Python
        assignments = None
    if not isinstance(assignments, np.ndarray) or not np.issubdtype(assignments.dtype, np.integer):
        raise GuaranteeViolated("private/assignments.npy must be an array of whole numbers")
    return assignments.astype(np.int64)


def read_trace(folder: Path) -> tuple[dict[str, list[str]], Trace]:
    """What each item label of a release folder stands for, and how it came about; empty where private/ does not tell."""
    private = folder / "private"
    if not (folder / "published").is_dir():
        raise InputError("is not a release folder: there is no published/ in it", file=folder)
    recoding = private / "recoding.json"
    members = read_release_file(recoding, Recoding)["items"] if recoding.is_file() else {}
    return members, _read_steps(private)


def _read_steps(private: Path) -> Trace:
    trace = private / "trace.jsonl"
    if not trace.is_file():
        return ()
    try:
        *steps, _ = trace.read_text(encoding="utf-8").split("\n")  # not splitlines: texts may hold other line ends
        return tuple(dict(json.loads(step)) for step in steps)
    except (ValueError, TypeError, RecursionError):
        raise GuaranteeViolated("private/trace.jsonl is damaged: each line must be a JSON object") from None
