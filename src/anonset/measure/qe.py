"""Queries for the presence and absence of items, answered from uncertain item sets, and their error ([004] 5.2)."""

from collections.abc import Iterator, Sequence
from functools import cache
from math import comb
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from anonset.errors import InputError
from anonset.measure.uncertain import ShownSets, shown_sets, true_sets, uncertain
from anonset.model.dataset import Dataset
from anonset.model.labels import UncertainItems
from anonset.model.release import Release
from anonset.model.sets import distinct

Estimate = Literal["base", "expected"]
Counts = NDArray[np.int64]


class ItemQuery(NamedTuple):
    """Count the records that hold all the items `present` (type I), none of those `absent` (type II), or both."""

    present: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()


class Answer(NamedTuple):
    """What a release says of a query: surely this many records, possibly this many; so many by the base sets alone.

    `expected` weighs every set that matches a published record alike.
    """

    certain: int
    possible: int
    base: int
    expected: float


def qe(
    original: Dataset, release: Release, queries: Sequence[ItemQuery] | None = None, *, estimate: Estimate = "base"
) -> float:
    """Return the mean of abs(actual - estimate) / records over queries of both types: 0.0 all counts are right.

    Without queries, 500 of each type are drawn as in [004]: one item present, five absent.
    """
    asked = draw_queries(original) if queries is None else queries
    if len(release) == 0 or len(asked) == 0:
        return 0.0
    items = uncertain(release)
    found = base_counts(items, asked) if estimate == "base" else [answer.expected for answer in answers(items, asked)]
    actual = actual_counts(original, release, asked)
    return float(np.mean([abs(a - said) for a, said in zip(actual, found, strict=True)]) / len(release))


def draw_queries(original: Dataset, n: int = 500, *, present: int = 1, absent: int = 5, seed: int = 0) -> tuple[ItemQuery, ...]:
    """n queries for `present` random items together, then n for the absence of `absent` random items."""
    if original.transactions is None:
        raise InputError("item queries need a set-valued attribute, and the dataset has none")
    domain, rng = original.transactions.domain, np.random.default_rng(seed)

    def some(size: int) -> tuple[str, ...]:
        return tuple(domain[i] for i in rng.choice(len(domain), min(size, len(domain)), replace=False))

    return (*(ItemQuery(some(present)) for _ in range(n)), *(ItemQuery(absent=some(absent)) for _ in range(n)))


def answers(items: UncertainItems, queries: Sequence[ItemQuery]) -> list[Answer]:
    """What published item sets say of each query."""
    return list(_answers(shown_sets(items), items.domain, queries))


def actual_counts(original: Dataset, release: Release, queries: Sequence[ItemQuery]) -> list[int]:
    """The true answers, counted on the originals behind the release."""
    return _counts(true_sets(original, release), uncertain(release).domain, queries)


def base_counts(items: UncertainItems, queries: Sequence[ItemQuery]) -> list[int]:
    """What the base sets alone say of each query: `base` of its answer."""
    return _counts(shown_sets(items).base, items.domain, queries)


def _counts(sets: sparse.csc_array, domain: Sequence[str], queries: Sequence[ItemQuery]) -> list[int]:
    return [_count(sets, wanted) for wanted in _wanted(domain, queries)]


def _count(sets: sparse.csc_array, wanted: dict[int, bool]) -> int:
    """The number of sets in which each item is present or absent as wanted."""
    present, absent = ([_holders(sets, i) for i, there in wanted.items() if there is side] for side in (True, False))
    out = distinct(np.concatenate([*absent, np.zeros(0, np.int64)]))
    if not present:
        return sets.shape[0] - len(out)
    held, times = np.unique(np.concatenate(present), return_counts=True)
    return len(np.setdiff1d(held[times == len(present)], out, assume_unique=True))


def _answers(shown: ShownSets, domain: Sequence[str], queries: Sequence[ItemQuery]) -> Iterator[Answer]:
    doubts = np.asarray(shown.doubt.sum(axis=1), np.int64).ravel()
    kinds, kind = np.unique(np.stack([doubts, shown.threshold]), axis=1, return_inverse=True)
    listed = kinds.T.tolist()
    for wanted in _wanted(domain, queries):
        yield _answer(shown, listed, kind.ravel(), wanted)


def _wanted(domain: Sequence[str], queries: Sequence[ItemQuery]) -> Iterator[dict[int, bool]]:
    """For each query the codes of its items, and whether each is to be present."""
    code = {name: i for i, name in enumerate(domain)}
    for query in queries:
        wanted = dict.fromkeys(query.present, True) | dict.fromkeys(query.absent, False)
        for name in wanted:
            if name not in code:
                raise InputError(f"a query asks for the item {name!r}, which the data do not have")
            if name in query.present and name in query.absent:
                raise InputError(f"a query asks for the item {name!r} as present and as absent")
        yield {code[name]: present for name, present in wanted.items()}


def _answer(shown: ShownSets, kinds: list[list[int]], kind: Counts, wanted: dict[int, bool]) -> Answer:
    """The answer for items and whether each is present; record p has the doubtful items and threshold kinds[kind[p]].

    A record that shows none of the items, not even as doubtful, is in all counts or in none: only the others are looked at.
    """
    bases, doubts = ([_holders(sets, i) for i in wanted] for sets in (shown.base, shown.doubt))
    about = distinct(np.concatenate([*bases, *doubts, np.zeros(0, np.int64)]))
    n, t, q = len(about), shown.threshold[about], len(wanted) + 1
    as_shown, doubted, needed = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64)
    settled = np.zeros(n, np.bool_)  # the query fails whatever is wrong in the base
    for present, base, doubt in zip(wanted.values(), bases, doubts, strict=True):
        wrong, unsure = np.full(n, present), np.zeros(n, np.bool_)
        wrong[np.searchsorted(about, base)] = not present
        unsure[np.searchsorted(about, doubt)] = True
        as_shown += ~wrong
        doubted += unsure
        needed += wrong & unsure
        settled |= wrong & ~unsure
    may = ~settled & (needed <= t)
    must = may & (needed == 0) & ((doubted == 0) | (t == 0))
    unclear = may & ~must
    times = np.bincount(((kind[about] * q + doubted) * q + needed)[unclear])
    found = np.flatnonzero(times)
    shares = [_share(*kinds[f // q**2], f // q % q, f % q) for f in found.tolist()]
    others = 0 if any(wanted.values()) else len(shown.threshold) - n
    expected = float(others + must.sum() + times[found] @ np.array(shares, np.float64))
    return Answer(others + int(must.sum()), others + int(may.sum()), others + int((as_shown == len(wanted)).sum()), expected)


def _holders(sets: sparse.csc_array, i: int) -> NDArray[np.int32]:
    """The records that have item i."""
    held: NDArray[np.int32] = sets.indices[sets.indptr[i] : sets.indptr[i + 1]]
    return held


@cache
def _share(doubts: int, threshold: int, doubted: int, needed: int) -> float:
    """The share of the sets within the threshold that differ in `needed` given items and not in the other doubted ones."""
    return _sets(doubts - doubted, threshold - needed) / _sets(doubts, threshold)


@cache
def _sets(n: int, most: int) -> int:
    """The number of sets of at most `most` of n things."""
    return sum(comb(n, size) for size in range(min(n, most) + 1))
