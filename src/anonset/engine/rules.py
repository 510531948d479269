"""How a coded batch of records becomes published records: by one cut for all, or each part of the records on its own."""

from dataclasses import dataclass
from typing import Protocol

from anonset.algorithms.base import Algorithm
from anonset.algorithms.constraints.pcta import ConstraintBased, grouped_release
from anonset.algorithms.recoding import KmByHierarchy, km_release
from anonset.model.arrays import Ids
from anonset.model.dataset import Dataset
from anonset.model.release import Release


class Rule(Protocol):
    """What is decided once and then applied to every batch."""

    def apply(self, batch: Dataset) -> Release:
        """What is published of a batch, all its records."""
        ...


@dataclass(frozen=True, eq=False)
class CutRule:
    """Every item as its node; columns as they are."""

    algorithm: KmByHierarchy
    nodes: Ids

    def apply(self, batch: Dataset) -> Release:
        """What is published of a batch."""
        return km_release(self.algorithm, batch, self.nodes)


@dataclass(frozen=True, eq=False)
class ClusterRule:
    """Every item as its cluster, or in no record; columns as they are."""

    algorithm: ConstraintBased
    cluster_of: Ids

    def apply(self, batch: Dataset) -> Release:
        """What is published of a batch."""
        return grouped_release(self.algorithm, batch, self.cluster_of)


@dataclass(frozen=True, eq=False)
class AloneRule:
    """Each part as the algorithm publishes it when there is nothing else."""

    algorithm: Algorithm

    def apply(self, batch: Dataset) -> Release:
        """What is published of a part."""
        return self.algorithm.anonymize(batch)
