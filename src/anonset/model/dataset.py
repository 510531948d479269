"""What algorithms read: coded columns, coded item sets, their domains and hierarchies."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from anonset.errors import InputError
from anonset.model.arrays import Ids, Mask, Rows
from anonset.model.cards import card, line, table
from anonset.model.columns import Column
from anonset.model.fates import Fate, Role
from anonset.model.hierarchy import Hierarchy
from anonset.model.late import late
from anonset.model.naming import unknown
from anonset.model.people import Gathered
from anonset.model.sets import freeze, places_in, sorted_within
from anonset.model.transactions import Transactions


@dataclass(frozen=True, slots=True)
class Source:
    """A file (or table) that was read, and the hash of its bytes."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True, eq=False)
class Dataset:
    """Columns and item sets of the same records. Identifiers are dropped on reading; only their names are kept.

    With an item hierarchy the domain of the items is its leaves. `sensitive_items` marks items that are published as they
    are and protected against inference, not used for linking. `reading` says how the input was read, so that it can be read
    again in the same way, and `fates` what becomes of each of its columns. `people` has the number of the person behind each
    record, by `people_column`, where a column tells; `gathered` says how rows of a person became one record; `removed`
    counts the items that were removed on reading because somebody wanted it, and the places they had.
    """

    columns: tuple[Column, ...] = ()
    transactions: Transactions | None = None
    item_hierarchy: Hierarchy | None = None
    sensitive_items: Mask | None = None
    item_column: str = "items"
    identifiers: tuple[str, ...] = ()
    sources: tuple[Source, ...] = field(default=())
    reading: Mapping[str, Any] = field(default_factory=dict)
    fates: tuple[Fate, ...] = ()
    people: Ids | None = None
    people_column: str | None = None
    gathered: Gathered | None = None
    removed: tuple[int, int] = (0, 0)

    def __post_init__(self) -> None:
        lengths = {len(column) for column in self.columns}
        lengths |= {len(self.transactions)} if self.transactions is not None else set()
        lengths |= {len(self.people)} if self.people is not None else set()
        if len(lengths) != 1:
            raise InputError(f"all attributes must have the same number of records; got {sorted(lengths)}")
        names = [
            *(column.name for column in self.columns),
            *([self.item_column] if self.transactions is not None else []),
        ]
        if len(set(names)) != len(names):
            raise InputError(f"column names must differ; got {', '.join(names)}")
        if any(column.role == "identifier" for column in self.columns):
            raise InputError("identifiers must be dropped before a dataset is made")
        if self.item_hierarchy is not None and (
            self.transactions is None or self.item_hierarchy.leaves != self.transactions.domain
        ):
            raise InputError("the domain of the items must be the leaves of their hierarchy")
        if self.sensitive_items is not None and (
            self.transactions is None or len(self.sensitive_items) != len(self.transactions.domain)
        ):
            raise InputError("sensitive_items needs one flag for each item of the domain")
        freeze(self.sensitive_items, self.people)

    def __len__(self) -> int:
        return len(self.transactions) if self.transactions is not None else len(self.columns[0])

    def __repr__(self) -> str:
        roles = {role: [c.name for c in self.with_role(role)] for role in ("quasi", "sensitive", "other")}
        parts = [f"{role} {', '.join(names)}" for role, names in roles.items() if names]
        parts += [f"items {self.item_column} ({len(self.transactions.domain):,})"] if self.transactions is not None else []
        return f"<Dataset of {len(self):,} records: {'; '.join(parts)}>"

    def _repr_html_(self) -> str:
        rows: list[tuple[object, ...]] = [
            (c.name, c.role, c.kind, len(c.domain), int((c.codes < 0).sum())) for c in self.columns
        ]
        if self.transactions is not None:
            rows.append(
                (self.item_column, "items", "sets", len(self.transactions.domain), int((self.transactions.lengths == 0).sum()))
            )
        said = f"left out as identifiers: {', '.join(self.identifiers)}" if self.identifiers else ""
        facts = table(("column", "role", "kind", "values", "missing or empty"), rows)
        return card(f"Dataset of {len(self):,} records", facts, line(said) if said else "")

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return late("tasks.frames:dataset_stream", self, requested_schema)

    def column(self, name: str) -> Column:
        """The column of that name."""
        for column in self.columns:
            if column.name == name:
                return column
        raise InputError("there is " + unknown("column", name, (c.name for c in self.columns), choose="there are"))

    @property
    def quasi(self) -> tuple[Column, ...]:
        """The columns an attacker may know, which are generalized."""
        return self.with_role("quasi")

    def with_role(self, role: Role) -> tuple[Column, ...]:
        """The columns of one role."""
        return tuple(column for column in self.columns if column.role == role)

    @property
    def tied(self) -> tuple[str, ...]:
        """The columns of the input, published or not, that show several records to be one person's; the likeliest first."""
        found = [fate.column for fate in self.fates if fate.ties]
        return tuple(sorted(found, key=lambda name: name != self.people_column))

    @property
    def unit(self) -> str:
        """What a guarantee about these records counts: people where each is known to be another one's, else records."""
        one_each = self.people is not None and int(np.bincount(self.people).max(initial=0)) <= 1
        return "people" if one_each else "records"

    @property
    def repeats(self) -> bool:
        """Whether several records are known to be one person's."""
        return bool(self.tied) or (self.people is not None and self.unit == "records")

    @property
    def removed_sentence(self) -> str | None:
        """What to say of items that were to be removed on reading."""
        if not self.reading.get("drop_items"):
            return None
        patterns, (items, places) = ", ".join(self.reading["drop_items"]), self.removed
        return f"items removed on reading, like {patterns}: {items:,}, in {places:,} places"

    @property
    def linkable(self) -> Transactions:
        """The item sets an attacker may know: all items but the sensitive ones; the domain stays whole."""
        if self.transactions is None:
            raise InputError("this needs a set-valued attribute, and the dataset has none")
        return self.transactions if self.sensitive_items is None else self.transactions.without(self.sensitive_items)

    def take(self, rows: Rows) -> "Dataset":
        """The given records, in the given order."""
        return replace(
            self,
            columns=tuple(column.take(rows) for column in self.columns),
            transactions=None if self.transactions is None else self.transactions.take(rows),
            people=None if self.people is None else self.people[rows],
        )

    def with_item_hierarchy(self, hierarchy: Hierarchy) -> "Dataset":
        """The same records with their items coded as the leaves of a hierarchy that covers them."""
        if self.transactions is None:
            raise InputError("an item hierarchy needs a set-valued attribute, and the dataset has none")
        old = self.transactions
        new = places_in(hierarchy.leaves, old.domain)
        missing = np.flatnonzero((old.supports > 0) & (new < 0))
        if len(missing):
            first = old.domain[missing[0]]
            raise InputError(f"{len(missing)} items of the data are not leaves of the hierarchy, e.g. {first!r}")
        items = sorted_within(old.offsets, new[old.items], hierarchy.n_leaves)
        sensitive = None
        if self.sensitive_items is not None:
            sensitive = np.zeros(hierarchy.n_leaves, np.bool_)
            sensitive[new[self.sensitive_items & (new >= 0)]] = True
        return replace(
            self,
            transactions=Transactions(old.offsets, items, hierarchy.leaves),
            item_hierarchy=hierarchy,
            sensitive_items=sensitive,
        )

    def with_hierarchies(self, hierarchies: Mapping[str, Hierarchy]) -> "Dataset":
        """The same records with the named columns coded as the leaves of hierarchies that cover them."""
        return replace(
            self,
            columns=tuple(
                column_with_hierarchy(column, hierarchies[column.name]) if column.name in hierarchies else column
                for column in self.columns
            ),
        )


def column_with_hierarchy(column: Column, hierarchy: Hierarchy) -> Column:
    """The column with its values coded as the leaves of the hierarchy."""
    new = np.append(places_in(hierarchy.leaves, column.domain), np.int32(-1))
    occurs = np.bincount(column.codes[column.codes >= 0], minlength=len(column.domain)) > 0
    missing = np.flatnonzero(occurs & (new[:-1] < 0))
    if len(missing):
        first = column.domain[missing[0]]
        raise InputError(f"{len(missing)} values are not leaves of the hierarchy, e.g. {first!r}", column=column.name)
    values = None
    if column.kind == "numeric":
        try:
            values = np.array([float(leaf) for leaf in hierarchy.leaves])
        except ValueError:
            raise InputError("the leaves of a numeric column's hierarchy must be numbers", column=column.name) from None
    return Column(
        column.name, column.role, column.kind, new[column.codes].astype(np.int32), hierarchy.leaves, values, hierarchy
    )
