"""Published columns and items from what an algorithm decided: nodes of a hierarchy, groups of values, or exact values."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from anonset.algorithms.base import BaseAlgorithm, provenance
from anonset.kernels.recode import collapse
from anonset.model.arrays import Ids, Offsets, Rows
from anonset.model.dataset import Column, Dataset
from anonset.model.guarantees import Guarantee, KmAnonymity, Part
from anonset.model.hierarchy import Hierarchy
from anonset.model.labels import GeneralizedItems, Labels, PublishedColumn, Ranges
from anonset.model.parameters import K, M
from anonset.model.release import Release, Trace
from anonset.model.sets import offsets_of, times_of

NONE = np.zeros(0, np.int32)


def exact_column(column: Column) -> PublishedColumn:
    """The column with exact values: one label for each value that occurs."""
    used, codes = np.unique(np.append(column.codes, np.int32(-1)), return_inverse=True)
    used = used[1:]
    texts = tuple(column.domain[c] for c in used)
    labels: Labels | Ranges
    if column.values is not None:
        labels = Ranges(column.values[used], column.values[used], texts)
    else:
        labels = Labels.from_groups([[int(c)] for c in used], texts)
    return PublishedColumn(column.name, column.role, codes[:-1].astype(np.int32) - 1, labels)


def exact_columns(data: Dataset) -> tuple[PublishedColumn, ...]:
    """Every column with exact values."""
    return tuple(map(exact_column, data.columns))


def exact_items(data: Dataset) -> GeneralizedItems | None:
    """The exact item sets, or None if the data have no items."""
    if data.transactions is None:
        return None
    return items_in_groups(data, np.arange(len(data.transactions.domain), dtype=np.int32), data.transactions.domain)


def items_at_nodes(data: Dataset, nodes: Ids) -> GeneralizedItems:
    """Items in which occurrence p is published as node nodes[p] of the item hierarchy; sensitive items stay exact.

    `nodes` is parallel to data.transactions.items: nodes = cut[items] for global recoding, -1 to leave an occurrence out. A
    node above a chain of single children is published as the lowest node of the chain. Labels have no sensitive members.
    """
    assert data.transactions is not None
    assert data.item_hierarchy is not None
    tree = data.item_hierarchy
    shown = np.append(lowest_of_chains(tree), np.int32(-1))[nodes]
    if data.sensitive_items is not None:
        shown = np.where(data.sensitive_items[data.transactions.items], data.transactions.items, shown)
    used = np.flatnonzero(times_of(shown, len(tree), least=-1)[1:])
    label_of = np.full(len(tree) + 1, -1, np.int32)
    label_of[used] = np.arange(len(used))
    offsets, entries = collapse(data.transactions.offsets, label_of.take(shown, mode="wrap", out=shown))
    labels = Labels(*_members(tree, used, data), tuple(tree.labels[v] for v in used))
    return GeneralizedItems(offsets, entries, labels, data.transactions.domain, NONE)


def items_in_groups(data: Dataset, group_of: Ids, texts: Sequence[str]) -> GeneralizedItems:
    """Items in which item i is published as group group_of[i] with the text texts[group]; -1 suppresses the item."""
    assert data.transactions is not None
    here = np.flatnonzero(data.transactions.supports)
    groups = np.unique(group_of[here])
    groups = groups[groups >= 0]
    label_of = np.full(len(texts) + 1, -1, np.int32)
    label_of[groups] = np.arange(len(groups))
    order = np.argsort(group_of, kind="stable")
    bounds = np.searchsorted(group_of[order], [groups, groups + 1])
    members = [order[start:stop] for start, stop in bounds.T]
    offsets, entries = collapse(data.transactions.offsets, label_of[group_of[data.transactions.items]])
    suppressed = np.flatnonzero(group_of < 0).astype(np.int32)
    labels = Labels.from_groups(members, [texts[g] for g in groups])
    return GeneralizedItems(offsets, entries, labels, data.transactions.domain, suppressed)


def group_text(names: Sequence[str]) -> str:
    """The text of a group of values that has no node: (a,b), or a alone."""
    return names[0] if len(names) == 1 else f"({','.join(names)})"


def lowest_of_chains(tree: Hierarchy) -> Ids:
    """For each node the lowest node with the same leaves."""
    lowest = np.arange(len(tree), dtype=np.int32)
    for v in range(len(tree) - 1):
        p = tree.parent[v]
        if tree.low[p] == tree.low[v] and tree.high[p] == tree.high[v]:
            lowest[p] = lowest[v]
    return lowest


def _members(tree: Hierarchy, nodes: Rows, data: Dataset) -> tuple[Offsets, Ids]:
    """Offsets and leaves of the nodes, without sensitive leaves unless a node has no other."""
    lengths = tree.high[nodes] - tree.low[nodes]
    offsets = offsets_of(lengths)
    leaves = (np.repeat(tree.low[nodes] - offsets[:-1], lengths) + np.arange(offsets[-1])).astype(np.int32)
    if data.sensitive_items is None:
        return offsets, leaves
    kept = ~data.sensitive_items[leaves] | np.repeat(lengths == 1, lengths)
    return offsets_of(kept)[offsets], leaves[kept]


@dataclass(frozen=True, slots=True)
class KmByHierarchy(BaseAlgorithm):
    """Base class of algorithms that reach k^m-anonymity along the item hierarchy."""

    k: K
    m: M = 2
    guarantee: ClassVar[str] = "km-anonymity"
    needs: ClassVar[frozenset[str]] = frozenset({"items", "item-hierarchy"})
    covers: ClassVar[frozenset[Part]] = frozenset({"items"})


def km_release(algorithm: KmByHierarchy, data: Dataset, nodes: Ids, trace: Trace = ()) -> Release:
    """The k^m-anonymous release in which item i is published as nodes[i] everywhere (global recoding)."""
    assert data.transactions is not None
    return release_at(algorithm, data, nodes[data.transactions.items], KmAnonymity(algorithm.k, algorithm.m), trace)


def release_at(algorithm: Any, data: Dataset, nodes: Ids, guarantee: Guarantee, trace: Trace = ()) -> Release:
    """The release in which item occurrence p is published as nodes[p] and all columns stay exact."""
    return Release(
        exact_columns(data),
        items_at_nodes(data, nodes),
        (guarantee,),
        provenance(algorithm),
        np.arange(len(data), dtype=np.int64),
        trace=trace,
    )
