"""Columns and items that identify people, by their names and their values: not published unless accepted explicitly.

Nothing of such a column can be generalized: a set of addresses is still a list of addresses. One judgement serves all: the
guess of a role, the profile, and the gates, whatever role somebody gives to the column.

Items that look alike are a family: what stands before a sign (`mrn:`), a stem with a number behind it, or one shape of letters
and digits. A family is named by a pattern, never by its items.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import translate

import numpy as np
import polars as pl

from anonset.data._vocabulary import (
    AMOUNT_NAMES,
    CONTACT_NAMES,
    CONTACT_PERSON_NAMES,
    COORDINATE_NAMES,
    COORDINATES,
    EVENT_ID_NAMES,
    FIRST_NAMES,
    FORMS,
    FREE_TEXT_NAMES,
    ID_NAMES,
    KNOWN,
    KNOWN_IF_OTHER,
    KNOWN_NAMES,
    PERSON,
    PERSON_ID_NAMES,
    PERSONAL_NUMBER_NAMES,
    PRECISE_DEGREES,
    RARE_FORMS,
    SEXES,
    STOP_WORDS,
    TITLED,
    UNKNOWN_SEXES,
    bare,
    is_account,
    is_called,
    is_telephone,
    is_token,
)
from anonset.data.coding import ItemSets
from anonset.model.arrays import Mask, Rows
from anonset.model.literals import NUMBER, are_dates, is_timed
from anonset.model.sets import offsets_of_rows, rows_of

LONG, WORDS = 40, 4  # of a text, in characters and in blanks
JOINED = re.compile(r"[\s,;]+")
ENOUGH = 0.4  # share of the texts that must contain stop words
DIFFERENT = 4  # least number of different stop words among items that are words of sentences
OFTEN = 0.1  # least share of stop words in all item occurrences


def is_text(values: Sequence[str]) -> bool:
    """Whether half of the values or more are long, or of several words."""
    return bool(values) and float(np.mean([len(text) >= LONG or text.count(" ") >= WORDS for text in values])) >= 0.5


def is_prose(values: Sequence[str]) -> bool:
    """Whether many of the values contain stop words, as sentences do."""
    return bool(values) and float(np.mean([_is_sentence(text) for text in values])) >= ENOUGH


def _is_sentence(text: str) -> bool:
    words = [word.strip(".!?:").lower() for word in JOINED.split(text)]
    return len(words) >= 3 and sum(word in STOP_WORDS for word in words) >= 1 and any(w.isalpha() and len(w) > 3 for w in words)


def are_words_of_prose(items: Collection[str], times: Sequence[int]) -> bool:
    """Whether items are texts split at blanks: many occurrences are stop words."""
    found = {item.lower(): n for item, n in zip(items, times, strict=True) if item.lower() in STOP_WORDS and len(item) > 1}
    return len(found) >= DIFFERENT and sum(found.values()) >= OFTEN * sum(times)


MOSTLY = 0.9
FEWEST = 20  # values, or records, before shares mean anything
RUNNING = 200  # consecutive numbers, each once: more than there are ages or years
DIGITS = 6  # least digits of whole numbers of one length that are taken for ids
RARE, RARE_SHARE = 5, 0.1  # a value of fewer records is rare; allowed share of records with rare values
SAMPLE = 2_000  # values examined
ONE_EACH = "nearly everybody has a value of their own"


def called_like_identifier(name: str) -> bool:
    """Whether the name of a column is that of an identifier."""
    plain = bare(name)
    return any((ID_NAMES.fullmatch(name), PERSON_ID_NAMES.fullmatch(plain), EVENT_ID_NAMES.fullmatch(plain)))


def names_people(name: str, texts: pl.Series) -> str | None:
    """The reason why the values of a column identify people; None if they do not."""
    there = texts.drop_nulls()
    if not len(there):
        return None
    counts = there.unique_counts().to_numpy().astype(np.int64)
    return values_name_people(name, there.unique(maintain_order=True).to_list(), counts)


def values_name_people(
    name: str, values: Sequence[str], counts: Rows, *, arranged: bool = False, rarity: tuple[int, float] = (RARE, RARE_SHARE)
) -> str | None:
    """The reason why values identify people; None if they do not. `counts` are the records of each value.

    `arranged`: a hierarchy generalizes them, so that rare values are fine, but not what identifies by its form.
    `rarity`: a value of fewer records is rare, and the share of records with rare values that is allowed.
    """
    held = np.flatnonzero(counts)
    some = held if len(held) <= SAMPLE else held[np.linspace(0, len(held) - 1, SAMPLE).astype(np.int64)]
    sample, counts = [values[c] for c in some.tolist()], counts[held]
    rare = float(counts[counts < rarity[0]].sum() / max(1, counts.sum())) > rarity[1]
    return (
        _of_a_form(sample, rare=rare and len(held) >= FEWEST)
        or _called_so(name, sample, len(held), rare=rare)
        or (None if len(held) < FEWEST else _of_their_own(name, sample, counts, values, held, arranged=arranged, rare=rare))
    )


def _of_a_form(sample: list[str], *, rare: bool) -> str | None:
    """The reason by the form of most values."""
    for what, is_one in (FORMS | (RARE_FORMS if rare else {})).items():
        if sample and sum(bool(is_one(text)) for text in sample) >= MOSTLY * len(sample) and not are_dates(sample):
            return f"its values are {what}"
    return "its values are people's names" if are_people(sample) else None


def are_people(sample: list[str]) -> bool:
    """Whether half of the values or more have a title, or are a first name with a further one."""
    titled = sum(bool(TITLED.fullmatch(text)) for text in sample)
    named = sum(bool(PERSON.fullmatch(text)) and bool(FIRST_NAMES & set(re.split(r"[ ,-]+", text.lower()))) for text in sample)
    return (len(sample) >= 3 and titled * 2 >= len(sample)) or (len(sample) >= 5 and named * 2 >= len(sample))


def _called_so(name: str, sample: list[str], n: int, *, rare: bool) -> str | None:
    """The reason by the name of the column and its number of values."""
    if n >= FEWEST and CONTACT_NAMES.fullmatch(bare(name)):
        return "it is called like what people are reached by"
    worded = sum(any(map(str.isalpha, text)) for text in sample) >= MOSTLY * len(sample)
    if is_called(CONTACT_PERSON_NAMES, name) and worded and (n >= FEWEST or (n >= 5 and _are_two_words(sample))):
        return "it is called like people who are known by their names"
    if n >= FEWEST and rare and is_called(PERSONAL_NUMBER_NAMES, name):
        return "it is called like a number or an address that one person has"
    if n >= FEWEST and rare and is_called(COORDINATE_NAMES, name) and _are_precise(sample):
        return "its values are places on the map"
    phrases = sum(" " in text.strip() for text in sample) * 2 >= len(sample)
    if n >= FEWEST and worded and (rare or phrases) and is_called(FREE_TEXT_NAMES, name):
        return "free text, which may name people"
    return None


def _are_two_words(sample: list[str]) -> bool:
    return sum(bool(PERSON.fullmatch(text)) and text != text.lower() for text in sample) >= MOSTLY * len(sample)


def _are_precise(sample: list[str]) -> bool:
    return sum(bool(PRECISE_DEGREES.fullmatch(text) or COORDINATES.fullmatch(text)) for text in sample) >= 0.5 * len(sample)


def _of_their_own(
    name: str, sample: list[str], counts: Rows, values: Sequence[str], held: Rows, *, arranged: bool, rare: bool
) -> str | None:
    """The reason by how few records share a value."""
    n, once = int(counts.sum()), int((counts == 1).sum())
    alone = once >= MOSTLY * n
    if all(NUMBER.fullmatch(text) for text in sample) and not _are_codes(sample):
        if once == n and _runs([values[c] for c in held.tolist()]):
            return "it is a running number"
        called = called_like_identifier(name)
        if alone and called and all(text.isdigit() for text in sample):
            return ONE_EACH
        return "its values are long numbers of one length, each of one record" if alone and _are_long(name, sample) else None
    if are_dates(sample) and sum(map(is_timed, sample)) < MOSTLY * len(sample):
        return None
    if alone and (not arranged or are_dates(sample)):
        return ONE_EACH
    text = is_text(sample) or is_prose(sample)
    return "free text, which may name people" if rare and text and not arranged else None


def _are_codes(values: list[str]) -> bool:
    return any(re.match(r"[+-]?0\d", text) for text in values)


def _are_long(name: str, sample: list[str]) -> bool:
    """Whether values are whole numbers of one length, and not amounts, which are often round."""
    if is_called(AMOUNT_NAMES, name) or not all(text.isdigit() for text in sample):
        return False
    lengths = np.bincount([len(text) for text in sample])
    size, round_ones = int(lengths.argmax()), sum(text.endswith("00") for text in sample)
    return size >= DIGITS and lengths[size] >= 0.95 * len(sample) and round_ones < 0.2 * len(sample)


def _runs(values: list[str]) -> bool:
    """Whether nearly all whole numbers from the least to the greatest occur."""
    if len(values) < RUNNING or not all(re.fullmatch(r"[+-]?\d{1,18}", text) for text in values):
        return False
    numbers = [int(text) for text in values]
    return max(numbers) - min(numbers) < len(values) / MOSTLY


def could_be_known(name: str, role: str, values: Sequence[str]) -> bool:
    """Whether others may know the value that a person has in a column that is published as it is."""
    words = {word.lower() for word in re.findall(r"[^\W\d_A-Z]+|[A-Z]+[^\W\d_A-Z]*", name)} | {bare(name).lower()}
    if words & KNOWN or KNOWN_NAMES.fullmatch(bare(name)):
        return True
    if role != "sensitive" and words & KNOWN_IF_OTHER:
        return True
    texts = {text.lower() for text in values[: len(SEXES)]}
    said = texts - UNKNOWN_SEXES
    return (len(said) > 1 and said <= SEXES and len(values) <= len(SEXES)) or (bool(values) and are_dates(values))


MARKED = re.compile(r"([^:=#]*[^\W\d_][^:=#]*[:=#]+/*)(.+)", re.DOTALL)  # mrn:4711
STEMMED = re.compile(r"([^\W\d_]{2,}[-_ ./]?)\d[\d-]*")  # MRN-4711
COMPUTER = re.compile(r"\d{1,3}(\.\d{1,3}){3}|[0-9a-fA-F]{0,4}(:[0-9a-fA-F]{0,4}){3,7}")
FEW, SOME, MANY = 5, 10, 50  # least items of a family: with a mark, of a shape, of a shape with few digits
LONG_ENOUGH = 4  # digits, or characters after a mark, that suffice to number many people
LONG_NUMBER = 9  # least digits of a plain number that may be a telephone number
RARE_ITEMS = (2, 0.8)  # rarity of items: codes have long tails
ONCE = "each of one record"

STRICT: dict[str, tuple[Callable[[str], object], str]] = {  # forms that no code has: one item is enough
    "e-mail addresses": (FORMS["e-mail addresses"], "*@*.*"),
    "telephone numbers": (is_telephone, "+[0-9]*"),
    "bank accounts": (is_account, "[A-Z][A-Z][0-9][0-9]*"),
    "universal identifiers": (FORMS["universal identifiers"], "????????-????-????-????-????????????"),
}


@dataclass(frozen=True, slots=True)
class Family:
    """Items that name people: what pattern finds them, how many there are, and why; no pattern where it is all of them."""

    column: str
    pattern: str
    items: int
    reason: str


def naming_families(
    columns: Sequence[str], domain: Sequence[str], supports: Rows, *, public: bool = False
) -> tuple[Family, ...]:
    """The families of items that identify people; `public`: the items come from a public hierarchy."""
    held = np.flatnonzero(supports)
    names, times = [domain[i] for i in held.tolist()], supports[held]
    found: list[Family] = []
    for column, prefix in _parts(columns, names):
        here = [i for i, name in enumerate(names) if name.startswith(prefix)]
        texts = [names[i].removeprefix(prefix) for i in here]
        families = _of_column(column, texts, times[here], public=public)
        found += [replace(family, pattern=_literal(prefix) + family.pattern if family.pattern else "") for family in families]
    return tuple(found)


def without_items(sets: ItemSets, patterns: Sequence[str], prefix: str = "") -> tuple[ItemSets, dict[str, int]]:
    """The sets without the items that match a pattern, with or without the prefix; and how often each removed item occurred."""
    gone = fitting([f"{prefix}{name}" for name in sets.names], patterns) | fitting(sets.names, patterns)
    if not gone.any():
        return sets, {}
    stay = ~gone[sets.entries]
    offsets = offsets_of_rows(rows_of(sets.offsets)[stay], len(sets))
    place = np.cumsum(~gone) - 1
    names = tuple(name for name, out in zip(sets.names, gone.tolist(), strict=True) if not out)
    left = ItemSets(offsets, place[sets.entries[stay]].astype(np.int32), names)
    times = np.bincount(sets.entries[~stay], minlength=len(sets.names)).tolist()
    return left, {f"{prefix}{sets.names[i]}": times[i] for i in np.flatnonzero(gone).tolist()}


def fitting(names: Iterable[str], patterns: Sequence[str]) -> Mask:
    """Which names match one of the shell patterns (*, ?, [0-9]); case matters."""
    fits = [re.compile(translate(pattern)).match for pattern in patterns]
    return np.array([any(fit(name) for fit in fits) for name in names], np.bool_)


def _parts(columns: Sequence[str], names: Sequence[str]) -> list[tuple[str, str]]:
    """The columns with the prefixes of their items, which are empty unless several columns were joined."""
    prefixes = tuple(f"{column}." for column in columns)
    if len(columns) > 1 and all(name.startswith(prefixes) for name in names):
        return list(zip(columns, prefixes, strict=True))
    return [(columns[0], "")]


def _of_column(column: str, texts: list[str], times: Rows, *, public: bool) -> list[Family]:
    if reason := _whole(column, texts, times, public=public):
        return [Family(column, "", len(texts), reason)]
    strict = [
        Family(column, _computers(fitted) or pattern, len(fitted), f"they are {what}")
        for what, (is_one, pattern) in (STRICT | {"addresses of computers": (_is_internet_address, "")}).items()
        if (fitted := [text for text in texts if is_one(text)])
    ]
    taken = fitting(texts, [family.pattern for family in strict])
    rest = [] if public else _rare_families(column, texts, times, taken)
    return strict + rest


def _is_internet_address(text: str) -> bool:
    return COMPUTER.fullmatch(text) is not None and bool(FORMS["addresses of computers"](text))


def _computers(texts: list[str]) -> str:
    """A pattern of addresses of computers, where texts are such."""
    if not all(map(_is_internet_address, texts)):
        return ""
    return "[0-9]*.[0-9]*.[0-9]*.[0-9]*" if all("." in text and ":" not in text for text in texts) else "*[0-9a-fA-F:]:*:*"


def _whole(column: str, texts: list[str], times: Rows, *, public: bool) -> str | None:
    """The reason why all items of a column identify people."""
    worded = sum(text.isalpha() or not any(map(str.isdigit, text)) for text in texts) >= MOSTLY * len(texts)
    if len(texts) >= FEWEST and worded and is_called(FREE_TEXT_NAMES, column):
        return "words of free text, which may name people"
    if len(texts) >= FEWEST and worded and is_called(CONTACT_PERSON_NAMES, column):
        return "it is called like people who are known by their names"
    if not public and are_words_of_prose(texts, times.tolist()):
        return "words of free text, which may name people"
    return values_name_people(column, texts, times, arranged=public, rarity=RARE_ITEMS)


def _rare_families(column: str, texts: list[str], times: Rows, taken: Mask) -> list[Family]:
    """The families of many items of which nearly each is in one record only, or whose mark names people."""
    members: dict[tuple[str, str], list[int]] = {}
    for i in np.flatnonzero(~taken).tolist():
        if (key := _key(texts[i])) is not None:
            members.setdefault(key, []).append(i)
    for key in [key for key, places in members.items() if key[0] == "stem" and len(places) < SOME]:
        for i in members.pop(key):  # stems of a few items each: letters may be part of the number
            members.setdefault(("shape", _shape(texts[i])), []).append(i)
    found = []
    for (kind, sign), places in members.items():
        behind = [texts[i].removeprefix(sign) for i in places] if kind == "mark" else [texts[i] for i in places]
        if len(places) >= _fewest(kind, sign, behind) and _once(times[places]):
            found.append(Family(column, _pattern(kind, sign), len(places), ONCE))
        elif kind == "mark" and len(places) >= FEW and (reason := _marked(sign, behind, times[places])):
            found.append(Family(column, _pattern(kind, sign), len(places), reason))
    return found


def _marked(sign: str, behind: list[str], times: Rows) -> str | None:
    """The reason why items with the same mark identify people, as if they were a column."""
    return values_name_people(sign.rstrip(":=#/"), behind, times, rarity=RARE_ITEMS)


def _key(text: str) -> tuple[str, str] | None:
    """What an item has in common with its family; nothing for plain words and short numbers."""
    if mark := MARKED.fullmatch(text):
        return "mark", mark.group(1)
    if is_token(text):
        return "token", str(len(text))
    if stem := STEMMED.fullmatch(text):
        return "stem", stem.group(1)
    if text.isdigit():
        return ("shape", "0" * len(text)) if len(text) >= LONG_NUMBER else ("number", "") if len(text) >= LONG_ENOUGH else None
    return ("shape", _shape(text)) if any(map(str.isdigit, text)) else None


def _shape(text: str) -> str:
    return "".join("0" if c.isdigit() else "A" if c.isupper() else "a" if c.isalpha() else c for c in text)


def _fewest(kind: str, sign: str, behind: list[str]) -> int:
    """The least number of items of a family: fewer if they have enough digits to number many people."""
    if kind == "mark":
        return FEW if np.mean([len(text) for text in behind]) >= LONG_ENOUGH else FEWEST
    digits = sign.count("0") if kind == "shape" else float(np.median([sum(map(str.isdigit, text)) for text in behind]))
    return SOME if digits >= LONG_ENOUGH else MANY


def _once(times: Rows) -> bool:
    return bool((times == 1).sum() >= MOSTLY * times.sum())


def _pattern(kind: str, sign: str) -> str:
    """The shell pattern that matches the items of a family."""
    if kind == "mark":
        return f"{_literal(sign)}*"
    if kind == "stem":
        return f"{_literal(sign)}[0-9]*"
    if kind == "token":
        return "?" * int(sign)
    classes = {"0": "[0-9]", "A": "[A-Z]", "a": "[a-z]"}
    return "".join(classes.get(c, _literal(c)) for c in sign) if kind == "shape" else f"{'[0-9]' * LONG_ENOUGH}*"


def _literal(text: str) -> str:
    return re.sub(r"([*?[])", r"[\1]", text)
