"""What the columns of a table mean, how its text is read, and what becomes of every column of the input."""

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from anonset.errors import Advice, Fix, InputError, Set, unknown, without_password
from anonset.model.serialization import read_toml, to_builtins

Role = Literal["identifier", "quasi", "sensitive", "other"]
Kind = Literal["numeric", "ordered", "categorical", "flag"]  # flag: of a column among the items that says who has it as an item
NO_ROLE = "none"
VARIES = "rows of one person differ"  # the reason why a column has no role

FATES = {
    "identifier": "left out",
    NO_ROLE: "left out",
    "quasi": "generalized",
    "items": "generalized",
    "sensitive": "published as it is",
    "other": "published as it is",
}


@dataclass(frozen=True, slots=True)
class Fate:
    """How one column is read, and why: said before anything is published."""

    column: str
    role: str  # quasi, sensitive, identifier, other, items; or none
    kind: str  # numeric, ordered, categorical or items
    reason: str
    given: bool  # by the user, not guessed
    ties: bool = False  # rows of one person: its repeated values identify people or events

    @property
    def fate(self) -> str:
        """What happens to it: left out, generalized, or published as it is."""
        return FATES[self.role]

    def as_json(self) -> dict[str, Any]:
        """Its fields and its fate."""
        return asdict(self) | {"fate": self.fate}


def left_out_sentence(fates: tuple[Fate, ...]) -> str | None:
    """Return a remark about columns without a role, or None."""
    varying = [fate.column for fate in fates if fate.reason == VARIES]
    names = [fate.column for fate in fates if fate.role == NO_ROLE and fate.column not in varying]
    varies = f"left out, {VARIES}: {', '.join(varying)}" if varying else ""
    if not names:
        return varies or None
    sets = [fate.column for fate in fates if fate.column in names and fate.kind == "items"]
    plain = [name for name in names if name not in sets]
    ways = (("publish as it is", Set("other", plain)), ("generalize", Set("quasi", plain)), ("generalize", Set("items", sets)))
    open_ = [(words, way) for words, way in ways if way.value]
    fix = Fix(", ".join(f"{{}} to {words}" for words, _ in open_), *(way for _, way in open_))
    return Advice(f"{varies}{'; ' if varies else ''}left out, no role given: {', '.join(names)}; ", fix)


def guesses_sentence(fates: tuple[Fate, ...]) -> str | None:
    """Return a remark about guessed roles, or None where none was guessed or items are all there is."""
    guessed = [fate for fate in fates if not fate.given]
    if not guessed or len(fates) == 1:
        return None
    return "guessed: " + ", ".join(f"{fate.column} is {fate.role}" for fate in guessed)


