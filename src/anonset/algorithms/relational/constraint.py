"""When a group of distinct records is strong enough to be published."""

from dataclasses import dataclass

import numpy as np

from anonset.algorithms.relational.diversity import Sensitive
from anonset.model.arrays import Mask, Reals, Rows


@dataclass(frozen=True, slots=True, eq=False)
class Constraint:
    """A group needs k records, and sensitive values as promised; distinct record u stands for counts[u] records."""

    k: int
    counts: Rows
    sensitive: Sensitive | None = None

    def of(self, rows: Rows) -> "Constraint":
        """The same constraint on some of the distinct records, in the given order; all records remain those of the whole."""
        return Constraint(self.k, self.counts[rows], None if self.sensitive is None else self.sensitive.of(rows))

    def weak_groups(self, groups: Rows, n_groups: int) -> tuple[Rows, Mask]:
        """The number of records in each group, and which groups are too weak.

        Weak groups are left out, and nearness to all records means those that are published: so it is looked at again
        until no further group turns out to be weak.
        """
        sizes = np.bincount(groups, self.counts, n_groups).astype(np.int64)
        weak = sizes < self.k
        while self.sensitive is not None:
            more = weak | self.sensitive.weak(groups, n_groups, ~weak)
            if (more == weak).all():
                break
            weak = more
        return sizes, weak

    def judge(self, groups: Rows, n_groups: int) -> tuple[Rows, Mask]:
        """For each distinct record, the number of records in its group, and whether the group is too weak."""
        sizes, weak = self.weak_groups(groups, n_groups)
        return sizes[groups], weak[groups]

    def strength(self, sizes: Rows) -> Reals:
        """How near groups of these sizes are to k, on a scale of ratios; no more for more than k."""
        return np.log(np.minimum(sizes, self.k))
