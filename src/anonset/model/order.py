"""The order of records by what they hold: it says nothing about where they stood in the input."""

import numpy as np
from numpy.typing import NDArray

from anonset.model.arrays import Ids, Mask, Offsets, Rows
from anonset.model.dataset import Dataset


def record_order(data: Dataset) -> Rows:
    """The rows sorted by all their values and items; rows that are alike in everything stay as they come."""
    keys: list[NDArray[np.int32] | Rows] = [column.codes for column in data.columns]
    if data.transactions is not None:
        keys.append(set_ranks(data.transactions.offsets, data.transactions.items, len(data.transactions.domain)))
    return np.lexsort(keys[::-1]).astype(np.int64)


def set_ranks(offsets: Offsets, entries: Ids, d: int) -> Rows:
    """For each record the number of records whose sets of codes below d come before its own, as words do in a dictionary.

    As many codes as fit are packed into one number, records are ranked by it, and only those still alike are looked at again.
    """
    bits = max(1, d.bit_length())
    width = 63 // bits
    rank = np.zeros(len(offsets) - 1, np.int64)
    tied, depth = np.arange(len(rank)), 0
    padded = np.append(entries, np.int32(-1))
    while len(tied):
        word = np.zeros(len(tied), np.int64)
        for place in range(depth, depth + width):
            at = offsets[tied] + place
            word = (word << bits) | (padded[np.where(at < offsets[tied + 1], at, -1)].astype(np.int64) + 1)
        order = np.lexsort((word, rank[tied]))
        tied, word = tied[order], word[order]
        before = rank[tied]
        blocks = _starts(before)
        words = _starts(before, word)
        rank[tied] = before + words - blocks
        depth += width
        longer = np.flatnonzero(offsets[tied + 1] - offsets[tied] > depth)
        tied = tied[np.isin(words, words[longer[_is_tied(words)[longer]]])]
    return rank


def _starts(*keys: NDArray[np.int64]) -> Rows:
    """For each place of sorted keys the first place with the same ones."""
    n = len(keys[0])
    fresh = np.ones(n, np.bool_)
    fresh[1:] = np.any([key[1:] != key[:-1] for key in keys], axis=0)
    return np.maximum.accumulate(np.where(fresh, np.arange(n), 0))


def _is_tied(starts: Rows) -> Mask:
    """Whether each place shares its start with another."""
    counts = np.bincount(starts, minlength=len(starts))
    tied: Mask = counts[starts] > 1
    return tied
