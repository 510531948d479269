"""Figures 1 and 2 of [000]: six customers, and five releases of their records. G and H are sensitive.

Read as the paper means them: "[55:70)" is [55:70], and figure 2a's first two records, printed "D E (B,D)" and "E E (B,D)",
are E F (B,D), the only reading that is true to figure 1a.
"""

import numpy as np

from anonset.model.dataset import Column, Dataset, Transactions
from anonset.model.hierarchy import Hierarchy
from anonset.model.labels import GeneralizedItems, Labels, PublishedColumn, Ranges
from anonset.model.release import Provenance, Release

AGES = np.array([19, 22, 28, 39, 70, 55])
ITEMS = tuple("ABCDEFGH")
ORIGIN = Hierarchy(
    ("France", "Greece", "Germany", "Spain", "Algeria", "Nigeria", "Europe", "Africa", "All"),
    np.array([6, 6, 6, 6, 7, 7, 8, 8, -1], np.int32),
)
GENDER = Hierarchy(("Male", "Female", "All"), np.array([2, 2, -1], np.int32))


def figure_1a():
    """The original records."""
    numbers = np.unique(AGES)
    age = Column(
        "Age",
        "quasi",
        "numeric",
        np.searchsorted(numbers, AGES).astype(np.int32),
        tuple(map(str, numbers.tolist())),
        numbers.astype(np.float64),
    )
    origin = Column("Origin", "quasi", "categorical", np.arange(6, dtype=np.int32), ORIGIN.leaves, None, ORIGIN)
    gender = Column("Gender", "quasi", "categorical", np.array([0, 0, 1, 1, 1, 0], np.int32), GENDER.leaves, None, GENDER)
    records = ["EFBG", "EFDH", "BCEG", "FDH", "EG", "AFH"]
    return Dataset(
        (age, origin, gender),
        Transactions.from_records(records, ITEMS),
        sensitive_items=np.array([name in "GH" for name in ITEMS]),
        item_column="Purchased-products",
        identifiers=("Id", "Name"),
    )


def figure_1b():
    """2-anonymous and 2^2-anonymous, but not (2, 2^2)-anonymous."""
    return _release(
        "[19:22] Europe Male: E F ABCD G",
        "[19:22] Europe Male: E F ABCD H",
        "[28:39] Europe Female: E ABCD G",
        "[28:39] Europe Female: F ABCD H",
        "[55:70] Africa All: E G",
        "[55:70] Africa All: F ABCD H",
    )


def figure_2a():
    """Rfirst: (2, 2^2)-anonymous."""
    return _release(
        "[19:22] Europe Male: E F BD G",
        "[19:22] Europe Male: E F BD H",
        "[28:39] Europe Female: BCF DE G",
        "[28:39] Europe Female: BCF DE H",
        "[55:70] Africa All: AEF G",
        "[55:70] Africa All: AEF H",
    )


def figure_2b():
    """Tfirst: (2, 2^2)-anonymous."""
    return _release(
        "[19:70] All All: E F ABCD G",
        "[19:70] All All: E F ABCD H",
        "[19:70] All All: E ABCD G",
        "[19:70] All All: F ABCD H",
        "[19:70] All All: E G",
        "[19:70] All All: F ABCD H",
    )


def figure_2c():
    """RmergeR: (2, 2^2)-anonymous."""
    return _release(
        "[19:39] Europe All: E F BCD G",
        "[19:39] Europe All: E F BCD H",
        "[19:39] Europe All: E BCD G",
        "[19:39] Europe All: F BCD H",
        "[55:70] Africa All: AEF G",
        "[55:70] Africa All: AEF H",
    )


def figure_2d():
    """RmergeT: (2, 2^2)-anonymous; the paper lists records 0, 1, 4, 5, 2, 3."""
    return _release(
        "[19:70] All All: E F ABD G",
        "[19:70] All All: E F ABD H",
        "[19:70] All All: E G",
        "[19:70] All All: F ABD H",
        "[28:39] Europe Female: BCF DE G",
        "[28:39] Europe Female: BCF DE H",
        rows=(0, 1, 4, 5, 2, 3),
    )


def _release(*lines, rows=range(6)):
    """A release from lines "age origin gender: items", where BCD is the generalized item (B,C,D)."""
    cells, sets = zip(*((line.split(": ")[0].split(), line.split(": ")[1].split()) for line in lines), strict=True)
    ages, origins, genders = zip(*cells, strict=True)
    columns = (_ranges(ages), _nodes("Origin", ORIGIN, origins), _nodes("Gender", GENDER, genders))
    return Release(columns, _items(sets), (), Provenance("by hand"), np.array(rows, np.int64))


def _ranges(texts):
    different = sorted(set(texts))
    bounds = np.array([text.strip("[]").split(":") for text in different], np.float64)
    codes = np.array([different.index(text) for text in texts], np.int32)
    return PublishedColumn("Age", "quasi", codes, Ranges(bounds[:, 0], bounds[:, 1], tuple(different)))


def _nodes(name, tree, texts):
    different = sorted(set(texts))
    nodes = [tree.labels.index(text) for text in different]
    labels = Labels.from_groups([range(tree.low[v], tree.high[v]) for v in nodes], different)
    return PublishedColumn(name, "quasi", np.array([different.index(text) for text in texts], np.int32), labels)


def _items(sets):
    names = sorted(set().union(*sets))
    texts = [name if len(name) == 1 else f"({','.join(name)})" for name in names]
    labels = Labels.from_groups([[ITEMS.index(item) for item in name] for name in names], texts)
    shown = Transactions.from_records(sets, names)
    return GeneralizedItems(shown.offsets, shown.items, labels, ITEMS, np.zeros(0, np.int32))
