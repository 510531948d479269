"""What columns and items lose: the normalized certainty penalty ([000] section 5), items exact, generalized or lost, and how
well frequent itemsets survive.
"""

from collections.abc import Callable, Mapping
from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from anonset.errors import InputError
from anonset.measure._kernels.frequent import frequent_itemsets
from anonset.measure.coded_release import (
    Times,
    generalized,
    groups,
    label_counts,
    linkable_records,
    members_in_original,
    occurrence_labels,
)
from anonset.measure.workload import Estimator, Query, RecordIndex
from anonset.model.arrays import Ids, Mask, Reals, Rows
from anonset.model.dataset import Column, Dataset
from anonset.model.labels import GeneralizedItems, PublishedColumn, Ranges
from anonset.model.release import Release
from anonset.model.sets import pieces, places_in, times_of


def ncp(original: Dataset, release: Release, *, weights: Mapping[str, float] | None = None) -> float:
    """Return the mean loss of a record: 0.0 every quasi value exact, 1.0 every one anything.

    Attributes weigh 1/v each unless weights are given. A record that was left out counts 1.
    """
    columns = release.quasi
    w = {c.name: 1.0 / len(columns) for c in columns} if weights is None else weights
    lost = sum((w[c.name] * column_loss(original.column(c.name), c) for c in columns), np.zeros(len(release)))
    return float((lost.sum() + sum(w[c.name] for c in columns) * (len(original) - len(release))) / max(1, len(original)))


def column_loss(original: Column, published: PublishedColumn) -> Reals:
    """The loss of each published value of one column; an exact missing value loses nothing."""
    return np.append(label_loss(original, published), 0.0)[published.codes]


def label_loss(original: Column, published: PublishedColumn) -> Reals:
    """The loss of each label: 0 exact, else its share of the domain."""
    labels = published.labels
    if isinstance(labels, Ranges):
        low, high = original.span
        return np.minimum(1.0, (labels.high - labels.low) / (high - low)) if high > low else np.zeros(len(labels))
    return original.share(labels.sizes)


class ValueShares(NamedTuple):
    """The shares of a column's values that are shown as they are, and that say nothing any more."""

    exact: float
    lost: float


def exact_values(original: Dataset, release: Release) -> float:
    """Return the share of quasi values that are shown as they are: 0.0 none, 1.0 all."""
    return float(np.mean([value_shares(original, column).exact for column in release.quasi]))


def lost_values(original: Dataset, release: Release) -> float:
    """Return the share of quasi values that say nothing any more: shown as "anything", or of a record that was left out."""
    return float(np.mean([value_shares(original, column).lost for column in release.quasi]))


def value_shares(original: Dataset, published: PublishedColumn) -> ValueShares:
    """What is left of one published column."""
    if len(original) == 0:
        return ValueShares(1.0, 0.0)
    column = original.column(published.name)
    loss = column_loss(column, published)
    exact = is_exact(published)
    lost = (loss >= 1.0) & ~exact
    left_out = len(original) - len(published)
    return ValueShares(float(exact.sum() / len(original)), float((lost.sum() + left_out) / len(original)))


def is_exact(published: PublishedColumn) -> Mask:
    """Which published values are shown as they are."""
    labels = published.labels
    exact = labels.low == labels.high if isinstance(labels, Ranges) else labels.sizes == 1
    return np.append(exact, True)[published.codes]


def discernibility(original: Dataset, release: Release) -> float:
    """Return the sum of squared group sizes; a record that was left out counts as many as there are records."""
    group, count = groups(release.quasi, len(release))
    sizes = np.bincount(group, minlength=count).astype(np.float64)
    return float((sizes**2).sum() + (len(original) - len(release)) * len(original))


def c_avg(original: Dataset, release: Release) -> float:
    """Return the mean group size over the promised k (1 where none is promised): 1.0 is the least a release can have."""
    _, count = groups(release.quasi, len(release))
    k = max((getattr(guarantee, "k", 1) for guarantee in release.guarantees), default=1)
    return len(release) / (max(1, count) * k)


LOST = -1
ELSEWHERE = -2  # behind a label that is no node of the hierarchy


def exact_items(original: Dataset, release: Release, *, times: Times | None = None) -> float:
    """Return the share of item occurrences that are shown as they are: 0.0 none, 1.0 all. Sensitive items do not count."""
    found = (label_counts(original, release) if times is None else times).linkable
    return float(found[sizes_said(original, release) == 1].sum() / found.sum()) if found.any() else 1.0


def lost_items(original: Dataset, release: Release, *, times: Times | None = None) -> float:
    """Return the share of item occurrences that say nothing any more: shown as "any item", suppressed, or left out."""
    found = (label_counts(original, release) if times is None else times).linkable
    return float(found[sizes_said(original, release) == LOST].sum() / found.sum()) if found.any() else 0.0


