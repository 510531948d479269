"""A guarantee and its check: every published label is shown by at least k records."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anonset.model.dataset import Dataset
from anonset.model.guarantees import BaseGuarantee, Part, check_count
from anonset.model.release import Release
from anonset.model.verdict import Finding
from anonset.verify.attacker_view import linkable_items, sensitive_names
from anonset.verify.findings import Check, Tally, fail_closed


@fail_closed
def check_k_items(original: Dataset, release: Release, guarantee: "KItems", limit: int) -> Finding:
    """Count the records that show each label."""
    items = linkable_items(release, sensitive_names(original))
    shown, counts = np.unique(items.sets.members, return_counts=True)
    tally = Tally(guarantee.id, guarantee.k)
    tally.add(counts, 1, lambda p: items.text([int(shown[p])]))
    return tally.finding("no record shows an item that an attacker could know")


@dataclass(frozen=True, slots=True)
class KItems(BaseGuarantee):
    """Every published label is shown by at least k records."""

    id: ClassVar[str] = "k-items"
    covers: ClassVar[frozenset[Part]] = frozenset({"items"})
    check: ClassVar[Check["KItems"]] = staticmethod(check_k_items)  # type: ignore[assignment]
    k: int

    def __post_init__(self) -> None:
        check_count(self, "k")

    @property
    def known_items(self) -> int:
        """How many items of a person attackers know."""
        return 1

    def words(self, unit: str = "records") -> str:
        """Explain the guarantee in plain words."""
        return f"Whoever knows one item of a person finds at least {self.k} {unit} that match, or none."
