"""Seeded stand-ins for datasets of the papers that are not at hand: the same statistics, nobody's data."""

import numpy as np

from anonset.model.transactions import Transactions


def like_bms_pos(records: int = 515_597, seed: int = 0) -> Transactions:
    """Point-of-sale baskets: 1,657 items, 6.5 a record on average, 164 at most."""
    return zipf_baskets(records, d=1_657, mean=6.5, longest=164, seed=seed)


def like_retail(records: int = 88_162, seed: int = 0) -> Transactions:
    """Supermarket baskets over a large domain: 16,470 items, 10.3 a record on average, 76 at most."""
    return zipf_baskets(records, d=16_470, mean=10.3, longest=76, seed=seed)


def zipf_baskets(records: int, *, d: int, mean: float, longest: int, seed: int) -> Transactions:
    """Baskets with log-normal lengths and items drawn from a Zipf-like law; item ids say nothing about frequency."""
    rng = np.random.default_rng(seed)
    spread = 0.9
    lengths = np.exp(rng.normal(np.log(mean) - spread**2 / 2, spread, records))
    lengths = np.clip(np.round(lengths), 1, longest).astype(np.int64)
    share = 1.0 / (np.arange(d) + 10.0)
    popular = rng.permutation(d).astype(np.int32)
    # a record of length s draws more than s items, since repeats collapse, and keeps the first s different ones
    owner = np.repeat(np.arange(records), lengths * 2 + 4)
    drawn = popular[np.searchsorted(np.cumsum(share / share.sum()), rng.random(len(owner))).clip(max=d - 1)]
    key, first = np.unique(owner * d + drawn, return_index=True)
    owner, drawn = key // d, (key % d).astype(np.int32)
    order = np.lexsort((first, owner))
    place = np.arange(len(order)) - np.repeat(
        np.searchsorted(owner[order], np.arange(records)), np.bincount(owner, minlength=records)
    )
    kept = np.sort(order[place < lengths[owner[order]]])
    offsets = np.concatenate([[0], np.cumsum(np.bincount(owner[kept], minlength=records))]).astype(np.int64)
    return Transactions(offsets, drawn[kept], tuple(map(str, range(d))))
