"""k^m-anonymity ([002] Definition 1): every set of 1 .. m published items that occurs is in at least k records."""

from collections.abc import Sequence

import numpy as np

from anonset.model.dataset import Dataset
from anonset.model.guarantees import KmAnonymity
from anonset.model.release import Release
from anonset.model.verdict import Finding
from anonset.verify.containment import supports_within
from anonset.verify.findings import Tally, fail_closed
from anonset.verify.limits import require_within
from anonset.verify.occurring import combinations, occurring
from anonset.verify.sets import distinct
from anonset.verify.shown import Groups, ShownItems, linkable_items, match_text, sensitive_names

QUICK = 10_000_000  # sets: up to here all are counted even where looking at whole records would do


@fail_closed
def check_km_anonymity(original: Dataset, release: Release, guarantee: KmAnonymity, limit: int) -> Finding:
    """Count the records of every set of 1 .. m non-sensitive labels."""
    items = linkable_items(release, sensitive_names(original))
    tally = Tally(guarantee.id, guarantee.k)
    count_sets(tally, items, guarantee.m, None, limit)
    return tally.finding("no record shows an item that an attacker could know")


def count_sets(tally: Tally, items: ShownItems, m: int, groups: Groups | None, limit: int) -> None:
    """Count the records (of each group) that show each set of 1 .. m labels.

    Where m reaches the longest record, no set is rarer than the whole record it is part of: then only whole records are
    counted, unless there are few sets.
    """
    of = None if groups is None else groups.of
    first, weights, _ = distinct(items.sets, of)
    sets, of = items.sets.take(first), None if of is None else of[first]

    def text(group: int, labels: Sequence[int]) -> str:
        return match_text(items, groups, group, labels)

    if m >= sets.lengths.max(initial=0) and combinations(sets.lengths, m, QUICK) > QUICK:
        filled = np.flatnonzero(sets.lengths > 0)
        supports = supports_within(sets, of, weights, limit=limit)[filled]
        tally.add(supports, 1, lambda p: text(0 if of is None else int(of[filled[p]]), sets.get(filled[p])))
        return
    require_within(combinations(sets.lengths, m, limit), limit)
    for found in occurring(sets, m, of, weights):
        tally.add_found(found, text)
