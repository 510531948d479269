"""Tables 1, 3 and 4 of [004]: the sports of six persons, their nonreciprocal release for k = 3, and who matches whom."""

import numpy as np

from anonset.model.dataset import Column, Dataset, Transactions
from anonset.model.labels import Labels, PublishedColumn, UncertainItems
from anonset.model.release import Provenance, Release

SPORTS = ("Jogging", "Swimming", "Tennis", "Soccer")
RELIGIONS = ("Buddhist", "Christian", "Muslim")
BITMAPS = ("1100", "0110", "1101", "0111", "1110", "1011")
RELIGION = ("Christian", "Christian", "Muslim", "Buddhist", "Buddhist", "Muslim")
BASES = ("1101", "1110", "0111", "0111", "1100", "1110")
DISTANCES = ("1011", "1101", "1011", "1101", "0011", "0111")
THRESHOLDS = (2, 2, 2, 2, 1, 2)
MATCHES_OF_ORIGINALS = ((1, 5, 6), (2, 3, 4), (1, 3, 5), (1, 3, 4), (2, 5, 6), (2, 4, 6))
MATCHES_OF_PUBLISHED = ((1, 3, 4), (2, 5, 6), (2, 3, 4), (2, 4, 6), (1, 3, 5), (1, 5, 6))
RING = (2, 4, 3, 1, 5, 6)  # each record matches itself and the next two


def table_1():
    """The original records, with their sensitive column."""
    codes = np.array([RELIGIONS.index(name) for name in RELIGION], np.int32)
    return Dataset((Column("Religion", "sensitive", "categorical", codes, RELIGIONS),), sets(BITMAPS))


def table_3(assignments=True):
    """The release, in which every record keeps its own label; with the three assignments along the ring, or without."""
    codes = np.array([RELIGIONS.index(name) for name in RELIGION], np.int32)
    column = PublishedColumn("Religion", "sensitive", codes, Labels.from_groups([[0], [1], [2]], RELIGIONS))
    base, distance = sets(BASES), sets(DISTANCES)
    items = UncertainItems(base.offsets, base.items, distance.offsets, distance.items, np.array(THRESHOLDS, np.int32), SPORTS)
    ring = np.array(RING) - 1
    along = np.empty((3, 6), np.int64)
    for step in range(3):
        along[step, ring] = np.roll(ring, -step)
    return Release((column,), items, (), Provenance("by hand"), np.arange(6), along if assignments else None)


def sets(bitmaps):
    """Bitmaps as item sets."""
    return Transactions.from_records(
        [[sport for sport, bit in zip(SPORTS, bits, strict=True) if bit == "1"] for bits in bitmaps], SPORTS
    )
