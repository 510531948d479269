"""When a group of distinct records is strong enough to be published, and how weak ones are joined."""

from dataclasses import dataclass

import numpy as np

from anonset.algorithms.relational.diversity import Sensitive
from anonset.kernels.groups import Quasi, absorb, states_of_groups, union_costs
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


def strengthen(q: Quasi, groups: Rows, constraint: Constraint) -> Rows:
    """The same groups, joined until all of them are strong enough; all records in one group must be."""
    while True:
        _, groups = np.unique(groups, return_inverse=True)
        n_groups = int(groups.max()) + 1
        weak = np.flatnonzero(constraint.weak_groups(groups, n_groups)[1])
        if len(weak) == 0:
            return groups.astype(np.int64)
        groups = _join(q, groups.astype(np.int64), n_groups, weak)[groups]


def _join(q: Quasi, groups: Rows, n_groups: int, weak: Rows) -> Rows:
    """The group that each group becomes part of when each weak one, in turn, joins its cheapest partner."""
    states = states_of_groups(q, groups, n_groups)
    into = np.arange(n_groups)
    gone = np.zeros(n_groups, np.bool_)
    touched = np.zeros(n_groups, np.bool_)
    for g in weak:
        if touched[g]:
            continue  # another weak group has joined it: look again first
        costs = union_costs(q, states, states, int(g))
        costs[gone] = np.inf
        costs[g] = np.inf
        partner = int(np.argmin(costs))
        absorb(q, states, partner, states, int(g))
        into[g], gone[g], touched[partner] = partner, True, True
    while (into != into[into]).any():
        into = into[into]
    return into
