"""A release written to a folder: published/ is safe to hand out, private/ is not.

Labels and records come in one order that depends on what is published alone, so that it says nothing about the input's.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonset import __version__
from anonset.errors import ParameterError
from anonset.kernels.recode import collapse
from anonset.model.arrays import Ids, Rows
from anonset.model.dataset import Dataset
from anonset.model.guarantees import guarantee_data
from anonset.model.labels import GeneralizedItems, Labels, PublishedColumn, PublishedItems, Ranges, UncertainItems
from anonset.model.plain_json import to_plain, tree_to_plain, write_json
from anonset.model.release import Release
from anonset.model.sets import set_order, set_ranks, times_of
from anonset.releases.about import about
from anonset.releases.formats import CODECS
from anonset.releases.formats.sets import states
from anonset.releases.gates import Admission
from anonset.releases.originals import MANIFEST


def write_folder(
    release: Release,
    original: Dataset,
    folder: Path,
    *,
    format: str = "csv",
    admission: Admission | None = None,
) -> dict[str, Any]:
    """Write published/ and private/ into an existing folder, the records in an order that says nothing about the input's.

    What is returned is the manifest.
    """
    check_format(format)
    shown = canonical(release)
    (folder / "published").mkdir()
    (folder / "private").mkdir(mode=0o700)
    said: tuple[Any, ...] = () if admission is None else (admission.sentences, admission.outside())
    guides = CODECS[format].write(shown, original, folder / "published" / CODECS[format].file)
    write_json(folder / "published" / "about.json", about(shown, original, format, guides, *said))
    _write_private(shown, original, folder / "private")
    manifest = _manifest(shown, original, format)
    write_json(folder / MANIFEST, manifest)
    return manifest


def check_format(format: str) -> None:
    """Raise unless there is such a format."""
    if format not in CODECS:
        raise ParameterError(f"no format {format!r}; choose from {', '.join(CODECS)}")


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
        "ends": made.ends,
        "guarantees": [guarantee_data(guarantee) for guarantee in release.guarantees],
        "format": format,
        "input_records": len(original),
        "records": len(release),
    }


def domains(original: Dataset) -> dict[str, Any]:
    """What was said about the values of the input: hierarchies, and which items are sensitive."""
    sensitive = None
    if original.transactions is not None and original.sensitive_items is not None:
        flags = zip(original.transactions.domain, original.sensitive_items, strict=True)
        sensitive = [name for name, flag in flags if flag]
    return {
        "items": None if original.item_hierarchy is None else tree_to_plain(original.item_hierarchy),
        "columns": {c.name: tree_to_plain(c.hierarchy) for c in original.columns if c.hierarchy is not None},
        "sensitive_items": sensitive,
    }
