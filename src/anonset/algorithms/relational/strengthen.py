"""Join groups that are too weak with the group that is cheapest to publish together with them."""

import numpy as np

from anonset.algorithms.relational.constraint import Constraint
from anonset.kernels.groups import Quasi, absorb, states_of_groups, union_costs
from anonset.model.arrays import Rows


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
