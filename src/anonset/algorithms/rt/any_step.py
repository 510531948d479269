"""Any transaction algorithm as an item step."""

import numpy as np

from anonset.algorithms.base import Algorithm
from anonset.algorithms.rt.label_table import LabelTable
from anonset.errors import InfeasibleError, ParameterError
from anonset.kernels.recode import collapse
from anonset.model.arrays import Ids, Offsets, Rows
from anonset.model.dataset import Dataset
from anonset.model.labels import GeneralizedItems
from anonset.model.release import Release
from anonset.model.sets import take


class AnyStep:
    """Any transaction algorithm, run on the records of a cluster as on a dataset of their own; what it promises is checked."""

    __slots__ = ("_algorithm", "_data", "_k", "_l", "_m", "book")

    def __init__(self, data: Dataset, algorithm: Algorithm, k: int, m: int, l: int) -> None:  # noqa: E741
        self.book = LabelTable(data)
        self._data = data
        self._algorithm = algorithm
        self._k, self._m, self._l = k, m, l

    def protect(self, rows: Rows) -> tuple[Offsets, Ids] | None:
        """What the algorithm publishes for these records; None where it finds nothing, suppresses, or protects too little."""
        try:
            release = self._algorithm.anonymize(self._data.take(rows))
        except InfeasibleError:
            return None
        return self.shown(release, rows)

    def shown(self, release: Release, rows: Rows) -> tuple[Offsets, Ids] | None:
        """What a release of these records shows; None where it suppresses, or protects too little."""
        items = release.items
        if not isinstance(items, GeneralizedItems):
            raise ParameterError(f"items must name an algorithm that generalizes items; {self._algorithm.name} does not")
        if len(release) < len(rows) or len(items.suppressed):
            return None
        numbers = self.book.numbers(list(items.labels.groups()), items.labels.texts)
        offsets, shown = take(items.offsets, items.shown, np.argsort(release.rows))
        found = collapse(offsets, numbers[shown])
        return found if self.book.protects(*found, self._k, self._m, self._l) else None
