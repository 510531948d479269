"""What is in a file, how it would be read, and how identifying it is as it stands."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from anonset.measure.identifiability import Identifiability, identifiability
from anonset.model.cards import card, line, table
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

    def __repr__(self) -> str:
        alone = [
            share for share in (self.unique.quasi, *(self.unique.items or ()), *(self.unique.both or ())) if share is not None
        ]
        most = max(alone, default=0.0)
        return f"<Profile of {self.records:,} records, {len(self.columns)} columns; up to {most:.0%} are unique>"

    def _repr_html_(self) -> str:
        names = ("name", "role", "kind", "values", "missing", "reason")
        facts = table(("column", *names[1:-1], "why"), [[c.get(name) for name in names] for c in self.columns])
        return card(f"{self.records:,} records", facts, *self._items_line(), self._unique_table())

    def _items_line(self) -> tuple[str, ...]:
        i = self.items
        if i is None:
            return ()
        return (
            line(f"{i['items']:,} items, {i['mean']:.3g} a record, at most {i['most']:,}; {i['empty']:,} records have none"),
        )

    def _unique_table(self) -> str:
        known = ("1 item", "2 items", "3 items")
        rows = [("the quasi values", self.unique.quasi)] if self.unique.quasi is not None else []
        rows += zip(known, self.unique.items or (), strict=False)
        rows += ((f"the quasi values and {text}", share) for text, share in zip(known, self.unique.both or (), strict=False))
        return table(("to somebody who knows", "unique records"), [(text, f"{share:.1%}") for text, share in rows])

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