def label_sizes(original: Dataset, release: Release, labels: Ids | None = None) -> Rows:
    """For each linkable occurrence the size of the label that stands for it: 1 exact, -1 lost."""
    return sizes_said(original, release)[_linkable_labels(original, release, labels)]


def sizes_said(original: Dataset, release: Release) -> Rows:
    """The size of each label, -1 where it says nothing, and twice -1 behind them: for records left out and for no label."""
    assert original.transactions is not None
    sizes, everything = generalized(release).labels.sizes, len(original.transactions.domain)
    return np.append(np.where((sizes > 1) & (sizes >= everything), LOST, sizes), [LOST, LOST])


def times_by_size(original: Dataset, release: Release, times: Times) -> Rows:
    """How many linkable occurrences are behind labels of each size; those that are lost are at 0."""
    assert original.transactions is not None
    sizes, most = np.maximum(sizes_said(original, release), 0), len(original.transactions.domain)
    return np.bincount(sizes, times.linkable, most + 1).astype(np.int64)


def middle_size(times: Rows) -> int | None:
    """The size in the middle of occurrences that are neither exact nor lost, by how many have each; None if there are none."""
    ends = np.cumsum(times[2:])
    return 2 + int(np.searchsorted(ends, ends[-1] / 2)) if len(ends) and ends[-1] else None


def levels_up(original: Dataset, release: Release, *, labels: Ids | None = None) -> Rows:
    """For each linkable occurrence how many levels above the item it is shown: 0 exact, -1 lost, -2 behind no node."""
    assert original.item_hierarchy is not None
    tree, stands = original.item_hierarchy, _linkable_labels(original, release, labels)
    t, published = original.linkable, generalized(release).labels
    known = places_in(t.domain, generalized(release).domain)
    node = np.full(len(published) + 1, -1, np.int64)
    for a, group in enumerate(published.groups()):
        leaves = known[group].tolist()
        top = tree.lowest_common(leaves) if min(leaves) >= 0 else -1
        node[a] = top if top >= 0 and tree.sizes[top] == len(leaves) else -1
    shown = node[np.maximum(stands, -1)]
    steps = np.where(shown >= 0, tree.depth[t.items] - tree.depth[shown], ELSEWHERE)
    return np.where(label_sizes(original, release, labels) == LOST, LOST, steps)


def label_spread(original: Dataset, release: Release) -> float:
    """Return the mean share of the item hierarchy under the lowest node above a label's items: 0.0 all exact, 1.0 strangers.

    The mean is over shown labels of several items that are not all items. Without a hierarchy all items hang at the root.
    """
    assert original.transactions is not None
    items, tree, d = generalized(release), original.item_hierarchy, len(original.transactions.domain)
    sizes = items.labels.sizes
    times = np.where((sizes > 1) & (sizes < d), times_of(items.shown, len(sizes)), 0)
    if not times.any():
        return 0.0
    if tree is None:
        return 1.0
    members = members_in_original(original, items)
    first, last = (extreme.reduceat(members, items.labels.offsets[:-1]) for extreme in (np.minimum, np.maximum))
    node = np.where(first < 0, tree.root, last)
    while (narrow := tree.low[node] > np.maximum(first, 0)).any():
        node[narrow] = tree.parent[node[narrow]]
    return float(times @ (tree.sizes[node] / d) / times.sum())


def _linkable_labels(original: Dataset, release: Release, labels: Ids | None) -> Ids:
    """The label that stands for each linkable occurrence; `labels` has those of all occurrences, where they are known."""
    assert original.transactions is not None
    labels = occurrence_labels(original, release) if labels is None else labels
    return labels if original.sensitive_items is None else labels[~original.sensitive_items[original.transactions.items]]


def ncp_items(original: Dataset, release: Release, *, times: Times | None = None) -> float:
    """Return the mean loss of an item occurrence: 0.0 all exact, 1.0 all suppressed or at the root.

    An occurrence shown as a label of n > 1 items loses n / number of items; a suppressed one, or one of a record that was
    left out, loses 1. Sensitive items are published as they are and lose nothing.
    """
    assert original.transactions is not None
    found = (label_counts(original, release) if times is None else times).all
    sizes = generalized(release).labels.sizes
    loss = np.append(np.where(sizes == 1, 0.0, sizes / max(1, len(original.transactions.domain))), [1.0, 1.0])
    return float(loss @ found / max(1, found.sum()))


def item_error(original: Dataset, release: Release) -> float:
    """Return the mean relative error of the items' expected frequencies: 0.0 all right, 1.0 off by as much as there is."""
    assert original.transactions is not None
    return frequency_error(original.transactions.supports, expected_supports(original, release))


