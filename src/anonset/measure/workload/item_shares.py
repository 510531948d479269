"""The estimators: how likely a published record holds some items, or none of some."""

from typing import Literal, Protocol, get_args

import numpy as np

from anonset.errors import InputError, ParameterError
from anonset.measure.kernels.estimates import item_query_shares
from anonset.measure.kernels.label_shares import item_factors, summed_item_shares
from anonset.measure.workload.label_index import LabelIndex
from anonset.model.arrays import Ids, Reals, Rows
from anonset.model.release import Margins

Estimator = Literal["subsets", "expanded", "uniform", "calibrated"]
ESTIMATORS: tuple[Estimator, ...] = get_args(Estimator)


class ItemShares(Protocol):
    """How likely each record holds all of some items, or none of them."""

    def present(self, wanted: Ids) -> tuple[Rows, Reals]:
        """The records that may hold all the items, and how likely each does."""
        ...

    def absent(self, wanted: Ids) -> Reals:
        """How likely each record holds none of the items."""
        ...


def item_shares(estimator: Estimator, index: LabelIndex, margins: Margins | None = None) -> ItemShares:
    """The named estimator over an index; `calibrated` needs the margins of the release, unless every item is exact."""
    if estimator not in ESTIMATORS:
        raise ParameterError(f"no estimator {estimator!r}; choose from {', '.join(ESTIMATORS)}")
    if estimator == "subsets" or index.items is None:
        return Subsets(index)
    if estimator == "expanded":
        return SummedLabels(index, np.ones(len(index.code)), np.ones(len(index.label_records)))
    free = index.free()
    if estimator == "uniform":
        return SummedLabels(index, np.ones(len(index.code)), free)
    if margins is None:
        raise InputError("the estimator `calibrated` reads margins, and the release publishes none")
    return SummedLabels(index, calibrated_factors(index, free, margins), free)


def calibrated_factors(index: LabelIndex, free: Reals, margins: Margins) -> Reals:
    """For each item what its shares of labels are multiplied with, so that its expected count is its margin."""
    expected = np.array([np.nan if (e := margins.expected(name)) is None else e for name in index.code], np.float64)
    return item_factors(
        expected,
        index.item_offsets,
        index.item_labels,
        index.label_offsets,
        index.label_records,
        free,
        index.sizes,
        index.n,
    )


class Subsets:
    """Every non-empty subset of a label's n items is as likely: q of them are there with 2^(n-q) / (2^n - 1)."""

    def __init__(self, index: LabelIndex) -> None:
        self.index = index
        self.chosen = np.zeros((index.n, 0), np.int32)

    def present(self, wanted: Ids) -> tuple[Rows, Reals]:
        """By the smallest label a record shows for each item."""
        if self.chosen.shape[1] < len(wanted):
            self.chosen = np.zeros((self.index.n, len(wanted)), np.int32)
        at = self.index
        labels = (at.item_offsets, at.item_labels, at.label_offsets, at.label_records, at.sizes)
        return item_query_shares(wanted, *labels, at.covered, self.chosen)

    def absent(self, wanted: Ids) -> Reals:
        """(2^(n-q) - 1) / (2^n - 1) for q of the items behind a label of n, over all labels of a record."""
        at, share = self.index, np.ones(self.index.n)
        asked = np.zeros(len(at.sizes), np.int64)
        for i in wanted:
            np.add.at(asked, at.labels_of(int(i)), 1)
        for a in np.flatnonzero(asked):
            whole, gone = float(at.sizes[a]), float(asked[a])
            holders = at.label_records[at.label_offsets[a] : at.label_offsets[a + 1]]
            share[holders] *= (2.0**-gone - 2.0**-whole) / (1.0 - 2.0**-whole)
        return share


class SummedLabels:
    """A record holds an item with the sum over its labels of min(1, factor / free members), at most 1."""

    def __init__(self, index: LabelIndex, factors: Reals, free: Reals) -> None:
        self.index, self.factors, self.free = index, factors, free
        self.total = np.zeros((index.n, 0), np.float64)

    def present(self, wanted: Ids) -> tuple[Rows, Reals]:
        """Items are taken as independent of each other."""
        if self.total.shape[1] < len(wanted):
            self.total = np.zeros((self.index.n, len(wanted)), np.float64)
        at = self.index
        labels = (at.item_offsets, at.item_labels, at.label_offsets, at.label_records, self.free, at.sizes)
        return summed_item_shares(wanted, self.factors, *labels, at.covered, self.total)

    def absent(self, wanted: Ids) -> Reals:
        """One item after the other is not there."""
        share = np.ones(self.index.n)
        for i in wanted:
            records, held = self.present(np.array([i], np.int32))
            share[records] *= 1.0 - held
        return share
