"""Guarantees that count records: k-anonymity, k^m-anonymity ([002] Definition 1), both at once ([000]), complete k ([003])."""

from collections.abc import Sequence

import numpy as np

from anonset.model.arrays import Rows
from anonset.model.dataset import Dataset
from anonset.model.guarantees import CompleteK, KAnonymity, KKm, KmAnonymity
from anonset.model.release import Release
from anonset.model.verdict import Finding
from anonset.verify.attacker_view import (
    Groups,
    NotPublishedError,
    VisibleItems,
    groups_of,
    linkable_items,
    match_text,
    sensitive_names,
)
from anonset.verify.findings import Tally, fail_closed
from anonset.verify.itemset_counts import combinations, occurring, supports_within
from anonset.verify.sets import Sets, distinct, require_within, unlike_the_one_before

FEW_REPEAT = 0.9  # share of different sets from which on it is not worth to copy them
QUICK = 10_000_000  # sets: up to here all are counted even where looking at whole records would do


@fail_closed
def check_km_anonymity(original: Dataset, release: Release, guarantee: KmAnonymity, limit: int) -> Finding:
    """Count the records of every set of 1 .. m non-sensitive labels."""
    items = linkable_items(release, sensitive_names(original))
    tally = Tally(guarantee.id, guarantee.k)
    count_sets(tally, items, guarantee.m, None, limit)
    return tally.finding("no record shows an item that an attacker could know")


def count_sets(tally: Tally, items: VisibleItems, m: int, groups: Groups | None, limit: int) -> None:
    """Count the records (of each group) that show each set of 1 .. m labels.

    Where m reaches the longest record, no set is rarer than the whole record it is part of: then only whole records are
    counted, unless there are few sets.
    """
    sets, of, weights = _different(items.sets, None if groups is None else groups.of, m)

    def text(group: int, labels: Sequence[int]) -> str:
        return match_text(items, groups, group, labels)

    if m >= sets.lengths.max(initial=0) and combinations(sets.lengths, m, QUICK) > QUICK:
        filled = np.flatnonzero(sets.lengths > 0)
        supports = supports_within(sets, of, weights, limit=limit)[filled]
        tally.add(supports, 1, lambda p: text(0 if of is None else int(of[filled[p]]), sets.get(filled[p])))
        return
    require_within(combinations(sets.lengths, m, limit), limit)
    for found in occurring(sets, m, of, weights):
        tally.add_sets(found, text)


def _different(sets: Sets, groups: Rows | None, m: int) -> tuple[Sets, Rows | None, Rows]:
    """The sets without repeats, their groups, and how often each stands there; all of them where hardly any repeats."""
    if m > 2:
        first, weights, _ = distinct(sets, groups)
    else:  # to tell all the different sets takes longer than to count the pairs of those that are neighbours
        first = unlike_the_one_before(sets, groups)
        weights = np.diff(np.append(first, sets.n))
    if len(first) > FEW_REPEAT * sets.n:
        return sets, groups, np.ones(sets.n, np.int64)
    return sets.take(first), None if groups is None else groups[first], weights


@fail_closed
def check_complete_k(original: Dataset, release: Release, guarantee: CompleteK, limit: int) -> Finding:
    """Count, for each different set of non-sensitive labels a record shows, the records that show all of it."""
    items = linkable_items(release, sensitive_names(original))
    first, weights, _ = distinct(items.sets)
    sets = items.sets.take(first)
    supports = supports_within(sets, None, weights, limit=limit)
    tally = Tally(guarantee.id, guarantee.k)
    tally.add(supports, 0, lambda p: items.text(sets.get(p)))
    return tally.finding()


@fail_closed
def check_k_km(original: Dataset, release: Release, guarantee: KKm, limit: int) -> Finding:
    """Count the records of every group, and in it of every set of 1 .. m non-sensitive labels."""
    items = linkable_items(release, sensitive_names(original))
    groups = groups_of(original, release)
    tally = Tally(guarantee.id, guarantee.k)
    count_groups(tally, items, groups)
    count_sets(tally, items, guarantee.m, groups, limit)
    return tally.finding()


def count_groups(tally: Tally, items: VisibleItems, groups: Groups) -> None:
    """Count the records of every group."""
    tally.add(groups.sizes, 0, lambda g: match_text(items, groups, g, ()))


@fail_closed
def check_k_anonymity(original: Dataset, release: Release, guarantee: KAnonymity, limit: int) -> Finding:
    """Count the records of every group that shows the same quasi values."""
    groups = groups_of(original, release)
    if not groups.columns:
        raise NotPublishedError("the guarantee is about quasi columns, and the release publishes none")
    tally = Tally(guarantee.id, guarantee.k)
    tally.add(groups.sizes, 0, groups.text)
    return tally.finding()