def frequency_error(actual: Rows, expected: Reals) -> float:
    """The mean relative error of expected frequencies, of items that occur."""
    occurs = actual > 0
    return float((np.abs(actual - expected)[occurs] / actual[occurs]).mean()) if occurs.any() else 0.0


def expected_supports(original: Dataset, release: Release) -> Reals:
    """The number of records each item is expected in: a label of n items shows each with 2^(n-1) / (2^n - 1)."""
    assert original.transactions is not None
    items = generalized(release)
    support = times_of(items.shown, len(items.labels)).astype(np.float64)
    each = np.repeat(support * 0.5 / (1.0 - np.exp2(-items.labels.sizes.astype(np.float64))), items.labels.sizes)
    members = members_in_original(original, items)
    expected = np.zeros(len(original.transactions.domain))
    np.add.at(expected, members[members >= 0], each[members >= 0])
    return expected


def ul(
    original: Dataset,
    release: Release,
    *,
    weights: Mapping[str, float] | None = None,
    penalties: Mapping[str, float] | None = None,
) -> float:
    """Return the sum over published items g of (2^size - 1) / (2^M - 1) * w(g) * support / N, plus what suppression costs.

    The weight of g is the mean of its items' (1 where not given); a suppressed item costs its penalty (1 where not given).
    Small beyond the smallest float it is 0.0: `ul_log2` keeps the order.
    """
    return float(np.exp2(ul_log2(original, release, weights=weights, penalties=penalties)))


def ul_log2(
    original: Dataset,
    release: Release,
    *,
    weights: Mapping[str, float] | None = None,
    penalties: Mapping[str, float] | None = None,
) -> float:
    """Return log2 of `ul`: 0.0 one item stands for all in every record, -inf nothing is shown or lost."""
    assert original.transactions is not None
    items, domain = generalized(release), original.transactions.domain
    support = times_of(items.shown, len(items.labels))
    weight = np.ones(len(items.labels))
    if weights is not None:
        by_item = np.array([*(weights.get(name, 1.0) for name in domain), 1.0])
        members = by_item[members_in_original(original, items)]
        weight = np.add.reduceat(members, items.labels.offsets[:-1]) / items.labels.sizes if len(members) else weight
    with np.errstate(divide="ignore"):
        terms = log2_subsets(items.labels.sizes) + np.log2(weight * support / max(1, len(original)))
        terms -= log2_subsets(np.array([len(domain)]))
        lost = sum((penalties or {}).get(items.domain[i], 1.0) for i in items.suppressed)
        terms = np.append(terms, np.log2(lost))
    return float(np.logaddexp2.reduce(terms))


def log2_subsets(sizes: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> Reals:
    """log2(2^size - 1), the number of non-empty subsets."""
    return np.asarray(sizes + np.log1p(-np.exp2(-sizes.astype(np.float64))) / np.log(2.0))


def ul_record(original: Dataset, release: Release, *, shares: tuple[float, float] | None = None) -> float:
    """Return the mean over records of sum(2^size - 1) / (2^(sum of sizes) - 1): 1.0 one item stands for all.

    An untouched record of one item scores 1, as in the paper; a record without items scores 0. Sensitive items do not count.
    """
    coarse, exact = record_shares(original, release) if shares is None else shares
    return coarse + exact


def ul_record_exact0(original: Dataset, release: Release, *, shares: tuple[float, float] | None = None) -> float:
    """Return `ul_record` with exact items at no cost: 0.0 all exact, 1.0 one item stands for all."""
    return (record_shares(original, release) if shares is None else shares)[0]


def record_shares(original: Dataset, release: Release) -> tuple[float, float]:
    """What labels of several items add to `ul_record`, and what exact ones do."""
    offsets, shown = linkable_records(original, release)
    of_label = generalized(release).labels.sizes.astype(np.float64)
    subsets, exact, found = 1.0 - np.exp2(-of_label), of_label == 1.0, np.zeros(2)
    for first, last in pieces(len(release)):
        here, lengths = shown[offsets[first] : offsets[last]], np.diff(offsets[first : last + 1])
        sizes, record = of_label[here], np.repeat(np.arange(last - first), lengths)
        sigma = np.bincount(record, sizes, last - first)
        # (2^a - 1) / (2^b - 1) = 2^(a - b) * (1 - 2^-a) / (1 - 2^-b): no power overflows
        share = np.exp2(sizes - sigma[record]) * subsets[here] / (1.0 - np.exp2(-sigma))[record]
        found += np.bincount(exact[here], share, 2)
    coarse, untouched = (found / max(1, len(release))).tolist()
    return coarse, untouched


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
