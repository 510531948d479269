"""Seeded synthetic datasets with the statistics of those of the papers that are not available."""

import numpy as np
from numpy.typing import NDArray

from anonset.model.dataset import Transactions
from anonset.samples import zipf, zipf_baskets


def like_bms_pos(records: int = 515_597, seed: int = 0) -> Transactions:
    """Point-of-sale baskets: 1,657 items, 6.5 a record on average, 164 at most."""
    return zipf_baskets(records, d=1_657, mean=6.5, longest=164, seed=seed)


def like_bms_webview_1(records: int = 59_602, seed: int = 0) -> Transactions:
    """Click-streams: 497 items, 2.5 a record on average, 267 at most."""
    return zipf_baskets(records, d=497, mean=2.5, longest=267, seed=seed)


def like_bms_webview_2(records: int = 77_512, seed: int = 0) -> Transactions:
    """Click-streams over a larger domain: 3,340 items, 4.6 a record on average, 161 at most."""
    return zipf_baskets(records, d=3_340, mean=4.6, longest=161, seed=seed)


def like_retail(records: int = 88_162, seed: int = 0) -> Transactions:
    """Supermarket baskets over a large domain: 16,470 items, 10.3 a record on average, 76 at most."""
    return zipf_baskets(records, d=16_470, mean=10.3, longest=76, seed=seed)


def like_pumsb(records: int = 49_046, seed: int = 0) -> Transactions:
    """Answers to a census: 74 attributes with 7,117 values in all, one value each, in 60 kinds of households.

    Domains grow from 2 to some 600 values; a third of the values of a record is what nearly everybody says. A record has the
    usual value of its kind, the more often the smaller the domain, else one from a Zipf-like law.
    """
    rng = np.random.default_rng(seed)
    sizes = np.round(2 + np.expm1(np.linspace(0, np.log(600), 74))).astype(np.int64)
    sizes[-1] += 7_117 - sizes.sum()
    kinds = 60
    kind = zipf(rng, kinds, records, 3.0)
    answers = np.empty((records, len(sizes)), np.int64)
    for a, size in enumerate(sizes):
        skew = -0.95 if a < 30 else a / 50 - 0.5  # small domains have one value that nearly everybody has
        as_usual = rng.random(records) < 0.97 * size**-0.12
        names = rng.permutation(size)
        answers[:, a] = names[np.where(as_usual, zipf(rng, size, kinds, skew)[kind], zipf(rng, size, records, skew))]
    items = (answers + np.concatenate([[0], np.cumsum(sizes[:-1])])).astype(np.int32)
    offsets = np.arange(records + 1, dtype=np.int64) * len(sizes)
    return Transactions(offsets, items.ravel(), tuple(map(str, range(7_117))))


def like_chess(records: int = 3_196, seed: int = 0) -> Transactions:
    """Boards of an endgame: 36 attributes with two values and one with three, one value each, in 24 kinds of positions."""
    rng = np.random.default_rng([37, seed])
    sizes = np.array([2] * 36 + [3], np.int64)
    kinds, skew = 24, -0.7  # the usual value is in some four of five records
    kind = rng.integers(0, kinds, records)
    answers = np.empty((records, len(sizes)), np.int64)
    for a, size in enumerate(sizes):
        as_usual = rng.random(records) < 0.85
        answers[:, a] = np.where(as_usual, zipf(rng, size, kinds, skew)[kind], zipf(rng, size, records, skew))
    items = (answers + np.concatenate([[0], np.cumsum(sizes[:-1])])).astype(np.int32)
    offsets = np.arange(records + 1, dtype=np.int64) * len(sizes)
    return Transactions(offsets, items.ravel(), tuple(map(str, range(1, 76))))


def like_occupations(records: int, seed: int = 0) -> NDArray[np.int32]:
    """An occupation for each record: 470 values, the most frequent in some 3 % of the records."""
    return zipf(np.random.default_rng([470, seed]), 470, records, 6.0).astype(np.int32)  # independent of what else a seed makes
