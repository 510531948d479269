"""The published records that an original record matches, where items are uncertain ([004] Def. 1)."""

import numpy as np
from numpy.typing import NDArray

from anonset.errors import ParameterError
from anonset.measure.kernels.matches import matching_records, signatures
from anonset.measure.kernels.uniqueness import holders_of_items
from anonset.model.arrays import Mask, Rows
from anonset.model.columns import Column
from anonset.model.dataset import Dataset
from anonset.model.labels import PublishedColumn, Ranges, UncertainItems
from anonset.model.release import Release
from anonset.model.sets import distinct, offsets_of_rows, rows_of
from anonset.model.threads import shares, side_by_side
from anonset.model.transactions import Transactions

MOST_PAIRS = 2_000_000_000
FEW = 1_000  # records that are not worth a thread


def matches_of_originals(original: Dataset, release: Release, items: UncertainItems) -> Rows:
    """For each published record the number of published ones that the original record behind it matches."""
    assert original.transactions is not None
    covers, codes, labels = _covering(original, release)
    t = original.transactions.take(release.rows)
    ends = t.offsets.tolist()
    looks = [t.items[ends[r] : ends[r + 1]].tobytes() + codes[r].tobytes() for r in range(len(t))]
    firsts: dict[bytes, int] = {}
    for r, look in enumerate(looks):
        firsts.setdefault(look, r)
    different = np.array(list(firsts.values()), np.int64)  # equal records match the same ones
    place = {look: p for p, look in enumerate(firsts)}
    counts = _counts(t.take(different), items, codes[different], labels, covers)
    return counts[np.array([place[look] for look in looks], np.int64)]


def _counts(
    t: Transactions, items: UncertainItems, codes: NDArray[np.int32], labels: NDArray[np.int32], covers: NDArray[np.bool_]
) -> Rows:
    """For each of the given records the number of published ones it matches."""
    code = {name: i for i, name in enumerate(items.domain)}
    place = np.array([code.setdefault(name, len(code)) for name in t.domain], np.int32)
    record = rows_of(t.offsets)
    mine = place[t.items][np.lexsort((place[t.items], record))]
    holders = _records_of_items(items, len(code))
    rarest = np.full(len(t), len(items), np.int64)
    np.minimum.at(rarest, record, np.diff(holders[0])[mine])
    if (pairs := int(rarest.sum())) > MOST_PAIRS:
        raise ParameterError(f"the risk would compare {pairs:,} pairs of records, and {MOST_PAIRS:,} are the most")
    base, distance = (items.base_offsets, items.base), (items.distance_offsets, items.distance)
    signs = signatures(base, distance)

    def work(rows: tuple[int, int]) -> Rows:
        found: Rows = matching_records(
            (t.offsets, mine), base, distance, items.threshold, signs, holders, codes, labels, covers, rows
        )
        return found

    return np.concatenate(side_by_side(work, shares(len(t), FEW)))


def _records_of_items(items: UncertainItems, d: int) -> tuple[Rows, Rows]:
    """The records that have each item in their base or among the uncertain ones."""
    offsets = (items.base_offsets, items.distance_offsets)
    record = np.concatenate([rows_of(places) for places in offsets])
    keys = distinct(record * d + np.concatenate([items.base, items.distance]))
    starts = offsets_of_rows(keys // d, len(items))
    found: tuple[Rows, Rows] = holders_of_items(starts, (keys % d).astype(np.int32), d)
    return found


def _covering(original: Dataset, release: Release) -> tuple[NDArray[np.bool_], NDArray[np.int32], NDArray[np.int32]]:
    """For the quasi columns what each label covers, the values of the originals and the labels shown; place 0 is missing."""
    columns = release.quasi
    tables = [_table(original.column(column.name), column) for column in columns]
    size = (len(columns), max((t.shape[0] for t in tables), default=1), max((t.shape[1] for t in tables), default=1))
    covers = np.zeros(size, np.bool_)
    for c, table in enumerate(tables):
        covers[c, : table.shape[0], : table.shape[1]] = table
    codes, labels = np.zeros((2, len(release), len(columns)), np.int32)
    for c, column in enumerate(columns):
        codes[:, c] = original.column(column.name).codes[release.rows] + 1
        labels[:, c] = column.codes + 1
    return covers, codes, labels


def _table(original: Column, published: PublishedColumn) -> Mask:
    """covers[label + 1, code + 1]; a label of everything covers a missing value too, and nothing else but "missing" does."""
    labels, d = published.labels, len(original.domain)
    table = np.zeros((len(labels) + 1, d + 1), np.bool_)
    table[0, 0] = True
    if isinstance(labels, Ranges):
        assert original.values is not None
        table[1:, 1:] = (original.values >= labels.low[:, None]) & (original.values <= labels.high[:, None])
    else:
        table[1 + rows_of(labels.offsets), 1 + labels.members] = True
    table[1:, 0] = table[1:, 1:].all(axis=1)
    return table
