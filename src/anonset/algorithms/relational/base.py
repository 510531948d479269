"""What the relational algorithms share: their parameters, what they promise, and when a group of records keeps the promise.

A group needs k records and sensitive values as diverse as promised; weak groups are joined with others.
"""

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

import numpy as np

from anonset.algorithms.base import BaseAlgorithm
from anonset.algorithms.relational.encoding import Weights
from anonset.errors import Fix, InfeasibleError, InputError, Set
from anonset.kernels.groups import Quasi, absorb, states_of_groups, union_costs
from anonset.model.arrays import Ids, Mask, Reals, Rows
from anonset.model.dataset import Column, Dataset
from anonset.model.guarantees import Guarantee, KAnonymity, LDiversity, Part, TCloseness
from anonset.model.parameters import Bounds, K

Suppression = Annotated[float, Bounds(0.0, 1.0), "share of the records that may be left out"]
Diverse = Annotated[int, Bounds(1, 1_000_000), "well-represented sensitive values in every group; 1 asks for nothing"]
DiversityKind = Annotated[Literal["distinct", "entropy", "recursive"], "what well-represented means"]
Ratio = Annotated[float, Bounds(0.0, 1e9), "recursive: the most frequent value is less than c times the rest from the l-th on"]
Closeness = Annotated[float, Bounds(0.0, 1.0), "how far the values of a group may be from those of all; 1 asks for nothing"]
SensitiveColumn = Annotated[str, "the column that l and t are about; may be left open where only one is sensitive"]


@dataclass(frozen=True, slots=True)
class Relational(BaseAlgorithm):
    """Base class of the relational algorithms."""

    k: K
    weights: Weights = ""
    l: Diverse = 1  # noqa: E741 - the papers' letter
    diversity: DiversityKind = "distinct"
    c: Ratio = 1.0
    t: Closeness = 1.0
    sensitive: SensitiveColumn = ""
    guarantee: ClassVar[str] = "k-anonymity, and l-diversity or t-closeness where asked for"
    needs: ClassVar[frozenset[str]] = frozenset({"quasi"})
    covers: ClassVar[frozenset[Part]] = frozenset({"quasi"})


def guarantees_of(request: Relational, data: Dataset) -> tuple[Guarantee, ...]:
    """The guarantees of a release; an error if the dataset has no quasi columns, too few records or no sensitive column."""
    if not data.quasi:
        raise InputError("this needs quasi columns, and the dataset has none", fix=[Fix("name them with {}", Set("quasi"))])
    if request.k > len(data):
        raise InfeasibleError(f"k={request.k} exceeds the {len(data)} records of the dataset")
    promised: list[Guarantee] = [KAnonymity(request.k)]
    if request.l > 1:
        promised.append(LDiversity(request.l, _column(request, data), request.diversity, request.c))
    if request.t < 1.0:
        promised.append(TCloseness(request.t, _column(request, data)))
    return tuple(promised)


def most_left_out(suppression: float, data: Dataset) -> int:
    """The number of records that may be left out."""
    return int(suppression * len(data) + 1e-9)


def _column(request: Relational, data: Dataset) -> str:
    names = [column.name for column in data.with_role("sensitive")]
    if request.sensitive:
        if data.column(request.sensitive).role == "quasi":
            raise InputError(f"{request.sensitive!r} is a quasi column: an attacker knows it already")
        return request.sensitive
    if len(names) != 1:
        raise InputError(f"l and t need one sensitive column, and there are {len(names)}; say which with `sensitive`")
    return names[0]


NEAR = 1e-9
BLOCK = 1 << 22  # cells of the table of groups and values that are looked at at once


