"""When two releases say the same."""

import numpy as np

from anonset.model.labels import GeneralizedItems, PublishedColumn, PublishedItems, UncertainItems
from anonset.model.release import Release


def same_release(first: Release, second: Release) -> bool:
    """Whether two releases publish the same values for the same rows under the same guarantees."""
    return (
        np.array_equal(first.rows, second.rows)
        and first.guarantees == second.guarantees
        and len(first.columns) == len(second.columns)
        and all(_same_column(a, b) for a, b in zip(first.columns, second.columns, strict=True))
        and _same_items(first.items, second.items)
    )


def _same_column(a: PublishedColumn, b: PublishedColumn) -> bool:
    def shown(column: PublishedColumn) -> list[str]:
        return [column.labels.texts[c] if c >= 0 else "" for c in column.codes]

    return (a.name, a.role) == (b.name, b.role) and shown(a) == shown(b)


def _same_items(a: PublishedItems | None, b: PublishedItems | None) -> bool:
    if isinstance(a, GeneralizedItems) and isinstance(b, GeneralizedItems):
        return shown_sets(a) == shown_sets(b) and _names(a, a.suppressed) == _names(b, b.suppressed)
    if isinstance(a, UncertainItems) and isinstance(b, UncertainItems):
        return a.domain == b.domain and all(
            np.array_equal(getattr(a, part), getattr(b, part))
            for part in ("base_offsets", "base", "distance_offsets", "distance", "threshold")
        )
    return a is None and b is None


def shown_sets(items: GeneralizedItems) -> list[frozenset[frozenset[str]]]:
    """Each published record as the set of its labels, each label as the set of items it stands for."""
    groups = [frozenset(items.domain[i] for i in group) for group in items.labels.groups()]
    return [frozenset(groups[a] for a in items.shown[items.offsets[r] : items.offsets[r + 1]]) for r in range(len(items))]


def _names(items: GeneralizedItems, codes: "np.ndarray[tuple[int], np.dtype[np.int32]]") -> set[str]:
    return {items.domain[i] for i in codes}
