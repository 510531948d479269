"""How much of what is published stands for itself, counted so that the parts of a release can be added up."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonset.model.labels import GeneralizedItems, PublishedColumn, Ranges
from anonset.model.release import Release


@dataclass(frozen=True, slots=True, eq=False)
class Exactness:
    """Rows of two counts: of each column the exact values and all; of items the exact labels shown and all; of those that
    stand for several items what they stand for in all, and how many they are."""

    counts: NDArray[np.int64]

    @classmethod
    def of(cls, release: Release) -> "Exactness":
        """Of all records of a release."""
        sizes = np.zeros(0, np.int64)
        if isinstance(release.items, GeneralizedItems):
            sizes = release.items.labels.sizes[release.items.shown].astype(np.int64)
        wide = sizes[sizes > 1]
        rows = [(_exact(column), len(column)) for column in release.columns]
        return cls(np.array([*rows, (len(sizes) - len(wide), len(sizes)), (wide.sum(), len(wide))], np.int64))

    def column(self, number: int) -> float:
        """The share of exact values of a column; a missing value is one."""
        return self._share(number)

    @property
    def items(self) -> float:
        """The share of the labels shown that stand for one item."""
        return self._share(-2)

    @property
    def width(self) -> float | None:
        """For how many items a label stands that stands for several; None where there is none."""
        return self._share(-1) if self.counts[-1, 1] else None

    def _share(self, row: int) -> float:
        some, of = self.counts[row].tolist()
        return some / of if of else 1.0


def _exact(column: PublishedColumn) -> int:
    labels = column.labels
    exact = labels.low == labels.high if isinstance(labels, Ranges) else labels.sizes == 1
    return int(np.append(exact, True)[column.codes].sum())
