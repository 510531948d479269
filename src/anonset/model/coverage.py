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
    """The attributes an attacker may link on that no guarantee covers: quasi columns first, then the items.

    An attacker may know both kinds at once: two guarantees that each cover one of them do not cover them together.
    """
    parts = [_covered(guarantee) for guarantee in guarantees]
    wanted = frozenset[Part]((*(("quasi",) if quasi else ()), *(("items",) if items is not None else ())))
    if any(wanted <= covered for covered in parts) or not wanted:
        return ()
    missing = wanted - frozenset[Part]().union(*parts) or wanted
    return (*(quasi if "quasi" in missing else ()), *([items] if items is not None and "items" in missing else ()))


def _covered(guarantee: Guarantee) -> frozenset[Part]:
    """What a guarantee covers; constraints without a single itemset cover nothing."""
    if isinstance(guarantee, Constraints) and not guarantee.itemsets:
        return frozenset()
    return guarantee.covers
