"""What algorithms read: coded columns with their roles, coded item sets, their domains and hierarchies."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from anonset.errors import InputError, unknown
from anonset.model.arrays import Ids, Mask, Offsets, Reals, Rows
from anonset.model.hierarchy import Hierarchy
from anonset.model.literals import WHOLE, is_held
from anonset.model.schema import Fate, Kind, Role
from anonset.model.sets import check_rows_of_sets, filter_members, freeze, places_in, sets_of, sorted_within, take, times_of
from anonset.notebook import card, line, table

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

JOINED_BY = " + "  # between the values of one person, in a value of its own
LOWEST, HIGHEST = "_lowest", "_highest"
EACH_RECORD = "each record was taken for one person: no column could tell"


@dataclass(frozen=True, slots=True)
class Gathered:
    """The rows of each person made one record, by a key.

    `differing` are the numbers of people who had several values of a column. `combined` has the values of their own that
    stand for several, with these, by column; `ends` the two columns that a numeric one became; `left_out` the columns that
    differed and had no role.
    """

    key: str
    rows: int
    people: int
    differing: Mapping[str, int] = field(default_factory=dict)
    combined: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    ends: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """A remark about gathered rows; empty where everybody had one row."""
        if self.rows == self.people:
            return ""
        text = f"gathered by {self.key}: {self.rows:,} rows are {self.people:,} people, one record each"
        several = [f"{name} ({count:,})" for name, count in self.differing.items()]
        return text + (f"; people with several values: {', '.join(several)}" if several else "")

    def as_json(self) -> dict[str, Any]:
        """Its figures without values of people."""
        return {
            "key": self.key,
            "rows": self.rows,
            "people": self.people,
            "differing": self.differing,
            "lowest_and_highest": self.ends,
            "left_out": self.left_out,
        }

    def original_names(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Names of columns as the input has them: one for the two ends of what differed."""
        called = {end: name for name, ends in self.ends.items() for end in ends}
        return tuple(dict.fromkeys(called.get(name, name) for name in names))


MISSING = -1


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """Record r has the value domain[codes[r]], or none where codes[r] is -1.

    A numeric column also has values[c], the number behind domain[c]. The domain of an ordered column is in the order of its
    words, and it has no hierarchy: with one it is categorical. With a hierarchy the domain is its leaves, in their
    order; without one it holds the values that occur, ascending.
    """

    name: str
    role: Role
    kind: Kind
    codes: Ids
    domain: tuple[str, ...]
    values: Reals | None = None
    hierarchy: Hierarchy | None = None

    def __post_init__(self) -> None:
        if len(self.codes) and (self.codes.min() < MISSING or self.codes.max() >= len(self.domain)):
            raise InputError(f"codes must be -1 (missing) or from 0 to {len(self.domain) - 1}", column=self.name)
        if (self.values is None) == (self.kind == "numeric"):
            raise InputError("a numeric column needs its values, another one has none", column=self.name)
        if self.values is not None and (len(self.values) != len(self.domain) or not np.isfinite(self.values).all()):
            raise InputError("a numeric column needs one finite value for each entry of its domain", column=self.name)
        if self.values is not None and (lost := self._not_held(self.values)) is not None:
            raise InputError(f"{lost} cannot be computed with exactly; make the column categorical", column=self.name)
        if self.hierarchy is not None and self.hierarchy.leaves != self.domain:
            raise InputError("the domain must be the leaves of the hierarchy", column=self.name)
        freeze(self.codes, self.values)

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        return f"<Column {self.name}: {self.role}, {self.kind}, {len(self.domain):,} values, {len(self):,} records>"

    def _not_held(self, values: Reals) -> str | None:
        """The first large number that its value does not hold exactly."""
        large = np.flatnonzero(np.abs(values) >= WHOLE)
        return next((self.domain[c] for c in large if not is_held(self.domain[c])), None)

    @property
    def span(self) -> tuple[float, float]:
        """The smallest and the largest number that occurs (0, 0 where none does)."""
        assert self.values is not None, "only numeric columns have a span"
        seen = self.values[np.unique(self.codes[self.codes >= 0])]
        return (float(seen.min()), float(seen.max())) if len(seen) else (0.0, 0.0)

    @property
    def ranks(self) -> Reals | None:
        """What tells which values of the domain are between two others: numbers, or places of ordered words; else None."""
        return np.arange(len(self.domain), dtype=np.float64) if self.kind == "ordered" else self.values

    def share(self, sizes: NDArray[np.integer[Any]]) -> Reals:
        """The loss of labels for so many values of a column without numbers: 0 exact, 1 the whole domain."""
        d = len(self.domain)
        if self.kind == "ordered":
            return (sizes - 1) / max(1, d - 1)  # as a range of numbers
        return np.where(sizes == 1, 0.0, sizes / max(1, d))

    @property
    def is_integer(self) -> bool:
        """Whether every number of the domain is whole."""
        return self.values is not None and bool((self.values == np.floor(self.values)).all())

    def take(self, rows: Rows) -> "Column":
        """The given records, in the given order."""
        return Column(self.name, self.role, self.kind, self.codes[rows], self.domain, self.values, self.hierarchy)


