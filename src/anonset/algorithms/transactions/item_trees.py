"""The item hierarchy of a dataset that has none."""

import numpy as np

from anonset.model.builders import build
from anonset.model.dataset import Dataset

BUILT = "balanced:5"


def with_tree(data: Dataset) -> Dataset:
    """The dataset with its item hierarchy, or with one that is built for it."""
    if data.item_hierarchy is not None or data.transactions is None or not data.transactions.domain:
        return data
    return data.with_item_hierarchy(build(BUILT, data.transactions.domain, data.transactions.supports.astype(np.int64)))
