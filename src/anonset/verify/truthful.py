"""Truthful: every published value covers the original one, and nothing is published that was not to be."""

from collections.abc import Iterator

import numpy as np

from anonset.model.arrays import Rows
from anonset.model.columns import Column
from anonset.model.dataset import Dataset
from anonset.model.guarantees import PartialItems
from anonset.model.labels import GeneralizedItems, PublishedColumn
from anonset.model.release import Release
from anonset.model.verdict import Finding
from anonset.verify.covering import covers, is_exact
from anonset.verify.findings import WITNESSES
from anonset.verify.left_out import named_left_out
from anonset.verify.shown import cell_text
from anonset.verify.truthful_items import Breaches, generalized_breaches, uncertain_breaches

TRUTHFUL = "truthful"


def check_truthful(original: Dataset, release: Release) -> Finding:
    """Compare every published record with the original one behind it."""
    outside = np.flatnonzero((release.rows < 0) | (release.rows >= len(original)))
    if len(outside):
        row = release.rows[outside[0]]
        why = f"published record {outside[0]} comes from input row {row}, and there are {len(original)} rows"
        return Finding(TRUTHFUL, False, len(outside), why, None, (why,))
    violations, witnesses = 0, list[str]()
    for count, said in _all_breaches(original, release):
        violations += count
        witnesses += said
    left_out = len(original) - len(release)
    note = f"{left_out} of {len(original)} records are not published" if left_out else ""
    worst = witnesses[0] if witnesses else note
    return Finding(TRUTHFUL, violations == 0, violations, worst, None, tuple(witnesses[:WITNESSES]))


def _all_breaches(original: Dataset, release: Release) -> Iterator[Breaches]:
    yield _wrong_columns(original, release)
    if len(release) < len(original):
        yield from named_left_out(original, release)
    known = {column.name: column for column in original.columns}
    for column in release.columns:
        if column.name in known:
            yield _wrong_cells(known[column.name], column, release.rows)
    if original.transactions is None or release.items is None:
        return
    if isinstance(release.items, GeneralizedItems):
        partial = any(isinstance(guarantee, PartialItems) for guarantee in release.guarantees)
        yield generalized_breaches(original, release.items, release.rows, partial=partial)
    else:
        yield uncertain_breaches(original, release)


def _wrong_columns(original: Dataset, release: Release) -> Breaches:
    """Columns that should not be there, are not there, or play another role."""
    known, found = {column.name: column for column in original.columns}, list[str]()
    for column in release.columns:
        if column.name in original.identifiers:
            found.append(f"column {column.name!r} identifies persons, and is published")
        elif column.name not in known:
            found.append(f"column {column.name!r} is published, and the original has no such column")
        elif column.role != known[column.name].role:
            role = known[column.name].role
            found.append(f"column {column.name!r} is published as {column.role}, and is {role} in the original")
    names = [column.name for column in release.columns]
    found += [f"column {name!r} is published twice" for name in dict.fromkeys(names) if names.count(name) > 1]
    found += [f"quasi column {column.name!r} is not published" for column in original.quasi if column.name not in names]
    if (original.transactions is None) != (release.items is None):
        found.append(
            "the items are not published" if release.items is None else "items are published, and the original has none"
        )
    return len(found), found


def _wrong_cells(column: Column, published: PublishedColumn, rows: Rows) -> Breaches:
    """Cells that do not cover the original value, or that are not exact where they must be."""
    wrong = ~covers(column, published, rows, np.arange(len(rows)), rows)
    why = "which does not cover the original value"
    if column.role != "quasi":
        wrong |= ~is_exact(published) | ((column.codes[rows] < 0) != (published.codes < 0))
        why = "which is not the original value"
    places = np.flatnonzero(wrong)
    few = [f"published record {r} shows {published.name}={cell_text(published, int(r))}, {why}" for r in places[:WITNESSES]]
    return len(places), few
