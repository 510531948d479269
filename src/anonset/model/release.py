"""A release with its private half and provenance, and what its publisher accepts."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonset.errors import InputError
from anonset.model.arrays import Rows
from anonset.model.guarantees import Guarantee, promise_words
from anonset.model.labels import PublishedColumn, PublishedItems
from anonset.model.sets import freeze, has_repeats


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


Trace = tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Provenance:
    """Which algorithm made a release, with which parameters, in which version; and how the ends of ranges were published.

    `plugin` is the distribution and version of a plug-in's algorithm; empty for a built-in one.
    """

    algorithm: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    version: str = ""
    ends: str = "exact"
    plugin: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Release:
    """Published columns and items of the same records, the guarantees they carry, and the private way back.

    `margins`, where they are published too: how often items occur in the whole data.
    Private, never handed out: rows[p], the input row behind published record p; `assignments` ([004]): row a of it maps every
    input row to a published record; `trace`, how the release came about, as plain JSON objects.
    """

    columns: tuple[PublishedColumn, ...]
    items: PublishedItems | None
    guarantees: tuple[Guarantee, ...]
    provenance: Provenance
    rows: Rows
    assignments: NDArray[np.int64] | None = None
    trace: Trace = ()
    margins: Margins | None = None

    def __post_init__(self) -> None:
        lengths = {len(column) for column in self.columns} | {len(self.rows)}
        lengths |= {len(self.items)} if self.items is not None else set()
        if len(lengths) != 1:
            raise InputError(f"all published attributes must have the same number of records; got {sorted(lengths)}")
        if has_repeats(self.rows):
            raise InputError("an input row must not be published twice")
        freeze(self.rows, self.assignments)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        promised = ", ".join(promise_words(guarantee) for guarantee in self.guarantees) or "nothing"
        return f"<Release of {len(self):,} records by {self.provenance.algorithm}; promises {promised}>"

    @property
    def quasi(self) -> tuple[PublishedColumn, ...]:
        """The generalized columns."""
        return tuple(column for column in self.columns if column.role == "quasi")

    def take(self, order: Rows) -> "Release":
        """The given published records, in the given order; assignments keep the numbers they name."""
        return replace(
            self,
            columns=tuple(column.take(order) for column in self.columns),
            items=None if self.items is None else self.items.take(order),
            rows=self.rows[order],
        )


@dataclass(frozen=True, slots=True)
class ExactCounts:
    """A column, or an item: in how many records it is there, and in how many it is shown as it is, in one release or both."""

    name: str
    records: int
    a: int
    b: int
    only_a: int
    only_b: int


LOST_SHARE = 0.9  # of an attribute that may be published as "anything" unless loss is accepted


@dataclass(frozen=True, slots=True)
class Accepted:
    """Columns that may be published although no guarantee covers them or they nearly name people, and whether any loss is fine.

    `repeats`: records are counted although several belong to one person. `earlier`: people may be found by who holds an
    earlier release too. The manifest and reports record all of it.
    """

    exposure: tuple[str, ...] = ()
    loss: bool = False
    repeats: bool = False
    earlier: bool = False

    def takes_repeats(self, tied: Collection[str]) -> bool:
        """Whether rows of one person may be counted as people; accepting all columns that tie them implies it."""
        return self.repeats or bool(tied and set(tied) <= set(self.exposure))