ROLES: tuple[Role, ...] = ("quasi", "sensitive", "identifier", "other")
TABS = ("\\t", "tab")  # what a tab is called where it cannot be typed
MISSING_TEXTS = ("", "NA", "null", "?")
Names = tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Schema:
    """The roles of the columns and how the input is read.

    A field that is None is guessed; a field that is set is never overridden. As soon as one role is set, columns without a role
    are left out.

    Attributes
    ----------
    quasi, sensitive, identifier, other : sequence of str, optional
        The columns of each role.
    kinds : mapping of str to {"numeric", "ordered", "categorical", "flag"}
        The kinds of columns that should not be guessed; ordered are words that have an order, such as bands of ages, and a flag
        is a column among the items that says who has it as an item.
    items : sequence of str, optional
        The set-valued columns; () means that there are none.
    item_separator, delimiter : str, optional
        What separates items, and columns.
    drop_items : sequence of str, optional
        Patterns of items to remove on reading, such as "mrn:*".
    multiset : bool
        Whether the count of a repeated item becomes part of it.
    sensitive_items : sequence of str, str or Path, optional
        Names, names separated by commas, or a file with one name per line.
    item_hierarchy : str or Path, optional
        A hierarchy of the items: a file, or a specification such as "balanced:5".
    hierarchies : str, Path or mapping, optional
        A folder with <column>.csv and items.csv, or a mapping of columns to files or specifications.
    id : str, optional
        The column that identifies people; the rows of each person become one record. Also called `key`.
    long : str or Path, optional
        A second file with one row per id and item.
    population : str or Path, optional
        A file of all people from whom the records were taken, the people of the records included. Guarantees then count these.
    sampling : float, optional
        The share of the population that was drawn at random, if nothing else is known of it. Guarantees are then estimates.
    repeated : bool
        Whether the table itself has several rows a person.
    table, query : str, optional
        The table of a database, or a query.
    items_table, items_key : str, optional
        A second table of items, and the name of the id in it.
    sheet : str, optional
        The sheet of an Excel file.
    format : str, optional
        The format of the input, if its name does not show it.
    missing : sequence of str
        Texts that stand for a missing value.

    Raises
    ------
    InputError
        If a field has the wrong type, a column has two roles, or fields contradict each other.

    Examples
    --------
    >>> from anonset import Schema
    >>> Schema(quasi=["age", "town"], items="codes").role("age")
    'quasi'
    """

    quasi: Annotated[Names, "columns an attacker may know; they are generalized", "A,B"] = None
    sensitive: Annotated[Names, "columns attackers do not know and must not learn; they are published unchanged", "A,B"] = None
    identifier: Annotated[Names, "columns that name people; they are left out", "A,B"] = None
    other: Annotated[Names, "columns by which nobody finds a person; they are published unchanged", "A,B"] = None
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    items: Annotated[Names, "the column with sets of items; several are merged", "A,B"] = None
    item_separator: Annotated[str | None, "the separator between items", "TEXT"] = None
    drop_items: Annotated[Names, "items to remove when reading: patterns such as mrn:*", "PATTERN"] = None
    multiset: Annotated[bool, "keep repeated items: the count becomes part of the item"] = False
    sensitive_items: Annotated[
        tuple[str, ...] | str | Path | None, "items to protect against inference, or a file with them", "A,B"
    ] = None
    item_hierarchy: Annotated[
        str | Path | None, "the hierarchy of the items: a file, or a builder such as balanced:5", "FILE"
    ] = None
    hierarchies: Annotated[
        str | Path | Mapping[str, str | Path] | None,
        "a folder with hierarchies: <column>.csv, and items.csv for the items",
        "DIR",
    ] = None
    id: Annotated[str | None, "the column that identifies a person; all rows of a person become one record", "A"] = None
    long: Annotated[str | Path | None, "a second file with one row for each id and item", "FILE"] = None
    population: Annotated[
        str | Path | None, "a file of the population that the records were taken from; guarantees count its people", "FILE"
    ] = None
    sampling: Annotated[
        float | None, "the share of the population that was drawn at random, such as 0.02; guarantees become estimates", "SHARE"
    ] = None
    repeated: Annotated[bool, "the file has several rows for each id"] = False
    table: Annotated[str | None, "the table of a database", "TABLE"] = None
    query: Annotated[str | None, "the query to run on a database, instead of a table", "SQL"] = None
    items_table: Annotated[str | None, "a second table with one row for each id and item", "TABLE"] = None
    items_key: Annotated[str | None, "the id column of the second file or table, if its name differs", "A"] = None
    sheet: Annotated[str | None, "the sheet of an Excel file", "NAME"] = None
    format: Annotated[
        str | None, "the format of the input: csv, tsv, parquet, feather, jsonl, json, xlsx, fimi or spmf", "FORMAT"
    ] = None
    delimiter: Annotated[str | None, "the separator between columns", "CHAR"] = None
    missing: tuple[str, ...] = MISSING_TEXTS

    def __post_init__(self) -> None:
        for f in fields(self):
            object.__setattr__(self, f.name, _checked(f.name, getattr(self, f.name)))
        named: dict[str, str] = {}
        for role in (*ROLES, "items"):
            for column in getattr(self, role) or ():
                if named.setdefault(column, role) != role:
                    raise InputError(f"{column!r} is given two parts: {named[column]} and {role}")
        if self.repeated and ((self.long or self.items_table) is not None or self.id is None):
            raise InputError("`repeated` needs `id`, the column that ties the rows of a person, and no second file `long`")
        if (self.long or self.items_table) is not None and self.id is None:
            second = "`long`" if self.long is not None else "`items_table`"
            raise InputError(f"{second} needs `id`, the column that ties its rows to the records")
        if self.population is not None and self.sampling is not None:
            raise InputError("either a population or the sampling share is expected: a file is counted, a share only estimates")
        if self.table is not None and self.query is not None:
            raise InputError("either a table or a query is expected, not both")

    @classmethod
    def from_toml(cls, path: str | Path) -> "Schema":
        """Read a schema from a TOML file; paths in it are relative to the file.

        Raises
        ------
        InputError
            If the file is not valid; the message names the file and the key.
        """
        try:
            return cls.from_values(read_toml(path)).beside(Path(path).parent)
        except InputError as error:
            raise InputError(error.advice, file=path) from None

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> "Schema":
        """Return the schema of a mapping from field names to values."""
        known, given = [f.name for f in fields(cls)], with_key(values)
        for key in given:
            if key not in known:
                raise InputError("there is " + unknown("key", key, known, choose="there are"))
        return cls(**given)

    def beside(self, folder: Path) -> "Schema":
        """Return the schema with its file names relative to a folder."""
        from anonset.model.builders import is_spec  # slow to import

        def under(text: str | Path) -> str | Path:
            is_no_file = isinstance(text, str) and (":" in text or is_spec(text)) and not os.path.exists(folder / text)
            return text if is_no_file else folder / text

        changes: dict[str, Any] = {}
        for name in ("item_hierarchy", "long", "population"):
            if getattr(self, name) is not None:
                changes[name] = under(getattr(self, name))
        if isinstance(self.hierarchies, Mapping):
            changes["hierarchies"] = {column: under(text) for column, text in self.hierarchies.items()}
        elif self.hierarchies is not None:
            changes["hierarchies"] = under(self.hierarchies)
        if isinstance(self.sensitive_items, str) and os.path.isfile(folder / self.sensitive_items):
            changes["sensitive_items"] = folder / self.sensitive_items
        return replace(self, **changes)

    @property
    def gives_roles(self) -> bool:
        """Whether any role is set, so that columns without one are left out."""
        return any(getattr(self, role) is not None for role in ROLES)

    @property
    def must_name_items(self) -> bool:
        """Whether items are read only from columns that are named: what to publish is named, and no setting speaks of items."""
        named = any(getattr(self, role) is not None for role in ROLES if role != "identifier")
        settings = (self.item_hierarchy, self.item_separator, self.sensitive_items, self.drop_items or None)
        return named and not self.multiset and all(value is None for value in settings)

    @property
    def reading(self) -> dict[str, Any]:
        """How an input is read, as plain data; what is attached to it is left out: a release keeps that as values."""
        plain: dict[str, Any] = to_builtins(replace(self, item_hierarchy=None, hierarchies=None, sensitive_items=None))
        for name in ("long", "population"):
            if (other := getattr(self, name)) is not None:
                is_url = "://" in str(other)
                plain[name] = without_password(str(other)) if is_url else str(Path(other).absolute())
        return plain

    def role(self, column: str) -> Role | None:
        """Return the role that is set for a column, if any."""
        return next((role for role in ROLES if column in (getattr(self, role) or ())), None)


