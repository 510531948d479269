"""From items to labels to records, of the original (every item its own label) or of a release."""

import numpy as np

from anonset.measure.kernels.label_shares import free_members
from anonset.model.arrays import Ids, Reals
from anonset.model.dataset import Transactions
from anonset.model.labels import GeneralizedItems
from anonset.model.sets import offsets_of_rows, places_in, rows_of


class LabelIndex:
    """The labels of item i are item_labels[item_offsets[i] : item_offsets[i + 1]], the records of label a likewise."""

    def __init__(self, original: Transactions, items: GeneralizedItems | None) -> None:
        d = len(original.domain)
        self.code = {name: i for i, name in enumerate(original.domain)}
        self.items = items
        if items is None:
            self.offsets, self.shown = original.offsets, original.items
            self.sizes = np.ones(d, np.int64)
            self.item_offsets, self.item_labels = np.arange(d + 1, dtype=np.int64), np.arange(d, dtype=np.int32)
        else:
            self.offsets, self.shown = items.offsets, items.shown
            self.sizes = items.labels.sizes
            codes = places_in(original.domain, items.domain)[items.labels.members]
            owner = rows_of(items.labels.offsets).astype(np.int32)
            owner, codes = owner[codes >= 0], codes[codes >= 0]
            self.item_labels = owner[np.argsort(codes, kind="stable")]
            self.item_offsets = offsets_of_rows(codes, d)
        self.n = len(self.offsets) - 1
        self.entry = np.argsort(self.shown, kind="stable")
        self.label_records = rows_of(self.offsets)[self.entry]
        self.label_offsets = offsets_of_rows(self.shown, len(self.sizes))
        self.covered = np.zeros(self.n, np.int64)

    def labels_of(self, item: int) -> Ids:
        """The labels that may stand for an item."""
        return self.item_labels[self.item_offsets[item] : self.item_offsets[item + 1]]

    def free(self) -> Reals:
        """For each entry of label_records the members of its label that the record does not show exactly beside it."""
        if self.items is None or self.items.is_global:
            return np.repeat(self.sizes, np.diff(self.label_offsets)).astype(np.float64)
        labels = self.items.labels
        return free_members(self.offsets, self.shown, labels.offsets, labels.members)[self.entry].astype(np.float64)
