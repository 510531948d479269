"""Whether guarantees cover everything that an attacker may know."""

from collections.abc import Iterable, Sequence

from anonset.model.dataset import Dataset
from anonset.model.guarantees import Constraints, Guarantee, Part


def linkable_parts(data: Dataset) -> tuple[tuple[str, ...], str | None]:
    """The names of the quasi columns, and that of the items where some item that occurs is not sensitive."""
    quasi = tuple(column.name for column in data.quasi)
    items = data.transactions is not None and len(data.linkable.items) > 0
    return quasi, data.item_column if items else None


def uncovered(quasi: Sequence[str], items: str | None, guarantees: Iterable[Guarantee]) -> tuple[str, ...]:
    """The attributes an attacker may link on that no guarantee covers: quasi columns first, then the items."""
    covered = set[Part]().union(*map(_covered, guarantees))
    left = [] if "quasi" in covered else list(quasi)
    if items is not None and "items" not in covered:
        left.append(items)
    return tuple(left)


def _covered(guarantee: Guarantee) -> frozenset[Part]:
    """What a guarantee covers; constraints without a single itemset cover nothing."""
    if isinstance(guarantee, Constraints) and not guarantee.itemsets:
        return frozenset()
    return guarantee.covers
