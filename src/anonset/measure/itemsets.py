"""How well frequent itemsets survive."""

from collections.abc import Callable
from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from anonset.errors import InputError
from anonset.measure.kernels.frequent import frequent_itemsets
from anonset.measure.workload import Estimator, Query, RecordIndex
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


def preserved_itemsets(
    original: Dataset, release: Release, *, support: float = 0.05, longest: int = 3, estimator: Estimator = "subsets"
) -> Preservation:
    """Compare the itemsets of at most `longest` items that at least `support` of the records hold, before and after."""
    if not isinstance(release.items, GeneralizedItems):
        raise InputError("frequent itemsets are compared with those of generalized items, and the release has none")
    least = max(1.0, support * len(original))
    before = frequent_before(original, least, longest)
    after = frequent_after(original, release, least, longest, estimator)
    index = RecordIndex(original, release, estimator)
    errors = [abs(index.count(Query(items=items)) - n) / n for items, n in before.items()]
    both = len(before.keys() & after.keys())
    return Preservation(
        both / len(after) if after else 1.0,
        both / len(before) if before else 1.0,
        float(np.mean(errors)) if errors else 0.0,
        len(before),
    )


def frequent_before(original: Dataset, least: float, longest: int) -> dict[Itemset, int]:
    """The itemsets in at least so many records of the original, with their supports."""
    t = original.linkable
    found = frequent_itemsets(t.offsets, t.items, len(t.domain), int(np.ceil(least)), longest, MOST_SETS)
    offsets, items, supports, complete = found
    if not complete:
        raise InputError(f"more than {MOST_SETS:,} itemsets are frequent: raise the support")
    names = [tuple(t.domain[i] for i in items[offsets[s] : offsets[s + 1]]) for s in range(len(supports))]
    return dict(zip(names, supports.tolist(), strict=True))


def frequent_after(
    original: Dataset, release: Release, least: float, longest: int, estimator: Estimator = "subsets"
) -> dict[Itemset, float]:
    """The itemsets expected in at least so many records of the release, level by level: no set has more than its parts."""
    assert original.transactions is not None
    hidden, domain = original.sensitive_items, original.transactions.domain
    index = RecordIndex(original, release, estimator)
    count, order = _counting(index, estimator), {name: i for i, name in enumerate(domain)}
    singles: list[Itemset] = [(name,) for i, name in enumerate(domain) if hidden is None or not hidden[i]]
    level: dict[Itemset, float] = {items: n for items in singles if (n := count(items)) >= least}
    found = dict(level)
    for size in range(2, longest + 1):
        names = sorted({name for items in level for name in items}, key=order.__getitem__)
        larger = {
            (*items, name)
            for items in level
            for name in names
            if order[name] > order[items[-1]] and all(part in level for part in combinations((*items, name), size - 1))
        }
        if len(larger) > MOST_SETS:
            raise InputError(f"more than {MOST_SETS:,} itemsets may be frequent: raise the support")
        level = {items: n for items in larger if (n := count(items)) >= least}
        found |= level
    return found


def _counting(index: RecordIndex, estimator: Estimator) -> Callable[[Itemset], float]:
    """Expected supports, each counted once: items behind the same labels cannot be told apart, except by margins."""
    known: dict[tuple[bytes, ...], float] = {}

    @cache
    def labels(item: str) -> bytes:
        return index.labels.labels_of(index.labels.code[item]).tobytes() + (item.encode() if estimator == "calibrated" else b"")

    def count(items: Itemset) -> float:
        key = tuple(sorted(map(labels, items)))
        if key not in known:
            known[key] = index.count(Query(items=items))
        return known[key]

    return count
