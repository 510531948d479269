"""Publish the data unchanged: the baseline. The verifier refuses the release unless the data satisfy the guarantee already."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anonset.algorithms.base import BaseAlgorithm, Inversion, provenance
from anonset.algorithms.recoding import exact_columns, exact_items
from anonset.errors import InfeasibleError
from anonset.model.dataset import Dataset
from anonset.model.guarantees import Guarantee, KAnonymity, KKm, KLm, KmAnonymity, Part
from anonset.model.parameters import K, L, M
from anonset.model.progress import Progress, silent
from anonset.model.release import Release


@dataclass(frozen=True, slots=True)
class Identity(BaseAlgorithm):
    """The data unchanged, with the guarantee of their kind: `km-anonymity` for items, `k-anonymity` for columns, `k-km` or
    `k-lm` for both.
    """

    k: K
    m: M = 2
    l: L = 1  # noqa: E741 - the papers' letter
    name: ClassVar[str] = "identity"
    inversion: ClassVar[Inversion] = "none found"
    title: ClassVar[str] = "Publish as is"
    paper: ClassVar[str] = "none: the baseline"
    guarantee: ClassVar[str] = "km-anonymity, k-anonymity, k-km or k-lm, as the data have it"
    needs: ClassVar[frozenset[str]] = frozenset()
    covers: ClassVar[frozenset[Part]] = frozenset({"quasi", "items"})
    comparator: ClassVar[bool] = True

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """A release of the data unchanged."""
        if self.k > len(data):
            raise InfeasibleError(f"k={self.k} exceeds the {len(data)} records of the dataset")
        release = Release(
            exact_columns(data),
            exact_items(data),
            (self._promise(data),),
            provenance(self),
            np.arange(len(data), dtype=np.int64),
        )
        progress(1.0)
        return release

    def _promise(self, data: Dataset) -> Guarantee:
        """The guarantee for this kind of data."""
        if data.transactions is None:
            return KAnonymity(self.k)
        if data.sensitive_items is not None and data.sensitive_items.any():
            names = tuple(name for name, s in zip(data.transactions.domain, data.sensitive_items, strict=True) if s)
            return KLm(self.k, self.m, self.l, names)
        return KKm(self.k, self.m) if data.quasi else KmAnonymity(self.k, self.m)
