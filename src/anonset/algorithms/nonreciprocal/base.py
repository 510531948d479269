"""What the nonreciprocal algorithms share: their parameters, and how assignments become a release.

The items of a published record are voted bit by bit among the originals behind it; each quasi column shows the narrowest label
that covers them.
"""

from dataclasses import KW_ONLY, dataclass
from itertools import count
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.base import BaseAlgorithm, provenance
from anonset.algorithms.nonreciprocal._kernels.voting import vote
from anonset.algorithms.nonreciprocal.order import Tour
from anonset.algorithms.nonreciprocal.rings import Assignments, Chance, Rings, Walk, walked_assignments
from anonset.algorithms.recoding import exact_column, group_text, lowest_of_chains
from anonset.model.arrays import Ids, Offsets, Rows
from anonset.model.dataset import Column, Dataset
from anonset.model.guarantees import Guarantee, Part
from anonset.model.hierarchy import Hierarchy
from anonset.model.labels import Labels, PublishedColumn, Ranges, UncertainItems
from anonset.model.parameters import Bounds, Seed
from anonset.model.progress import Progress
from anonset.model.release import Release, Trace
from anonset.model.sets import rows_of, take

Rounds = Annotated[int, Bounds(0, 100), "rounds of local search that bring similar records together"]
RingKind = Annotated[Literal["one", "many"], "one ring over all records ([004]), or many small ones, which lose less"]
Graph = Annotated[
    Literal["rings", "greedy"],
    "which matches a record may have: in rings of different labels, or the paper's greedy ones, which break l as a rule",
]
WalkKind = Annotated[Walk, "how assignments are found: halving (fast), closed walks or backtracking ([004] 4.2)"]
UnaryBits = Annotated[int, Bounds(1, 64), "bits of a numeric column: more keep numbers closer together, fewer items"]


@dataclass(frozen=True, slots=True)
class UncertainParameters(BaseAlgorithm):
    """Base class of algorithms that publish uncertain item sets."""

    _: KW_ONLY
    bits: UnaryBits = 4
    seed: Seed = None
    randomized: ClassVar[bool] = True
    covers: ClassVar[frozenset[Part]] = frozenset({"quasi", "items"})


@dataclass(frozen=True, slots=True)
class Walked(UncertainParameters):
    """Base class of algorithms that split rings into assignments."""

    _: KW_ONLY
    walk: WalkKind = "halving"


def covering_column(column: Column, sets: Rows, starts: Offsets, members: Ids) -> PublishedColumn:
    """The column in which record p has the label that covers the values of set s = sets[p]: a range, a node or values.

    The input rows of set s are members[starts[s] : starts[s + 1]]. A set of missing values only is published as missing, a set
    with some of them as the whole domain.
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
    """The lowest and the highest rank of each group; a missing value counts as both ends of the domain."""
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
        held = codes[starts[p] : starts[p + 1]]
        neighbours = np.arange(held.min(), held.max() + 1) if column.kind == "ordered" else np.unique(held)
        group = everything if missing[p] else tuple(neighbours.tolist())
        shown[p] = index.setdefault(group, len(index))
    texts = _distinct_texts([group_text([column.domain[c] for c in group]) for group in index])
    return shown, Labels.from_groups(list(index), texts)


def _distinct_texts(texts: list[str]) -> list[str]:
    """The texts, with a number after repeated ones: values may contain commas and brackets."""
    seen: dict[str, None] = {}
    for text in texts:
        name = text
        for n in count(2):
            if name not in seen:
                break
            name = f"{text} ({n})"
        seen[name] = None
    return list(seen)


class Preimages(NamedTuple):
    """Published record p may come from any of the input rows members[starts[s] : starts[s + 1]] with s = sets[p]."""

    sets: Rows
    starts: Offsets
    members: Ids


def preimages(assignments: Assignments) -> Preimages:
    """The input rows that some assignment maps to each published record."""
    m, n = assignments.shape
    members = np.empty((n, m), np.int32)
    for a in range(m):
        members[assignments[a], a] = np.arange(n)
    return Preimages(np.arange(n, dtype=np.int64), np.arange(n + 1, dtype=np.int64) * m, members.ravel())


def walked_release(
    algorithm: Walked, data: Dataset, rings: Rings, m: int, promise: Guarantee, tour: Tour, progress: Progress
) -> Release:
    """The release of one of m disjoint random assignments of the rings, chosen at random."""
    chance = Chance(algorithm.seed)
    assignments, steps = walked_assignments(rings, m, algorithm.walk, chance, progress)
    trace = (
        {"step": "order", "length": tour.lengths},
        {"step": "rings", "number": len(rings.starts) - 1},
        {"step": "assignments", "steps walked": steps},
    )
    return drawn_release(algorithm, data, assignments, chance, promise, trace, progress)


def drawn_release(
    algorithm: Walked,
    data: Dataset,
    assignments: Assignments,
    chance: Chance,
    promise: Guarantee,
    trace: Trace,
    progress: Progress,
) -> Release:
    """The release of one of the assignments, chosen at random."""
    chosen = chance.below(len(assignments))
    release = release_of(algorithm, data, assignments, chosen, preimages(assignments), promise, trace)
    progress(1.0)
    return release


def release_of(
    algorithm: object,
    data: Dataset,
    assignments: Assignments,
    chosen: int,
    behind: Preimages,
    promise: Guarantee,
    trace: Trace,
) -> Release:
    """The release in which published record p has the columns of the input row that the chosen assignment maps to it.

    The order of the records does not depend on the choice.
    """
    rows = np.empty(len(data), np.int64)
    rows[assignments[chosen]] = np.arange(len(data))
    columns = tuple(
        covering_column(column, *behind) if column.role == "quasi" else exact_column(column.take(rows))
        for column in data.columns
    )
    return Release(columns, uncertain_items(data, behind, rows), (promise,), provenance(algorithm), rows, assignments, trace)


def uncertain_items(data: Dataset, behind: Preimages, rows: Rows) -> UncertainItems:
    """Base items, uncertain items and thresholds by bit voting; sensitive items are those of the input rows.

    An item of exactly half of the originals is in the base if more than half of all records hold it: a rule that does not
    depend on any single person.
    """
    known = data.linkable
    common = 2 * known.supports > len(known)
    base_offsets, base, distance_offsets, distance, threshold = vote(
        known.offsets, known.items, behind.starts, behind.members, common
    )
    base_offsets, base = take(base_offsets, base, behind.sets)
    distance_offsets, distance = take(distance_offsets, distance, behind.sets)
    if data.sensitive_items is not None and data.sensitive_items.any():
        base_offsets, base = _with_sensitive(data, base_offsets, base, rows)
    return UncertainItems(base_offsets, base, distance_offsets, distance, threshold[behind.sets], known.domain)


def _with_sensitive(data: Dataset, offsets: Offsets, base: Ids, rows: Rows) -> tuple[Offsets, Ids]:
    assert data.transactions is not None
    assert data.sensitive_items is not None
    own = data.transactions.without(~data.sensitive_items).take(rows)
    record = np.concatenate([rows_of(offsets), rows_of(own.offsets)])
    items = np.concatenate([base, own.items])
    return offsets + own.offsets, items[np.lexsort((items, record))]
