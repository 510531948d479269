"""Patients of the INFORMS contest, the paper's own data: quasi values as ranges, items under a balanced tree as in [000]."""

import numpy as np

from anonset.data import Schema, read

QUASI = ("DOBMM", "DOBYY", "RACEX", "EDUCYEAR", "income")


def informs(folder, n=None, item_hierarchy="balanced:5,order=id"):
    """All records, or n of them drawn with a fixed seed."""
    source = folder / "rt" / "informs05.csv.gz"
    schema = Schema(
        quasi=QUASI,
        identifier=("SEX", "marry", "poverty"),
        items=("items",),
        kinds={"RACEX": "categorical"},
        item_hierarchy=item_hierarchy,
        hierarchies={"RACEX": folder / "rt" / "informs05_hierarchies" / "RACEX.csv"},
    )
    data = read(source, schema=schema)
    return data if n is None else data.take(np.sort(np.random.default_rng(0).permutation(len(data))[:n]))