@dataclass(frozen=True, slots=True, eq=False)
class Transactions:
    """The item sets of all records, coded as integers.

    Record r contains items[offsets[r] : offsets[r + 1]], ascending and without repeats; item i has the name domain[i].

    Attributes
    ----------
    offsets : array of int64, shape (n + 1,)
        Where each record begins.
    items : array of int32
        The item codes of all records.
    domain : tuple of str
        The names of the items; all different.

    Examples
    --------
    >>> from anonset import Transactions
    >>> baskets = Transactions.from_records([["beer", "bread"], ["beer"]])
    >>> baskets.domain, baskets.supports.tolist()
    (('beer', 'bread'), [2, 1])
    """

    offsets: Offsets
    items: Ids
    domain: tuple[str, ...]

    def __post_init__(self) -> None:
        check_rows_of_sets(self.offsets, self.items, len(self.domain), what="items")
        if len(set(self.domain)) != len(self.domain):
            raise InputError("the items of a domain must differ from each other")
        freeze(self.offsets, self.items)

    @classmethod
    def from_records(cls, records: Iterable[Iterable[str]], domain: Sequence[str] | None = None) -> "Transactions":
        """Return the transactions of records of item names.

        Parameters
        ----------
        records : iterable of iterables of str
            The items of each record.
        domain : sequence of str, optional
            The names of all items; by default those that occur, by number if all are whole numbers, else by text.

        Returns
        -------
        Transactions
            The coded item sets.
        """
        rows = [frozenset(record) for record in records]
        names = tuple(domain) if domain is not None else item_order(frozenset().union(*rows))
        code = {name: i for i, name in enumerate(names)}
        coded = [np.sort(np.array([code[name] for name in row], np.int32)) for row in rows]
        return cls(*sets_of(coded), names)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        return f"<Transactions: {len(self):,} records of {len(self.domain):,} items, {len(self.items):,} occurrences>"

    @property
    def lengths(self) -> Rows:
        """The number of items of each record."""
        return np.diff(self.offsets)

    @property
    def supports(self) -> Rows:
        """The number of records that contain each item."""
        return times_of(self.items, len(self.domain))

    def records(self) -> Iterator[frozenset[str]]:
        """Yield each record as a set of item names; for tests and small data."""
        for r in range(len(self)):
            yield frozenset(self.domain[i] for i in self.items[self.offsets[r] : self.offsets[r + 1]])

    def take(self, rows: Rows) -> "Transactions":
        """Return the given records, in the given order."""
        return Transactions(*take(self.offsets, self.items, rows), self.domain)

    def without(self, dropped: Mask) -> "Transactions":
        """Return the same records without the dropped items; the domain does not change."""
        return Transactions(*filter_members(self.offsets, self.items, ~dropped[self.items]), self.domain)


def item_order(names: Iterable[str]) -> tuple[str, ...]:
    """Names by number where all are whole numbers, else by text: the order of item ids everywhere."""
    rows = list(names)
    try:
        return tuple(sorted(rows, key=lambda name: (int(name), name)))
    except ValueError:
        return tuple(sorted(rows))


