"""From the node of each item (or of each occurrence) to a release."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from anonset.algorithms.base import provenance
from anonset.algorithms.recoding import exact_columns, items_at_nodes
from anonset.model.arrays import Ids
from anonset.model.dataset import Dataset
from anonset.model.guarantees import Guarantee, KmAnonymity, Part
from anonset.model.parameters import K, M, check_parameters
from anonset.model.release import Release, Trace


@dataclass(frozen=True, slots=True)
class KmByHierarchy:
    """What every algorithm is asked for that reaches k^m-anonymity along the item hierarchy."""

    k: K
    m: M = 2
    name: ClassVar[str]
    guarantee: ClassVar[str] = "km-anonymity"
    needs: ClassVar[frozenset[str]] = frozenset({"items", "item-hierarchy"})
    randomized: ClassVar[bool] = False
    covers: ClassVar[frozenset[Part]] = frozenset({"items"})
    comparator: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_parameters(self)


def km_release(algorithm: KmByHierarchy, data: Dataset, nodes: Ids, trace: Trace = ()) -> Release:
    """Every item published as its node: global recoding that is k^m-anonymous."""
    assert data.transactions is not None
    return release_at(algorithm, data, nodes[data.transactions.items], KmAnonymity(algorithm.k, algorithm.m), trace)


def release_at(algorithm: Any, data: Dataset, nodes: Ids, guarantee: Guarantee, trace: Trace = ()) -> Release:
    """Item occurrence p published as nodes[p]; all columns as they are."""
    return Release(
        exact_columns(data),
        items_at_nodes(data, nodes),
        (guarantee,),
        provenance(algorithm),
        np.arange(len(data), dtype=np.int64),
        trace=trace,
    )
