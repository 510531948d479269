"""Utility loss of a whole release ([003] Def. 1, 2), safe for thousands of items."""

from collections.abc import Mapping

import numpy as np

from anonset.measure.published import generalized, members_in_original
from anonset.model.arrays import Reals
from anonset.model.dataset import Dataset
from anonset.model.release import Release


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
    support = np.bincount(items.shown, minlength=len(items.labels))
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
