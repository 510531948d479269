"""What items lose: how many are exact, so many levels up or lost; and what that costs ([000] section 5, [002] 3.3, [003])."""

from collections.abc import Mapping

import numpy as np

from anonset.measure.published import Times, generalized, linkable_records, members_in_original, standing, standing_times
from anonset.model.arrays import Ids, Reals, Rows
from anonset.model.dataset import Dataset
from anonset.model.release import Release
from anonset.model.sets import pieces, places_in, times_of

LOST = -1
ELSEWHERE = -2  # behind a label that is no node of the hierarchy


def exact_items(original: Dataset, release: Release, *, times: Times | None = None) -> float:
    """Return the share of item occurrences that are shown as they are: 0.0 none, 1.0 all. Sensitive items do not count."""
    found = (standing_times(original, release) if times is None else times).linkable
    return float(found[sizes_said(original, release) == 1].sum() / found.sum()) if found.any() else 1.0


def lost_items(original: Dataset, release: Release, *, times: Times | None = None) -> float:
    """Return the share of item occurrences that say nothing any more: shown as "any item", suppressed, or left out."""
    found = (standing_times(original, release) if times is None else times).linkable
    return float(found[sizes_said(original, release) == LOST].sum() / found.sum()) if found.any() else 0.0


def sizes_shown(original: Dataset, release: Release, labels: Ids | None = None) -> Rows:
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
    return np.where(sizes_shown(original, release, labels) == LOST, LOST, steps)


def _linkable_labels(original: Dataset, release: Release, labels: Ids | None) -> Ids:
    """The label that stands for each linkable occurrence; `labels` has those of all occurrences, where they are known."""
    assert original.transactions is not None
    labels = standing(original, release) if labels is None else labels
    return labels if original.sensitive_items is None else labels[~original.sensitive_items[original.transactions.items]]


def ncp_items(original: Dataset, release: Release, *, times: Times | None = None) -> float:
    """Return the mean loss of an item occurrence: 0.0 all exact, 1.0 all suppressed or at the root.

    An occurrence shown as a label of n > 1 items loses n / number of items; a suppressed one, or one of a record that was
    left out, loses 1. Sensitive items are published as they are and lose nothing.
    """
    assert original.transactions is not None
    found = (standing_times(original, release) if times is None else times).all
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
