"""Columns whose values stand for people that have several rows: by their name, by their form, by what agrees, by their role.

A guarantee that counts rows says nothing about people where such a column is there, whether or not it is published.
"""

import re
from collections.abc import Callable, Collection
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonset.data._vocabulary import (
    AMOUNTS,
    FORMS,
    LOCAL_TELEPHONE,
    NAME_PARTS,
    ORDINARY,
    PERSON_ID_NAMES,
    PERSONAL,
    SEX_VALUES,
    SHARED_ID_NAMES,
    THINGS,
    WEAK_NAMES,
    bare,
)
from anonset.data.coding import NUMBER, Codebook
from anonset.data.identifiers import FEWEST, MOSTLY, SAMPLE, are_people
from anonset.model.arrays import Ids
from anonset.model.literals import are_dates

MOST_ROWS = 20  # of one person, on average, where nothing but other columns tells
MOST_NAMED_ROWS = 1_000  # the same where the name or the form of the values tells: fewer values are a kind of people
AGREE = 0.98  # of the further rows of a value: some are mistyped
BY_CHANCE = 0.8  # agreement of any two rows from which on a fixed column tells nothing
RELATED = 0.5  # share of what chance leaves open that one column tells of another
FEW = 6  # values: fewer are an answer or a grade
SHORT = 4  # digits of a number that may be a count, an age or a size
LOOKED_AT = 20_000  # rows, all of some values
OPAQUE = re.compile(r"[0-9A-Za-z+/=_-]{6,}")


def people_columns(columns: dict[str, pl.Series], given: Collection[str] = ()) -> tuple[str, ...]:
    """The columns in which rows with the same value are those of one person, the most certain first.

    `given` are those that somebody called identifiers.
    """
    codes = {name: Codebook().encode(texts) for name, texts in columns.items()}
    repeating = [name for name in codes if _repeats(codes[name], MOST_NAMED_ROWS, 1)]
    named = [name for name in repeating if PERSON_ID_NAMES.fullmatch(bare(name))]
    formed = [name for name in repeating if not _ordinary(name) and _personal_tokens(_values(columns[name]))]
    people = [name for name in repeating if are_people(_values(columns[name])) and _repeats(codes[name], MOST_ROWS, 1)]
    own = [name for name in people if _agreement(codes, name)]  # names of those whom they meet go with nothing
    likely = [name for name in repeating if WEAK_NAMES.fullmatch(bare(name)) or name in given]
    by_role = [name for name in likely if not _ordinary(name) and _may_stand(columns, codes, name)]
    return tuple(dict.fromkeys((*named, *formed, *own, *by_role, *tying_columns(columns, codes))))


def people_by_name(columns: dict[str, pl.Series]) -> tuple[str, ...]:
    """The columns that are called like people, and no group of them, whose values repeat."""
    called = [name for name in columns if PERSON_ID_NAMES.fullmatch(bare(name)) and not SHARED_ID_NAMES.fullmatch(bare(name))]
    return tuple(name for name in called if _repeats(Codebook().encode(columns[name]), MOST_NAMED_ROWS, 1))


def tying_columns(columns: dict[str, pl.Series], codes: dict[str, Ids] | None = None) -> tuple[str, ...]:
    """The columns whose values repeat, and with each of them those of others that are a person's, or as good as an identifier.

    What repeats because it is a thing (a product, a place) fixes what belongs to it too. So a column that says the same
    under another name does not count, nor does one whose values have many rows, nor what is called like a thing.
    """
    codes = codes or {name: Codebook().encode(texts) for name, texts in columns.items()}
    able = [name for name in codes if not _ordinary(name) and _repeats(codes[name], MOST_ROWS, FEWEST)]
    return tuple(name for name in able if _fixes_people(columns, codes, name))


def _repeats(codes: Ids, most: int, fewest: int) -> bool:
    there = codes[codes >= 0]
    values = int(there.max(initial=-1)) + 1
    return fewest <= values < len(there) <= most * values


def _words(name: str) -> list[str]:
    spaced = re.sub(r"([a-z])([A-Z])", r"\1 \2", name)
    return [word.lower() for word in re.findall(r"[^\W\d_]+", spaced)]


def _ordinary(name: str) -> bool:
    """Whether a column is called like something of a person, a place, an amount or a thing, and not like people."""
    part = NAME_PARTS.fullmatch(bare(name))
    return bool(part and part[1]) or any(word in ORDINARY or word.removesuffix("s") in ORDINARY for word in _words(name))


def _values(texts: pl.Series) -> list[str]:
    values: list[str] = texts.drop_nulls().unique(maintain_order=True).head(SAMPLE).to_list()
    return values


def _personal_tokens(values: list[str]) -> bool:
    """Whether values have the form of what one person or device has: addresses, phone numbers, hashes."""
    if not values:
        return False
    forms: list[Callable[[str], object]] = [*FORMS.values(), LOCAL_TELEPHONE.fullmatch]
    return any(sum(bool(is_one(text)) for text in values) >= MOSTLY * len(values) for is_one in forms) or _random(values)


