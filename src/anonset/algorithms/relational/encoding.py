"""Quasi columns as numbers for the kernels, and what it costs to generalize them."""

from collections.abc import Mapping
from typing import Annotated, Literal

import numpy as np

from anonset.errors import ParameterError
from anonset.kernels.groups import MISSING_VALUE, RANGE, SET, TREE, Quasi
from anonset.model.arrays import Ids, Reals
from anonset.model.dataset import Column, Dataset
from anonset.model.hierarchy import Hierarchy

Recoding = Annotated[
    Literal["nodes", "ranges", "sets"],
    "nodes: hierarchies where given; ranges: numbers as plain ranges all the same; sets: no hierarchy at all",
]
Weights = Annotated[str, "importance of columns as name=number,...; 1 where not named"]


def encode(data: Dataset, recoding: str = "nodes", weights: str = "") -> Quasi:
    """The quasi values of a dataset, with what it costs to publish several of them as one label."""
    columns = data.quasi
    parts = [_encode(column, recoding) for column in columns]
    trees = [part[2] for part in parts]
    lengths = np.array([len(tree[0]) for tree in trees], np.int64)
    words = np.array(
        [len(c.domain) // 64 + 1 if part[0] == SET else 0 for c, part in zip(columns, parts, strict=True)], np.int64
    )
    zero = np.zeros(1, np.int64)
    values = np.column_stack([part[1] for part in parts]) if parts else np.zeros((len(data), 0))
    empty = _no_tree()
    return Quasi(
        kind=np.array([part[0] for part in parts], np.int8),
        weight=column_weights(data, weights),
        values=np.ascontiguousarray(values, np.float64),
        first=np.concatenate([zero, np.cumsum(lengths)])[:-1] if parts else zero[:0],
        parent=np.concatenate([*(tree[0] for tree in trees), empty[0]]),
        low=np.concatenate([*(tree[1] for tree in trees), empty[1]]),
        high=np.concatenate([*(tree[2] for tree in trees), empty[2]]),
        cost=np.concatenate([*(tree[3] for tree in trees), empty[3]]),
        word=np.concatenate([zero, np.cumsum(words)]),
        size=np.array([len(column.domain) for column in columns], np.int64),
    )


def column_weights(data: Dataset, weights: str = "") -> Reals:
    """The weights of the quasi columns, which sum to 1: equal unless `weights` is `name=number,...`."""
    given = _parse_weights(weights)
    names = [column.name for column in data.quasi]
    for name in given:
        if name not in names:
            raise ParameterError(f"weights names {name!r}; the quasi columns are {', '.join(names)}")
    found = np.array([given.get(name, 1.0) for name in names])
    if len(found) and found.sum() <= 0:
        raise ParameterError("weights must leave at least one column with a weight above 0")
    return found / found.sum() if len(found) else found


def _parse_weights(weights: str) -> Mapping[str, float]:
    found: dict[str, float] = {}
    for part in filter(None, (part.strip() for part in weights.split(","))):
        name, _, number = part.rpartition("=")
        try:
            found[name.strip()] = float(number)
        except ValueError:
            raise ParameterError(f"weights must be name=number,...; got {part!r}") from None
        if not name or not 0 <= found[name.strip()] < float("inf"):
            raise ParameterError(f"weights must be name=number,... with numbers from 0; got {part!r}")
    return found


_Tree = tuple[Ids, Ids, Ids, Reals]  # parent, low, high, cost


def _encode(column: Column, recoding: str) -> tuple[int, Reals, _Tree]:
    if uses_tree(column, recoding):
        assert column.hierarchy is not None
        codes = np.where(column.codes < 0, len(column.hierarchy), column.codes)
        return TREE, codes.astype(np.float64), _tree(column.hierarchy, node_costs(column, column.hierarchy))
    if column.ranks is not None:
        return RANGE, scaled(column), _no_tree()
    return SET, np.where(column.codes < 0, len(column.domain), column.codes).astype(np.float64), _no_tree()


def uses_tree(column: Column, recoding: str) -> bool:
    """Whether values of the column are published as nodes of its hierarchy."""
    return column.hierarchy is not None and (recoding == "nodes" or (recoding == "ranges" and column.kind == "categorical"))


def scaled(column: Column) -> Reals:
    """Numbers divided by the observed span, from 0, places of ordered words by the last place; missing values far outside."""
    ranks = column.ranks
    assert ranks is not None
    low, high = (0.0, len(ranks) - 1.0) if column.kind == "ordered" else column.span
    numbers = (np.append(ranks, low) - low) / ((high - low) or 1.0)
    return np.where(column.codes < 0, MISSING_VALUE, numbers[column.codes])


def node_costs(column: Column, tree: Hierarchy) -> Reals:
    """The loss of a value published as each node: leaves under it, or the length of its numbers' hull for a numeric column."""
    if column.values is None:
        return column.share(tree.sizes)
    low, high = hulls(column, tree)
    span = column.span[1] - column.span[0]
    return np.minimum((high - low) / (span or 1.0), 1.0)


def hulls(column: Column, tree: Hierarchy) -> tuple[Reals, Reals]:
    """The smallest and the largest number under each node."""
    assert column.values is not None
    runs = np.column_stack([tree.low, tree.high]).reshape(-1)  # every other run is that of a node
    low = np.minimum.reduceat(np.append(column.values, np.inf), runs)[::2]
    high = np.maximum.reduceat(np.append(column.values, -np.inf), runs)[::2]
    return low, high


def _tree(tree: Hierarchy, costs: Reals) -> _Tree:
    """The hierarchy with a leaf for a missing value, and a root above both."""
    n, d = len(tree), tree.n_leaves
    parent = np.concatenate([tree.parent, [n + 1, -1]]).astype(np.int32)
    parent[tree.root] = n + 1
    low = np.concatenate([tree.low, [d, 0]]).astype(np.int32)
    high = np.concatenate([tree.high, [d + 1, d + 1]]).astype(np.int32)
    return parent, low, high, np.concatenate([costs, [0.0, 1.0]])


def _no_tree() -> _Tree:
    return np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0)
