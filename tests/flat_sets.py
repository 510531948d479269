"""Sets of whole numbers as kernels read them: where each begins, and all members in one array."""

import numpy as np
from hypothesis import strategies as st


def flat(sets):
    """The offsets and the members, ascending within a set."""
    offsets = np.concatenate([[0], np.cumsum([len(s) for s in sets])]).astype(np.int64)
    return offsets, np.array([i for s in sets for i in sorted(s)], np.int32)


def holders(sets, d):
    """For each member of 0..d-1 the sets that hold it, as offsets and one array."""
    found = [[r for r, s in enumerate(sets) if i in s] for i in range(d)]
    offsets = np.concatenate([[0], np.cumsum([len(rows) for rows in found])]).astype(np.int64)
    return offsets, np.array([r for rows in found for r in rows], np.int64)


@st.composite
def labelled_records(draw, max_items=6, max_labels=6, max_records=8):
    """The number of items, the items of each label (they may overlap, or be the same), and the labels of each record."""
    d = draw(st.integers(1, max_items))
    labels = draw(st.lists(st.sets(st.integers(0, d - 1), min_size=1), min_size=1, max_size=max_labels))
    records = draw(st.lists(st.sets(st.integers(0, len(labels) - 1)), max_size=max_records))
    return d, labels, records
