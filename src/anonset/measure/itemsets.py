"""How well frequent itemsets survive."""

from collections.abc import Callable
from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from anonset.errors import InputError
from anonset.measure.item_error import expected_supports
from anonset.measure.kernels.frequent import frequent_itemsets
from anonset.measure.workload import Query, RecordIndex
from anonset.model.dataset import Dataset
from anonset.model.labels import GeneralizedItems
from anonset.model.release import Release

MOST_SETS = 20_000
Itemset = tuple[str, ...]


class Preservation(NamedTuple):
    """Of the itemsets frequent in the release, the share that are frequent in the original (precision); of those frequent
    in the original, the share that still are (recall), and the mean relative error of their supports."""

    precision: float
    recall: float
    support_error: float
    itemsets: int


def preserved_itemsets(original: Dataset, release: Release, *, support: float = 0.05, longest: int = 3) -> Preservation:
    """Compare the itemsets of at most `longest` items that at least `support` of the records hold, before and after."""
    if not isinstance(release.items, GeneralizedItems):
        raise InputError("frequent itemsets are compared with those of generalized items, and the release has none")
    least = max(1.0, support * len(original))
    before = _frequent_before(original, least, longest)
    after = _frequent_after(original, release, least, longest)
    index = RecordIndex(original, release)
    errors = [abs(index.count(Query(items=items)) - n) / n for items, n in before.items()]
    both = len(before.keys() & after)
    return Preservation(
        both / len(after) if after else 1.0,
        both / len(before) if before else 1.0,
        float(np.mean(errors)) if errors else 0.0,
        len(before),
    )


def _frequent_before(original: Dataset, least: float, longest: int) -> dict[Itemset, int]:
    t = original.linkable
    found = frequent_itemsets(t.offsets, t.items, len(t.domain), int(np.ceil(least)), longest, MOST_SETS)
    offsets, items, supports, complete = found
    if not complete:
        raise InputError(f"more than {MOST_SETS:,} itemsets are frequent: raise the support")
    names = [tuple(t.domain[i] for i in items[offsets[s] : offsets[s + 1]]) for s in range(len(supports))]
    return dict(zip(names, supports.tolist(), strict=True))


def _frequent_after(original: Dataset, release: Release, least: float, longest: int) -> set[Itemset]:
    """Level by level: a set's expected support is at most that of its parts."""
    assert original.transactions is not None
    hidden = original.sensitive_items
    expected, domain = expected_supports(original, release), original.transactions.domain
    level: set[Itemset] = {(domain[i],) for i in np.flatnonzero(expected >= least) if hidden is None or not hidden[i]}
    count, order = _counting(RecordIndex(original, release)), {name: i for i, name in enumerate(domain)}
    found = set(level)
    for size in range(2, longest + 1):
        singles = sorted({name for items in level for name in items}, key=order.__getitem__)
        larger = {
            (*items, name)
            for items in level
            for name in singles
            if order[name] > order[items[-1]] and all(part in level for part in combinations((*items, name), size - 1))
        }
        if len(larger) > MOST_SETS:
            raise InputError(f"more than {MOST_SETS:,} itemsets may be frequent: raise the support")
        level = {items for items in larger if count(items) >= least}
        found |= level
    return found


def _counting(index: RecordIndex) -> Callable[[Itemset], float]:
    """Expected supports, each counted once: items behind the same labels cannot be told apart."""
    known: dict[tuple[bytes, ...], float] = {}

    @cache
    def labels(item: str) -> bytes:
        return index.labels.labels_of(index.labels.code[item]).tobytes()

    def count(items: Itemset) -> float:
        key = tuple(sorted(map(labels, items)))
        if key not in known:
            known[key] = index.count(Query(items=items))
        return known[key]

    return count
