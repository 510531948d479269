"""Seeded workloads as the papers draw them."""

from typing import Literal, get_args

import numpy as np

from anonset.errors import InputError, ParameterError
from anonset.measure.kernels.frequent import frequent_itemsets
from anonset.measure.published import generalized, sensitive_labels
from anonset.measure.qe import draw_queries
from anonset.measure.workload.queries import Query, Workload
from anonset.model.dataset import Dataset
from anonset.model.release import Release

Parts = Literal["relational", "items", "both"]
MOST_FREQUENT_SETS = 200_000


def random_queries(
    original: Dataset,
    n: int = 100,
    *,
    kind: Parts = "both",
    values: int = 1,
    items: int = 2,
    width: float = 0.1,
    seed: int = 0,
) -> Workload:
    """Queries for random values and sets of items, each taken from a random record so that it counts somebody ([000]).

    A numeric value becomes a range of `width` of the column's span around it; a record with fewer items gives those it has.
    """
    if kind not in get_args(Parts):
        raise ParameterError(f"random queries ask for one of {', '.join(get_args(Parts))}; got {kind!r}")
    if kind != "items" and not original.quasi:
        raise InputError("relational queries need quasi columns, and the data have none")
    if kind != "relational" and (original.transactions is None or len(original.transactions.items) == 0):
        raise InputError("item queries need items, and the data have none")
    rng = np.random.default_rng(seed)
    rows = np.arange(len(original))
    if kind != "relational" and original.transactions is not None:
        rows = np.flatnonzero(original.transactions.lengths >= 1)
        rows = long if len(long := np.flatnonzero(original.transactions.lengths >= items)) else rows
    return Workload(tuple(_random_query(original, int(rng.choice(rows)), kind, values, items, width, rng) for _ in range(n)))


def _random_query(
    original: Dataset, row: int, kind: str, values: int, items: int, width: float, rng: np.random.Generator
) -> Query:
    ranges: dict[str, tuple[float, float]] = {}
    chosen: dict[str, tuple[str, ...]] = {}
    if kind != "items":
        known = [column for column in original.quasi if column.codes[row] >= 0]
        for c in rng.permutation(len(known))[:values]:
            column, code = known[c], int(known[c].codes[row])
            if column.values is None:
                chosen[column.name] = (column.domain[code],)
            else:
                half = width / 2 * (column.span[1] - column.span[0])
                ranges[column.name] = (float(column.values[code] - half), float(column.values[code] + half))
    names: tuple[str, ...] = ()
    if kind != "relational" and original.transactions is not None:
        t = original.transactions
        held = t.items[t.offsets[row] : t.offsets[row + 1]]
        names = tuple(t.domain[i] for i in np.sort(rng.permutation(held)[:items]))
    return Query(ranges, chosen, names)


def presence_queries(original: Dataset, n: int = 500, *, items: int = 1, absent: int = 5, seed: int = 0) -> Workload:
    """n queries for random items that are present (type I), then n for random items that are absent (type II) ([004])."""
    drawn = draw_queries(original, n, present=items, absent=absent, seed=seed)
    return Workload(tuple(Query(items=query.present, absent=query.absent) for query in drawn))


def generalized_queries(original: Dataset, release: Release, n: int = 1000, *, items: int = 5, seed: int = 0) -> Workload:
    """Sets of items, each drawn from a random different published item of a release ([003] 5.1).

    Sensitive items are not drawn. A release of fewer published items gives smaller sets.
    """
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
