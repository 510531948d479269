"""The natural order of words: bands such as 25-34 and 65+, and the words of scales, months, weekdays and schooling."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from anonset.data._vocabulary import SCALES

UNITS = {"": 1.0, "k": 1e3, "t": 1e3, "m": 1e6}
SIGNS = re.compile(r"[$€£¥%]|\b(usd|eur|gbp|chf|years?|yrs?|yo|jahre?|ans|días|months?|days?|hours?|kg|cm|mg|miles|km)\b")
NUMBER = r"(\d+(?:[ ,']\d{3})*(?:\.\d+)?)\s*([ktm]?)"
BAND = re.compile(rf"[\[(]?\s*{NUMBER}\s*(?:-|–|—|to|bis|till|until|:|;|,|\.\.|…)\s*<?\s*{NUMBER}\s*[\])]?")
FROM = re.compile(
    rf"(?:>=|≥|>|over|above|more than|at least|from|ab|über|mindestens)\s*{NUMBER}"
    rf"|{NUMBER}\s*(?:\+|(?:and|or|&|und|oder)\s+(?:over|above|more|older|up|greater|higher|mehr|älter|darüber))"
)
TO = re.compile(
    rf"(?:<=|≤|<|under|below|less than|fewer than|up to|at most|unter|bis|höchstens)\s*{NUMBER}"
    rf"|{NUMBER}\s*(?:and|or|&|und|oder)\s+(?:under|below|less|younger|fewer|lower|weniger|jünger|darunter)"
)
ONE = re.compile(NUMBER)
ORDINAL = r"(\d{1,2}|[ivx]{1,4})(st|nd|rd|th)?"
STEPS = "grade|year|class|form|stage|level|tier|phase|step|degree|quartile|quintile|decile|klasse|stufe|stadium|grad|asa|nyha"
STEP = re.compile(rf"(?:({STEPS})\s*)?{ORDINAL}(?:\s(?:to\s)?\d{{1,2}}(?:st|nd|rd|th)?)?(?:\s*({STEPS}))?")
ROMAN = {"i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6, "vii": 7, "viii": 8, "ix": 9, "x": 10}
FEWEST, MOST = 3, 100  # values of an ordered column

Span = tuple[float, float]


def natural_order(texts: Iterable[str]) -> tuple[str, ...] | None:
    """Return the texts in the order of their meaning; None if they are not known to have one.

    Texts of numbers alone, and less than three texts, have none that matters here.
    """
    different = set(texts)
    if not FEWEST <= len(different) <= MOST:
        return None
    names = sorted(different)
    return _by_bands(names) or next((order for scale in SCALES if (order := _by_scale(names, scale))), None)


def _by_bands(names: Sequence[str]) -> tuple[str, ...] | None:
    """Return the texts by the ranges of numbers they mean, which must not overlap."""
    spans = {name: span for name in names if (span := _span(name)) is not None}
    if len(spans) < len(names) or not any(low < high for low, high in spans.values()):
        return None
    order = sorted(names, key=lambda name: spans[name])
    overlap = any(spans[a] == spans[b] or spans[b][0] < spans[a][1] for a, b in pairwise(order))
    return None if overlap else tuple(order)


def _span(name: str) -> Span | None:
    """Return the first and last number of a band; open ends are infinite."""
    text = SIGNS.sub(" ", name.casefold()).strip()
    if band := BAND.fullmatch(text):
        low, unit, high, other = band.groups()
        ends = _number(low, unit or other), _number(high, other)
        ends = ends if ends[0] <= ends[1] else (_number(low, unit), ends[1])
        return ends if ends[0] <= ends[1] else None
    if found := FROM.fullmatch(text):
        number, unit = found.group(1) or found.group(3), found.group(2) or found.group(4) or ""
        return _number(number, unit), float("inf")
    if found := TO.fullmatch(text):
        number, unit = found.group(1) or found.group(3), found.group(2) or found.group(4) or ""
        return float("-inf"), _number(number, unit)
    if found := ONE.fullmatch(text):
        return _number(*found.groups()), _number(*found.groups())
    return None


def _number(digits: str, unit: str) -> float:
    return float(re.sub("[ ,']", "", digits)) * UNITS[unit]


def _by_scale(names: Sequence[str], scale: Mapping[str, float]) -> tuple[str, ...] | None:
    """Return the texts by their place on a scale, if all of them are on it."""
    places = {name: place for name in names if (place := _place(name, scale)) is not None}
    if len(places) < len(names) or len(set(places.values())) < FEWEST:
        return None
    return tuple(sorted(names, key=lambda name: (places[name], name)))


def _place(name: str, scale: Mapping[str, float]) -> float | None:
    """Return the place of a word on a scale; a step such as `9th`, `5th-6th` or `stage II` has its number."""
    text = " ".join(re.sub(r"[\W_]+", " ", name.casefold()).split())
    if text in scale or not (step := STEP.fullmatch(text)):
        return scale.get(text)
    before, number, ordinal, after = step.groups()
    if not (before or ordinal or after) or not (number.isdigit() or number in ROMAN):
        return None
    return float(number) if number.isdigit() else float(ROMAN[number])
