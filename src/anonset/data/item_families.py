"""Items that name people inside an ordinary set: record numbers, addresses or words of free text among codes that many share.

Items that look alike are a family: what stands before a sign (`mrn:`), a stem with a number behind it, or one shape of letters
and digits. A family is named by a pattern, never by its items.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import translate

import numpy as np

from anonset.data.coding import ItemSets
from anonset.data.identifiers import (
    ATTENDING,
    FEWEST,
    FORMS,
    MOSTLY,
    REMARKED,
    are_words_of_prose,
    is_account,
    is_called,
    is_telephone,
    is_token,
    values_name_people,
)
from anonset.model.arrays import Mask, Rows
from anonset.model.sets import offsets_of_rows, rows_of

MARKED = re.compile(r"([^:=#]*[^\W\d_][^:=#]*[:=#]+/*)(.+)", re.DOTALL)  # mrn:4711
STEMMED = re.compile(r"([^\W\d_]{2,}[-_ ./]?)\d[\d-]*")  # MRN-4711
COMPUTER = re.compile(r"\d{1,3}(\.\d{1,3}){3}|[0-9a-fA-F]{0,4}(:[0-9a-fA-F]{0,4}){3,7}")
FEW, SOME, MANY = 5, 10, 50  # items of a family before it counts: with a mark, of a shape, of a shape with few digits
LONG_ENOUGH = 4  # digits, or signs behind a mark, that number many people
LONG_NUMBER = 9  # digits from which on a plain number may be a telephone's
RARE_ITEMS = (2, 0.8)  # items of one record, at more than so many of the places of all: codes have long tails
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
    """The families of items that name people, of the items of some columns; `public`: a tree that everybody knows has them."""
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
    """The sets without the items whose name, with the prefix or without, fits a pattern; and how often each of these was."""
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
    """Which names fit one of the patterns: * for anything, ? for a sign, [0-9] for one of some; case counts."""
    fits = [re.compile(translate(pattern)).match for pattern in patterns]
    return np.array([any(fit(name) for fit in fits) for name in names], np.bool_)


def _parts(columns: Sequence[str], names: Sequence[str]) -> list[tuple[str, str]]:
    """The columns with what their items begin with: nothing, unless several columns were joined."""
    prefixes = tuple(f"{column}." for column in columns)
    if len(columns) > 1 and all(name.startswith(prefixes) for name in names):
        return list(zip(columns, prefixes, strict=True))
    return [(columns[0], "")]


def _of_column(column: str, texts: list[str], times: Rows, *, public: bool) -> list[Family]:
    if reason := _whole(column, texts, times, public=public):
        return [Family(column, "", len(texts), reason)]
    strict = [
        Family(column, _computers(fitted) or pattern, len(fitted), f"they are {what}")
        for what, (is_one, pattern) in (STRICT | {"addresses of computers": (_is_computer, "")}).items()
        if (fitted := [text for text in texts if is_one(text)])
    ]
    taken = fitting(texts, [family.pattern for family in strict])
    rest = [] if public else _rare_families(column, texts, times, taken)
    return strict + rest


def _is_computer(text: str) -> bool:
    return COMPUTER.fullmatch(text) is not None and bool(FORMS["addresses of computers"](text))


def _computers(texts: list[str]) -> str:
    """A pattern of addresses of computers, where texts are such."""
    if not all(map(_is_computer, texts)):
        return ""
    return "[0-9]*.[0-9]*.[0-9]*.[0-9]*" if all("." in text and ":" not in text for text in texts) else "*[0-9a-fA-F:]:*:*"


def _whole(column: str, texts: list[str], times: Rows, *, public: bool) -> str | None:
    """Why all items of a column name people."""
    worded = sum(text.isalpha() or not any(map(str.isdigit, text)) for text in texts) >= MOSTLY * len(texts)
    if len(texts) >= FEWEST and worded and is_called(REMARKED, column):
        return "words of free text, which may name people"
    if len(texts) >= FEWEST and worded and is_called(ATTENDING, column):
        return "it is called like people who are known by their names"
    if not public and are_words_of_prose(texts, times.tolist()):
        return "words of free text, which may name people"
    return values_name_people(column, texts, times, arranged=public, rarity=RARE_ITEMS)


def _rare_families(column: str, texts: list[str], times: Rows, taken: Mask) -> list[Family]:
    """The families that are many different items, nearly each of which is in one record only, or are called like people."""
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
    """Why items with the same mark name people, as a column of what is behind it would."""
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
    """How many items a family needs: fewer where they have room for the numbers of many people."""
    if kind == "mark":
        return FEW if np.mean([len(text) for text in behind]) >= LONG_ENOUGH else FEWEST
    digits = sign.count("0") if kind == "shape" else float(np.median([sum(map(str.isdigit, text)) for text in behind]))
    return SOME if digits >= LONG_ENOUGH else MANY


def _once(times: Rows) -> bool:
    return bool((times == 1).sum() >= MOSTLY * times.sum())


def _pattern(kind: str, sign: str) -> str:
    """What finds the items of a family."""
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
