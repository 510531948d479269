"""Policies about items: which sets need protection, and which generalizations keep the data useful."""

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

from anonset.errors import InputError

if TYPE_CHECKING:  # policies declare flags of the command line, whose help should load nothing heavy
    from anonset.model.dataset import Dataset
    from anonset.model.hierarchy import Hierarchy

Itemset = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Itemsets:
    """Protect these itemsets, by name."""

    json_tag: ClassVar[bool] = True
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

    json_tag: ClassVar[bool] = True
    m: int

    def __post_init__(self) -> None:
        if self.m < 1:
            raise InputError(f"sets to protect need at least 1 item; got m={self.m!r}")


@dataclass(frozen=True, slots=True)
class WholeTransactions:
    """Protect every whole transaction: complete k-anonymity."""

    json_tag: ClassVar[bool] = True


PrivacyPolicy = Itemsets | AllItemsets | WholeTransactions


@dataclass(frozen=True, slots=True)
class UtilityPolicy:
    """Items may be generalized together only inside one of the groups; at most `suppression` (0..1) of them may go.

    `weights` and `penalties` say, by item, how much a generalized or a suppressed item costs; 1 where not given.
    """

    json_tag: ClassVar[bool] = True
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


POLICIES = {policy.__name__: policy for policy in (Itemsets, AllItemsets, WholeTransactions, UtilityPolicy)}


def with_policies(value: Any) -> Any:
    """Data read from JSON with the policies in them rebuilt and their lists as tuples."""
    if isinstance(value, dict):
        parts = {name: with_policies(part) for name, part in value.items() if name != "type"}
        return POLICIES[value["type"]](**parts) if value.get("type") in POLICIES else parts
    return tuple(with_policies(part) for part in value) if isinstance(value, list) else value


SHARES_OF_ITEMS = {"PR1": 0.02, "PR2": 0.05, "PR3": 0.10, "PR4": 0.25, "PR5": 0.50}  # [003] section 5.2.2
SHARES_OF_SIZES = {  # [003] table 3: shares of itemsets of 1, 2, 3 and 4 items
    "PR6": (0.33, 0.33, 0.33, 0.01),
    "PR7": (0.30, 0.30, 0.30, 0.10),
    "PR8": (0.25, 0.25, 0.25, 0.25),
    "PR9": (0.167, 0.167, 0.166, 0.50),
}
GROUP_SIZES = {"UR1": 25, "UR2": 50, "UR3": 125, "UR4": 250, "UR5": 500}  # [003] table 4


def privacy_set(data: "Dataset", name: str, *, seed: int = 0) -> Itemsets:
    """The set of privacy constraints PR1 .. PR9 of [003] on this data."""
    if name in SHARES_OF_ITEMS:
        return pairs_of_some_items(data, SHARES_OF_ITEMS[name], seed=seed)
    if name in SHARES_OF_SIZES:
        return itemsets_of_sizes(data, SHARES_OF_SIZES[name], seed=seed)
    raise InputError(f"no set of privacy constraints {name!r}; choose from {', '.join([*SHARES_OF_ITEMS, *SHARES_OF_SIZES])}")


def utility_set(data: "Dataset", name: str, *, suppression: float = 0.0) -> UtilityPolicy:
    """The set of utility constraints UR1 .. UR5 of [003] on this data."""
    if name not in GROUP_SIZES:
        raise InputError(f"no set of utility constraints {name!r}; choose from {', '.join(GROUP_SIZES)}")
    return neighbours(data, GROUP_SIZES[name], suppression=suppression)


def pairs_of_some_items(data: "Dataset", share: float, *, seed: int = 0) -> Itemsets:
    """All pairs of a random share of the linkable items."""
    import numpy as np

    items = _linkable_items(data)
    chosen = np.sort(np.random.default_rng(seed).permutation(len(items))[: round(share * len(items))])
    return Itemsets(tuple(combinations((items[i] for i in chosen), 2)))


def itemsets_of_sizes(
    data: "Dataset", shares: tuple[float, ...], *, n: int = 1000, occurring: bool = True, seed: int = 0
) -> Itemsets:
    """At most n different itemsets, a share of them with 1 item, with 2 items and so on.

    Drawn from random records that are long enough, so that each is in some record; or from all linkable items. Where there
    are too few of a size, there are fewer in all.
    """
    import numpy as np

    rng, t = np.random.default_rng(seed), data.linkable
    items = np.flatnonzero(t.supports)
    found: dict[Itemset, None] = {}
    for size, share in enumerate(shares, 1):
        rows = np.flatnonzero(t.lengths >= size)
        wanted = len(found) + round(share * n)
        for _ in range(20 * round(share * n)):
            if len(found) >= wanted or len(rows if occurring else items) < (1 if occurring else size):
                break
            r = rng.choice(rows) if occurring else 0
            source = t.items[t.offsets[r] : t.offsets[r + 1]] if occurring else items
            found[tuple(t.domain[i] for i in np.sort(rng.choice(source, size, replace=False)))] = None
    return Itemsets(tuple(found))


def neighbours(data: "Dataset", size: int, *, suppression: float = 0.0) -> UtilityPolicy:
    """Return groups of `size` neighbouring items, in the order of the hierarchy's leaves or of the item ids."""
    if size < 1:
        raise InputError(f"a group needs at least 1 item; got {size!r}")
    items = _linkable_items(data)
    return UtilityPolicy(tuple(items[start : start + size] for start in range(0, len(items), size)), suppression)


def groups_at_level(hierarchy: "Hierarchy", level: int, *, suppression: float = 0.0) -> UtilityPolicy:
    """Return the nodes `level` steps above the deepest leaves as groups; a leaf above that level is a group of its own.

    Level 0 keeps every item apart; the height of the hierarchy puts all items into one group.
    """
    if not 0 <= level <= hierarchy.height:
        raise InputError(f"the hierarchy has the levels 0 to {hierarchy.height}; got {level!r}")
    depth = hierarchy.height - level
    found: dict[int, list[str]] = {}
    for leaf, name in enumerate(hierarchy.leaves):
        node = leaf
        while hierarchy.depth[node] > depth:
            node = int(hierarchy.parent[node])
        found.setdefault(node, []).append(name)
    return UtilityPolicy(tuple(tuple(names) for names in found.values()), suppression)


def _linkable_items(data: "Dataset") -> Itemset:
    t = data.linkable
    return tuple(name for name, n in zip(t.domain, t.supports, strict=True) if n > 0)
