"""How published values are spelled in a file: tokens with their guide in about.json, item sets as sets of tokens, columns of
texts or lists.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from anonset.data.formats.base import Guide
from anonset.errors import GuaranteeViolated
from anonset.kernels.recode import collapse
from anonset.kernels.uncertain_sets import merged_items
from anonset.model.arrays import Ids, Offsets
from anonset.model.dataset import Column
from anonset.model.labels import GeneralizedItems, Labels, PublishedColumn, PublishedItems, Ranges, UncertainItems
from anonset.model.literals import is_held, plain
from anonset.model.sets import filter_members, offsets_of, rows_of

CERTAIN, DOUBTED, POSSIBLE = 0, 1, 2  # in the base; in the base but perhaps wrong; not in the base but perhaps wrong


def joined(offsets: Offsets, codes: Ids, texts: Sequence[str], separator: str) -> pl.Series:
    """One text a record: the texts of its codes with the separator between them; empty where it has none."""
    end = next(sign for sign in map(chr, count(ord("\n"))) if sign not in separator.join([*texts, "", ""]))
    pieces = pl.Series([*(text + separator for text in texts), *(text + end for text in texts)], dtype=pl.String)
    filled = np.diff(offsets) > 0
    last = np.zeros(len(codes), np.bool_)
    last[offsets[1:][filled] - 1] = True
    whole = (
        pieces.gather(codes + len(texts) * last).str.join("").str.split(end).explode()
    )  # the text after the last end is empty
    return whole.gather(np.where(filled, np.cumsum(filled), len(whole)) - 1)


def lists(offsets: Offsets, codes: Ids, values: Sequence[Any], kind: pl.DataType | type[pl.DataType] = pl.String) -> pl.Series:
    """One list a record: of texts, or of values of another kind."""
    rows = pl.Series("record", rows_of(offsets)).set_sorted()
    parts = pl.DataFrame({"record": rows, "text": pl.Series(values, dtype=kind).gather(codes)})
    filled = parts.group_by("record", maintain_order=True).agg(pl.col("text"))["text"]
    there = np.diff(offsets) > 0
    places = np.where(there, np.cumsum(there) - 1, len(filled))
    return filled.append(pl.Series("text", [[]], dtype=pl.List(kind))).gather(places)


def exploded(column: pl.Series) -> tuple[Offsets, pl.Series]:
    """The lists of a column one after the other, and where each record's begins; a null list is empty."""
    lengths = column.list.len().fill_null(0).to_numpy().astype(np.int64)
    offsets = offsets_of(lengths)
    filled = column.filter(pl.Series(lengths > 0))
    return offsets, filled.explode()


def split(column: pl.Series, separator: str) -> tuple[Offsets, pl.Series]:
    """The tokens of texts with separators between them; an empty text has none."""
    parts = column.fill_null("").str.split(separator)
    empty = (column.fill_null("") == "").to_frame("empty")
    return exploded(empty.select(pl.when("empty").then(None).otherwise(parts)).to_series())


def coded(column: pl.Series) -> tuple[list[str], Ids]:
    """The distinct texts of a column, sorted, and the place of each entry among them; -1 where there is none."""
    texts = column.drop_nulls().unique().sort().to_list()
    codes = column.cast(pl.Enum(texts)).to_physical().cast(pl.Int64).fill_null(-1).to_numpy()
    return texts, codes.astype(np.int32)


def states(items: UncertainItems) -> tuple[Offsets, Ids]:
    """The base and the doubtful items of each record in one list: code 3 * item + CERTAIN, DOUBTED or POSSIBLE."""
    offsets, shown, marks = merged_items((items.base_offsets, items.base), (items.distance_offsets, items.distance))
    return offsets, 3 * shown + (marks - 1)


def uncertain(offsets: Offsets, codes: Ids, threshold: Ids, domain: tuple[str, ...]) -> UncertainItems:
    """The reverse of `states`."""
    item, state = (codes // 3).astype(np.int32), codes % 3
    base, doubt = (filter_members(offsets, item, state != other) for other in (POSSIBLE, CERTAIN))
    return UncertainItems(*base, *doubt, threshold, domain)


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
    """A range as in about.json and JSON lines."""
    return {"lo": plain(low), "hi": plain(high)}


def range_text(low: float, high: float) -> str:
    """The text of a range without a label of its own: [lo:hi], or the number."""
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
    """The name, with underscores appended until it is unused."""
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


CERTAIN_MARK = "set"
UNCERTAIN = "uncertain set"


class TokenSets(NamedTuple):
    """Record r shows tokens[c] for c in codes[offsets[r] : offsets[r + 1]], of which at most errors[r] are wrong."""

    offsets: Offsets
    codes: Ids
    tokens: list[str]
    errors: Ids | None
    guide: Guide

    def part(self, start: int, stop: int) -> tuple[Offsets, Ids]:
        """The sets of the records from start to stop - 1."""
        offsets = self.offsets[start : stop + 1]
        return offsets - offsets[0], self.codes[offsets[0] : offsets[-1]]


def token_sets(items: PublishedItems, name: str) -> TokenSets:
    """The published item sets as tokens."""
    guide: Guide = {"name": name, "role": "items", "column": name}
    if isinstance(items, GeneralizedItems):
        tokens, meaning = label_tokens(items.labels.texts, items.labels.in_item_order(items.domain), items.domain)
        guide |= {"kind": CERTAIN_MARK, "generalized": meaning, "suppressed_items": len(items.suppressed)}
        return TokenSets(items.offsets, items.shown, tokens, None, guide)
    marks = _marks(items.domain)
    return TokenSets(*states(items), _marked(items.domain, marks), items.threshold, guide | {"kind": UNCERTAIN, "marks": marks})


def items_from_tokens(
    sets: tuple[Offsets, Sequence[str], Ids], errors: Ids | None, guide: Guide, domain: tuple[str, ...], suppressed: Ids
) -> PublishedItems:
    """The published items of sets = (offsets, texts, codes), entry p showing texts[codes[p]]."""
    offsets, texts, codes = sets
    if guide["kind"] == CERTAIN_MARK:
        groups = groups_of(texts, guide["generalized"], domain, guide["name"])
        offsets, shown = collapse(offsets, codes)
        return GeneralizedItems(offsets, shown, Labels.from_groups(groups, texts), domain, suppressed)
    assert errors is not None
    state = {token: code for code, token in enumerate(_marked(domain, guide["marks"]))}
    unknown = next((text for text in texts if text not in state), None)
    if unknown is not None:
        raise GuaranteeViolated(f"{guide['name']}: the published {unknown!r} stands for no value of the original")
    shown = np.array([state[text] for text in texts], np.int32)[codes]
    order = np.lexsort((shown, rows_of(offsets)))
    return uncertain(offsets, shown[order], errors, domain)


def _marked(domain: Sequence[str], marks: Guide) -> list[str]:
    """The token of item i in state s at place 3 * i + s."""
    spell = [marks["certain"], marks["doubted"], marks["possible"]]
    return [mark.replace("ITEM", name) for name in domain for mark in spell]


def _marks(domain: Sequence[str]) -> Guide:
    """The spelling of the three states of an item, with enough signs that no item name looks like a marked one."""
    n = next(n for n in count(1) if not any(name.startswith("-" * n) or name.endswith("?" * n) for name in domain))
    return {"certain": "ITEM", "doubted": "ITEM" + "?" * n, "possible": "-" * n + "ITEM" + "?" * n}
