"""The published records as JSON lines: every value spelled out, so that the file can be read without a guide.

An exact value is plain, a numeric range {"lo": .., "hi": ..}, a categorical {"any": [leaf, ...]}, a missing value null. The
set-valued attribute is a list of generalized items, each the list of the original items it may stand for; an uncertain one
is {"base": [..], "uncertain": [..], "errors": n}.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from anonset.errors import GuaranteeViolated
from anonset.kernels.recode import collapse
from anonset.model.arrays import Ids, Offsets
from anonset.model.dataset import Column, Dataset
from anonset.model.hierarchy import Hierarchy
from anonset.model.labels import GeneralizedItems, Labels, PublishedColumn, PublishedItems, Ranges, UncertainItems
from anonset.model.literals import plain
from anonset.model.release import Release
from anonset.model.sets import sets_of
from anonset.releases.formats.tokens import CERTAIN_MARK, UNCERTAIN, Guide, bounds, distinct, joined, range_text, ranges

CHUNK = 50_000  # records turned into text at a time: a generalized item may be spelled out with thousands of leaves
Json = Any


def write(release: Release, original: Dataset, path: Path) -> list[Guide]:
    """Write the records; the guides name the attributes."""
    guides: list[Guide] = []
    pieces: list[Callable[[int, int], pl.Series]] = []
    for column in release.columns:
        source = original.column(column.name)
        kind = "ranges" if isinstance(column.labels, Ranges) else "sets"
        guides.append({"name": column.name, "role": column.role, "kind": source.kind, "labels": kind})
        pieces.append(_column_piece(column, source))
    if release.items is not None:
        guides.append(_items_guide(release.items, original.item_column))
        pieces.append(_items_piece(release.items))
    with path.open("wb") as file:
        for start in range(0, len(release), CHUNK):
            stop = min(start + CHUNK, len(release))
            parts: list[pl.Expr] = []
            for p, (guide, piece) in enumerate(zip(guides, pieces, strict=True)):
                parts += [pl.lit(("{" if p == 0 else ",") + _dump(guide["name"]) + ":"), pl.lit(piece(start, stop))]
            lines = pl.select(pl.concat_str([*parts, pl.lit("}")]).alias("line"))
            lines.write_csv(file, include_header=False, quote_style="never")
    return guides


def _column_piece(column: PublishedColumn, source: Column) -> Callable[[int, int], pl.Series]:
    texts = pl.Series([*map(_dump, column_values(column, source)), "null"], dtype=pl.String)
    return lambda start, stop: texts.gather(column.codes[start:stop])


def column_values(column: PublishedColumn, source: Column) -> list[Json]:
    """Each label of a column as JSON has it."""
    if isinstance(column.labels, Ranges):
        pairs = zip(column.labels.low.tolist(), column.labels.high.tolist(), strict=True)
        return [plain(low) if low == high else bounds(low, high) for low, high in pairs]
    names: list[Json] = list(source.domain) if source.values is None else [plain(v) for v in source.values.tolist()]
    groups = [[names[c] for c in members] for members in column.labels.groups()]
    return [group[0] if len(group) == 1 else {"any": group} for group in groups]


def _items_guide(items: PublishedItems, name: str) -> Guide:
    guide: Guide = {"name": name, "role": "items", "kind": CERTAIN_MARK if isinstance(items, GeneralizedItems) else UNCERTAIN}
    return guide | ({"suppressed_items": len(items.suppressed)} if isinstance(items, GeneralizedItems) else {})


def _items_piece(items: PublishedItems) -> Callable[[int, int], pl.Series]:
    if isinstance(items, GeneralizedItems):
        texts = [_dump([items.domain[i] for i in members]) for members in items.labels.in_item_order(items.domain)]
        return lambda start, stop: "[" + _slice(items.offsets, items.shown, texts, start, stop) + "]"
    names = [_dump(name) for name in items.domain]
    errors = pl.Series(items.threshold).cast(pl.String)
    return lambda start, stop: (
        '{"base":['
        + _slice(items.base_offsets, items.base, names, start, stop)
        + '],"uncertain":['
        + _slice(items.distance_offsets, items.distance, names, start, stop)
        + '],"errors":'
        + errors[start:stop]
        + "}"
    )


def _slice(offsets: Offsets, codes: Ids, texts: list[str], start: int, stop: int) -> pl.Series:
    here = offsets[start : stop + 1]
    return joined(here - here[0], codes[here[0] : here[-1]], texts, ",")


def _dump(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def read(
    path: Path, guides: list[Guide], original: Dataset, suppressed: Ids
) -> tuple[tuple[PublishedColumn, ...], PublishedItems | None]:
    """The published columns and items of a file that `write` wrote."""
    cells: dict[str, list[Json]] = {guide["name"]: [] for guide in guides}
    with path.open(encoding="utf-8") as file:
        for n, line in enumerate(file, 1):
            record = json.loads(line)
            if not isinstance(record, dict) or record.keys() != cells.keys():
                raise GuaranteeViolated(f"{path.name}, line {n}: a record must have the attributes {', '.join(cells)}")
            for name, value in record.items():
                cells[name].append(value)
    columns = tuple(
        _read_column(cells[guide["name"]], guide, original.column(guide["name"]))
        for guide in guides
        if guide["role"] != "items"
    )
    items = next((guide for guide in guides if guide["role"] == "items"), None)
    if items is None or original.transactions is None:
        return columns, None
    return columns, _read_items(cells[items["name"]], items, original, suppressed)


def _read_column(cells: list[Json], guide: Guide, original: Column) -> PublishedColumn:
    number: dict[Any, int] = {}
    key = _range if guide["labels"] == "ranges" else _any
    codes = np.array([-1 if cell is None else number.setdefault(key(cell), len(number)) for cell in cells], np.int32)
    labels: Labels | Ranges
    if guide["labels"] == "ranges":
        labels = ranges(list(number), [range_text(*pair) for pair in number])
    else:
        names = original.domain if original.values is None else [plain(value) for value in original.values.tolist()]
        labels = _labels(list(number), names, original.domain, original.hierarchy, original.name)
    return PublishedColumn(original.name, guide["role"], codes, labels)


def _read_items(cells: list[Json], guide: Guide, original: Dataset, suppressed: Ids) -> PublishedItems:
    assert original.transactions is not None
    domain, name = original.transactions.domain, guide["name"]
    if guide["kind"] == CERTAIN_MARK:
        number: dict[Any, int] = {}
        rows = [[number.setdefault(tuple(item), len(number)) for item in cell] for cell in cells]
        offsets, shown = collapse(*sets_of(rows))
        labels = _labels(list(number), domain, domain, original.item_hierarchy, name)
        return GeneralizedItems(offsets, shown, labels, domain, suppressed)
    code = {item: i for i, item in enumerate(domain)}
    base, doubt = (
        collapse(*sets_of([_codes(cell[part], code, name, every=True) for cell in cells])) for part in ("base", "uncertain")
    )
    return UncertainItems(*base, *doubt, np.array([cell["errors"] for cell in cells], np.int32), domain)


def _range(cell: Json) -> tuple[float, float]:
    return (float(cell["lo"]), float(cell["hi"])) if isinstance(cell, dict) else (float(cell), float(cell))


def _any(cell: Json) -> tuple[Json, ...]:
    return tuple(cell["any"]) if isinstance(cell, dict) else (cell,)


def _labels(
    keys: list[tuple[Json, ...]], names: Sequence[Json], domain: tuple[str, ...], tree: Hierarchy | None, attribute: str
) -> Labels:
    """A label for each list of original values, named after its node where the original has a hierarchy."""
    code = {name: c for c, name in enumerate(names)}
    groups = [_codes(key, code, attribute) for key in keys]
    named = _nodes(tree)
    texts = []
    for group in groups:
        node = named.get((group[0], group[-1] + 1)) if group[-1] - group[0] == len(group) - 1 else None
        shown = [domain[c] for c in group]
        texts.append(node if node is not None else shown[0] if len(shown) == 1 else f"({','.join(shown)})")
    return Labels.from_groups(groups, distinct(texts))


def _nodes(tree: Hierarchy | None) -> dict[tuple[int, int], str]:
    """The lowest node over each run of leaves."""
    if tree is None:
        return {}
    runs = zip(tree.low.tolist(), tree.high.tolist(), tree.labels, strict=True)
    return {(low, high): text for low, high, text in reversed(list(runs))}


def _codes(values: Iterable[Json], code: Mapping[Json, int], attribute: str, *, every: bool = False) -> list[int]:
    """The codes of the values, ascending. Values that the original does not have are left out unless all are wanted."""
    values = list(values)
    codes = sorted({code[value] for value in values if value in code})
    if (every and len(codes) < len(values)) or (values and not codes):
        raise GuaranteeViolated(f"{attribute}: the published {_dump(values)} stands for no value of the original")
    return codes
