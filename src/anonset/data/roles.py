"""Guesses of the roles of columns that the schema leaves open, each with a reason."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np
import polars as pl

from anonset.data._vocabulary import EVENT_ID_NAMES, ID_NAMES, NUMBERS, PEOPLE, SHARED_ID_NAMES, bare
from anonset.data.coding import ItemSets, Table, guess_kind
from anonset.data.identifiers import called_like_identifier, names_people
from anonset.data.repeats import people_by_name, people_columns
from anonset.model.schema import NO_ROLE, ROLES, VARIES, Fate, Kind, Schema

NUMBERED = re.compile(r"(.*?[^\W\d_].*?)[\W_]*\d+")
THINGS = re.compile(
    r"(.*[\W_\d])?(dx|diag(nos[ei]s)?|icd(9|10)?(cm)?|prc?|px|proc(edure)?|atc|drug|med(ication)?|item|product|purchase"
    r"|condition|comorbidity|symptom|tag)s?([\W_]?(code|id|cd))?",
    re.IGNORECASE,
)


def stem(name: str) -> str | None:
    """What a numbered column is called without its number: `diag` for `diag_1`."""
    found = NUMBERED.fullmatch(name)
    return found.group(1) if found else None


def numbered_alike(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The columns of each stem that several of them share, in their order."""
    found: dict[str, tuple[str, ...]] = {}
    for name in names:
        if (called := stem(name)) is not None:
            found[called] = (*found.get(called, ()), name)
    return {called: columns for called, columns in found.items() if len(columns) > 1}


def numbered_things(names: Sequence[str]) -> tuple[str, ...]:
    """The numbered columns that are called after what a person has several of: diagnoses, drugs, products."""
    held = {name for called, columns in numbered_alike(names).items() if THINGS.fullmatch(called) for name in columns}
    return tuple(name for name in names if name in held)


SEPARATORS = ("|", ";", ",", "\t", " ")
SAMPLE = 20_000
ITEM_NAMES = re.compile(
    r"items?|itemset|basket|transactions?|diagnos[ei]s|conditions|codes|products|tags|purchases", re.IGNORECASE
)
OWN_NUMBERS = re.compile(rf".*({PEOPLE})({NUMBERS})?|pid|ssn|mrn|passport(no|nr|number)?", re.IGNORECASE)
MOST_EVENT_ROWS, FEWEST_EVENTS = 100, 20  # most rows and least values of an event id: visits may also be counted 1, 2, 3


@dataclass(frozen=True, slots=True)
class Guess:
    """A complete schema, the fate of each column, and the columns that connect rows of a person, the likeliest first."""

    schema: Schema
    fates: tuple[Fate, ...]
    ties: tuple[str, ...] = ()


def guess_roles(table: Table, schema: Schema) -> Guess:
    """The schema completed for a table with one row a record; what it names must be there."""
    for role in ROLES:
        for column in getattr(schema, role) or ():
            table.require(column, role)
    for column in schema.kinds:
        table.require(column, "kinds")
    items, why = _items(table, schema)
    flags = _flags(table, schema, items)
    cells = [table.columns[column] for column in items if column in table.columns and column not in flags]
    given = schema.item_separator is not None or table.gathered is not None
    separator = schema.item_separator if given else find_separator(cells)
    people, deeds = _tying(table, schema, items)
    ties = people or deeds  # ids of events, such as orders, connect rows if there is no id of people
    fates = [
        _fate(table, schema, column, items, why, ties=column in ties, stands=column in (*people, *deeds))
        for column in table.names
    ]
    if schema.must_name_items and schema.items is None:
        sets = _likely_items(table, schema)[0]
        fates = [replace(fate, kind="items") if fate.column in sets and fate.role == NO_ROLE else fate for fate in fates]
    roles = {role: tuple(fate.column for fate in fates if fate.role == role) for role in ROLES}
    kinds: dict[str, Kind] = {fate.column: fate.kind for fate in fates if fate.kind in get_args(Kind)}  # type: ignore[misc]
    kinds |= dict.fromkeys(flags, "flag")
    complete = replace(schema, items=items, item_separator=separator, kinds=kinds, **roles)  # type: ignore[arg-type]
    return Guess(complete, tuple(fates), ties)


YES, NO = ("1", "1.0", "true", "yes"), ("0", "0.0", "false", "no")


def _flags(table: Table, schema: Schema, items: tuple[str, ...]) -> tuple[str, ...]:
    """The item columns that say who has them as an item: those given as such, or two or more, a matrix of baskets."""
    given = [name for name, kind in schema.kinds.items() if kind == "flag"]
    if odd := [name for name in given if name not in items]:
        raise table.error("a flag says who has an item: name the column among the items", column=odd[0])
    open_ = [name for name in items if name in table.columns and name not in schema.kinds]
    found = [name for name in open_ if _says_who_has_it(table, schema, name)]
    return (*given, *found) if given or len(found) > 1 else ()


