"""Small nasty datasets: empty sets, one record, one item, missing values, unused items, hyphens and spaces in names."""

from dataclasses import replace

import numpy as np

from anonset.model.dataset import Column, Dataset, Transactions
from anonset.model.hierarchy import Hierarchy


def tiny_datasets() -> dict[str, Dataset]:
    """Each dataset by what is nasty about it; all have quasi columns, items with a hierarchy and a sensitive column."""
    return {
        "ordinary": dataset(["ab", "ab", "abc", "cd", "cd", "d", "abd", "c"]),
        "one record": dataset(["ab"]),
        "one item": dataset(["a", "a", "", "a"]),
        "only empty sets": dataset(["", "", ""]),
        "some empty sets": dataset(["", "ab", "", "ab", "cd", "abcd"]),
        "all the same": dataset(["abc"] * 5),
        "all different": dataset(["a", "b", "c", "d", "ab", "cd"]),
        "one long record": dataset(["abcdefgh", "a", "a", "b"]),
        "missing values": dataset(["ab", "ab", "cd", "cd", "a", "d"], missing=True),
    }


def dataset(records: list[str], *, missing: bool = False) -> Dataset:
    """Records of one-letter items, with an age, a home town and a diagnosis made up from the row number."""
    n = len(records)
    row = np.arange(n)
    age = Column(
        "age-group", "quasi", "numeric", _codes(row % 4, missing, 3), ("20", "30", "40", "70"), np.array([20.0, 30, 40, 70])
    )
    towns = Hierarchy(("New York", "Berlin", "Bonn", "Germany", "*"), np.array([4, 3, 3, 4, -1], np.int32))
    home = Column("home town", "quasi", "categorical", _codes(row % 3, missing, 2), towns.leaves, None, towns)
    labels = tuple(f"diagnosis {r}" for r in range(max(1, n)))
    diagnosis = Column("diagnosis", "sensitive", "categorical", row.astype(np.int32), labels)
    tree = Hierarchy(
        ("a", "b", "c", "d", "e", "f", "g", "h", "a-d", "e-h", "*"), np.array([8] * 4 + [9] * 4 + [10, 10, -1], np.int32)
    )
    transactions = Transactions.from_records(records, domain=tree.leaves)
    return Dataset((age, home, diagnosis), transactions).with_item_hierarchy(tree)


def fitting(data: Dataset, needs: frozenset[str]) -> Dataset:
    """The part of a dataset that an algorithm with these needs is made for."""
    columns = tuple(
        column
        for column in data.columns
        if (column.role == "quasi" and "quasi" in needs) or (column.role == "sensitive" and "sensitive-column" in needs)
    )
    if not needs:
        return data
    if "items" not in needs:
        return Dataset(columns or data.quasi)
    return replace(data, columns=columns)


def _codes(
    codes: "np.ndarray[tuple[int], np.dtype[np.int64]]", missing: bool, every: int
) -> "np.ndarray[tuple[int], np.dtype[np.int32]]":
    return np.where(missing & (np.arange(len(codes)) % every == 0), -1, codes).astype(np.int32)
