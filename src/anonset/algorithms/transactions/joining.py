"""Parts of the records, each published in its own way, put together again."""

from collections.abc import Sequence

import numpy as np

from anonset.algorithms.recoding import NONE
from anonset.errors import InfeasibleError
from anonset.model.arrays import Ids, Rows
from anonset.model.labels import GeneralizedItems, Labels
from anonset.model.sets import offsets_of, sorted_within, take
from anonset.model.transactions import Transactions


def joined(domain: tuple[str, ...], parts: Sequence[tuple[Rows, GeneralizedItems]]) -> GeneralizedItems:
    """The items of all records in input order: part (rows, items) says what the given rows show."""
    book: dict[bytes, int] = {}
    groups: list[Ids] = []
    texts: list[str] = []
    lengths, shown = [], []
    for _, items in parts:
        if len(items.suppressed):
            raise InfeasibleError("a part of the records needs suppression, which cannot be confined to a part")
        of_part = np.empty(len(items.labels), np.int32)
        for a, group in enumerate(items.labels.groups()):
            of_part[a] = book.setdefault(group.tobytes(), len(groups))
            if of_part[a] == len(groups):
                groups.append(group)
                texts.append(items.labels.texts[a])
        lengths.append(np.diff(items.offsets))
        shown.append(of_part[items.shown])
    rows = np.concatenate([rows for rows, _ in parts])
    offsets, entries = take(offsets_of(np.concatenate(lengths)), np.concatenate([*shown, NONE]), np.argsort(rows))
    entries = sorted_within(offsets, entries, len(groups))
    return GeneralizedItems(offsets, entries, Labels.from_groups(groups, texts), domain, NONE)


def item_loss(transactions: Transactions, items: GeneralizedItems) -> int:
    """Sum, over the item occurrences, of the size of the label that stands for each; 0 for exact ones."""
    size = np.zeros(len(transactions.domain), np.int64)
    sizes = items.labels.sizes
    size[items.labels.members] = np.repeat(np.where(sizes > 1, sizes, 0), sizes)
    return int(size[transactions.items].sum())
