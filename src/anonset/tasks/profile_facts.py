"""Facts about columns and items that a person learns from; nothing that fewer than a few people share is spelled out."""

import re
from collections import Counter
from typing import Any

import numpy as np

from anonset.data.identifiers import is_text
from anonset.errors import way
from anonset.model.dataset import Column, Dataset

FEW = 10  # people who must share a value before it is shown
TOP = 5
SHAPES, LONGEST_SHAPE = 3, 24
SAMPLE = 2_000  # values that are looked at for their shape
MOSTLY = 0.9
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
NOTHING = re.compile(r"[-.#*]+|n\.?/?a\.?|k\.?a\.?|none|unknown|missing|unbekannt|keine angabe|refused", re.IGNORECASE)
NO_NUMBER = re.compile(r"-?9{2,}|-1|-[78]{2,}")  # 999 and the like, where people write down numbers
FAR = 1.5  # times the span of all other numbers, from the least or the greatest of them on
DATES = re.compile(r"0{4}[-/.]0{1,2}[-/.]0{1,2}.*|0{1,2}[-/. ](0{1,2}|A?a{2,})[-/., ]+0{2,4}.*|0{8}")


def shape(text: str) -> str:
    """The text with its letters and digits masked: Rome-12 is Aaaa-00."""
    masked = "".join("0" if sign.isdigit() else "A" if sign.isupper() else "a" if sign.isalpha() else sign for sign in text)
    return masked if len(masked) <= LONGEST_SHAPE else masked[: LONGEST_SHAPE - 1] + "…"


def column_facts(column: Column) -> dict[str, Any]:
    """Values and missing ones, their commonest shapes and values, how numbers are spread, and what looks odd."""
    there = column.codes[column.codes >= 0]
    counts = np.bincount(there, minlength=len(column.domain))
    held = np.flatnonzero(counts)
    shapes = Counter(shape(column.domain[c]) for c in _some(held))  # masked: examples that name nobody
    facts: dict[str, Any] = {
        "values": len(held),
        "missing": len(column) - len(there),
        "shapes": [found for found, _ in shapes.most_common(SHAPES)],
        "commonest": _commonest(column.domain, counts, len(column)),
    }
    if column.values is not None and len(there):
        numbers = np.quantile(column.values[there], QUANTILES)
        facts["quantiles"] = {f"{q:.0%}": float(number) for q, number in zip(QUANTILES, numbers, strict=True)}
    odd = [*suspicions(column, facts, int((counts == 1).sum())), *_stand_ins(column, counts)]
    return facts | {"suspicions": odd}


def suspicions(column: Column, facts: dict[str, Any], once: int) -> list[str]:
    """What a steward should look at before publishing; `once` is how many values occur once."""
    there = len(column) - facts["missing"]
    texts = [column.domain[c] for c in _some(np.arange(len(column.domain)))]
    found = []
    if there and once >= MOSTLY * there and there > FEW:
        found.append(f"near-unique: nearly every value occurs once, so it names people; {way('identifier')} leaves it out")
    if facts["values"] == 1:
        found.append("constant: it has one value")
    if there < (1 - MOSTLY) * len(column):
        found.append("nearly always missing")
    if column.kind == "categorical" and column.hierarchy is None and texts:
        if sum(DATES.fullmatch(shape(text)) is not None for text in texts) >= MOSTLY * len(texts):
            found.append("dates as text: write them like 1987-05-31, and they are published as months and years")
        elif _decimal_commas(texts):
            found.append("numbers with a decimal comma: write them like 80.5, and they are published as ranges")
        elif is_text(texts):
            found.append("free text: it may name people, and cannot be made less exact; leave it out")
    return found


def _decimal_commas(texts: list[str]) -> bool:
    """Whether all texts are numbers, some of them with a comma for a point."""
    commas = sum(DECIMAL_COMMA.fullmatch(text) is not None for text in texts)
    return commas > 0 and all(text.isdecimal() or DECIMAL_COMMA.fullmatch(text) for text in texts)


def _stand_ins(column: Column, counts: np.ndarray[Any, Any]) -> list[str]:
    """What is shared by a few people and seems to stand for a missing value: a sign or a word, or a number far off."""
    shared = [c for c in np.flatnonzero(counts >= FEW).tolist() if column.domain[c] != ""]
    if column.values is None:
        found = [c for c in shared if NOTHING.fullmatch(column.domain[c])]
    else:
        found = [c for c in shared if NO_NUMBER.fullmatch(column.domain[c]) and _far_off(column.values, c)]
    said = "may stand for a missing value; if so, list it under `missing` in the schema"
    return [f"{column.domain[c]!r} {said}" for c in found[:TOP]]


def _far_off(values: np.ndarray[Any, Any], place: int) -> bool:
    others = np.delete(values, place)
    if len(others) < 2:
        return False
    low, high = float(others.min()), float(others.max())
    here = float(values[place])
    return here > high + FAR * (high - low) or low >= 0 > here


def item_facts(data: Dataset) -> dict[str, Any] | None:
    """How many items there are, how many a record has, and the commonest."""
    t = data.transactions
    if t is None:
        return None
    lengths = t.lengths
    spread = np.quantile(lengths, QUANTILES) if len(t) else np.zeros(len(QUANTILES))
    return {
        "items": int((t.supports > 0).sum()),
        "mean": float(lengths.mean()) if len(t) else 0.0,
        "most": int(lengths.max()) if len(t) else 0,
        "empty": int((lengths == 0).sum()),
        "sensitive": 0 if data.sensitive_items is None else int(data.sensitive_items.sum()),
        "hierarchy": None if data.item_hierarchy is None else data.item_hierarchy.height,
        "lengths": {f"{q:.0%}": float(number) for q, number in zip(QUANTILES, spread, strict=True)},
        "commonest": _commonest(t.domain, t.supports, len(t)),
        "rare": int(((t.supports > 0) & (t.supports < FEW)).sum()),
    }


def _commonest(names: tuple[str, ...], counts: np.ndarray[Any, Any], n: int) -> list[dict[str, Any]]:
    """The commonest names with their shares, none that fewer than a few people have."""
    top = np.argsort(-counts, kind="stable")[:TOP]
    return [{"value": names[c], "share": float(counts[c] / max(1, n))} for c in top.tolist() if counts[c] >= FEW]


def _some(places: np.ndarray[Any, Any]) -> list[int]:
    """Some of the places, spread over all."""
    if len(places) <= SAMPLE:
        return [int(place) for place in places]
    return [int(place) for place in places[np.linspace(0, len(places) - 1, SAMPLE).astype(np.int64)]]
