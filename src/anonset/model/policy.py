"""Policies about items: which sets need protection, and which generalizations keep the data useful."""

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from anonset.errors import InputError

Itemset = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Itemsets:
    """Protect these itemsets, by name."""

    itemsets: tuple[Itemset, ...]

    def __post_init__(self) -> None:
        for itemset in self.itemsets:
            if not itemset or len(set(itemset)) != len(itemset):
                raise InputError(f"a privacy constraint must name one or more different items; got {itemset!r}")

    def among(self, items: Collection[str]) -> "Itemsets":
        """The itemsets whose items are all among these."""
        known = frozenset(items)
        return Itemsets(tuple(itemset for itemset in self.itemsets if known.issuperset(itemset)))


@dataclass(frozen=True, slots=True)
class AllItemsets:
    """Protect every set of at most m items: k^m-anonymity. The sets are never listed."""

    m: int

    def __post_init__(self) -> None:
        if self.m < 1:
            raise InputError(f"sets to protect need at least 1 item; got m={self.m!r}")


@dataclass(frozen=True, slots=True)
class WholeTransactions:
    """Protect every whole transaction: complete k-anonymity."""


PrivacyPolicy = Itemsets | AllItemsets | WholeTransactions


@dataclass(frozen=True, slots=True)
class UtilityPolicy:
    """Items may be generalized together only inside one of the groups; at most `suppression` (0..1) of them may go.

    `weights` and `penalties` say, by item, how much a generalized or a suppressed item costs; 1 where not given.
    """

    groups: tuple[Itemset, ...]
    suppression: float = 0.0
    weights: Mapping[str, float] = field(default_factory=dict)
    penalties: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0.0 <= self.suppression <= 1.0:
            raise InputError(f"suppression must lie between 0 and 1; got {self.suppression!r}")
        seen: set[str] = set()
        for group in self.groups:
            again = seen.intersection(group)
            if again or len(set(group)) != len(group):
                raise InputError(f"utility constraints must not share items; {min(again or group)!r} is in two")
            seen.update(group)
        for what, numbers in (("weight", self.weights), ("penalty", self.penalties)):
            for name, value in numbers.items():
                if not (math.isfinite(value) and value >= 0):
                    raise InputError(f"the {what} of {name!r} must be a number from 0; got {value!r}")

    def completed(self, items: Iterable[str]) -> "UtilityPolicy":
        """The policy with each of the items that is in no group as a group of its own."""
        covered = {name for group in self.groups for name in group}
        return replace(self, groups=(*self.groups, *((name,) for name in items if name not in covered)))


@dataclass(frozen=True, slots=True)
class ConstraintLines:
    """Constraints as lines: sets that need protection, groups that may be shown as one, the share of items that may go.

    With an `m`, all sets of at most m items are meant.
    """

    privacy: tuple[Itemset, ...] = ()
    utility: tuple[Itemset, ...] = ()
    suppression: float = 0.0
    m: int | None = None


@dataclass(frozen=True, slots=True)
class LineFacts:
    """A line: the people who hold all of its items, or any of them; names that do not occur, and what is close to them."""

    all_of: int
    any_of: int
    unknown: Itemset = ()
    close: Itemset = ()
