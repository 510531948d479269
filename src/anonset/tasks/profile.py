"""What is in a file, how it would be read, and how identifying it is as it stands."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from anonset.measure.identifiability import Identifiability, identifiability
from anonset.model.dataset import Dataset
from anonset.model.fates import Fate
from anonset.model.progress import Phases, unheard
from anonset.tasks.inputs import Input


@dataclass(frozen=True, slots=True)
class Profile:
    """The number of records, facts about each column and about the items, and the shares of unique records."""

    records: int
    columns: tuple[Mapping[str, Any], ...]
    items: Mapping[str, Any] | None
    unique: Identifiability

    def as_json(self) -> dict[str, Any]:
        """The profile as plain data."""
        unique = {"quasi": self.unique.quasi, "items": self.unique.items, "quasi_and_items": self.unique.both}
        return {"records": self.records, "columns": list(self.columns), "items": self.items, "unique": unique}


def run(source: Input | Dataset, phases: Phases = unheard) -> Profile:
    """The profile of an input, or of a dataset that was read."""
    dataset = source if isinstance(source, Dataset) else source.read(phases("Reading"))
    unique = identifiability(dataset, progress=phases("Looking for unique records"))
    return Profile(len(dataset), tuple(_column(dataset, fate) for fate in dataset.fates), _items(dataset), unique)


def _column(dataset: Dataset, fate: Fate) -> dict[str, Any]:
    facts = {"name": fate.column, "role": fate.role, "kind": fate.kind, "given": fate.given, "reason": fate.reason}
    known = next((column for column in dataset.columns if column.name == fate.column), None)
    if known is not None:
        there = known.codes[known.codes >= 0]
        facts |= {"values": len(set(there.tolist())), "missing": len(known) - len(there)}
    return facts


def _items(dataset: Dataset) -> dict[str, Any] | None:
    t = dataset.transactions
    if t is None:
        return None
    lengths = t.lengths
    return {
        "items": int((t.supports > 0).sum()),
        "mean": float(lengths.mean()) if len(t) else 0.0,
        "most": int(lengths.max()) if len(t) else 0,
        "empty": int((lengths == 0).sum()),
        "sensitive": 0 if dataset.sensitive_items is None else int(dataset.sensitive_items.sum()),
        "hierarchy": None if dataset.item_hierarchy is None else dataset.item_hierarchy.height,
    }
