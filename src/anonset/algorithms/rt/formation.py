"""Initial cluster formation ([000] Rum-bound and Tum-bound, steps 1-2), and joining of clusters no item step can protect."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from heapq import heapify, heappop, heappush
from typing import Any, TypeVar

import numpy as np

from anonset.algorithms.rt.merging import Merging
from anonset.errors import InfeasibleError, ParameterError
from anonset.kernels.groups import Quasi, least_growth
from anonset.model.arrays import Rows
from anonset.model.dataset import Dataset
from anonset.model.parameters import parameters
from anonset.model.progress import Progress, silent

T = TypeVar("T")


def form_clusters(data: Dataset, name: str, values: dict[str, Any], *, progress: Progress = silent) -> list[Rows]:
    """The rows of each cluster that a relational algorithm forms, clusters in the order of their first rows.

    Without chance in it they come in the order of what they publish, so that the order of the input plays no part.

    The algorithm is given those of the values that it takes. Records with equal published quasi values form a cluster.
    """
    from anonset.algorithms import ALGORITHMS, make  # the registry lists this module's algorithms, too

    known = {p.name for p in parameters(ALGORITHMS[name])} if name in ALGORITHMS else set(values)
    algorithm = make(name, {key: value for key, value in values.items() if key in known})
    release = algorithm.anonymize(
        replace(data, transactions=None, item_hierarchy=None, sensitive_items=None), progress=progress
    )
    if not release.quasi or len(release) < len(data):
        raise ParameterError(f"clusters must name an algorithm that publishes the quasi values of all records; {name} does not")
    codes = np.column_stack([column.codes for column in release.quasi])[np.argsort(release.rows)]
    _, first, group = np.unique(codes, axis=0, return_index=True, return_inverse=True)
    number = np.argsort(np.argsort(first)) if algorithm.randomized else np.arange(len(first))
    clusters = split(number[group.reshape(-1)])
    if any(len(rows) < values["k"] for rows in clusters):
        raise ParameterError(f"clusters must name an algorithm that forms groups of k={values['k']}; {name} does not")
    return clusters


def split(group: Rows) -> list[Rows]:
    """The rows of each group 0, 1, ..."""
    order = np.argsort(group, kind="stable")
    return np.split(order, np.cumsum(np.bincount(group))[:-1])


def join_unprotectable(
    quasi: Quasi, protect: Callable[[Sequence[Rows]], Sequence[T | None]], relax: str, clusters: Sequence[Rows], n: int
) -> tuple[Merging, list[T], list[tuple[int, int]]]:
    """Clusters whose items can all be protected, what `protect` makes of them, and which pairs were joined to get there.

    A cluster in which fewer than k records have items, or in which a sensitive item is too frequent, cannot be protected on its
    own whatever is generalized. It joins the cluster that adds least to the NCP of all records, until it can.
    """
    state = Merging.of(quasi, clusters, np.arange(len(clusters)), None)
    outcomes = list(protect(clusters))
    joined: list[tuple[int, int]] = []
    failing = {c for c, outcome in enumerate(outcomes) if outcome is None}
    if failing and protect([np.arange(n)])[0] is None:
        raise InfeasibleError(f"the items of all records together cannot be protected; {relax}")
    waiting = [(float(state.losses[c]), int(state.sizes[c]), c) for c in failing]
    heapify(waiting)
    while failing:
        _, size, a = heappop(waiting)
        if a not in failing or size != state.sizes[a]:  # it went into another, or another into it
            continue
        b = least_growth(quasi, state.states, state.sizes, state.losses, a)
        c = state.merge(a, b)
        joined.append((a, b))
        outcomes[c] = protect([state.members[c]])[0]
        failing -= {a, b}
        if outcomes[c] is None:
            failing.add(c)
            heappush(waiting, (float(state.losses[c]), int(state.sizes[c]), c))
    return state, [outcome for c in state.alive if (outcome := outcomes[c]) is not None], joined
