"""How the values of a sensitive column are spread over groups of records that look alike.

l-diversity (Machanavajjhala and others, 2007): l well-represented sensitive values in every group.
"""

from collections.abc import Callable
from fractions import Fraction
from math import gcd, prod
from typing import NamedTuple

import numpy as np
from scipy import sparse

from anonset.model.arrays import Mask, Reals, Rows
from anonset.model.dataset import Dataset
from anonset.model.guarantees import LDiversity
from anonset.model.labels import PublishedColumn, Ranges
from anonset.model.release import Release
from anonset.model.verdict import Finding
from anonset.verify.attacker_view import Groups, NotPublishedError, groups_of, published_values
from anonset.verify.findings import WITNESSES, fail_closed
from anonset.verify.sets import Matrix


class Spread(NamedTuple):
    """counts[g, v] records of group g have value v; ordered where the values ascend as numbers."""

    groups: Groups
    counts: Matrix
    ordered: bool
    texts: tuple[str, ...]


def spread_of(original: Dataset, release: Release, name: str) -> Spread:
    """The published values of the column, counted group by group."""
    column = next((column for column in release.columns if column.name == name), None)
    if column is None:
        raise NotPublishedError(f"the guarantee is about the column {name!r}, which is not published")
    groups = groups_of(original, release)
    if any(quasi.name == name for quasi in groups.columns):
        raise NotPublishedError(f"the column {name!r} is quasi: an attacker knows it already")
    numbers = _numbers(original, column)
    _, first, value = np.unique(
        published_values(column) if numbers is None else numbers, return_index=True, return_inverse=True
    )
    counts = sparse.coo_array((np.ones(len(value), np.int64), (groups.of, value)), (len(groups.sizes), len(first))).tocsr()
    texts = tuple(column.labels.texts[a] if a >= 0 else "(missing)" for a in column.codes[first])
    return Spread(groups, counts, numbers is not None, texts)


def _numbers(original: Dataset, column: PublishedColumn) -> Reals | None:
    """The number each record shows, or None where they are not all numbers."""
    own = next((own for own in original.columns if own.name == column.name), None)
    if own is None or own.values is None or (column.codes < 0).any():
        return None
    if isinstance(column.labels, Ranges):
        exact, numbers = column.labels.low == column.labels.high, column.labels.low
    else:
        first = column.labels.members[column.labels.offsets[:-1]]
        exact, numbers = (
            (column.labels.sizes == 1) & (first < len(own.values)),
            own.values[np.minimum(first, len(own.values) - 1)],
        )
    return numbers[column.codes] if exact[column.codes].all() else None


@fail_closed
def check_l_diversity(original: Dataset, release: Release, guarantee: LDiversity, limit: int) -> Finding:
    """Look at the values of the column in every group that shows the same quasi values."""
    groups, counts, _, _ = spread_of(original, release, guarantee.column)
    fine, score = KINDS[guarantee.kind](counts, guarantee)
    short = np.flatnonzero(~fine)

    def sentence(g: int) -> str:
        different = int(np.diff(counts.indptr)[g])
        most = int(counts.data[counts.indptr[g] : counts.indptr[g + 1]].max())
        size = int(groups.sizes[g])
        what = f"{different} different value{'' if different == 1 else 's'} of {guarantee.column} in {size} records"
        return f"{what} with {groups.text(g) or 'anything'}, the most frequent in {most}; {_promise(guarantee)}"

    worst = int(np.argmin(score))
    witnesses = tuple(sentence(int(g)) for g in short[:WITNESSES])
    return Finding(guarantee.id, len(short) == 0, len(short), sentence(worst), int(np.diff(counts.indptr).min()), witnesses)


def _promise(guarantee: LDiversity) -> str:
    if guarantee.kind == "distinct":
        return f"{guarantee.l} are promised"
    if guarantee.kind == "entropy":
        return f"as much entropy as {guarantee.l} equally frequent ones is promised"
    return f"({guarantee.c:g}, {guarantee.l})-diversity is promised"


def _distinct(counts: Matrix, guarantee: LDiversity) -> tuple[Mask, Reals]:
    different = np.diff(counts.indptr)
    return different >= guarantee.l, different.astype(np.float64)


def _entropy(counts: Matrix, guarantee: LDiversity) -> tuple[Mask, Reals]:
    """exp(entropy) >= l; where floats cannot tell, n^n >= l^n * product of c^c decides in whole numbers."""
    sizes = counts.sum(axis=1).astype(np.float64)
    logs = np.add.reduceat(counts.data * np.log(counts.data), counts.indptr[:-1])
    score: Reals = np.log(sizes) - logs / sizes
    fine: Mask = score >= np.log(guarantee.l)
    for g in np.flatnonzero(np.abs(score - np.log(guarantee.l)) < 1e-9):
        fine[g] = _has_entropy_of(guarantee.l, counts.data[counts.indptr[g] : counts.indptr[g + 1]].tolist())
    return fine, score


def _has_entropy_of(equal: int, counts: list[int]) -> bool:
    n, shared = sum(counts), gcd(*counts)
    power = n // shared
    return bool(n**power >= equal**power * prod(c ** (c // shared) for c in counts))


def _recursive(counts: Matrix, guarantee: LDiversity) -> tuple[Mask, Reals]:
    """r_1 < c (r_l + ... + r_m) with the counts r in falling order."""
    group = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    falling = counts.data[np.lexsort((-counts.data, group))]
    rank = np.arange(len(falling)) - counts.indptr[:-1][group]
    most: Rows = falling[counts.indptr[:-1]]
    tail = np.bincount(group, weights=np.where(rank >= guarantee.l - 1, falling, 0), minlength=counts.shape[0])
    c = Fraction(str(guarantee.c))
    fine = most.astype(object) * c.denominator < tail.astype(np.int64).astype(object) * c.numerator
    return fine.astype(np.bool_), tail / most


KINDS: dict[str, Callable[[Matrix, LDiversity], tuple[Mask, Reals]]] = {
    "distinct": _distinct,
    "entropy": _entropy,
    "recursive": _recursive,
}