def _random(values: list[str]) -> bool:
    """Whether values mix letters and digits at random: codes that people give have few patterns."""
    opaque = [text for text in values if OPAQUE.fullmatch(text)]
    if len(values) < 4 or len(opaque) < MOSTLY * len(values):
        return False
    patterns = [re.sub(r"[A-Za-z]", "a", re.sub(r"\d", "0", text)) for text in opaque]
    mixed = [pattern for pattern in patterns if "a" in pattern and "0" in pattern]
    turns = [len(re.findall("a0|0a", pattern)) for pattern in mixed]
    many = len(set(patterns)) >= max(4, 0.4 * min(len(values), 2 * FEWEST))
    return many and len(mixed) >= 0.75 * len(values) and float(np.mean(turns)) >= 1.5


def _may_stand(columns: dict[str, pl.Series], codes: dict[str, Ids], name: str) -> bool:
    """Whether a column that is called an identifier may stand for people: no dates, measures or few plain words.

    Short numbers and words stand for people unless other columns tell that rows with the same value have nothing in common.
    """
    values = _values(columns[name])
    numbers = [text for text in values if NUMBER.fullmatch(text)]
    if (
        len(values) < 2
        or are_dates(values)
        or (len(numbers) == len(values) and any("." in text or "e" in text.lower() for text in values))
    ):
        return False
    coded = sum(any(c.isdigit() for c in text) and len(text) >= SHORT for text in values) >= MOSTLY * len(values)
    if coded:
        return True
    rows, sets = int((codes[name] >= 0).sum()), sum("|" in text or ";" in text for text in values)
    if len(values) < FEW or sets > 0.2 * len(values) or (len(values) < FEWEST and rows > MOST_ROWS * len(values)):
        return False
    return _agreement(codes, name) is not False


def _agreement(codes: dict[str, Ids], name: str) -> bool | None:
    """Whether rows with the same value are alike in some other column, more than chance has it; None where none can tell."""
    rows, first = _further_rows(codes[name])
    if len(rows) < 10:
        return None
    told = None
    for other, held in codes.items():
        chance = _chance(held)
        distinct = int(held.max(initial=-1)) + 1
        if other == name or chance > 0.95 or distinct > 0.5 * len(held):
            continue
        told = bool(told) or float(np.mean(held[rows] == held[first])) - chance >= RELATED * (1 - chance)
    return told


def _chance(held: NDArray[Any]) -> float:
    """The share of pairs of rows that agree."""
    shares = np.bincount(held + 1) / max(1, len(held))
    return float((shares**2).sum())


def _fixes_people(columns: dict[str, pl.Series], codes: dict[str, Ids], name: str) -> bool:
    """Whether what the values of a column fix tells nearly all of them apart, or is of a person."""
    rows, first = _further_rows(codes[name])
    if len(rows) < FEWEST:
        return False
    begun = np.unique(first)
    told, fixed = np.zeros(len(begun), np.int64), []
    for other in (other for other in codes if other != name):
        held = codes[other]
        own = held[begun].astype(np.int64)
        distinct = len(np.unique(own))
        if 1 < distinct < AGREE * len(begun) and np.mean(held[rows] == held[first]) >= AGREE:
            told = np.unique(told * (own.max() + 2) + own + 1, return_inverse=True)[1]
            fixed += [other] if _chance(own) <= BY_CHANCE else []
    if len(np.unique(told)) >= MOSTLY * len(begun):
        return True
    of_values = {other: codes[other][begun] for other in fixed if _tells_of_people(columns[other], other)}
    return any(
        _unrelated(of_values[a], of_values[b], personal=_personal(columns[a], a) or _personal(columns[b], b))
        for a, b in combinations(of_values, 2)
    )


def _tells_of_people(texts: pl.Series, name: str) -> bool:
    """Whether what is fixed may be of a person: nothing of a thing, no price."""
    words = _words(name)
    if any(word in PERSONAL for word in words):
        return True
    if any(word in THINGS | AMOUNTS or word.removesuffix("s") in THINGS | AMOUNTS for word in words):
        return False
    return not any(NUMBER.fullmatch(text) and "." in text for text in _values(texts)[:100])


def _personal(texts: pl.Series, name: str) -> bool:
    values = _values(texts)
    return any(word in PERSONAL for word in _words(name)) or (
        1 < len(values) <= 4 and all(text.lower() in SEX_VALUES for text in values)
    )


def _unrelated(a: Ids, b: Ids, *, personal: bool) -> bool:
    """Whether neither of two columns tells the other: of a place its county tells the state."""
    most = AGREE if personal else RELATED
    return _tells(a, b) < most and _tells(b, a) < most


def _tells(a: Ids, b: Ids) -> float:
    """How much of what chance leaves open about b is known to somebody who knows a."""
    rows, first = _further_rows(np.unique(a, return_inverse=True)[1].astype(np.int32))
    if len(rows) < 10:
        return 1.0
    chance = _chance(b)
    return float((np.mean(b[rows] == b[first]) - chance) / max(1e-9, 1 - chance))


def _further_rows(codes: Ids) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows whose value an earlier row has, and that row: all rows of some values, where there are too many."""
    values = int(codes.max(initial=-1)) + 1
    share = max(1, len(codes) // LOOKED_AT)
    kept = np.flatnonzero((codes >= 0) & (codes % share == 0))
    begins = np.full(values, -1, np.int64)
    begins[codes[kept][::-1]] = kept[::-1]
    first = begins[codes[kept]]
    further = kept != first
    return kept[further], first[further]
