"""Quasi columns of nonreciprocal releases: the narrowest label that covers every original behind a published record.

This extension to records with relational attributes is ours; [004] has item sets only.
"""

from itertools import count

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.recoding import exact_column, group_text, lowest_of_chains
from anonset.model.arrays import Ids, Offsets, Rows
from anonset.model.columns import Column
from anonset.model.hierarchy import Hierarchy
from anonset.model.labels import Labels, PublishedColumn, Ranges


def covering_column(column: Column, sets: Rows, starts: Offsets, members: Ids) -> PublishedColumn:
    """Record p shows what covers the values of set sets[p], members[starts[s] : starts[s + 1]]: a range, a node or values.

    Where all values are missing the record shows a missing value; where some are, a label of the whole domain.
    """
    if len(column.domain) == 0:  # nobody has a value
        return exact_column(column.take(sets))
    codes = column.codes[members]
    missing = np.logical_or.reduceat(codes < 0, starts[:-1])
    all_missing = np.logical_and.reduceat(codes < 0, starts[:-1])
    if column.values is not None:
        shown, labels = _ranges(column, codes, starts, missing)
    elif column.hierarchy is not None:
        shown, labels = _nodes(column.hierarchy, codes, starts, missing)
    else:
        shown, labels = _sets(column, codes, starts, missing)
    codes_shown = np.where(all_missing, -1, shown)[sets].astype(np.int32)
    return PublishedColumn(column.name, column.role, codes_shown, labels)


def _extremes(
    ranks: NDArray[np.int64], missing_rank: int, starts: Offsets, missing: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The lowest and highest rank of each group (a missing value counts as both ends of the domain)."""
    low = np.minimum.reduceat(ranks, starts[:-1])
    high = np.maximum.reduceat(ranks, starts[:-1])
    return np.where(missing, 0, low), np.where(missing, missing_rank, high)


def _ranges(
    column: Column, codes: Ids, starts: Offsets, missing: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], Labels | Ranges]:
    assert column.values is not None
    d = len(column.domain)
    by_value = np.argsort(column.values, kind="stable")
    rank = np.empty(d + 1, np.int64)
    rank[by_value], rank[d] = np.arange(d), 0  # place d is where the code -1 looks
    low, high = _extremes(rank[codes], d - 1, starts, missing)
    pairs, shown = np.unique(low * d + high, return_inverse=True)
    first, last = by_value[pairs // d], by_value[pairs % d]
    texts = tuple(
        column.domain[a] if a == b else f"[{column.domain[a]}:{column.domain[b]}]" for a, b in zip(first, last, strict=True)
    )
    return shown, Ranges(column.values[first], column.values[last], texts)


def _nodes(
    tree: Hierarchy, codes: Ids, starts: Offsets, missing: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], Labels | Ranges]:
    low, high = _extremes(np.maximum(codes, 0).astype(np.int64), tree.n_leaves - 1, starts, missing)
    node = low.astype(np.int32)
    while (narrow := tree.high[node] <= high).any():
        node = np.where(narrow, tree.parent[node], node)
    used, shown = np.unique(lowest_of_chains(tree)[node], return_inverse=True)
    groups = [np.arange(tree.low[v], tree.high[v]) for v in used]
    return shown, Labels.from_groups(groups, [tree.labels[v] for v in used])


def _sets(column: Column, codes: Ids, starts: Offsets, missing: NDArray[np.bool_]) -> tuple[NDArray[np.int64], Labels | Ranges]:
    d = len(column.domain)
    everything = tuple(range(d))
    index: dict[tuple[int, ...], int] = {}
    shown = np.empty(len(missing), np.int64)
    for p in range(len(missing)):
        group = everything if missing[p] else tuple(sorted(set(codes[starts[p] : starts[p + 1]].tolist())))
        shown[p] = index.setdefault(group, len(index))
    texts = _told_apart([group_text([column.domain[c] for c in group]) for group in index])
    return shown, Labels.from_groups(list(index), texts)


def _told_apart(texts: list[str]) -> list[str]:
    """The texts, with a number behind those that were there before: values may have commas and brackets in them."""
    seen: dict[str, None] = {}
    for text in texts:
        name = text
        for n in count(2):
            if name not in seen:
                break
            name = f"{text} ({n})"
        seen[name] = None
    return list(seen)
