"""Item steps by name: `aa` and `lift` for all clusters at once, any other transaction algorithm as it is."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from anonset.algorithms.base import Algorithm
from anonset.algorithms.rt.aa_step import AaStep
from anonset.algorithms.rt.items import ItemStep
from anonset.algorithms.rt.label_table import LabelTable
from anonset.algorithms.rt.lift_step import LiftStep
from anonset.errors import InfeasibleError, ParameterError
from anonset.kernels.recode import collapse
from anonset.model.arrays import Ids, Offsets, Rows
from anonset.model.dataset import Dataset
from anonset.model.labels import GeneralizedItems
from anonset.model.parameters import parameters
from anonset.model.policy import UtilityPolicy
from anonset.model.sets import take


class ItemPolicies(NamedTuple):
    """What is asked of the generalized items of every cluster."""

    utility: UtilityPolicy | None = None
    weights: str = "equal"

    def asked(self, name: str) -> dict[str, Any]:
        """The parameters of an item step that say so; an error where it has none for it.

        Nothing is suppressed in a cluster: an item that is left out here and shown elsewhere would be neither.
        """
        found: dict[str, Any] = {} if self.weights == "equal" else {"weights": self.weights}
        if self.utility is not None:
            found["utility"] = replace(self.utility, suppression=0.0)
        known = _names_of_parameters(name)
        for policy in found:
            if policy not in known:
                what = "utility policy" if policy == "utility" else "weights of items"
                raise ParameterError(f"items = {name} takes no {what}; choose pcta, upcta or coat")
        return found


NO_POLICIES = ItemPolicies()


def make_step(
    data: Dataset,
    name: str,
    k: int,
    m: int,
    l: int,  # noqa: E741 - the papers' letter
    policies: ItemPolicies = NO_POLICIES,
) -> ItemStep:
    """The item step of that name; it is given those of k, m and l that it takes. pcta with a utility policy is upcta."""
    from anonset.algorithms import make  # the registry lists the RT algorithms, too

    name = "upcta" if name == "pcta" and policies.utility is not None else name
    asked = policies.asked(name)
    if name == "aa":
        return AaStep(data, k, m, l)
    if name == "lift":
        return LiftStep(data, k, m, l)
    known = _names_of_parameters(name)
    values = {key: value for key, value in {"k": k, "m": m, "l": l}.items() if key in known}
    return AnyStep(data, make(name, values | asked), k, m, l)


def _names_of_parameters(name: str) -> set[str]:
    from anonset.algorithms import ALGORITHMS

    return {p.name for p in parameters(ALGORITHMS[name])} if name in ALGORITHMS else {"k"}


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
        items = release.items
        if not isinstance(items, GeneralizedItems):
            raise ParameterError(f"items must name an algorithm that generalizes items; {self._algorithm.name} does not")
        if len(release) < len(rows) or len(items.suppressed):
            return None
        numbers = self.book.numbers(list(items.labels.groups()), items.labels.texts)
        offsets, shown = take(items.offsets, items.shown, np.argsort(release.rows))
        found = collapse(offsets, numbers[shown])
        return found if self.book.protects(*found, self._k, self._m, self._l) else None
