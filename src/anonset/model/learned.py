"""A hierarchy learned from records: items that replace each other share a node.

1. Two items are alike by the items they occur with: each has a profile of the company it keeps more often than by chance
   (positive pointwise mutual information), and likeness is the cosine of profiles.
2. Items that are in the same records do not replace each other: the share of records they have in common counts against them.
3. Items that occur about equally often come together: otherwise hiding a rare item hides a common one with it.
4. From the most frequent item on, each item that is in no group yet takes the best of the others with it.
5. Above the groups the tree goes by how often they occur.

Profiles are whole numbers, so that the same records give the same tree on every machine.
"""

from typing import Any, NamedTuple

import numpy as np

from anonset.model.arrays import Mask, Reals, Rows
from anonset.model.hierarchy import Hierarchy, by_support, stack_groups
from anonset.model.sets import rows_of
from anonset.model.transactions import Transactions

LONGEST = 200  # a record of more items says nothing about which of them go together, and has too many pairs
CONTEXTS = 128  # the company that a profile keeps at most
CELLS = 4_000_000  # pairs of items counted at a time
NEIGHBOURS = 1024  # items, next in frequency, that an item is compared with
UNEQUAL = 0.5  # what an item that is half as frequent loses in likeness
TOGETHER = 1.0  # what items lose that are never seen apart
STEPS = 1024  # steps to one bit of information
Matrix = Any  # scipy.sparse.csr_matrix


class Profiles(NamedTuple):
    """Items in the order of their support: profiles in whole numbers with their lengths, and the share of common records."""

    company: Matrix
    lengths: Reals
    together: Matrix
    frequency: Reals  # in bits


def learned(transactions: Transactions, fanout: int) -> Hierarchy:
    """The hierarchy with `fanout` items that replace each other to a group, and `fanout` groups to a node."""
    order = by_support(transactions.supports)
    groups = [order[group] for group in _groups(_profiles(transactions, order), fanout)]
    supports = _union_supports(transactions, groups)
    names = [sorted(groups[g].tolist()) for g in by_support(supports)]
    return stack_groups(transactions.domain, names, fanout)


def _profiles(t: Transactions, order: Rows) -> Profiles:
    from scipy import sparse  # slow to import

    d = len(t.domain)
    place = np.empty(d, np.int64)
    place[order] = np.arange(d)
    told = np.flatnonzero((t.lengths > 1) & (t.lengths <= LONGEST))
    some = t.take(told)
    records = sparse.csr_matrix((np.ones(len(some.items)), place[some.items], some.offsets), shape=(len(some), d))
    holders = records.T.tocsr()
    others = holders @ (some.lengths - 1.0)  # pairs that each item is in
    supports = t.supports[order].astype(np.float64)
    blocks = [_company(holders, records, others, supports, low) for low in range(0, d, max(1, CELLS // d))]
    row, column, weight, share = (np.concatenate(part) for part in zip(*blocks, strict=True))
    company = sparse.csr_matrix((weight, (row, column)), shape=(d, d))
    lengths = np.sqrt(np.bincount(row, weight * weight, minlength=d))
    together = sparse.csr_matrix((share, (row, column)), shape=(d, d))
    return Profiles(company, np.maximum(lengths, 1.0), together, _in_steps(np.log2(np.maximum(supports, 0.5))) / STEPS)


def _company(holders: Matrix, records: Matrix, others: Reals, supports: Reals, low: int) -> tuple[Rows, Rows, Reals, Reals]:
    """Of a block of items from `low` on: item, other item, weight in the profile, share of records in common."""
    counts = (holders[low : low + max(1, CELLS // len(supports))] @ records).tocsr()
    row = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr)) + low
    column, count = counts.indices.astype(np.int64), counts.data
    surprise = np.log2(count * others.sum() / (others[row] * others[column]))
    weight = _in_steps(np.maximum(surprise, 0.0) * count / (count + 1.0))  # what is seen once may be chance
    kept = np.flatnonzero((row != column) & (weight > 0))
    dearest = weight.max(initial=0.0) - weight[kept]
    kept = kept[np.argsort(((row[kept] - low) * (weight.max(initial=0.0) + 1.0) + dearest) * len(supports) + column[kept])]
    rank = np.arange(len(kept)) - np.searchsorted(row[kept], row[kept])
    kept = kept[rank < CONTEXTS]
    row, column = row[kept], column[kept]
    return row, column, weight[kept], count[kept] / np.minimum(supports[row], supports[column])


def _groups(profiles: Profiles, fanout: int) -> list[list[int]]:
    """Places by support in groups of `fanout`."""
    d = len(profiles.frequency)
    free = np.ones(d, np.bool_)
    groups = []
    for seed in range(d):
        if free[seed]:
            groups.append(_group(profiles, free, seed, fanout))
            free[groups[-1]] = False
    return groups


def _group(profiles: Profiles, free: Mask, seed: int, fanout: int) -> list[int]:
    """The seed and, one after the other, the free items that are most like the group so far."""
    from scipy import sparse

    stop = min(len(free), seed + 1 + NEIGHBOURS)
    while stop < len(free) and free[seed + 1 : stop].sum() < NEIGHBOURS // 4:
        stop = min(len(free), stop + NEIGHBOURS)
    company, start = profiles.company, seed + 1
    first, last = company.indptr[start], company.indptr[stop]
    inside = company.data[first:last], company.indices[first:last], company.indptr[start : stop + 1] - first
    near = sparse.csr_matrix(inside, shape=(stop - start, len(free)), copy=False)
    penalty = UNEQUAL * (profiles.frequency[seed] - profiles.frequency[start:stop])
    left, likeness, group = free[start:stop].copy(), np.zeros(stop - start), [seed]
    while len(group) < fanout and left.any():
        newest = group[-1]
        likeness += near @ _row(company, newest) / profiles.lengths[newest] / profiles.lengths[start:stop]
        likeness -= TOGETHER * _row(profiles.together, newest)[start:stop]
        best = int(np.where(left, likeness / len(group) - penalty, -np.inf).argmax())
        left[best] = False
        group.append(start + best)
    return group


def _row(matrix: Matrix, i: int) -> Reals:
    row = np.zeros(matrix.shape[1])
    first, last = matrix.indptr[i], matrix.indptr[i + 1]
    row[matrix.indices[first:last]] = matrix.data[first:last]
    return row


def _union_supports(t: Transactions, groups: list[Rows]) -> Rows:
    """The number of records that hold an item of each group."""
    group_of = np.empty(len(t.domain), np.int64)
    for g, members in enumerate(groups):
        group_of[members] = g
    held = np.sort(rows_of(t.offsets) * len(groups) + group_of[t.items])
    held = held[np.diff(held, prepend=-1) > 0]
    return np.bincount(held % len(groups), minlength=len(groups)).astype(np.int64)


def _in_steps(bits: Reals) -> Reals:
    return np.rint(bits * STEPS)
