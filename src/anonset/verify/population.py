"""Guarantees that count people of the population: each shown set of labels, or group, fits at least k of them.

A person fits a group if its columns cover the person's values, and a label by an item among those that it stands for.

Alone (`km-map`), different labels of a record stand for different items, so a set of labels needs another item for each: of two
labels of which one has all items of the other, a person needs two items under the wider. So for each label of a set the number
of labels of the set inside it is compared with the person's number of items under it. Within groups (`kkm-map`) labels may
overlap and stand for the same item, as those of `rt-search` do: an item under each label is enough.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import comb, inf
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from anonset.model.arrays import Mask, Rows
from anonset.model.dataset import Dataset
from anonset.model.guarantees import CONFIDENCE, BasePopulation, KKmMap, KMap, KmMap
from anonset.model.labels import GeneralizedItems, PublishedColumn
from anonset.model.release import Release
from anonset.model.sets import places_in
from anonset.model.verdict import Finding
from anonset.verify.attacker_view import (
    Groups,
    NotPublishedError,
    covers,
    generalized_items,
    groups_of,
    linkable_items,
    match_text,
    sensitive_names,
)
from anonset.verify.findings import Tally, fail_closed, fails, promised
from anonset.verify.itemset_counts import combinations, occurring
from anonset.verify.sets import BLOCK, Matrix, Sets, is_among, offsets_of, owners_of, require_within

BITS = 64  # of a word


@fail_closed
def check_k_map(original: Dataset, release: Release, guarantee: KMap, limit: int) -> Finding:
    """Count the people of the population that fit each group of equal quasi values."""
    groups = groups_of(original, release)
    if not groups.columns:
        raise NotPublishedError("the guarantee is about quasi columns, and the release publishes none")
    people = _People(guarantee)
    people.add_both(_fitting(_population(original, guarantee), groups, limit).sum(axis=0), groups.sizes, 0, groups.text)
    return people.finding()


@fail_closed
def check_km_map(original: Dataset, release: Release, guarantee: KmMap, limit: int) -> Finding:
    """Count the people of the population that fit each set of 1 .. m non-sensitive labels that a record shows.

    Where they are estimated: whether enough records show each, and whether so many are enough.
    """
    if guarantee.records:
        return _check_estimate(original, release, guarantee, limit)
    return _check_sets(original, release, guarantee, None, limit)


@fail_closed
def check_kkm_map(original: Dataset, release: Release, guarantee: KKmMap, limit: int) -> Finding:
    """Count the people of the population that fit each group, and in it each set of 1 .. m non-sensitive labels."""
    return _check_sets(original, release, guarantee, groups_of(original, release), limit)


class _People(Tally):
    """Counts people of the population, and keeps the fewest records that look alike: nothing is promised of these."""

    def __init__(self, guarantee: BasePopulation, records: int = 0) -> None:
        super().__init__(guarantee.id, records or guarantee.k)
        self.records: int | None = None
        self.words = ("person of the population fits", "people of the population fit", promised(guarantee.k))
        if records:
            self.words = ("record of the file shows", "records of the file show", f"the estimate needs {records}")

    def add_both(self, people: Rows, records: Rows, size: int, text: Callable[[int], str]) -> None:
        """Count places that so many people fit and so many records show."""
        self.add(people, size, text)
        if len(records):
            self.records = min(int(records.min()), self.records or int(records.min()))

    def finding(self, nothing: str = "") -> Finding:
        """The finding, with what somebody finds who knows that a person is among the records."""
        found = super().finding(nothing)
        if self.records is None:
            return found
        known = f"who knows that a person is in the file finds as few as {self.records}"
        return replace(found, worst=f"{found.worst}; {known}")

    def _sentence(self, counts: NDArray[Any], p: int, text: Callable[[int], str]) -> str:
        n = int(counts[p])
        return f"{n} {self.words[n != 1]} {text(p)}; {self.words[2]}"


def _population(original: Dataset, guarantee: BasePopulation) -> Dataset:
    """The population that the guarantee counts."""
    if guarantee.records:
        raise NotPublishedError("what a sampling share tells about columns is not known: only sets of items are estimated")
    whole = original.population
    if whole is None:
        raise NotPublishedError("people of a population are promised, and it is not given: read the original with it")
    if len(whole) != guarantee.population:
        raise NotPublishedError(
            f"a population of {guarantee.population:,} people is promised; the one given has {len(whole):,}"
        )
    return whole


def _check_sets(original: Dataset, release: Release, guarantee: KmMap | KKmMap, groups: Groups | None, limit: int) -> Finding:
    """Count the people that fit every set of labels that a record (of a group) shows, and every group."""
    whole, items = _population(original, guarantee), linkable_items(release, sensitive_names(original))
    m, people = guarantee.m, _People(guarantee)
    labels = _Labels(generalized_items(release), whole, m if groups is None else 1)
    parts = [labels.held]
    fits = None if groups is None else _fitting(whole, groups, limit)
    if fits is not None and groups is not None:
        people.add_both(fits.sum(axis=0), groups.sizes, 0, lambda g: match_text(items, groups, g, ()))
        parts.append(fits)
    held = sparse.csc_array(sparse.hstack(parts))
    require_within(combinations(items.sets.lengths, m, limit), limit)
    for found in occurring(items.sets, m, None if groups is None else groups.of):
        shown = np.repeat(np.arange(len(found.prefixes)), np.diff(found.counts.indptr))
        sets = np.column_stack([found.prefixes[shown, 1:], found.counts.indices]).astype(np.int64)
        if groups is None:
            wanted = labels.apart(sets)
        else:
            wanted = np.column_stack([labels.each(sets), labels.d + found.prefixes[shown, 0]])
        counts = _people_with(held, wanted, limit)
        people.add_both(counts, found.counts.data, found.size, lambda s, f=found: match_text(items, groups, *f.name(s)))  # type: ignore[misc]
    return people.finding("no record shows an item that an attacker could know")


def _people_with(held: "sparse.csc_array[Any]", wanted: Rows, limit: int) -> Rows:
    """For each row of tokens the number of people (rows of `held`) that have all of them, by rows of bits."""
    used, at = np.unique(wanted, return_inverse=True)
    at, words = at.reshape(wanted.shape), -(-held.shape[0] // BITS)
    require_within(wanted.size * words, limit)
    bits = np.zeros((len(used), words * BITS // 8), np.uint8)
    for low in range(0, len(used), step := max(1, BLOCK // max(1, held.shape[0]))):
        packed = np.packbits(held[:, used[low : low + step]].toarray() > 0, axis=0).T
        bits[low : low + step, : packed.shape[1]] = packed
    rows, counts = bits.view(np.uint64), np.zeros(len(wanted), np.int64)
    for low in range(0, len(wanted), step := max(1, BLOCK // max(1, words))):
        found = rows[at[low : low + step, 0]]
        for column in range(1, wanted.shape[1]):
            found &= rows[at[low : low + step, column]]
        counts[low : low + step] = np.bitwise_count(found).sum(axis=1)
    return counts


def _check_estimate(original: Dataset, release: Release, guarantee: KmMap, limit: int) -> Finding:
    """Count the records of every set of labels, and bound the sets of nodes of the hierarchy that fewer than k people fit.

    Of fewer than k people who fit a set, `guarantee.records` or more are drawn less often than 1 .. records - 1, at most by the
    odds for k - 1 people. So these odds times the sets that few records hold bound the expected number of sets that break the
    promise, and by Markov's inequality the chance that there is any.
    """
    k, records, share = guarantee.k, guarantee.records, original.sampling
    if share is None:
        raise NotPublishedError("an estimate is promised, and the share that was drawn is not given: read the original with it")
    if round(len(original) / share) != guarantee.population:
        raise NotPublishedError(f"{len(original):,} records are no share of {share:g} of {guarantee.population:,} people")
    people = _People(guarantee, records)
    items = linkable_items(release, sensitive_names(original))
    require_within(combinations(items.sets.lengths, guarantee.m, limit), limit)
    for found in occurring(items.sets, guarantee.m):
        counts = found.counts.data
        people.add_both(counts, counts, found.size, lambda s, f=found: items.text(f.name(s)[1]))  # type: ignore[misc]
    finding = people.finding("no record shows an item that an attacker could know")
    if not finding.holds or records >= k:
        return finding
    chance = _seldom(original, guarantee, limit) * _odds(k - 1, records, share)
    if chance > 1 - CONFIDENCE:
        return fails(guarantee.id, f"{records} records are too few: something may fit fewer than {k} people")
    return replace(finding, worst=f"{finding.worst}; estimated, not counted")


def _odds(people: int, records: int, share: float) -> float:
    """The chance that `records` or more of some people are drawn, over the chance that fewer are, but not none."""
    none = (1 - share) ** people
    fewer = sum(comb(people, n) * share**n * (1 - share) ** (people - n) for n in range(1, records))
    more = sum(comb(people, n) * share**n * (1 - share) ** (people - n) for n in range(records, people + 1))
    return more / fewer if none < 1 and records > 1 else inf


def _seldom(original: Dataset, guarantee: KmMap, limit: int) -> int:
    """The number of sets of 1 .. m nodes of the hierarchy that 1 .. records - 1 records have an item under each of."""
    tree, people = original.item_hierarchy, original.linkable
    if tree is None:
        raise NotPublishedError("an estimate needs the hierarchy of the items")
    nodes, offsets = np.arange(len(tree)), offsets_of(tree.sizes)
    leaves = np.repeat(tree.low - offsets[:-1], tree.sizes) + np.arange(offsets[-1])
    under = sparse.csr_array((np.ones(len(leaves), np.int32), (leaves, np.repeat(nodes, tree.sizes))))
    held = Sets(people.offsets, people.items, len(people.domain)).matrix @ under
    held.sort_indices()
    sets = Sets(held.indptr.astype(np.int64), held.indices.astype(np.int32), len(tree))
    require_within(combinations(sets.lengths, guarantee.m, limit), limit)
    return sum(int((found.counts.data < guarantee.records).sum()) for found in occurring(sets, guarantee.m))


class _Labels:
    """What people of the population hold: a person with n items under label a has the tokens a * m, ..., a * m + n - 1.

    There are at most m tokens of a label for each person, `d` in all.
    """

    def __init__(self, items: GeneralizedItems, whole: Dataset, m: int) -> None:
        people = whole.linkable
        place = places_in(items.domain, people.domain)
        kept = place[people.items] >= 0
        rows = owners_of(people.offsets)[kept]
        ones = np.ones(len(rows), np.int32)
        holds = sparse.csr_array((ones, (rows, place[people.items][kept])), shape=(len(people), len(items.domain)))
        labels = items.labels
        ones = np.ones(len(labels.members), np.int32)
        within = sparse.csr_array((ones, labels.members, labels.offsets), shape=(len(labels), len(items.domain)))
        counts = (holds @ within.T).tocoo()
        self.m, self.d = m, len(labels) * m
        most = np.minimum(counts.data, m)
        entries = np.repeat(np.arange(len(most)), most)
        tokens = counts.col[entries].astype(np.int64) * m + np.arange(len(entries)) - offsets_of(most)[:-1][entries]
        self.held: Matrix = sparse.csr_array(
            (np.ones(len(tokens), np.int32), (counts.row[entries], tokens)), shape=(len(people), self.d)
        )
        self._within, self._sizes = within, labels.sizes

    def each(self, sets: Rows) -> Rows:
        """The tokens of people that have an item under each label of a set."""
        return sets * self.m

    def apart(self, sets: Rows) -> Rows:
        """The tokens of people that have another item for each label of a set: as many as labels of the set are inside."""
        inside, counts = _inside(self._within, self._sizes), np.zeros(sets.shape, np.int64)
        for one in range(sets.shape[1]):
            for other in range(sets.shape[1]):
                keys = sets[:, other] * (self.d // self.m) + sets[:, one]
                counts[:, one] += is_among(keys, inside)
        return self.each(sets) + counts - 1


def _inside(within: Matrix, sizes: Rows) -> Rows:
    """For labels a whose items all are items of b: the numbers a * d + b, ascending."""
    shared = (within @ within.T).tocoo()
    inside = shared.data == sizes[shared.row]
    if not (inside | (shared.data == sizes[shared.col])).all():
        raise NotPublishedError("two labels share items and none has all items of the other, so people cannot be counted")
    return np.sort(shared.row[inside].astype(np.int64) * within.shape[0] + shared.col[inside])


def _fitting(whole: Dataset, groups: Groups, limit: int) -> Matrix:
    """Ones where a person (row) fits what a group (column) shows."""
    n = len(groups.sizes)
    different, of = _combinations(whole, [column.name for column in groups.columns])
    require_within(n * len(different), limit)
    answers = list[Matrix]()
    tables = [_table(whole, column, groups.firsts) for column in groups.columns]
    for low in range(0, len(different), step := max(1, BLOCK // max(1, n))):
        fits = np.ones((len(different[low : low + step]), n), np.bool_)
        for number, table in enumerate(tables):
            fits &= table[different[low : low + step, number]]
        answers.append(sparse.csr_array(fits, dtype=np.int32))
    return sparse.vstack(answers, format="csr")[of]


def _combinations(whole: Dataset, names: Sequence[str]) -> tuple[NDArray[np.integer[Any]], NDArray[np.integer[Any]]]:
    """The different combinations of codes of these columns of the population, and the number of that of each person."""
    columns = {column.name: column for column in whole.columns}
    if unknown := [name for name in names if name not in columns]:
        raise NotPublishedError(f"the population has no column {unknown[0]!r}")
    codes = np.column_stack([columns[name].codes for name in names]) if names else np.zeros((len(whole), 0), np.int32)
    different, of = np.unique(codes, axis=0, return_inverse=True)
    return different, of.ravel()


def _table(whole: Dataset, published: PublishedColumn, firsts: Rows) -> Mask:
    """For each code of a column of the population (the last row: for a missing value) the groups whose cell stands for it."""
    column = whole.column(published.name)
    codes, rows = np.unique(column.codes, return_index=True)
    shown, of = np.unique(published.codes[firsts], return_inverse=True)
    one = firsts[np.unique(of, return_index=True)[1]]  # a record that shows each
    fits = covers(column, published, np.repeat(rows, len(shown)), np.tile(one, len(codes))).reshape(len(codes), len(shown))
    table = np.zeros((len(column.domain) + 1, len(firsts)), np.bool_)
    table[codes] = fits[:, of]
    return table