def _says_who_has_it(table: Table, schema: Schema, name: str) -> bool:
    texts = present(table.columns[name], schema).drop_nulls().str.to_lowercase()
    return len(texts) > 0 and bool(texts.is_in([*YES, *NO]).all())


def flagged(table: Table, schema: Schema, name: str) -> ItemSets:
    """The item that a column is called after, in the records that say so."""
    texts = present(table.columns[name], schema).str.to_lowercase()
    if not texts.drop_nulls().is_in([*YES, *NO]).all():
        raise table.error("a flag is 0 or 1, false or true, no or yes", column=name)
    there = texts.is_in(YES).fill_null(value=False).to_numpy()
    return ItemSets(
        np.concatenate([[0], np.cumsum(there)]), np.zeros(int(there.sum()), np.int32), (name,) if there.any() else ()
    )


def find_separator(cells: Sequence[pl.Series]) -> str:
    """The first of | ; , tab and blank that a fifth of the cells with any of them hold; a blank where none does."""
    sample = (
        pl.concat([c.head(SAMPLE).drop_nulls().str.strip_chars() for c in cells]) if cells else pl.Series([], dtype=pl.String)
    )
    held = [sample.str.contains(sign, literal=True) for sign in SEPARATORS]
    some = sum(int(any_held) for any_held in (sample.str.contains(r"[|;,\t ]")).to_list())
    for sign, here in zip(SEPARATORS, held, strict=True):
        if some and here.sum() * 5 >= some:
            return sign
    return " "


def set_separator(cells: Sequence[pl.Series]) -> str | None:
    """The separator of items in rows that hold several; None if each holds one."""
    several = [column for column in cells if _looks_set_valued(column) or _parts_stand_alone(column)]
    return find_separator(several) if several else None


def id_like(table: Table) -> str | None:
    """The column that ties repeated rows: of two columns the one called like an id whose values repeat."""
    if len(table.names) != 2 or len(table.columns) != 2:
        return None
    for column in table.names:
        if ID_NAMES.fullmatch(column) and table.columns[column].n_unique() < len(table):
            return column
    return None


def own_number(table: Table, schema: Schema) -> str | None:
    """The column named after ids of people in which each record has its own value: each record is another person."""
    for name, texts in table.columns.items():
        if OWN_NUMBERS.fullmatch(bare(name)) and not SHARED_ID_NAMES.fullmatch(bare(name)):
            there = present(texts, schema)
            if len(there) > 1 and not there.null_count() and there.n_unique() == len(there):
                return name
    return None


def _items(table: Table, schema: Schema) -> tuple[tuple[str, ...], str]:
    """The set-valued columns and why they are taken for such."""
    if schema.items is not None:
        for column in schema.items:
            table.require(column, "items")
        return schema.items, "given"
    if schema.must_name_items:
        return (), ""
    return _likely_items(table, schema)


def _likely_items(table: Table, schema: Schema) -> tuple[tuple[str, ...], str]:
    """The columns without a role that look set-valued, and why."""
    free = [column for column in table.names if schema.role(column) is None]
    if lists := tuple(column for column in free if column in table.sets):
        return lists, "its values are sets"
    texts = [column for column in free if column in table.columns]
    if named := tuple(column for column in texts if ITEM_NAMES.fullmatch(column)):
        return named, "it is called so"
    if numbered := numbered_things(texts):
        return numbered, "one of several with a number in its name: each holds an item of the same set"
    return tuple(
        c for c in texts if _looks_set_valued(table.columns[c])
    ), "its texts are made of parts that recur in many combinations"


def _looks_set_valued(cells: pl.Series) -> bool:
    """Whether texts split into parts of varying number that recur, in more combinations than there are parts."""
    sample = cells.head(SAMPLE).drop_nulls()
    sign = find_separator([sample])
    parts = sample.str.split(sign)
    lengths = parts.list.len()
    if len(sample) < 10 or lengths.n_unique() < 3:
        return False
    flat = parts.explode()
    distinct = flat.n_unique()
    return len(flat) >= 1.5 * len(sample) and distinct * 3 <= len(flat) and sample.n_unique() > distinct


def _parts_stand_alone(cells: pl.Series) -> bool:
    """Whether nearly all parts of the texts that have several are texts of other rows too."""
    sample = cells.head(SAMPLE).drop_nulls().str.strip_chars().unique()
    parts = sample.str.split(find_separator([sample])).list.eval(pl.element().str.strip_chars())
    several = parts.filter(parts.list.len() > 1).explode().unique()
    return len(several) > 0 and float(several.is_in(sample.implode()).mean() or 0) >= 0.9  # type: ignore[arg-type]


