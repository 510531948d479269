"""The item hierarchy of a dataset that has none."""

from anonset.model.builders import build
from anonset.model.dataset import Dataset
from anonset.model.material import Material

BUILT = "learned"


def with_tree(data: Dataset) -> Dataset:
    """The dataset with its item hierarchy, or with one that is built for it."""
    if data.item_hierarchy is not None or data.transactions is None or not data.transactions.domain:
        return data
    return data.with_item_hierarchy(build(BUILT, Material.of_items(data.linkable)))
