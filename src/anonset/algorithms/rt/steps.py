"""Item steps: `aa` on flat arrays, and any other transaction algorithm as it is."""

from typing import Any

import numpy as np

from anonset.algorithms.base import Algorithm
from anonset.algorithms.rt.items import ItemStep
from anonset.algorithms.rt.label_table import Book
from anonset.algorithms.rt.lift_step import LiftStep
from anonset.algorithms.transactions.aa import cut_for
from anonset.algorithms.transactions.cutting import frame, secrets
from anonset.errors import InfeasibleError, InputError, ParameterError
from anonset.kernels.recode import collapse
from anonset.model.arrays import Ids, Offsets, Rows
from anonset.model.dataset import Dataset
from anonset.model.labels import GeneralizedItems
from anonset.model.parameters import parameters


def make_step(data: Dataset, name: str, k: int, m: int, l: int) -> ItemStep:  # noqa: E741 - the papers' letter
    """The item step of that name; it is given those of k, m and l that it takes."""
    from anonset.algorithms import ALGORITHMS, make  # the registry lists the RT algorithms, too

    if name == "aa":
        return AaStep(data, k, m, l)
    if name == "lift":
        return LiftStep(data, k, m, l)
    known = {p.name for p in parameters(ALGORITHMS[name])} if name in ALGORITHMS else {"k"}
    values: dict[str, Any] = {"k": k, "m": m, "l": l}
    return AnyStep(data, make(name, {key: value for key, value in values.items() if key in known}), k, m, l)


class AaStep:
    """`aa` on the rows of a cluster, and its l^m-diverse form: what can be shared between clusters is made once."""

    __slots__ = ("_frame", "_hidden", "_k", "_l", "_linkable", "_m", "_number", "_sensitive", "_t", "book")

    def __init__(self, data: Dataset, k: int, m: int, l: int) -> None:  # noqa: E741
        if data.item_hierarchy is None:
            raise InputError("items = aa needs an item hierarchy; give one, or choose an algorithm that needs none, e.g. pcta")
        assert data.transactions is not None
        self.book = Book(data)
        self._number = self.book.node_numbers(data.item_hierarchy)
        self._frame = frame(data.item_hierarchy, data.sensitive_items)
        self._hidden = secrets(data)
        self._t, self._linkable, self._sensitive = data.transactions, data.linkable, data.sensitive_items
        self._k, self._m, self._l = k, m, l

    def protect(self, rows: Rows) -> tuple[Offsets, Ids] | None:
        """The items of these records as nodes of one cut."""
        cut = cut_for(self._frame, self._linkable, rows, self._k, self._m, self._l, self._hidden)
        if cut is None:
            return None
        lengths = self._t.lengths[rows]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        items = self._t.items[np.repeat(self._t.offsets[rows] - offsets[:-1], lengths) + np.arange(offsets[-1])]
        shown = cut[items] if self._sensitive is None else np.where(self._sensitive[items], items, cut[items])
        return collapse(offsets, self._number[shown])


class AnyStep:
    """Any transaction algorithm, run on the records of a cluster as on a dataset of their own; what it promises is checked."""

    __slots__ = ("_algorithm", "_data", "_k", "_l", "_m", "book")

    def __init__(self, data: Dataset, algorithm: Algorithm, k: int, m: int, l: int) -> None:  # noqa: E741
        self.book = Book(data)
        self._data = data
        self._algorithm = algorithm
        self._k, self._m, self._l = k, m, l

    def protect(self, rows: Rows) -> tuple[Offsets, Ids] | None:
        """What the algorithm publishes for these records; None where it finds nothing, suppresses, or protects too little."""
        try:
            release = self._algorithm.anonymize(self._data.take(rows))
        except InfeasibleError:
            return None
        items = release.items
        if not isinstance(items, GeneralizedItems):
            raise ParameterError(f"items must name an algorithm that generalizes items; {self._algorithm.name} does not")
        if len(release) < len(rows) or len(items.suppressed):
            return None
        numbers = self.book.numbers(list(items.labels.groups()), items.labels.texts)
        order = np.argsort(release.rows)
        lengths = np.diff(items.offsets)[order]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        where = np.repeat(items.offsets[:-1][order] - offsets[:-1], lengths) + np.arange(offsets[-1])
        found = collapse(offsets, numbers[items.shown[where]])
        return found if self.book.protects(*found, self._k, self._m, self._l) else None
