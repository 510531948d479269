"""When a group of distinct records is strong enough to be published."""

from dataclasses import dataclass

import numpy as np

from anonset.model.arrays import Mask, Reals, Rows


@dataclass(frozen=True, slots=True, eq=False)
class Constraint:
    """A group needs k records; distinct record u stands for counts[u]."""

    k: int
    counts: Rows

    def judge(self, groups: Rows, n_groups: int) -> tuple[Rows, Mask]:
        """For each distinct record, the number of records in its group, and whether the group is too weak."""
        sizes = np.bincount(groups, self.counts, n_groups).astype(np.int64)[groups]
        return sizes, sizes < self.k

    def strength(self, sizes: Rows) -> Reals:
        """How near groups of these sizes are to k, on a scale of ratios; no more for more than k."""
        return np.log(np.minimum(sizes, self.k))
