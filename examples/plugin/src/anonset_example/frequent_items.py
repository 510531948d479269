"""1. Count the records of each item. 2. Remove items that fewer than k records have. 3. Publish the others as they are."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anonset.algorithms.base import BaseAlgorithm, provenance
from anonset.algorithms.recoding import exact_columns
from anonset.errors import InfeasibleError
from anonset.model.dataset import Dataset
from anonset.model.guarantees import Part
from anonset.model.labels import GeneralizedItems, Labels
from anonset.model.parameters import K
from anonset.model.progress import Progress, silent
from anonset.model.release import Release
from anonset_example.k_items import KItems


@dataclass(frozen=True, slots=True)
class FrequentItems(BaseAlgorithm):
    """Remove items that fewer than k records have."""

    k: K
    name: ClassVar[str] = "frequent-items"
    title: ClassVar[str] = "Remove rare items"
    paper: ClassVar[str] = "none: an example"
    guarantee: ClassVar[str] = "k-items"
    needs: ClassVar[frozenset[str]] = frozenset({"items"})
    covers: ClassVar[frozenset[Part]] = frozenset({"items"})

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """Return the release."""
        if self.k > len(data):
            raise InfeasibleError(f"k={self.k} exceeds the {len(data)} records of the dataset")
        sets = data.transactions
        assert sets is not None, "the algorithm needs items"
        protected = np.zeros(len(sets.domain), np.bool_) if data.sensitive_items is None else data.sensitive_items
        removed = (sets.supports < self.k) & ~protected  # steps 1 and 2
        progress(0.5)
        left = sets.without(removed)
        items = np.unique(left.items)
        labels = Labels.from_groups([[item] for item in items], [left.domain[item] for item in items])
        shown = np.searchsorted(items, left.items).astype(np.int32)
        gone = np.flatnonzero(removed & (sets.supports > 0)).astype(np.int32)
        published = GeneralizedItems(left.offsets.copy(), shown, labels, left.domain, gone)
        progress(1.0)
        rows = np.arange(len(data), dtype=np.int64)
        return Release(exact_columns(data), published, (KItems(self.k),), provenance(self), rows)  # step 3