def with_key(values: Mapping[str, Any]) -> dict[str, Any]:
    """Settings with `key`, which people who have databases look for, under its other name `id`."""
    if "key" not in values:
        return dict(values)
    if values.get("id", values["key"]) != values["key"]:
        raise InputError("`key` and `id` name the same thing: give one of them")
    return {name: value for name, value in values.items() if name != "key"} | {"id": values["key"]}


def _checked(name: str, value: Any) -> Any:
    """The value of a field in its frozen form; anything of a wrong type is an error that says what was expected."""
    if name in {*ROLES, "items", "missing", "drop_items"} or (name == "sensitive_items" and isinstance(value, list | tuple)):
        return _names(name, value)
    if value is None and name not in {"multiset", "repeated", "kinds"}:
        return None
    if name == "sampling":
        return _share(value)
    if name in {"multiset", "repeated"}:
        return _expect(name, value, isinstance(value, bool), "true or false")
    if name == "kinds":
        kinds = get_args(Kind)
        good = isinstance(value, Mapping) and all(isinstance(c, str) and kind in kinds for c, kind in value.items())
        return dict(_expect(name, value, good, f"a table of column = {' or '.join(map(repr, kinds))}"))
    if name == "hierarchies" and isinstance(value, Mapping):
        good = all(isinstance(c, str) and isinstance(file, str | Path) for c, file in value.items())
        return dict(_expect(name, value, good, "a folder, or a table of column = 'file'"))
    if name in {"delimiter", "item_separator"} and value in TABS:
        return "\t"
    if name == "delimiter":
        return _expect(name, value, isinstance(value, str) and len(value) == 1 and value not in '"\r\n', "one character")
    if name in {"sensitive_items", "item_hierarchy", "hierarchies", "long", "population"}:
        return _expect(name, value, isinstance(value, str | Path) and bool(str(value)), "a text or a path")
    return _expect(name, value, isinstance(value, str) and bool(value), "a text that is not empty")


def _share(value: Any) -> float:
    """A share above 0, as a number or typed."""
    try:
        share = float(value)
    except (TypeError, ValueError):
        share = 0.0
    good = 0.0 < share < 1.0 and not isinstance(value, bool)
    _expect("sampling", value, good, "a number above 0 and below 1, such as 0.02")
    return share


def _names(name: str, value: Any) -> tuple[str, ...] | None:
    if value is None and name != "missing":
        return None
    names = (value,) if isinstance(value, str) else value
    good = isinstance(names, list | tuple) and all(isinstance(text, str) for text in names)
    result = tuple(_expect(name, names, good, "a list of texts"))
    if len(set(result)) != len(result):
        raise InputError(f"{name} must not name {next(n for n in result if result.count(n) > 1)!r} twice")
    return result


def _expect(name: str, value: Any, good: bool, wanted: str) -> Any:
    if not good:
        plain = value is None or isinstance(value, str | int | float | list | tuple | dict)
        raise InputError(f"{name} must be {wanted}; got {repr(value) if plain else type(value).__name__}")  # no table of data
    return value
