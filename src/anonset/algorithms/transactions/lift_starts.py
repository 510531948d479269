"""Where to start from: what other algorithms find, the cut of `aa` and the groups of `pcta` as a hierarchy of their own."""

import numpy as np

from anonset.algorithms.transactions.aa import cut_for
from anonset.algorithms.transactions.cutting import frame_of
from anonset.errors import InfeasibleError
from anonset.model.arrays import Ids
from anonset.model.dataset import Dataset
from anonset.model.hierarchy import plant_paths
from anonset.model.labels import GeneralizedItems
from anonset.model.sets import rows_of
from anonset.model.transactions import Transactions


def aa_cut(data: Dataset, k: int, m: int) -> tuple[Ids, ...]:
    """The node of each item in the cut that `aa` finds; nothing where there is none."""
    cut = cut_for(frame_of(data), data.linkable, np.arange(len(data), dtype=np.int64), k, m)
    return () if cut is None else (cut,)


def exact_or_cut(held: Transactions, nodes: Ids, cut: Ids) -> Ids:
    """The items of records that show all of theirs, and the nodes of the cut for all others."""
    hidden = np.bincount(rows_of(held.offsets), nodes != held.items, len(held))
    return np.where(np.repeat(hidden == 0, held.lengths), held.items, cut[held.items]).astype(np.int32)


def in_pcta_groups(data: Dataset, k: int, m: int) -> Dataset | None:
    """The dataset with a hierarchy of two steps: items, the groups that `pcta` merges them into, and the root."""
    from anonset.algorithms import make  # the registry names the algorithm that asks for this

    try:
        items = make("pcta", {"k": k, "m": m}).anonymize(data).items
    except InfeasibleError:
        return None
    assert isinstance(items, GeneralizedItems)
    if len(items.suppressed) or not len(items.labels):
        return None
    group = np.full(len(items.domain), -1)
    group[items.labels.members] = np.repeat(np.arange(len(items.labels)), items.labels.sizes)
    names = zip(items.domain, group.tolist(), strict=True)
    wide = items.labels.sizes > 1
    return data.with_item_hierarchy(
        plant_paths([(name, items.labels.texts[g]) if g >= 0 and wide[g] else (name,) for name, g in names])
    )
