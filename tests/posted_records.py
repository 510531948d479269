"""Records as postings, as the kernels of item algorithms read them."""

import numpy as np
from hypothesis import strategies as st

from anonset.algorithms.transactions._kernels.postings import post_items, show
from oracles import aa as oracle
from strategies import item_datasets


def posted(data):
    t = data.transactions
    return post_items(t.offsets, t.items, np.arange(len(t)), len(t.domain))


def rows_of(entries):
    """The records of an array of entries, and the numbers after them."""
    rows, ends, row = [], [], []
    for entry in entries[1:].tolist():
        if entry < 0:
            rows.append(row)
            ends.append(~entry)
            row = []
        else:
            row.append(entry)
    return rows, ends


@st.composite
def shown(draw):
    """A dataset, a cut of its hierarchy, and what `show` makes of them."""
    data = draw(item_datasets(max_records=20, max_items=9))
    tree = data.item_hierarchy
    cut = np.array(draw(st.sampled_from(oracle.cuts(tree)[:200])), np.int32)
    above = draw(st.booleans())
    order = np.array(draw(st.permutations(range(len(tree)))), np.int64)
    fresh = np.array(draw(st.lists(st.booleans(), min_size=len(tree), max_size=len(tree))), np.bool_)
    return data, cut, above, order, fresh, show(posted(data)[0], tree.parent, cut, order, fresh, above)
