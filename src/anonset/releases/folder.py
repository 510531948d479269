"""The release folder: published/ may be handed out, private/ may not; writing a release into it, and reading it back."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tokenize import TokenError
from typing import Any, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonset import __version__
from anonset.data.formats import RELEASE_FORMATS
from anonset.data.formats.base import Published
from anonset.data.formats.tokens import states
from anonset.errors import GuaranteeViolated, InputError, ParameterError
from anonset.kernels.recode import collapse
from anonset.model.arrays import Ids, Rows
from anonset.model.cover import Cover
from anonset.model.dataset import Dataset
from anonset.model.guarantees import Guarantee, guarantee_data
from anonset.model.hierarchy import Hierarchy
from anonset.model.labels import GeneralizedItems, Labels, PublishedColumn, PublishedItems, Ranges, UncertainItems
from anonset.model.policy import with_policies
from anonset.model.release import Margins, Provenance, Release, Trace
from anonset.model.release_files import About, Domains, Manifest, Recoding, damage, read_release_file
from anonset.model.schema import ROLES, Schema
from anonset.model.serialization import to_builtins, to_json, write_json
from anonset.model.sets import offsets_of, set_order, set_ranks, times_of
from anonset.releases.about import about, published_guarantee, read_guarantee
from anonset.releases.gates import Admission
from anonset.runtime.native_panics import without_panic

MANIFEST = "private/manifest.json"
PEOPLE = "people.csv"


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """private/manifest.json, or None if the folder has no private half."""
    path = folder / MANIFEST
    if not (folder / "private").is_dir():
        return None
    return dict(read_release_file(path, Manifest))


def published_folder(folder: Path) -> Path:
    """Where about.json is: published/ inside the folder, or the folder itself."""
    for place in (folder / "published", folder):
        if (place / "about.json").is_file():
            return place
    raise InputError("is not a release: published/about.json is missing", file=folder)


def schema_of_folder(folder: Path) -> Schema:
    """The schema for reading the original: the one used for the release, or at least the roles in about.json."""
    manifest = read_manifest(folder)
    if manifest is not None and manifest.get("reading") is not None:
        try:
            return Schema.from_values(manifest["reading"])
        except InputError as error:
            raise GuaranteeViolated(f"private/manifest.json is damaged: reading: {error}") from None
    about = read_release_file(published_folder(folder) / "about.json", About)
    roles: dict[str, Any] = {role: [] for role in ROLES}
    kinds: dict[str, Any] = {}
    items: list[str] = []
    for attribute in about["attributes"]:
        if attribute["role"] == "items":
            items.append(attribute["name"])
        else:
            roles[attribute["role"]].append(attribute["name"])
            kinds[attribute["name"]] = attribute["kind"]
    return Schema(**(roles if kinds else {}), kinds=kinds, items=tuple(items) if kinds else None)


def with_domains(folder: Path, original: Dataset) -> Dataset:
    """The original with the hierarchies and the sensitive items that the release was made with."""
    path = folder / "private" / "domains.json"
    if not path.is_file():
        return original
    said = read_release_file(path, Domains)
    try:
        original = original.with_hierarchies({name: Hierarchy.from_nodes(tree) for name, tree in said["columns"].items()})
        if said["items"] is not None:
            original = original.with_item_hierarchy(Hierarchy.from_nodes(said["items"]))
    except (InputError, ValueError, LookupError, OverflowError) as error:
        reason = error if isinstance(error, InputError) else "a hierarchy is no tree"
        raise GuaranteeViolated(f"private/domains.json is damaged: {reason}") from None
    if said["sensitive_items"] is None or original.transactions is None:
        return original
    names = set(said["sensitive_items"])
    return replace(original, sensitive_items=np.array([name in names for name in original.transactions.domain], np.bool_))


def write_folder(
    release: Release,
    original: Dataset,
    folder: Path,
    *,
    format: str = "csv",
    admission: Admission | None = None,
    cover: Cover | None = None,
) -> dict[str, Any]:
    """Write published/ and private/ into an existing folder, the records in an order that is independent of the input.

    Returns the manifest.
    """
    check_format(format)
    shown = canonical(release)
    (folder / "published").mkdir()
    (folder / "private").mkdir(mode=0o700)
    said: dict[str, Any] = {"cover": cover}
    if admission is not None:
        said |= {"accepted": admission.sentences, "outside": admission.outside()}
    guides = RELEASE_FORMATS[format].write(shown, original, folder / "published" / RELEASE_FORMATS[format].file)
    write_json(folder / "published" / "about.json", about(shown, original, format, guides, **said))
    _write_private(shown, original, folder / "private")
    manifest = release_facts(shown, original, format)
    write_json(folder / MANIFEST, manifest)
    return manifest


def check_format(format: str) -> None:
    """Raise unless there is such a format."""
    if format not in RELEASE_FORMATS:
        raise ParameterError(f"no format {format!r}; choose from {', '.join(RELEASE_FORMATS)}")


def canonical(release: Release) -> Release:
    """The release with its labels and its records sorted by what they show; labels that nothing shows are dropped."""
    columns, items = with_sorted_labels(release.columns, release.items)
    order = _record_order(columns, items)
    assignments = None
    if release.assignments is not None:
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        assignments = place[release.assignments]
    shown = replace(release, columns=columns, items=items).take(order)
    return replace(shown, assignments=assignments)


def with_sorted_labels(
    columns: tuple[PublishedColumn, ...], items: PublishedItems | None
) -> tuple[tuple[PublishedColumn, ...], PublishedItems | None]:
    """Columns and items with the labels that are shown, in order of what they stand for."""
    return tuple(map(_sorted_column, columns)), _sorted_items(items)


def _sorted_column(column: PublishedColumn) -> PublishedColumn:
    labels, number = _sorted_labels(column.labels, np.unique(column.codes[column.codes >= 0]))
    return replace(column, codes=np.append(number, np.int32(-1))[column.codes], labels=labels)


def _sorted_items(items: PublishedItems | None) -> PublishedItems | None:
    if not isinstance(items, GeneralizedItems):
        return items
    labels, number = _sorted_labels(items.labels, np.flatnonzero(times_of(items.shown, len(items.labels))))
    assert isinstance(labels, Labels)
    offsets, shown = collapse(items.offsets, number[items.shown])
    return GeneralizedItems(offsets, shown, labels, items.domain, np.sort(items.suppressed))


def _sorted_labels(labels: Labels | Ranges, used: NDArray[Any]) -> tuple[Labels | Ranges, Ids]:
    """The labels in use in order of what they stand for, and the new number of each old one; equal ranges become one."""
    used = used[np.argsort(np.array([labels.texts[a] for a in used], np.dtypes.StringDType()), kind="stable")]
    if isinstance(labels, Ranges):
        order = used[np.lexsort((labels.high[used], labels.low[used]))]
        pairs = np.stack([labels.low[order], labels.high[order]], axis=1)
        fresh = np.append(True, (pairs[1:] != pairs[:-1]).any(axis=1))[: len(order)]
    else:
        starts, stops = labels.offsets[used], labels.offsets[used + 1]
        order = used[np.lexsort((stops - starts, labels.members[stops - 1], labels.members[starts]))]
        fresh = np.ones(len(order), np.bool_)
    number = np.full(len(labels), -1, np.int32)
    number[order] = np.cumsum(fresh) - 1
    order = order[fresh]
    texts = tuple(labels.texts[a] for a in order)
    if isinstance(labels, Ranges):
        return Ranges(labels.low[order], labels.high[order], texts), number
    return Labels.from_groups([labels.members[labels.offsets[a] : labels.offsets[a + 1]] for a in order], texts), number


def _record_order(columns: tuple[PublishedColumn, ...], items: PublishedItems | None) -> Rows:
    keys: list[NDArray[Any]] = [column.codes for column in columns]
    if isinstance(items, GeneralizedItems) and not columns:
        return set_order(items.offsets, items.shown, len(items.labels))[0]
    if isinstance(items, GeneralizedItems):
        keys.append(set_ranks(items.offsets, items.shown, len(items.labels)))
    elif isinstance(items, UncertainItems):
        keys += [set_ranks(*states(items), 3 * len(items.domain)), items.threshold]
    return np.lexsort(keys[::-1]).astype(np.int64)


def _write_private(release: Release, original: Dataset, folder: Path) -> None:
    pl.DataFrame({"input_row": release.rows}).write_csv(folder / "rows.csv")
    if original.marks is not None:
        write_marks(original.marks[release.rows], folder)
    write_json(folder / "recoding.json", _recoding(release, original))
    write_json(folder / "domains.json", domains(original))
    if release.trace:
        lines = [to_json(step, indent=None) for step in release.trace]
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


def release_facts(
    release: Release, original: Dataset, format: str, *, records: int | None = None, input_records: int | None = None
) -> dict[str, Any]:
    """The entries of the manifest about a release; the numbers of records are given where the values have not all of them."""
    made = release.provenance
    return {
        "anonset": made.version or __version__,
        "inputs": [{"name": source.name, "sha256": source.sha256} for source in original.sources],
        "algorithm": made.algorithm,
        **({"plugin": made.plugin} if made.plugin else {}),
        "parameters": made.parameters,
        "seed": made.parameters.get("seed"),
        "ends": made.ends,
        "guarantees": [guarantee_data(guarantee) for guarantee in release.guarantees],
        "format": format,
        "input_records": len(original) if input_records is None else input_records,
        "records": len(release) if records is None else records,
    }


def domains(original: Dataset) -> dict[str, Any]:
    """The domain knowledge of the input: hierarchies, and which items are sensitive."""
    sensitive = None
    if original.transactions is not None and original.sensitive_items is not None:
        flags = zip(original.transactions.domain, original.sensitive_items, strict=True)
        sensitive = [name for name, flag in flags if flag]
    return {
        "items": original.item_hierarchy,
        "columns": {c.name: c.hierarchy for c in original.columns if c.hierarchy is not None},
        "sensitive_items": sensitive,
    }


def read_folder(folder: Path, original: Dataset) -> Release:
    """The release in a folder. Without private/ the input rows are unknown, and numbered in file order: see `is_aligned`."""
    published = published_folder(folder)
    guide = read_about(published / "about.json")
    manifest = read_manifest(folder)
    path = published / RELEASE_FORMATS[guide["format"]].file
    if not path.exists():  # a folder if the release is in parts
        raise InputError("the published file is missing", file=path)
    _check_attributes(guide, original)
    try:
        suppressed = _suppressed(folder, original)
        with without_panic(f"{path.name} cannot be read as about.json explains it"):
            files = sorted(path.iterdir()) if path.is_dir() else [path]
            read = RELEASE_FORMATS[guide["format"]].read_back
            columns, items = _joined([read(file, guide["attributes"], original, suppressed) for file in files])
        if isinstance(items, GeneralizedItems) and manifest is None:
            items = _with_suppressed(items, original)
        columns, items = with_sorted_labels(columns, items)
        n = len(items) if items is not None else len(columns[0])
        if n != guide["records"]:
            raise GuaranteeViolated(f"{path.name} has {n} records; about.json says {guide['records']}")
        rows, assignments, trace = _read_private(folder, n, len(original))
        made = manifest or {"algorithm": guide["algorithm"], "parameters": {}, "anonset": guide["made_with"].split()[-1]}
        ends = made.get("ends", "exact")
        provenance = Provenance(
            made["algorithm"], with_policies(made["parameters"]), made["anonset"], ends, made.get("plugin", "")
        )
        told = guide.get("margins")
        margins = None if told is None else Margins(told["k"], dict(told["counts"]), frozenset(told["withheld"]))
        return Release(columns, items, _guarantees(guide, manifest), provenance, rows, assignments, trace, margins)
    except GuaranteeViolated:
        raise
    except Exception as error:
        raise GuaranteeViolated(f"{path.name} cannot be read as about.json explains it: {damage(error)}") from None


def _joined(parts: Sequence[Published]) -> Published:
    """The published columns and items of all parts, one after the other."""
    if len(parts) == 1:
        return parts[0]
    columns = tuple(_joined_column(column) for column in zip(*(columns for columns, _ in parts), strict=True))
    return columns, _joined_items([items for _, items in parts if items is not None])


def _joined_column(parts: Sequence[PublishedColumn]) -> PublishedColumn:
    labels, numbers = _joined_labels([part.labels for part in parts])
    codes = [np.append(number, np.int32(-1))[part.codes] for part, number in zip(parts, numbers, strict=True)]
    return replace(parts[0], codes=np.concatenate(codes), labels=labels)


def _joined_items(parts: Sequence[PublishedItems]) -> PublishedItems | None:
    if not parts:
        return None
    if all(isinstance(part, GeneralizedItems) for part in parts):
        some = cast(Sequence[GeneralizedItems], parts)
        labels, numbers = _joined_labels([part.labels for part in some])
        assert isinstance(labels, Labels)
        shown = [number[part.shown] for part, number in zip(some, numbers, strict=True)]
        offsets = offsets_of(np.concatenate([np.diff(part.offsets) for part in some]))
        offsets, codes = collapse(offsets, np.concatenate(shown))
        return GeneralizedItems(offsets, codes, labels, some[0].domain, some[0].suppressed)
    doubts = cast(Sequence[UncertainItems], parts)
    base = offsets_of(np.concatenate([np.diff(part.base_offsets) for part in doubts]))
    distance = offsets_of(np.concatenate([np.diff(part.distance_offsets) for part in doubts]))
    return UncertainItems(
        base,
        np.concatenate([part.base for part in doubts]),
        distance,
        np.concatenate([part.distance for part in doubts]),
        np.concatenate([part.threshold for part in doubts]),
        doubts[0].domain,
    )


def _joined_labels(parts: Sequence[Labels | Ranges]) -> tuple[Labels | Ranges, list[Ids]]:
    """The labels of all parts, equal ones once, and the new number of each old one."""
    place: dict[Any, int] = {}
    numbers = [
        np.array([place.setdefault(key, len(place)) for key in zip(part.texts, _meanings(part), strict=True)], np.int32)
        for part in parts
    ]
    texts = tuple(text for text, _ in place)
    if isinstance(parts[0], Ranges):
        ends = np.array([ends for _, ends in place], np.float64).reshape(-1, 2)
        return Ranges(ends[:, 0].copy(), ends[:, 1].copy(), texts), numbers
    return Labels.from_groups([group for _, group in place], texts), numbers


def _meanings(labels: Labels | Ranges) -> list[tuple[Any, ...]]:
    if isinstance(labels, Ranges):
        return list(zip(labels.low.tolist(), labels.high.tolist(), strict=True))
    return [tuple(group.tolist()) for group in np.split(labels.members, labels.offsets[1:-1])] if len(labels) else []


def write_marks(marks: NDArray[np.uint64], private: Path) -> None:
    """Write whose record each published one is, as hashes, so that later releases can be compared with this one."""
    pl.DataFrame({"person": [f"{mark:016x}" for mark in marks.tolist()]}).write_csv(private / PEOPLE)


def read_marks(private: Path, n: int) -> NDArray[np.uint64] | None:
    """The hashes of the people behind n published records; None where none are stored."""
    path = private / PEOPLE
    if not path.is_file():
        return None
    try:
        marks = [int(text, 16) for text in pl.read_csv(path, schema={"person": pl.String}).to_series()]
        found = np.array(marks, np.uint64)
    except (OSError, TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        found = None
    if found is None or len(found) != n:
        raise GuaranteeViolated(f"private/{PEOPLE} is damaged: one hash for each of {n} records is expected")
    return found


def is_aligned(folder: Path) -> bool:
    """Whether the input row of each published record is known."""
    return (folder / "private").is_dir()


def is_in_parts(folder: Path) -> bool:
    """Whether a folder is a release in parts with its private half."""
    return (folder / "private" / "rows.parquet").is_dir() and (folder / "published" / "about.json").is_file()


def read_about(path: Path) -> dict[str, Any]:
    """The about.json of a release."""
    guide = read_release_file(path, About)
    if guide["format"] not in RELEASE_FORMATS:
        raise GuaranteeViolated(f"about.json is damaged: format: must be one of {', '.join(RELEASE_FORMATS)}")
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
    if [to_builtins(published_guarantee(guarantee, unit)) for guarantee in found] != guide["guarantees"]:
        raise GuaranteeViolated("about.json and private/manifest.json state different guarantees")
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
    rows = read_rows(folder, n, n_original)
    if (private / "matches.parquet").is_dir():
        return rows, _read_matches(private / "matches.parquet", n, n_original), _read_steps(private)
    return rows, _read_assignments(private / "assignments.npy"), _read_steps(private)


def read_rows(folder: Path, n: int, n_original: int) -> Rows:
    """The input row of each of n published records, as private/ has them."""
    private = folder / "private"
    try:
        if (private / "rows.parquet").is_dir():
            rows = pl.read_parquet(private / "rows.parquet")["input_row"].to_numpy().astype(np.int64)
        else:
            rows = pl.read_csv(private / "rows.csv", schema={"input_row": pl.Int64}).to_series().to_numpy().astype(np.int64)
    except (OSError, pl.exceptions.PolarsError):
        raise GuaranteeViolated("private/rows.csv is damaged: one column input_row of whole numbers is expected") from None
    if len(rows) != n or (n and (rows.min() < 0 or rows.max() >= n_original)):
        raise GuaranteeViolated(f"private/rows.csv must name one of the {n_original} input rows for each of {n} records")
    return rows


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
    """What each item label of a release folder stands for, and how it came about; empty without private/."""
    private = folder / "private"
    if not (folder / "published").is_dir():
        raise InputError("is not a release folder: published/ is missing", file=folder)
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