@dataclass(frozen=True, slots=True)
class Source:
    """A file (or table) that was read, and the hash of its bytes."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True, eq=False)
class Dataset:
    """The columns and item sets of the same records; what algorithms read.

    `anonset.read` returns it. Identifiers are removed on reading; only their names are stored.

    Attributes
    ----------
    columns : tuple of Column
        The coded columns.
    transactions : Transactions or None
        The item sets. With an item hierarchy, their domain is its leaves.
    item_hierarchy : Hierarchy or None
        The hierarchy of the items.
    sensitive_items : array of bool or None
        Marks the items that are published unchanged, protected against inference and not used for linking.
    item_column : str
        The name of the set-valued column.
    identifiers : tuple of str
        The names of the columns that were removed.
    sources : tuple of Source
        The files or tables that were read, with the SHA-256 of their bytes.
    reading : mapping
        How the input was read, so that it can be read again in the same way.
    fates : tuple of Fate
        What happens to each column of the input.
    people : array of int or None
        The number of the person behind each record, if a column (`people_column`) shows it.
    people_column : str or None
        The column that identifies people.
    marks : array of uint64 or None
        A hash of each record's value in that column if every record is another person's; releases of different data are
        compared by it.
    gathered : Gathered or None
        How several rows of a person became one record.
    removed : tuple of int
        How many items were removed on reading by request, and how often they occurred.
    population : Dataset or None
        The people from whom the records were taken, coded alike: first those of the records, then all others.
    sampling : float or None
        The share of the population that was drawn, where nothing else is known of it.

    Examples
    --------
    >>> import polars as pl
    >>> import anonset
    >>> sets = [["beer", "bread"], ["beer", "bread"], ["beer", "milk"], ["bread", "milk"], ["beer", "bread", "milk"]]
    >>> data = anonset.read(pl.DataFrame({"basket": sets}), items="basket")
    >>> len(data), data.transactions.domain
    (5, ('beer', 'bread', 'milk'))
    """

    _arrow_stream: ClassVar[Callable[["Dataset", object | None], object] | None] = None  # set by the layer that has Arrow
    _to_library: ClassVar[Callable[["Dataset", Literal["polars", "pandas"]], Any] | None] = None  # set by the same
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
    marks: NDArray[np.uint64] | None = None
    gathered: Gathered | None = None
    removed: tuple[int, int] = (0, 0)
    population: "Dataset | None" = None
    sampling: float | None = None

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
        freeze(self.sensitive_items, self.people, self.marks)

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
        assert Dataset._arrow_stream is not None, "anonset.api sets it"
        return Dataset._arrow_stream(self, requested_schema)

    def to_polars(self) -> "pl.DataFrame":
        """Return the records as a polars DataFrame: numbers, texts, and lists of items. It has the original values."""
        assert Dataset._to_library is not None, "anonset.api sets it"
        found: pl.DataFrame = Dataset._to_library(self, "polars")
        return found

    def to_pandas(self) -> "pd.DataFrame":
        """Return the same as a pandas DataFrame."""
        assert Dataset._to_library is not None, "anonset.api sets it"
        found: pd.DataFrame = Dataset._to_library(self, "pandas")
        return found

    def column(self, name: str) -> Column:
        """Return the column of that name.

        Raises
        ------
        InputError
            If there is none; the message suggests the nearest name.
        """
        for column in self.columns:
            if column.name == name:
                return column
        raise InputError("there is " + unknown("column", name, (c.name for c in self.columns), choose="there are"))

    @property
    def quasi(self) -> tuple[Column, ...]:
        """The columns that an attacker may know, which are generalized."""
        return self.with_role("quasi")

    def with_role(self, role: Role) -> tuple[Column, ...]:
        """Return the columns of one role."""
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
        """A remark about items that were removed on reading, or None."""
        if not self.reading.get("drop_items"):
            return None
        patterns, (items, places) = ", ".join(self.reading["drop_items"]), self.removed
        return f"items removed on reading, like {patterns}: {items:,}, in {places:,} places"

    @property
    def linkable(self) -> Transactions:
        """The item sets that an attacker may know: without sensitive items, over the same domain."""
        if self.transactions is None:
            raise InputError("this needs a set-valued attribute, and the dataset has none")
        return self.transactions if self.sensitive_items is None else self.transactions.without(self.sensitive_items)

    def take(self, rows: Rows) -> "Dataset":
        """Return the given records, in the given order."""
        return replace(
            self,
            columns=tuple(column.take(rows) for column in self.columns),
            transactions=None if self.transactions is None else self.transactions.take(rows),
            people=None if self.people is None else self.people[rows],
            marks=None if self.marks is None else self.marks[rows],
            population=None if self.population is None else self.population.take(_first(rows, len(self.population))),
        )

    def with_item_hierarchy(self, hierarchy: Hierarchy) -> "Dataset":
        """Return the same records with their items coded as the leaves of a hierarchy.

        Raises
        ------
        InputError
            If the hierarchy does not cover an item that occurs.
        """
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
            population=None if self.population is None else self.population.with_item_hierarchy(hierarchy),
        )

    def with_hierarchies(self, hierarchies: Mapping[str, Hierarchy]) -> "Dataset":
        """Return the same records with the named columns coded as the leaves of hierarchies.

        Raises
        ------
        InputError
            If a hierarchy does not cover a value that occurs.
        """
        return replace(
            self,
            columns=tuple(
                column_with_hierarchy(column, hierarchies[column.name]) if column.name in hierarchies else column
                for column in self.columns
            ),
            population=None if self.population is None else self.population.with_hierarchies(hierarchies),
        )


def _first(rows: Rows, n: int) -> Rows:
    """All of n rows, the given ones first."""
    return np.concatenate([rows, np.setdiff1d(np.arange(n), rows)]).astype(np.int64)


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
    kind: Kind = "numeric" if column.kind == "numeric" else "categorical"
    return Column(column.name, column.role, kind, new[column.codes].astype(np.int32), hierarchy.leaves, values, hierarchy)