def _fate(table: Table, schema: Schema, column: str, items: tuple[str, ...], why: str, *, ties: bool, stands: bool) -> Fate:
    if column in items:
        return Fate(column, "items", "items", why, schema.items is not None)
    role, reason = _role(table, schema, column, stands)
    if column in table.sets:
        if role not in ("identifier", NO_ROLE):
            raise table.error(f"holds sets; name it among the items, or drop it as an identifier (now: {role})", column=column)
        return Fate(column, role, "items", reason, True)
    if role in ("identifier", NO_ROLE):
        return Fate(column, role, "categorical", reason, role == NO_ROLE or schema.role(column) is not None, ties)
    if column in schema.kinds:
        return Fate(column, role, schema.kinds[column], reason, schema.gives_roles, ties)
    kind, because = guess_kind(table, column, present(table.columns[column], schema))
    return Fate(column, role, kind, f"{reason}; {because}", schema.gives_roles, ties)


def present(texts: pl.Series, schema: Schema) -> pl.Series:
    """The texts with null for missing values."""
    missing = texts.is_in([*schema.missing, ""])
    return texts.set(missing.fill_null(True), None)


def _tying(table: Table, schema: Schema, items: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The columns in which rows with the same value are those of one person, and those called like what people did.

    Where somebody named the key of a person, others tie rows only by a name that stands for people.
    """
    texts = {name: present(column, schema) for name, column in table.columns.items() if name not in items}
    if schema.id is not None:
        own = (schema.id,) if schema.id in texts and _repeats(texts[schema.id], len(table), 1) else ()
        return own or people_by_name(texts), ()
    if own_number(table, schema) is not None:  # each record belongs to another person
        return people_by_name(texts), ()
    sets = [name for name in schema.identifier or () if name in texts and _looks_set_valued(texts[name])]
    texts = {name: column for name, column in texts.items() if name not in sets}
    deeds = tuple(name for name in texts if EVENT_ID_NAMES.fullmatch(bare(name)))
    done = tuple(name for name in deeds if _repeats(texts[name], MOST_EVENT_ROWS, FEWEST_EVENTS))
    return people_columns(texts, [name for name in schema.identifier or () if name in texts and name not in deeds]), done


def _repeats(texts: pl.Series, most: int, fewest: int) -> bool:
    there = texts.drop_nulls()
    return fewest <= (values := there.n_unique()) < len(there) <= most * values


def _role(table: Table, schema: Schema, column: str, stands: bool) -> tuple[str, str]:
    if given := schema.role(column):
        return given, "given"
    if column in table.varying:
        return NO_ROLE, VARIES
    if column == schema.id:
        return "identifier", "it ties the rows of a person"
    if column in table.columns and called_like_identifier(column) and table.columns[column].n_unique() == len(table) > 1:
        return "identifier", "it is called like an identifier and no value repeats"
    if stands:
        return "identifier", "it ties the rows of a person"
    if column in table.columns and (named := names_people(column, present(table.columns[column], schema))):
        return "identifier", named
    if schema.gives_roles:
        return NO_ROLE, "roles are given and it has none"
    return "quasi", "an attacker may know it"


def gathered_items(table: Table, schema: Schema, *, id: str) -> tuple[str, ...]:
    """The item columns of rows of one person: given, or guessed as in any table, or the only other column; or none."""
    if schema.items is not None:
        for column in schema.items:
            table.require(column, "items")
        return schema.items
    others = tuple(column for column in table.names if column != id)
    if len(others) == 1 and schema.role(others[0]) is None:
        return others
    if schema.must_name_items:
        return ()
    free = replace(schema, identifier=(*(schema.identifier or ()), id)) if schema.role(id) is None else schema
    if found := _likely_items(table, free)[0]:
        return found
    return tuple(name for name in others if free.role(name) is None and THINGS.fullmatch(name))


def repeated_items(table: Table, schema: Schema, *, id: str) -> tuple[str, ...]:
    """The item columns of rows tied by an id: given, or called so, or the only other column."""
    if schema.items:
        for column in schema.items:
            table.require(column, "items")
        return schema.items
    others = tuple(column for column in table.names if column != id)
    named = tuple(column for column in others if ITEM_NAMES.fullmatch(column))
    if numbered := numbered_things(others):
        return numbered
    if len(others) != 1 and len(named) != 1:
        raise table.error(f"name the column of the items; there are {len(others)} beside {id!r}")
    return named or others
