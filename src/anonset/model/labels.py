"""Published values: what each label of a release may stand for."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonset.errors import InputError
from anonset.model.arrays import Ids, Offsets, Reals, Rows
from anonset.model.dataset import item_order
from anonset.model.sets import check_rows_of_sets, freeze, sets_of, take


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """Label a, shown as texts[a], stands for the original values members[offsets[a] : offsets[a + 1]].

    Of a relational value: it is one of them. Of a set-valued attribute: at least one of them is in the record.
    """

    offsets: Offsets
    members: Ids
    texts: tuple[str, ...]

    def __post_init__(self) -> None:
        d = int(self.members.max()) + 1 if len(self.members) else 0
        check_rows_of_sets(self.offsets, self.members, d, what="members of labels")
        if len(self.texts) != len(self.offsets) - 1 or (np.diff(self.offsets) == 0).any():
            raise InputError("every label needs a text and at least one member")
        if len(set(self.texts)) != len(self.texts):
            raise InputError("the texts of labels must differ from each other")
        freeze(self.offsets, self.members)

    @classmethod
    def from_groups(cls, groups: Sequence[Sequence[int] | NDArray[np.integer[Any]]], texts: Sequence[str]) -> "Labels":
        """Labels from lists of member codes."""
        return cls(*sets_of([np.sort(np.asarray(group, np.int32)) for group in groups]), tuple(texts))

    def __len__(self) -> int:
        return len(self.texts)

    def __repr__(self) -> str:
        return f"<Labels: {len(self):,}, of which {int((self.sizes > 1).sum()):,} stand for several values>"

    @property
    def sizes(self) -> Rows:
        """The number of original values behind each label."""
        return np.diff(self.offsets)

    def groups(self) -> Iterator[Ids]:
        """The members of each label."""
        for a in range(len(self)):
            yield self.members[self.offsets[a] : self.offsets[a + 1]]

    def in_item_order(self, domain: Sequence[str]) -> Iterator[list[int]]:
        """The members of each label in the order of their names: that of codes tells the groups of a built hierarchy."""
        place = {name: p for p, name in enumerate(item_order(domain))}
        for members in self.groups():
            yield sorted(members.tolist(), key=lambda c: place[domain[c]])

    def named(self, domain: Sequence[str]) -> dict[str, list[str]]:
        """The names of the values behind each label, by its text."""
        return {text: [domain[c] for c in members] for text, members in zip(self.texts, self.groups(), strict=True)}


@dataclass(frozen=True, slots=True, eq=False)
class Ranges:
    """Label a, shown as texts[a], stands for the numbers from low[a] to high[a], both included."""

    low: Reals
    high: Reals
    texts: tuple[str, ...]

    def __post_init__(self) -> None:
        if not (len(self.low) == len(self.high) == len(self.texts)) or not (self.low <= self.high).all():
            raise InputError("every range needs a text and low <= high")
        freeze(self.low, self.high)

    def __len__(self) -> int:
        return len(self.texts)

    def __repr__(self) -> str:
        return f"<Ranges: {len(self):,}, of which {int((self.low < self.high).sum()):,} are wider than a number>"


@dataclass(frozen=True, slots=True, eq=False)
class PublishedColumn:
    """Published record r shows labels.texts[codes[r]], or an exact missing value where codes[r] is -1.

    A label that covers the whole domain ("anything") also stands for a missing value; no other label does.
    """

    name: str
    role: str
    codes: Ids
    labels: Labels | Ranges

    def __post_init__(self) -> None:
        if len(self.codes) and (self.codes.min() < -1 or self.codes.max() >= len(self.labels)):
            raise InputError("published codes must be -1 or name a label", column=self.name)
        freeze(self.codes)

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        return f"<PublishedColumn {self.name}: {self.role}, {len(self.labels):,} labels, {len(self):,} records>"

    def take(self, order: Rows) -> "PublishedColumn":
        """The given published records, in the given order."""
        return PublishedColumn(self.name, self.role, self.codes[order], self.labels)


@dataclass(frozen=True, slots=True, eq=False)
class GeneralizedItems:
    """Published record r shows the labels shown[offsets[r] : offsets[r + 1]]; suppressed items are in no record.

    Members of labels are codes of `domain`, the original items. Recoding is global where no item is a member of two labels,
    local otherwise.
    """

    offsets: Offsets
    shown: Ids
    labels: Labels
    domain: tuple[str, ...]
    suppressed: Ids

    def __post_init__(self) -> None:
        check_rows_of_sets(self.offsets, self.shown, len(self.labels), what="published items")
        if len(self.labels.members) and self.labels.members.max() >= len(self.domain):
            raise InputError("labels must stand for items of the domain")
        freeze(self.offsets, self.shown, self.suppressed)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        gone = f", {len(self.suppressed):,} items suppressed" if len(self.suppressed) else ""
        return f"<GeneralizedItems: {len(self):,} records of {len(self.labels):,} labels for {len(self.domain):,} items{gone}>"

    def take(self, order: Rows) -> "GeneralizedItems":
        """The given published records, in the given order."""
        return GeneralizedItems(*take(self.offsets, self.shown, order), self.labels, self.domain, self.suppressed)

    @property
    def is_global(self) -> bool:
        """Whether every item is published in one way only."""
        return bool((np.bincount(self.labels.members, minlength=len(self.domain)) <= 1).all())


@dataclass(frozen=True, slots=True, eq=False)
class UncertainItems:
    """Published record r shows a base set, the items that may be wrong in it, and how many of them at most are ([004]).

    An original set matches r when it differs from base only inside distance, in at most threshold[r] items.
    """

    base_offsets: Offsets
    base: Ids
    distance_offsets: Offsets
    distance: Ids
    threshold: Ids
    domain: tuple[str, ...]

    def __post_init__(self) -> None:
        check_rows_of_sets(self.base_offsets, self.base, len(self.domain), what="base items")
        check_rows_of_sets(self.distance_offsets, self.distance, len(self.domain), what="uncertain items")
        if not (len(self.base_offsets) == len(self.distance_offsets) == len(self.threshold) + 1):
            raise InputError("base, distance and threshold must have the same number of records")
        if (self.threshold < 0).any() or (self.threshold > np.diff(self.distance_offsets)).any():
            raise InputError("a threshold must lie between 0 and the number of uncertain items")
        freeze(self.base_offsets, self.base, self.distance_offsets, self.distance, self.threshold)

    def __len__(self) -> int:
        return len(self.threshold)

    def __repr__(self) -> str:
        most = int(self.threshold.max(initial=0))
        return f"<UncertainItems: {len(self):,} records of {len(self.domain):,} items, at most {most:,} wrong in one>"

    def take(self, order: Rows) -> "UncertainItems":
        """The given published records, in the given order."""
        base = take(self.base_offsets, self.base, order)
        distance = take(self.distance_offsets, self.distance, order)
        return UncertainItems(*base, *distance, self.threshold[order], self.domain)


PublishedItems = GeneralizedItems | UncertainItems
