"""Seeded workloads of items, as the papers draw them."""

import numpy as np

from anonset.errors import InputError
from anonset.measure.kernels.frequent import frequent_itemsets
from anonset.measure.published import generalized, sensitive_labels
from anonset.measure.qe import draw_queries
from anonset.measure.workload.queries import Query, Workload, check_share, check_sizes
from anonset.model.dataset import Dataset
from anonset.model.release import Release

MOST_FREQUENT_SETS = 200_000


def presence_queries(original: Dataset, n: int = 500, *, items: int = 1, absent: int = 5, seed: int = 0) -> Workload:
    """n queries for random items that are present (type I), then n for random items that are absent (type II) ([004])."""
    check_sizes(n=n, items=items, absent=absent)
    drawn = draw_queries(original, n, present=items, absent=absent, seed=seed)
    return Workload(tuple(Query(items=query.present, absent=query.absent) for query in drawn))


def generalized_queries(original: Dataset, release: Release, n: int = 1000, *, items: int = 5, seed: int = 0) -> Workload:
    """Sets of items, each drawn from a random different published item of a release ([003] 5.1).

    Sensitive items are not drawn. A release of fewer published items gives smaller sets.
    """
    check_sizes(n=n, items=items)
    published = generalized(release)
    usable = np.flatnonzero(~sensitive_labels(original, published))
    if len(usable) == 0:
        raise InputError("queries from generalized items need a release that publishes items")
    rng = np.random.default_rng(seed)
    members, offsets = published.labels.members, published.labels.offsets

    def draw() -> tuple[str, ...]:
        labels = rng.choice(usable, size=min(items, len(usable)), replace=False)
        picks = {int(members[rng.integers(offsets[a], offsets[a + 1])]) for a in labels}
        return tuple(published.domain[i] for i in sorted(picks))

    return Workload(tuple(Query(items=draw()) for _ in range(n)))


def frequent_queries(original: Dataset, n: int = 1000, *, support: float = 0.05, longest: int = 5, seed: int = 0) -> Workload:
    """Sets drawn from the itemsets that at least `support` of the records hold ([003] 5.3.4)."""
    check_sizes(n=n, longest=longest)
    check_share(support=support)
    t = original.linkable
    least = max(1, int(np.ceil(support * len(t))))
    offsets, items, supports, complete = frequent_itemsets(
        t.offsets, t.items, len(t.domain), least, longest, MOST_FREQUENT_SETS
    )
    if len(supports) == 0:
        raise InputError(f"no itemset is in {support:.1%} of the records: lower the support")
    if not complete:
        raise InputError(f"more than {MOST_FREQUENT_SETS:,} itemsets are in {support:.1%} of the records: raise the support")
    picks = np.random.default_rng(seed).integers(0, len(supports), n)
    return Workload(tuple(Query(items=tuple(t.domain[i] for i in items[offsets[p] : offsets[p + 1]])) for p in picks))
