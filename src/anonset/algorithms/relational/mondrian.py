"""Mondrian: multidimensional partitioning.

1. All records are one part.
2. Each part is split in the attribute, and at the place, that lower the loss most, as long as every piece keeps k records:
   ordered values at a cut in two, values with a hierarchy along the children of the part's lowest common node.
3. What cannot be split is a group and publishes what covers it.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from anonset.algorithms.base import Progress, silent
from anonset.algorithms.relational.encoding import Recoding, Weights, encode
from anonset.algorithms.relational.generalize import publish_groups
from anonset.algorithms.relational.request import check_request
from anonset.kernels.groups import Quasi
from anonset.kernels.splits import split_parts
from anonset.model.arrays import Rows
from anonset.model.dataset import Dataset
from anonset.model.guarantees import KAnonymity
from anonset.model.parameters import K, check_parameters
from anonset.model.release import Release

Splits = Annotated[Literal["strict", "relaxed"], "whether records with equal values stay together, or may be divided"]


@dataclass(frozen=True, slots=True)
class Mondrian:
    """Parts split in two, or along a hierarchy, as long as k records remain; local recoding."""

    k: K
    splits: Splits = "strict"
    recoding: Recoding = "nodes"
    weights: Weights = ""
    name: ClassVar[str] = "mondrian"
    title: ClassVar[str] = "Mondrian"
    paper: ClassVar[str] = "LeFevre, DeWitt, Ramakrishnan: Mondrian (ICDE 2006), splits chosen by loss"
    guarantee: ClassVar[str] = "k-anonymity"
    needs: ClassVar[frozenset[str]] = frozenset({"quasi"})
    randomized: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_parameters(self)

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """A release whose groups are the parts."""
        check_request(data, self.k)
        progress(0.0)
        groups = partition(encode(data, self.recoding, self.weights), self.k, self.splits == "relaxed", progress)
        progress(1.0)
        return publish_groups(self, data, groups, (KAnonymity(self.k),), recoding=self.recoding)


def partition(q: Quasi, k: int, relaxed: bool, progress: Progress = silent) -> Rows:
    """The part of each record."""
    n = len(q.values)
    rows = np.arange(n, dtype=np.int64)
    starts, stops = np.zeros(1, np.int64), np.full(1, n, np.int64)
    groups, formed = np.full(n, -1, np.int64), 0
    ranks = np.column_stack([np.unique(column, return_inverse=True)[1] for column in q.values.T]).astype(np.int32)
    while len(starts):
        starts, stops, final = split_parts(q, ranks, rows, starts, stops, k, relaxed)
        for start, stop in zip(starts[final], stops[final], strict=True):
            groups[rows[start:stop]] = formed
            formed += 1
        starts, stops = starts[~final], stops[~final]
        progress(1.0 - float((stops - starts).sum()) / n)
    return groups
