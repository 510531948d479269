"""How exactly items and quasi values are still shown: exact, so many levels up, lost."""

from typing import NamedTuple

import numpy as np

from anonset.measure.ncp import column_loss
from anonset.measure.published import generalized, standing
from anonset.model.arrays import Ids, Rows
from anonset.model.dataset import Dataset
from anonset.model.labels import PublishedColumn, Ranges
from anonset.model.release import Release

LOST = -1
ELSEWHERE = -2  # behind a label that is no node of the hierarchy


def exact_items(original: Dataset, release: Release, *, labels: Ids | None = None) -> float:
    """Return the share of item occurrences that are shown as they are: 0.0 none, 1.0 all. Sensitive items do not count."""
    sizes = sizes_shown(original, release, labels)
    return float((sizes == 1).mean()) if len(sizes) else 1.0


def lost_items(original: Dataset, release: Release, *, labels: Ids | None = None) -> float:
    """Return the share of item occurrences that say nothing any more: shown as "any item", suppressed, or left out."""
    sizes = sizes_shown(original, release, labels)
    return float((sizes == LOST).mean()) if len(sizes) else 0.0


def sizes_shown(original: Dataset, release: Release, labels: Ids | None = None) -> Rows:
    """For each linkable occurrence the size of the label that stands for it: 1 exact, -1 lost."""
    assert original.transactions is not None
    labels, size_of = _linkable_labels(original, release, labels), generalized(release).labels.sizes
    sizes = np.append(size_of, 0)[np.maximum(labels, -1)]
    everything = len(original.transactions.domain)
    return np.where((labels < 0) | ((sizes > 1) & (sizes >= everything)), LOST, sizes)


def levels_up(original: Dataset, release: Release, *, labels: Ids | None = None) -> Rows:
    """For each linkable occurrence how many levels above the item it is shown: 0 exact, -1 lost, -2 behind no node."""
    assert original.item_hierarchy is not None
    tree, stands = original.item_hierarchy, _linkable_labels(original, release, labels)
    t, published = original.linkable, generalized(release).labels
    code = {name: i for i, name in enumerate(t.domain)}
    known = np.array([code.get(name, -1) for name in generalized(release).domain] or [-1])
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


class KeptValues(NamedTuple):
    """The shares of a column's values that are shown as they are, and that say nothing any more."""

    exact: float
    lost: float


def exact_values(original: Dataset, release: Release) -> float:
    """Return the share of quasi values that are shown as they are: 0.0 none, 1.0 all."""
    return float(np.mean([kept_values(original, column).exact for column in release.quasi]))


def lost_values(original: Dataset, release: Release) -> float:
    """Return the share of quasi values that say nothing any more: shown as "anything", or of a record that was left out."""
    return float(np.mean([kept_values(original, column).lost for column in release.quasi]))


def kept_values(original: Dataset, published: PublishedColumn) -> KeptValues:
    """What is left of one published column."""
    if len(original) == 0:
        return KeptValues(1.0, 0.0)
    column = original.column(published.name)
    loss = column_loss(column, published)
    exact, lost = _is_exact(published), (loss >= 1.0) & ~_is_exact(published)
    left_out = len(original) - len(published)
    return KeptValues(float(exact.sum() / len(original)), float((lost.sum() + left_out) / len(original)))


def _is_exact(published: PublishedColumn) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    labels = published.labels
    exact = labels.low == labels.high if isinstance(labels, Ranges) else labels.sizes == 1
    return np.append(exact, True)[published.codes]
