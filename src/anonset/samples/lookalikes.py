"""Made-up baskets of any size: seeded, about nobody."""

import numpy as np
from numpy.typing import NDArray

from anonset.model.dataset import Transactions
from anonset.model.sets import offsets_of_rows


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
    offsets = offsets_of_rows(owner[kept], records)
    return Transactions(offsets, drawn[kept], tuple(map(str, range(d))))


def zipf(rng: np.random.Generator, d: int, n: int, offset: float) -> NDArray[np.int64]:
    """n numbers below d, number i with a probability in proportion to 1 / (i + 1 + offset)."""
    share = 1.0 / (np.arange(d) + 1 + offset)
    return np.asarray(np.searchsorted(np.cumsum(share / share.sum()), rng.random(n)).clip(max=d - 1), np.int64)
