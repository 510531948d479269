"""Hypothesis strategies for item sets, hierarchies and datasets: small and nasty."""

from string import ascii_lowercase

import numpy as np
from hypothesis import strategies as st

from anonset.model.dataset import Column, Dataset, Transactions
from anonset.model.hierarchy import Hierarchy

names = ascii_lowercase


@st.composite
def transactions(draw, min_records=1, max_records=12, max_items=7):
    """Transactions over the first letters; empty sets and items that never occur included."""
    d = draw(st.integers(1, max_items))
    records = draw(st.lists(st.sets(st.sampled_from(names[:d])), min_size=min_records, max_size=max_records))
    return Transactions.from_records(records, domain=names[:d])


@st.composite
def hierarchies(draw, leaves):
    """A tree over the leaves with unequal depths and chains of single children."""
    labels, parent = list(leaves), [-1] * len(leaves)
    level = list(range(len(leaves)))
    while len(level) > 1:
        merged, p = [], 0
        while p < len(level):
            size = min(draw(st.sampled_from((3, 2, 1))), len(level) - p)  # 3 first: the simplest tree must come to an end
            if size == 1 and draw(st.booleans()):
                merged.append(level[p])  # the leaf hangs higher up: unequal depth
            else:
                node = len(labels)
                labels.append(f"N{node}")
                parent.append(-1)
                for child in level[p : p + size]:
                    parent[child] = node
                merged.append(node)
            p += size
        level = merged
    return _with_root_last(labels, parent)


def _with_root_last(labels, parent):
    """Renumber so that leaves come first, children before parents and the root last (it already is the newest node)."""
    return Hierarchy(tuple(labels), np.array(parent, np.int32))


@st.composite
def item_datasets(draw, hierarchy=True, sensitive=False, **sizes):
    """A dataset of item sets only, with or without a hierarchy and sensitive items."""
    t = draw(transactions(**sizes))
    data = Dataset(transactions=t)
    if hierarchy:
        data = data.with_item_hierarchy(draw(hierarchies(t.domain)))
    return with_sensitive_items(draw, data) if sensitive else data


def with_sensitive_items(draw, data):
    d = len(data.transactions.domain)
    flags = np.array(draw(st.lists(st.booleans(), min_size=d, max_size=d)), np.bool_)
    return Dataset(data.columns, data.transactions, data.item_hierarchy, flags, item_column=data.item_column)


@st.composite
def columns(draw, n, name, role="quasi", missing=True):
    """A column of any kind, with or without a hierarchy; where values may be missing, perhaps all of them."""
    d = draw(st.integers(0 if missing else 1, 5))
    codes = np.array(draw(st.lists(st.integers(-1 if missing else 0, d - 1), min_size=n, max_size=n)), np.int32)
    if draw(st.booleans()):
        numbers = sorted(draw(st.sets(st.integers(0, 60), min_size=d, max_size=d)))
        domain, values, kind = tuple(map(str, numbers)), np.array(numbers, np.float64), "numeric"
    else:
        domain, values, kind = tuple(f"{name}{c}" for c in range(d)), None, "categorical"
    tree = draw(hierarchies(domain)) if d and draw(st.booleans()) else None
    if kind == "categorical" and tree is None and draw(st.booleans()):
        kind = "ordered"
    return Column(name, role, kind, codes, domain, values, tree)


@st.composite
def relational_datasets(draw, min_records=1, max_records=12, missing=True, sensitive=False):
    """A dataset of one to three quasi columns, and a sensitive one where asked for."""
    n = draw(st.integers(min_records, max_records))
    quasi = tuple(draw(columns(n, f"q{c}", missing=missing)) for c in range(draw(st.integers(1, 3))))
    extra = (draw(columns(n, "s", role="sensitive", missing=False)),) if sensitive else ()
    return Dataset(columns=quasi + extra)


@st.composite
def rt_datasets(draw, min_records=1, max_records=12, sensitive=False):
    """A dataset with quasi columns and item sets under a hierarchy."""
    relational = draw(relational_datasets(min_records, max_records))
    n = len(relational)
    t = draw(transactions(min_records=n, max_records=n))
    data = Dataset(relational.columns, t).with_item_hierarchy(draw(hierarchies(t.domain)))
    return with_sensitive_items(draw, data) if sensitive else data