@dataclass(frozen=True, slots=True, eq=False)
class Sensitive:
    """counts[p] records of distinct record rows[p] have value codes[p] of d; ordered where values ascend as numbers."""

    rows: Rows
    codes: Ids
    counts: Rows
    d: int
    ordered: bool
    promises: tuple[LDiversity | TCloseness, ...]
    everyone: Reals | None = None  # records of each value, where they are not those of all groups that are published

    def of(self, rows: Rows) -> "Sensitive":
        """The values of some distinct records in the given order, compared with those of all records."""
        place = np.full(int(self.rows.max(initial=-1)) + 1, -1, np.int64)
        place[rows] = np.arange(len(rows))
        kept = place[self.rows] >= 0
        everyone = np.bincount(self.codes, self.counts, self.d).astype(np.float64) if self.everyone is None else self.everyone
        return replace(self, rows=place[self.rows[kept]], codes=self.codes[kept], counts=self.counts[kept], everyone=everyone)

    def weak(self, groups: Rows, n_groups: int, alive: Mask) -> Mask:
        """A mask of the groups that break a promise; `alive` is a mask of the groups that are published."""
        owner = groups[self.rows]
        key, where = np.unique(owner * self.d + self.codes, return_inverse=True)
        group, value = np.divmod(key, self.d)
        count = np.bincount(where, self.counts, len(key)).astype(np.float64)
        start = np.searchsorted(group, np.arange(n_groups + 1))
        weak = np.zeros(n_groups, np.bool_)
        for promise in self.promises:
            if isinstance(promise, LDiversity):
                weak |= ~_diverse(promise, group, count, start)
            else:
                weak |= _distances(self, group, value, count, n_groups, alive) > promise.t
        return weak


def sensitive_values(data: Dataset, row_of: Rows, guarantees: tuple[Guarantee, ...]) -> Sensitive | None:
    """The sensitive values of the guarantees, counted for each distinct record; None if no guarantee names a column."""
    promises = tuple(g for g in guarantees if isinstance(g, LDiversity | TCloseness))
    if not promises:
        return None
    codes, ordered = _value_ranks(data.column(promises[0].column))
    d = int(codes.max(initial=0)) + 1
    key, counts = np.unique(row_of * d + codes, return_counts=True)
    rows, values = np.divmod(key, d)
    return Sensitive(rows, values.astype(np.int32), counts.astype(np.int64), d, ordered, promises)


def _value_ranks(column: Column) -> tuple[Rows, bool]:
    """A number for each distinct value, a missing one included, and whether these numbers are in numeric order."""
    if column.values is None or (column.codes < 0).any():
        return column.codes.astype(np.int64) + 1, False
    return np.unique(column.values[column.codes], return_inverse=True)[1].astype(np.int64), True


def _diverse(promise: LDiversity, group: Rows, count: Reals, start: Rows) -> Mask:
    different = np.diff(start)
    if promise.kind == "distinct":
        return different >= promise.l
    order = np.lexsort((-count, group))
    falling = count[order]
    most = falling[start[:-1]]
    sizes = np.add.reduceat(count, start[:-1])
    if promise.kind == "entropy":
        entropy = np.log(sizes) - np.add.reduceat(count * np.log(count), start[:-1]) / sizes
        exactly = (different == promise.l) & (most * different == sizes)
        much: Mask = exactly | (entropy > np.log(promise.l) + NEAR)
        return much
    rank = np.arange(len(falling)) - start[:-1][group]
    tail = np.bincount(group, np.where(rank >= promise.l - 1, falling, 0.0), len(different))
    fine: Mask = most < promise.c * tail - NEAR * sizes
    return fine


