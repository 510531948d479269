"""Uncertain item sets ([004] 5.2): the published records that an original record matches; queries for present and absent
items, and the error of their answers.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from math import comb
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from anonset.errors import InputError, ParameterError
from anonset.kernels.records import holders_of_items
from anonset.kernels.uncertain_sets import merged_items
from anonset.measure._kernels.matches import matching_records
from anonset.model.arrays import Ids, Mask, Offsets, Rows
from anonset.model.dataset import Column, Dataset, Transactions
from anonset.model.labels import PublishedColumn, Ranges, UncertainItems
from anonset.model.release import Release
from anonset.model.sets import distinct, rows_of, set_ranks
from anonset.threads import chunks, parallel_map


class UncertainMatrices(NamedTuple):
    """base[p, i] is 1 where record p shows item i, doubt[p, i] where that may be wrong; at most threshold[p] are wrong."""

    base: sparse.csc_array
    doubt: sparse.csc_array
    threshold: Ids


def uncertain(release: Release) -> UncertainItems:
    """The uncertain items of a release that is known to have them."""
    assert isinstance(release.items, UncertainItems), "the measure's `needs` says so"
    return release.items


def uncertain_matrices(items: UncertainItems, d: int | None = None) -> UncertainMatrices:
    """The published sets as matrices with d columns, by default those of the domain."""
    width = d or len(items.domain)
    return UncertainMatrices(
        _matrix(items.base_offsets, items.base, width),
        _matrix(items.distance_offsets, items.distance, width),
        items.threshold,
    )


def true_sets(original: Dataset, release: Release) -> sparse.csc_array:
    """The original item sets behind the published records; items the release does not know come behind those it knows."""
    assert original.transactions is not None
    t = original.transactions.take(release.rows)
    code = {name: i for i, name in enumerate(uncertain(release).domain)}
    place = np.array([code.setdefault(name, len(code)) for name in t.domain], np.int32)
    return _matrix(t.offsets, place[t.items], len(code))


def _matrix(offsets: Offsets, items: Ids, d: int) -> sparse.csc_array:
    return sparse.csr_array((np.ones(len(items), np.int32), items, offsets), (len(offsets) - 1, d)).tocsc()


def er(original: Dataset, release: Release) -> float:
    """Return the mean over records of (items wrong in the base set) / (items of the record): 0.0 none is wrong.

    A record without items counts each wrong item as one. Above 1.0 more is wrong than was there.
    """
    if len(release) == 0:
        return 0.0
    true = true_sets(original, release)
    base = uncertain_matrices(uncertain(release), true.shape[1]).base
    wrong = np.asarray(abs(base - true).sum(axis=1)).ravel()
    held = np.asarray(true.sum(axis=1)).ravel()
    return float((wrong / np.maximum(held, 1)).mean())


MOST_PAIRS = 10_000_000_000  # with the same rarest item; few of them have the second rarest in common, and are compared
FEW = 1_000  # records that are not worth a thread


def matches_of_originals(original: Dataset, release: Release, items: UncertainItems) -> Rows:
    """For each published record the number of published ones that the original record behind it matches."""
    assert original.transactions is not None
    covers, codes, labels = _covering(original, release)
    t = original.transactions.take(release.rows)
    look = set_ranks(t.offsets, t.items, len(t.domain))
    for column in codes.T:
        look = np.unique(look * (int(column.max(initial=0)) + 1) + column, return_inverse=True)[1]
    _, different, number = np.unique(look, return_index=True, return_inverse=True)  # equal records match the same ones
    return _counts(t.take(different), items, codes[different], labels, covers)[number]


def _counts(
    t: Transactions, items: UncertainItems, codes: NDArray[np.int32], labels: NDArray[np.int32], covers: NDArray[np.bool_]
) -> Rows:
    """For each of the given records the number of published ones it matches."""
    code = {name: i for i, name in enumerate(items.domain)}
    mine = np.array([code.setdefault(name, len(code)) for name in t.domain], np.int32)[t.items]
    shown = merged_items((items.base_offsets, items.base), (items.distance_offsets, items.distance))
    holders = holders_of_items(shown[0], shown[1], len(code))
    held = np.append(np.diff(holders[0]), len(items))  # behind the items: no item, which all records have
    first = _rarest(t.offsets, mine, held)
    if (pairs := int(held[first].sum())) > MOST_PAIRS:
        raise ParameterError(f"the risk would compare {pairs:,} pairs of records, and {MOST_PAIRS:,} are the most")
    rarest = holders_of_items(np.arange(len(t) + 1), first, len(held))

    def work(some: tuple[int, int]) -> Rows:
        found: Rows = matching_records((t.offsets, mine), shown, items.threshold, holders, rarest, codes, labels, covers, some)
        return found

    parts = chunks(len(t), FEW)
    borders = np.searchsorted(np.cumsum(held), [held.sum() * last // len(t) for _, last in parts[:-1]])
    found: Rows = np.sum(parallel_map(work, list(pairwise([0, *borders.tolist(), len(held)]))), axis=0, dtype=np.int64)
    return found


def _rarest(offsets: Rows, items: Ids, held: Rows) -> Ids:
    """The item of each record that the fewest published ones show; the number behind the last item where it has none."""
    d, filled = len(held), np.diff(offsets) > 0
    keys = held[items] * d + items
    found = np.full(len(filled), d - 1, np.int32)
    found[filled] = np.minimum.reduceat(keys, offsets[:-1][filled]) % d if len(keys) else 0
    return found


def _covering(original: Dataset, release: Release) -> tuple[NDArray[np.bool_], NDArray[np.int32], NDArray[np.int32]]:
    """For the quasi columns what each label covers, the values of the originals and the labels shown; place 0 is missing."""
    columns = release.quasi
    tables = [_table(original.column(column.name), column) for column in columns]
    size = (len(columns), max((t.shape[0] for t in tables), default=1), max((t.shape[1] for t in tables), default=1))
    covers = np.zeros(size, np.bool_)
    for c, table in enumerate(tables):
        covers[c, : table.shape[0], : table.shape[1]] = table
    codes, labels = np.zeros((2, len(release), len(columns)), np.int32)
    for c, column in enumerate(columns):
        codes[:, c] = original.column(column.name).codes[release.rows] + 1
        labels[:, c] = column.codes + 1
    return covers, codes, labels


def _table(original: Column, published: PublishedColumn) -> Mask:
    """covers[label + 1, code + 1]; a label of everything covers a missing value too, and nothing else but "missing" does."""
    labels, d = published.labels, len(original.domain)
    table = np.zeros((len(labels) + 1, d + 1), np.bool_)
    table[0, 0] = True
    if isinstance(labels, Ranges):
        assert original.values is not None
        table[1:, 1:] = (original.values >= labels.low[:, None]) & (original.values <= labels.high[:, None])
    else:
        table[1 + rows_of(labels.offsets), 1 + labels.members] = True
    table[1:, 0] = table[1:, 1:].all(axis=1)
    return table


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
    return list(_answers(uncertain_matrices(items), items.domain, queries))


def actual_counts(original: Dataset, release: Release, queries: Sequence[ItemQuery]) -> list[int]:
    """The true answers, counted on the originals behind the release."""
    return _query_counts(true_sets(original, release), uncertain(release).domain, queries)


def base_counts(items: UncertainItems, queries: Sequence[ItemQuery]) -> list[int]:
    """What the base sets alone say of each query: `base` of its answer."""
    return _query_counts(uncertain_matrices(items).base, items.domain, queries)


def _query_counts(sets: sparse.csc_array, domain: Sequence[str], queries: Sequence[ItemQuery]) -> list[int]:
    return [_count(sets, states) for states in _item_states(domain, queries)]


def _count(sets: sparse.csc_array, wanted: dict[int, bool]) -> int:
    """The number of sets in which each item is present or absent as the query says."""
    present, absent = ([_holders(sets, i) for i, there in wanted.items() if there is side] for side in (True, False))
    out = distinct(np.concatenate([*absent, np.zeros(0, np.int64)]))
    if not present:
        return sets.shape[0] - len(out)
    held, times = np.unique(np.concatenate(present), return_counts=True)
    return len(np.setdiff1d(held[times == len(present)], out, assume_unique=True))


def _answers(shown: UncertainMatrices, domain: Sequence[str], queries: Sequence[ItemQuery]) -> Iterator[Answer]:
    doubts = np.asarray(shown.doubt.sum(axis=1), np.int64).ravel()
    kinds, kind = np.unique(np.stack([doubts, shown.threshold]), axis=1, return_inverse=True)
    listed = kinds.T.tolist()
    for states in _item_states(domain, queries):
        yield _answer(shown, listed, kind.ravel(), states)


def _item_states(domain: Sequence[str], queries: Sequence[ItemQuery]) -> Iterator[dict[int, bool]]:
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


def _answer(shown: UncertainMatrices, kinds: list[list[int]], kind: Counts, wanted: dict[int, bool]) -> Answer:
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
