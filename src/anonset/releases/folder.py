"""The release folder: published/ is safe to hand out, private/ is not; what is read back comes from the files alone."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonset import __version__
from anonset.errors import AnonsetError, GuaranteeViolated, InputError, ParameterError
from anonset.model.arrays import Ids, Rows
from anonset.model.dataset import Dataset
from anonset.model.guarantees import Guarantee, guarantee_data
from anonset.model.labels import GeneralizedItems, Ranges
from anonset.model.plain import from_plain, read_json, to_plain, write_json
from anonset.model.release import Provenance, Release, Trace
from anonset.releases.about import about, published_guarantee, read_guarantee, read_margins
from anonset.releases.canonical import canonical, with_sorted_labels
from anonset.releases.formats import CODECS
from anonset.releases.originals import domains, published_folder, read_manifest, write_manifest


def write_folder(
    release: Release,
    original: Dataset,
    folder: Path,
    *,
    format: str = "csv",
    accepted: Sequence[str] = (),
) -> dict[str, Any]:
    """Write published/ and private/ into an existing folder, the records in an order that says nothing about the input's.

    What is returned is the manifest.
    """
    check_format(format)
    shown = canonical(release)
    (folder / "published").mkdir()
    (folder / "private").mkdir(mode=0o700)
    guides = CODECS[format].write(shown, original, folder / "published" / CODECS[format].file)
    write_json(folder / "published" / "about.json", about(shown, original, format, guides, accepted))
    _write_private(shown, original, folder / "private")
    manifest = _manifest(shown, original, format)
    write_manifest(folder, manifest)
    return manifest


def check_format(format: str) -> None:
    """Raise unless there is such a format."""
    if format not in CODECS:
        raise ParameterError(f"no format {format!r}; choose from {', '.join(CODECS)}")


def read_folder(folder: Path, original: Dataset) -> Release:
    """The release as its files have it. Without private/ the rows are unknown (and numbered as they come): see `is_aligned`."""
    published = published_folder(folder)
    guide = read_about(published / "about.json")
    manifest = read_manifest(folder)
    path = published / CODECS[guide["format"]].file
    if not path.is_file():
        raise InputError("the published file is not there", file=path)
    _check_attributes(guide, original)
    try:
        suppressed = _suppressed(folder, original)
        columns, items = CODECS[guide["format"]].read(path, guide["attributes"], original, suppressed)
        if isinstance(items, GeneralizedItems) and manifest is None:
            items = _with_suppressed(items, original)
        columns, items = with_sorted_labels(columns, items)
        n = len(items) if items is not None else len(columns[0])
        if n != guide["records"]:
            raise GuaranteeViolated(f"{path.name} has {n} records; about.json speaks of {guide['records']}")
        rows, assignments, trace = _read_private(folder, n, len(original))
        made = manifest or {"algorithm": guide["algorithm"], "parameters": {}, "anonset": guide["made_with"].split()[-1]}
        provenance = Provenance(made["algorithm"], from_plain(made["parameters"]), made["anonset"])
        margins = read_margins(guide)
        return Release(columns, items, _guarantees(guide, manifest), provenance, rows, assignments, trace, margins)
    except GuaranteeViolated:
        raise
    except (AnonsetError, pl.exceptions.PolarsError, ValueError, TypeError, LookupError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise GuaranteeViolated(f"{path.name} cannot be read as about.json explains it: {reason}") from None


def is_aligned(folder: Path) -> bool:
    """Whether it is known which input row is behind each published record."""
    return (folder / "private").is_dir()


def _write_private(release: Release, original: Dataset, folder: Path) -> None:
    pl.DataFrame({"input_row": release.rows}).write_csv(folder / "rows.csv")
    write_json(folder / "recoding.json", _recoding(release, original))
    write_json(folder / "domains.json", domains(original))
    if release.trace:
        lines = [json.dumps(to_plain(step), ensure_ascii=False) + "\n" for step in release.trace]
        (folder / "trace.jsonl").write_text("".join(lines), encoding="utf-8", newline="\n")
    if release.assignments is not None:
        np.save(folder / "assignments.npy", release.assignments)


def _recoding(release: Release, original: Dataset) -> dict[str, Any]:
    """What each published label stands for, exact ones too, and the names of the suppressed items."""
    columns: dict[str, Any] = {}
    for column in release.columns:
        if isinstance(column.labels, Ranges):
            pairs = zip(column.labels.low.tolist(), column.labels.high.tolist(), strict=True)
            columns[column.name] = [list(pair) for pair in pairs]
        else:
            columns[column.name] = column.labels.named(original.column(column.name).domain)
    if isinstance(release.items, GeneralizedItems):
        items, domain = release.items, release.items.domain
        return {
            "columns": columns,
            "items": items.labels.named(domain),
            "suppressed": [domain[i] for i in items.suppressed],
        }
    return {"columns": columns, "items": {}, "suppressed": []}


def _manifest(release: Release, original: Dataset, format: str) -> dict[str, Any]:
    made = release.provenance
    return {
        "anonset": made.version or __version__,
        "inputs": [{"name": source.name, "sha256": source.sha256} for source in original.sources],
        "algorithm": made.algorithm,
        "parameters": made.parameters,
        "seed": made.parameters.get("seed"),
        "guarantees": [guarantee_data(guarantee) for guarantee in release.guarantees],
        "format": format,
        "input_records": len(original),
        "records": len(release),
    }


def read_about(path: Path) -> dict[str, Any]:
    """The about.json of a release."""
    guide = read_json(path)
    wanted = {"format", "records", "guarantees", "attributes", "algorithm", "made_with"}
    if not isinstance(guide, dict) or not guide.keys() >= wanted or guide["format"] not in CODECS:
        raise InputError(f"must be the about.json of a release, with {', '.join(sorted(wanted))}", file=path)
    return guide


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
    if [to_plain(published_guarantee(guarantee)) for guarantee in found] != guide["guarantees"]:
        raise GuaranteeViolated("about.json promises something else than private/manifest.json")
    return found


def _suppressed(folder: Path, original: Dataset) -> Ids:
    """The suppressed items as private/ lists them."""
    path = folder / "private" / "recoding.json"
    if original.transactions is None or not path.is_file():
        return np.zeros(0, np.int32)
    names = set(read_json(path)["suppressed"])
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
    rows = pl.read_csv(private / "rows.csv", schema={"input_row": pl.Int64}).to_series().to_numpy().astype(np.int64)
    if len(rows) != n or (n and (rows.min() < 0 or rows.max() >= n_original)):
        raise GuaranteeViolated(f"private/rows.csv must name one of the {n_original} input rows for each of {n} records")
    return rows, _read_assignments(private / "assignments.npy"), _read_steps(private)


def _read_assignments(path: Path) -> NDArray[np.int64] | None:
    if not path.is_file():
        return None
    try:
        assignments = np.load(path, allow_pickle=False)
    except (ValueError, EOFError, OSError):
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
    members: dict[str, list[str]] = read_json(recoding).get("items", {}) if recoding.is_file() else {}
    return members, _read_steps(private)


def _read_steps(private: Path) -> Trace:
    trace = private / "trace.jsonl"
    if not trace.is_file():
        return ()
    *steps, _ = trace.read_text(encoding="utf-8").split("\n")  # not splitlines: texts may hold other line ends
    return tuple(json.loads(step) for step in steps)
