"""Columns whose repeated values mean that a person has several rows: by name, form, agreement of other columns, or role.

With such a column, a guarantee that counts rows does not protect people, whether or not the column is published.
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
from anonset.data.coding import Codebook
from anonset.data.identifiers import FEWEST, MOSTLY, SAMPLE, are_people
from anonset.model.arrays import Ids
from anonset.model.literals import NUMBER, are_dates

MOST_ROWS = 20  # most rows of a person, on average, if only other columns are evidence
MOST_NAMED_ROWS = 1_000  # the same if the name or the form of the values is evidence
AGREE = 0.98  # share of the further rows of a value that agree: some are mistyped
BY_CHANCE = 0.8  # a column on which random pairs of rows agree this often is no evidence
RELATED = 0.5  # share of the uncertainty about a column that another one removes
FEW = 6  # least values: fewer are an answer or a grade
SHORT = 4  # least digits of an id: shorter numbers may be counts, ages or sizes
LOOKED_AT = 20_000  # rows examined: all rows of a sample of values
OPAQUE = re.compile(r"[0-9A-Za-z+/=_-]{6,}")


def people_columns(columns: dict[str, pl.Series], given: Collection[str] = ()) -> tuple[str, ...]:
    """The columns in which rows with the same value are those of one person, the most certain first.

    `given` are those with the role identifier.
    """
    codes = {name: Codebook().encode(texts) for name, texts in columns.items()}
    repeating = [name for name in codes if _repeats(codes[name], MOST_NAMED_ROWS, 1)]
    named = [name for name in repeating if PERSON_ID_NAMES.fullmatch(bare(name))]
    formed = [name for name in repeating if not _ordinary(name) and _personal_tokens(_values(columns[name]))]
    people = [name for name in repeating if are_people(_values(columns[name])) and _repeats(codes[name], MOST_ROWS, 1)]
    own = [name for name in people if _agreement(codes, name)]  # names of staff agree with no other column
    likely = [name for name in repeating if WEAK_NAMES.fullmatch(bare(name)) or name in given]
    by_role = [name for name in likely if not _ordinary(name) and _may_stand(columns, codes, name)]
    return tuple(dict.fromkeys((*named, *formed, *own, *by_role, *tying_columns(columns, codes))))


def people_by_name(columns: dict[str, pl.Series]) -> tuple[str, ...]:
    """The columns named after single people whose values repeat."""
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
    """Whether a column is named after an attribute, a place, an amount or a thing, and not after people."""
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
    """Whether values mix letters and digits at random; assigned codes have few patterns."""
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
    """Whether rows with the same value agree in some other column more than by chance; None if there is no evidence."""
    rows, first = _further_rows(codes[name])
    if len(rows) < 10:
        return None
    agrees = None
    for other, held in codes.items():
        chance = _chance(held)
        distinct = int(held.max(initial=-1)) + 1
        if other == name or chance > 0.95 or distinct > 0.5 * len(held):
            continue
        agrees = bool(agrees) or float(np.mean(held[rows] == held[first])) - chance >= RELATED * (1 - chance)
    return agrees


def _chance(held: NDArray[Any]) -> float:
    """The share of pairs of rows that agree."""
    shares = np.bincount(held + 1) / max(1, len(held))
    return float((shares**2).sum())


def _fixes_people(columns: dict[str, pl.Series], codes: dict[str, Ids], name: str) -> bool:
    """Whether the columns that a value determines identify it nearly uniquely, or are attributes of a person."""
    rows, first = _further_rows(codes[name])
    if len(rows) < FEWEST:
        return False
    begun = np.unique(first)
    group, fixed = np.zeros(len(begun), np.int64), []
    for other in (other for other in codes if other != name):
        held = codes[other]
        own = held[begun].astype(np.int64)
        distinct = len(np.unique(own))
        if 1 < distinct < AGREE * len(begun) and np.mean(held[rows] == held[first]) >= AGREE:
            group = np.unique(group * (own.max() + 2) + own + 1, return_inverse=True)[1]
            fixed += [other] if _chance(own) <= BY_CHANCE else []
    if len(np.unique(group)) >= MOSTLY * len(begun):
        return True
    of_values = {other: codes[other][begun] for other in fixed if _may_be_personal(columns[other], other)}
    return any(
        _unrelated(of_values[a], of_values[b], personal=_personal(columns[a], a) or _personal(columns[b], b))
        for a, b in combinations(of_values, 2)
    )


def _may_be_personal(texts: pl.Series, name: str) -> bool:
    """Whether a determined column may be an attribute of a person: no attribute of a thing, no price."""
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
    """Whether neither of two columns determines the other, as a county determines its state."""
    most = AGREE if personal else RELATED
    return _explained_share(a, b) < most and _explained_share(b, a) < most


def _explained_share(a: Ids, b: Ids) -> float:
    """The share of the uncertainty about b that knowing a removes."""
    rows, first = _further_rows(np.unique(a, return_inverse=True)[1].astype(np.int32))
    if len(rows) < 10:
        return 1.0
    chance = _chance(b)
    return float((np.mean(b[rows] == b[first]) - chance) / max(1e-9, 1 - chance))


def _further_rows(codes: Ids) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows whose value an earlier row has, and that row; for a sample of the values if there are many rows."""
    values = int(codes.max(initial=-1)) + 1
    share = max(1, len(codes) // LOOKED_AT)
    kept = np.flatnonzero((codes >= 0) & (codes % share == 0))
    begins = np.full(values, -1, np.int64)
    begins[codes[kept][::-1]] = kept[::-1]
    first = begins[codes[kept]]
    further = kept != first
    return kept[further], first[further]
