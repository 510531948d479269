"""How published values are spelled in a file, and the guide (an entry of about.json) that tells how to read them back."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Any

import numpy as np

from anonset.errors import GuaranteeViolated
from anonset.model.arrays import Ids
from anonset.model.dataset import Column
from anonset.model.labels import Labels, PublishedColumn, Ranges
from anonset.model.literals import is_held, plain

Guide = dict[str, Any]
Number = int | float


def column_tokens(column: PublishedColumn, original: Column) -> tuple[list[str], Guide]:
    """A token for each label of a column, and its guide: what every token but an exact value stands for."""
    guide: Guide = {"name": column.name, "role": column.role, "kind": original.kind, "column": column.name}
    if isinstance(column.labels, Ranges):
        tokens = _range_tokens(column.labels)
        number = numbers_of(original)
        meaning: dict[str, Any] = {
            token: bounds(low, high)
            for token, low, high in zip(tokens, column.labels.low.tolist(), column.labels.high.tolist(), strict=True)
            if low != high or as_number(token, number) != low
        }
        return tokens, guide | {"labels": "ranges", "generalized": meaning}
    tokens, meaning = label_tokens(column.labels.texts, column.labels.groups(), original.domain)
    return tokens, guide | {"labels": "sets", "generalized": meaning}


def label_tokens(
    texts: Sequence[str], groups: Iterable[Iterable[int]], domain: Sequence[str]
) -> tuple[list[str], dict[str, list[str]]]:
    """A token for each text of a group, and the original values behind those that are not exact."""
    tokens = distinct(texts)
    meaning = {}
    for token, members in zip(tokens, groups, strict=True):
        names = [domain[i] for i in members]
        if names != [token]:
            meaning[token] = names
    return tokens, meaning


def column_from_tokens(texts: Sequence[str], codes: Ids, guide: Guide, original: Column) -> PublishedColumn:
    """The column whose record r shows texts[codes[r]], or a missing value where the code is -1."""
    meaning = guide["generalized"]
    if guide["labels"] == "sets":
        groups = groups_of(texts, meaning, original.domain, original.name)
        return PublishedColumn(original.name, guide["role"], codes, Labels.from_groups(groups, texts))
    number = numbers_of(original)
    pairs = [
        (meaning[text]["lo"], meaning[text]["hi"]) if text in meaning else (_number(text, number, original.name),) * 2
        for text in texts
    ]
    return PublishedColumn(original.name, guide["role"], codes, ranges(pairs, texts))


def groups_of(
    texts: Iterable[str], meaning: Mapping[str, Sequence[str]], domain: Sequence[str], attribute: str
) -> list[list[int]]:
    """The codes of the original values behind each text. Values that the original does not have are left out."""
    code = {name: i for i, name in enumerate(domain)}
    groups = []
    for text in texts:
        group = [code[name] for name in meaning.get(text, [text]) if name in code]
        if not group:
            raise GuaranteeViolated(f"{attribute}: the published {text!r} stands for no value of the original")
        groups.append(group)
    return groups


def ranges(pairs: Sequence[tuple[Number, Number]], texts: Sequence[str]) -> Ranges:
    """Ranges from pairs of bounds."""
    both = np.array(pairs, np.float64).reshape(-1, 2)
    return Ranges(both[:, 0].copy(), both[:, 1].copy(), tuple(texts))


def bounds(low: float, high: float) -> dict[str, Number]:
    """A range as about.json and JSON lines have it."""
    return {"lo": plain(low), "hi": plain(high)}


def range_text(low: float, high: float) -> str:
    """How a range is shown where nobody named it: [lo:hi], or the number alone."""
    return f"{plain(low)!r}" if low == high else f"[{plain(low)!r}:{plain(high)!r}]"


def numbers_of(column: Column) -> dict[str, float]:
    """The number behind each text of a numeric column's domain."""
    assert column.values is not None
    return dict(zip(column.domain, column.values.tolist(), strict=True))


def as_number(text: str, number: Mapping[str, float]) -> float | None:
    """The number a text means: that of the domain, else its own; None where it is none."""
    if text in number:
        return number[text]
    try:
        return float(text)
    except ValueError:
        return None


def separator_for(texts: Iterable[str]) -> str:
    """A character that is in none of the texts: a space where it can be."""
    used = set().union(*texts)
    usual = [" ", "|", ";", "/", "~"]
    return next(c for c in (*usual, *map(chr, range(0x2500, 0x10000))) if c not in used)


def free_name(name: str, taken: Iterable[str]) -> str:
    """The name, or the name with underscores behind it that nobody else has."""
    others = set(taken)
    while name in others:
        name += "_"
    return name


def _number(text: str, number: Mapping[str, float], attribute: str) -> float:
    value = as_number(text, number)
    if value is None or not np.isfinite(value) or not is_held(text):
        raise GuaranteeViolated(f"{attribute}: the published {text!r} stands for no value of the original")
    return value


def _range_tokens(labels: Ranges) -> list[str]:
    """The texts of the ranges; one used for different ranges would be misread, so those are spelled out."""
    pairs = list(zip(labels.low.tolist(), labels.high.tolist(), strict=True))
    means: dict[str, set[tuple[float, float]]] = {}
    for text, pair in zip(labels.texts, pairs, strict=True):
        means.setdefault(text, set()).add(pair)
    return distinct(
        text if len(means[text]) == 1 else range_text(*pair) for text, pair in zip(labels.texts, pairs, strict=True)
    )


def distinct(texts: Iterable[str]) -> list[str]:
    """The texts, none of them empty (that means missing) and no two alike."""
    seen: set[str] = set()
    tokens = []
    for text in texts:
        token = text or "(empty)"
        for n in count(2):
            if token not in seen:
                break
            token = f"{text or '(empty)'} ({n})"
        seen.add(token)
        tokens.append(token)
    return tokens