def _distances(s: Sensitive, group: Rows, value: Rows, count: Reals, n_groups: int, alive: Mask) -> Reals:
    """The earth mover's distance of every group from all published records, plus a tolerance if it is not 0."""
    sizes = np.bincount(group, count, n_groups)
    everyone = np.bincount(value, count * alive[group], s.d) if s.everyone is None else s.everyone
    seen = everyone > 0
    total = everyone.sum()
    distances = np.zeros(n_groups)
    step = max(1, BLOCK // s.d)
    for low in range(0, n_groups, step):
        here = (group >= low) & (group < low + step)
        table = np.zeros((min(step, n_groups - low), s.d))
        table[group[here] - low, value[here]] = count[here]
        moved = table * total - sizes[low : low + step, None] * everyone
        moved = np.cumsum(moved[:, seen], axis=1) if s.ordered else moved
        whole = sizes[low : low + step] * total * (max(1, int(seen.sum()) - 1) if s.ordered else 2)
        distances[low : low + step] = np.abs(moved).sum(axis=1) / np.maximum(whole, 1.0)
    return np.where(distances > 0, distances + NEAR, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Constraint:
    """What a group needs: k records, and sensitive values as promised. Distinct record u has counts[u] copies."""

    k: int
    counts: Rows
    sensitive: Sensitive | None = None

    def of(self, rows: Rows) -> "Constraint":
        """The same constraint on some distinct records in the given order; t-closeness still compares with all records."""
        return Constraint(self.k, self.counts[rows], None if self.sensitive is None else self.sensitive.of(rows))

    def weak_groups(self, groups: Rows, n_groups: int) -> tuple[Rows, Mask]:
        """The number of records in each group, and a mask of the groups that violate the constraint.

        Weak groups are left out, and t-closeness compares with published records only: so all groups are checked again until
        no other group becomes weak.
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
        """For each distinct record, the number of records in its group, and whether the group violates the constraint."""
        sizes, weak = self.weak_groups(groups, n_groups)
        return sizes[groups], weak[groups]

    def strength(self, sizes: Rows) -> Reals:
        """The logarithm of the group sizes, capped at k: how close groups are to k."""
        return np.log(np.minimum(sizes, self.k))


def constraint_of_records(data: Dataset, guarantees: tuple[Guarantee, ...]) -> Constraint:
    """The constraint on groups of single records."""
    return constraint_of(data, guarantees, np.arange(len(data)), np.ones(len(data), np.int64))


def constraint_of(data: Dataset, guarantees: tuple[Guarantee, ...], row_of: Rows, counts: Rows) -> Constraint:
    """The constraint on groups of distinct records; InfeasibleError if even one group of all records violates it."""
    k = next(g.k for g in guarantees if isinstance(g, KAnonymity))
    constraint = Constraint(k, counts, sensitive_values(data, row_of, guarantees))
    if constraint.sensitive is not None and constraint.weak_groups(np.zeros(len(counts), np.int64), 1)[1][0]:
        asked = next(g for g in guarantees if isinstance(g, LDiversity))
        raise InfeasibleError(f"{asked.kind} l-diversity with l={asked.l} does not hold in {asked.column} even in all records")
    return constraint


def strengthen(q: Quasi, groups: Rows, constraint: Constraint) -> Rows:
    """The groups, joined until all of them satisfy the constraint; a group of all records must satisfy it."""
    while True:
        _, groups = np.unique(groups, return_inverse=True)
        n_groups = int(groups.max()) + 1
        weak = np.flatnonzero(constraint.weak_groups(groups, n_groups)[1])
        if len(weak) == 0:
            return groups.astype(np.int64)
        groups = _join(q, groups.astype(np.int64), n_groups, weak)[groups]


def _join(q: Quasi, groups: Rows, n_groups: int, weak: Rows) -> Rows:
    """The new group of each group after each weak one, in turn, joined its cheapest partner."""
    states = states_of_groups(q, groups, n_groups)
    into = np.arange(n_groups)
    gone = np.zeros(n_groups, np.bool_)
    touched = np.zeros(n_groups, np.bool_)
    for g in weak:
        if touched[g]:
            continue  # another weak group joined it: check it again first
        costs = union_costs(q, states, states, int(g))
        costs[gone] = np.inf
        costs[g] = np.inf
        partner = int(np.argmin(costs))
        absorb(q, states, partner, states, int(g))
        into[g], gone[g], touched[partner] = partner, True, True
    while (into != into[into]).any():
        into = into[into]
    return into
