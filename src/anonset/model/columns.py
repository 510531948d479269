"""One coded relational attribute and its role."""

from dataclasses import dataclass

import numpy as np

from anonset.errors import InputError
from anonset.model.arrays import Ids, Reals, Rows
from anonset.model.fates import Kind, Role
from anonset.model.hierarchy import Hierarchy
from anonset.model.numbers import WHOLE, is_held
from anonset.model.sets import freeze

MISSING = -1


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """Record r has the value domain[codes[r]], or none where codes[r] is -1.

    A numeric column also has values[c], the number behind domain[c]. With a hierarchy the domain is its leaves, in their
    order; without one it holds the values that occur, ascending.
    """

    name: str
    role: Role
    kind: Kind
    codes: Ids
    domain: tuple[str, ...]
    values: Reals | None = None
    hierarchy: Hierarchy | None = None

    def __post_init__(self) -> None:
        if len(self.codes) and (self.codes.min() < MISSING or self.codes.max() >= len(self.domain)):
            raise InputError(f"codes must be -1 (missing) or from 0 to {len(self.domain) - 1}", column=self.name)
        if (self.values is None) == (self.kind == "numeric"):
            raise InputError("a numeric column needs its values, a categorical one has none", column=self.name)
        if self.values is not None and (len(self.values) != len(self.domain) or not np.isfinite(self.values).all()):
            raise InputError("a numeric column needs one finite value for each entry of its domain", column=self.name)
        if self.values is not None and (lost := self._not_held(self.values)) is not None:
            raise InputError(f"{lost} cannot be computed with exactly; make the column categorical", column=self.name)
        if self.hierarchy is not None and self.hierarchy.leaves != self.domain:
            raise InputError("the domain must be the leaves of the hierarchy", column=self.name)
        freeze(self.codes, self.values)

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        return f"<Column {self.name}: {self.role}, {self.kind}, {len(self.domain):,} values, {len(self):,} records>"

    def _not_held(self, values: Reals) -> str | None:
        """The first large number that its value does not hold exactly."""
        large = np.flatnonzero(np.abs(values) >= WHOLE)
        return next((self.domain[c] for c in large if not is_held(self.domain[c])), None)

    @property
    def span(self) -> tuple[float, float]:
        """The smallest and the largest number that occurs (0, 0 where none does)."""
        assert self.values is not None, "only numeric columns have a span"
        seen = self.values[np.unique(self.codes[self.codes >= 0])]
        return (float(seen.min()), float(seen.max())) if len(seen) else (0.0, 0.0)

    @property
    def is_integer(self) -> bool:
        """Whether every number of the domain is whole."""
        return self.values is not None and bool((self.values == np.floor(self.values)).all())

    def take(self, rows: Rows) -> "Column":
        """The given records, in the given order."""
        return Column(self.name, self.role, self.kind, self.codes[rows], self.domain, self.values, self.hierarchy)
