"""How often items occur in the whole data, told so roughly that no difference of counts shows fewer than k records."""

from collections.abc import Mapping
from dataclasses import dataclass

from anonset.errors import InputError


@dataclass(frozen=True, slots=True)
class Margins:
    """Item i is in counts[i] to counts[i] + k - 1 records of the whole data; every count is a multiple of k above 0.

    Of an item in `withheld` nothing is said. Any other linkable item without a count is in fewer than k records.
    """

    k: int
    counts: Mapping[str, int]
    withheld: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if isinstance(self.k, bool) or not isinstance(self.k, int) or self.k < 1:
            raise InputError(f"margins need a k of at least 1; got {self.k!r}")
        for name, count in self.counts.items():
            if isinstance(count, bool) or not isinstance(count, int) or count < self.k or count % self.k:
                raise InputError(f"the margin of {name!r} must be a multiple of k = {self.k}, and at least k; got {count!r}")
        if self.withheld & self.counts.keys():
            raise InputError("an item's margin is published or withheld, not both")

    def expected(self, item: str) -> float | None:
        """The middle of the range an item's count lies in; None where it is withheld."""
        return None if item in self.withheld else self.counts.get(item, 0) + (self.k - 1) / 2
