"""JSON: one object a line, or an array of objects, one a record; lists are item sets.

A release is written as JSON lines with every value spelled out, so that the file can be read without a guide: an exact value is
plain, a numeric range {"lo": .., "hi": ..}, a categorical {"any": [leaf, ...]}, a missing value null. The set-valued attribute
is a list of generalized items, each the list of the original items it may stand for; an uncertain one is
{"base": [..], "uncertain": [..], "errors": n}.
"""

import codecs
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from anonset.data.coding import ItemSets, Table, require_width, whole_table
from anonset.data.files import File, fingerprint, text_chunks, trimmed
from anonset.data.formats.base import Format, Guide, Published, ReleaseFormat
from anonset.data.formats.tokens import CERTAIN_MARK, UNCERTAIN, bounds, distinct, joined, range_text, ranges
from anonset.errors import GuaranteeViolated, InputError
from anonset.kernels.recode import collapse
from anonset.model.arrays import Ids, Offsets
from anonset.model.dataset import Column, Dataset
from anonset.model.hierarchy import Hierarchy
from anonset.model.labels import GeneralizedItems, Labels, PublishedColumn, PublishedItems, Ranges, UncertainItems
from anonset.model.literals import plain
from anonset.model.progress import Progress, silent
from anonset.model.release import Release
from anonset.model.sets import offsets_of, sets_of

SLICE = 1 << 16  # values turned into a series at a time
BATCH = 1 << 17  # records of a batch
EVERY = 1 << 62  # more records than any file has
JSON_CHUNK, LONGEST_VALUE = 1 << 22, 1 << 27  # bytes


class _Texts:
    """The values of one field that holds single values, gathered in slices."""

    def __init__(self, absent: int) -> None:
        self.done = [pl.Series([None] * absent, dtype=pl.String)]
        self.slice: list[str | None] = []

    def add(self, value: Any) -> None:
        if isinstance(value, list):
            raise TypeError("a single value is expected, as in the records before; got a list")
        self.slice.append(None if value is None else trimmed(_text(value)))
        if len(self.slice) == SLICE:
            self._flush()

    def taken(self) -> pl.Series:
        """The values so far, which are gathered no more."""
        self._flush()
        found, self.done = pl.concat(self.done), self.done[:0]
        return found

    def _flush(self) -> None:
        self.done.append(pl.Series(self.slice, dtype=pl.String))
        self.slice = []


class _Sets:
    """The lists of one field, as codes."""

    def __init__(self, absent: int) -> None:
        self.code: dict[str, int] = {}
        self.done = [np.zeros(0, np.int32)]
        self.slice: list[int] = []
        self.lengths = [0] * absent

    def add(self, value: Any) -> None:
        if value is not None and not isinstance(value, list):
            raise TypeError("a list is expected, as in the records before; got a single value")
        names = [trimmed(_text(item)) for item in value or () if item is not None]
        codes = [self.code.setdefault(name, len(self.code)) for name in names if name]
        self.lengths.append(len(codes))
        self.slice += codes
        if len(self.slice) >= SLICE:
            self._flush()

    def taken(self) -> ItemSets:
        """The sets so far, which are gathered no more."""
        self._flush()
        found = ItemSets(offsets_of(self.lengths), np.concatenate(self.done), tuple(self.code))
        self.done, self.lengths = self.done[:0], []
        return found

    def _flush(self) -> None:
        self.done.append(np.array(self.slice, np.int32))
        self.slice = []


def read_json_lines(path: File, progress: Progress = silent) -> Table:
    """The table in a file of JSON lines; a field that a line does not have is missing there."""
    return whole_table(json_line_batches(path, progress, EVERY), (fingerprint(path),))


def json_line_batches(path: File, progress: Progress = silent, rows: int = BATCH) -> Iterator[Table]:
    """The records of a file of JSON lines in batches."""
    numbered = ((number, _record(line, path, number)) for number, line in _lines(text_chunks(path, progress)))
    return tables_of(numbered, path, has_lines=True, rows=rows)


def tables_of(records: Iterable[tuple[int, dict[str, Any]]], path: File, *, has_lines: bool, rows: int) -> Iterator[Table]:
    """The tables of so many objects each; an object has the number of its line, or of the record where there are no lines."""
    fields: dict[str, _Texts | _Sets | None] = {}
    numbers: list[int] = []
    for number, record in records:
        for name in record:
            fields.setdefault(name, None)
        require_width(len(fields), str(path))
        for name, field in fields.items():
            value = record.get(name)
            try:
                if field is None and value is not None:
                    field = fields[name] = (_Sets if isinstance(value, list) else _Texts)(len(numbers))
                if field is not None:
                    field.add(value)
            except TypeError as error:
                message, line = (str(error), number) if has_lines else (f"record {number}: {error}", None)
                raise InputError(message, file=str(path), line=line, column=name) from None
        numbers.append(number)
        if len(numbers) == rows and fields:
            yield _taken(fields, numbers, path, has_lines=has_lines)
            numbers = []
    if not fields:
        raise InputError("the objects must have fields", file=str(path))
    if numbers:
        yield _taken(fields, numbers, path, has_lines=has_lines)


def _taken(fields: Mapping[str, "_Texts | _Sets | None"], numbers: list[int], path: File, *, has_lines: bool) -> Table:
    """The table of what was gathered; a field without a value so far is a column of texts."""
    columns, sets = {}, {}
    for name, field in fields.items():
        if isinstance(field, _Sets):
            sets[name] = field.taken()
        else:
            columns[name] = (field or _Texts(len(numbers))).taken()
    table = Table(columns, (), str(path), sets)
    return replace(table, line=numbers.__getitem__) if has_lines else table


def _lines(chunks: Iterator[bytes]) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers."""
    rest, number = b"", 0
    for data in chunks:
        *whole, rest = (rest + data).split(b"\n")
        for line in whole:
            number += 1
            if line := line.strip():
                yield number, line
    if line := rest.strip():
        yield number + 1, line


def _record(line: bytes, path: File, number: int) -> dict[str, Any]:
    record = parsed(line, path, number)
    if not isinstance(record, dict):
        raise InputError("a JSON object is expected", file=str(path), line=number)
    return record


def parsed(data: bytes, path: File, number: int | None = None) -> Any:
    """The JSON value in a line, or in a whole file; no object may repeat a field."""
    try:
        return json.loads(data, object_pairs_hook=_fields, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        line = error.lineno if number is None else number
        raise InputError(f"is not valid JSON: {error.msg} (character {error.colno})", file=str(path), line=line) from None
    except RecursionError:
        raise InputError("is nested too deeply", file=str(path), line=number) from None
    except ValueError as error:
        raise InputError(str(error), file=str(path), line=number) from None


def _fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = {trimmed(name): value for name, value in pairs}
    if len(record) != len(pairs) or "" in record:
        raise ValueError("every field of an object needs a name of its own")
    return record


def _refuse(text: str) -> Any:
    raise ValueError(f"numbers must be finite; got {text}")


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if value - value != 0.0:
            raise TypeError("numbers must be finite; got one that is too large")
        return repr(value).removesuffix(".0")
    raise TypeError(
        f"a text, a number or a list of such is expected; got {'an object' if isinstance(value, dict) else 'a list'}: "
        "extract what is needed, e.g. a list of codes, or remove the field"
    )


def read_json_array(path: File, progress: Progress = silent) -> Table:
    """The table in a file with an array of objects; a field that an object does not have is missing there."""
    return whole_table(json_array_batches(path, progress, EVERY), (fingerprint(path),))


def json_array_batches(path: File, progress: Progress = silent, rows: int = BATCH) -> Iterator[Table]:
    """The records of a file with an array of objects in batches."""
    return tables_of(_elements(_ArrayText(path, progress), path), path, has_lines=False, rows=rows)


def _elements(text: "_ArrayText", path: File) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of an array with their numbers."""
    if text.sign() != "[":
        text.value()  # what is no JSON has an error of its own
        raise InputError("an array of objects is expected; for one object a line the format is jsonl", file=str(path))
    text.pass_sign()
    number = 0
    while number > 0 or text.sign() != "]":
        number += 1
        record = text.value()
        if not isinstance(record, dict):
            raise InputError(f"record {number}: a JSON object is expected", file=str(path))
        yield number, record
        if text.sign() == "]":
            break
        if text.sign() != ",":
            raise text.invalid("Expecting ',' delimiter", text.place)
        text.pass_sign()
    if number == 0:
        raise InputError("has no records", file=str(path))
    text.pass_sign()
    if text.sign():
        raise text.invalid("Extra data", text.place)


class _ArrayText:
    """A text that is decoded value by value; only the values that are being read are in memory."""

    def __init__(self, path: File, progress: Progress) -> None:
        self.path = path
        self.chunks = text_chunks(path, progress, JSON_CHUNK)
        self.decoder = codecs.getincrementaldecoder("utf-8")()
        self.read_json = json.JSONDecoder(object_pairs_hook=_fields, parse_constant=_refuse).raw_decode
        self.text, self.place = "", 0
        self.lines, self.column = 0, 0  # before the text

    def more(self) -> bool:
        """Read another chunk, and forget what was passed; return whether there was one."""
        chunk = next(self.chunks, None)
        if chunk is None:
            return False
        passed = self.text[: self.place]
        lines = passed.count("\n")
        self.column = len(passed) - passed.rfind("\n") - 1 + (0 if lines else self.column)
        self.lines += lines
        self.text, self.place = self.text[self.place :] + self.decoder.decode(chunk), 0
        return True

    def sign(self) -> str:
        """The next sign that is not blank; nothing at the end."""
        while True:
            while self.place < len(self.text):
                if self.text[self.place] not in " \t\n\r":
                    return self.text[self.place]
                self.place += 1
            if not self.more():
                return ""

    def pass_sign(self) -> None:
        """Go to the next sign."""
        self.place += 1

    def value(self) -> Any:
        """The next value; a value that is cut off is read again with more text."""
        self.sign()
        while True:
            try:
                found, end = self.read_json(self.text, self.place)
            except json.JSONDecodeError as error:
                size = len(self.text) - self.place
                if size < LONGEST_VALUE and self._doubled(size):
                    continue
                raise self.invalid(error.msg, error.pos) from None
            except RecursionError:
                raise InputError("is nested too deeply", file=str(self.path)) from None
            except ValueError as error:
                raise InputError(str(error), file=str(self.path)) from None
            if end < len(self.text) or not self.more():  # a number at the end may go on
                self.place = end
                return found

    def _doubled(self, size: int) -> bool:
        """Read as much again, as far as there is any; return whether there was."""
        found = False
        while len(self.text) - self.place <= 2 * size and self.more():
            found = True
        return found

    def invalid(self, message: str, place: int) -> InputError:
        """The error at a place of the text."""
        before = self.text[:place]
        lines = before.count("\n")
        character = place - before.rfind("\n") + (0 if lines else self.column)
        message = f"is not valid JSON: {message} (character {character})"
        return InputError(message, file=str(self.path), line=self.lines + lines + 1)


CHUNK = 50_000  # records turned into text at a time: a generalized item may be spelled out with thousands of leaves
Json = Any


def write(release: Release, original: Dataset, path: Path, whole: PublishedItems | None = None) -> list[Guide]:
    """Write the records; the guides name the attributes. A part is written like a whole release: every value says all."""
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
    """Each label of a column as a JSON value."""
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


def read_back(path: Path, guides: list[Guide], original: Dataset, suppressed: Ids) -> Published:
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
    """The codes of the values, ascending. Unknown values are left out, or refused if `every` value must be known."""
    values = list(values)
    codes = sorted({code[value] for value in values if value in code})
    if (every and len(codes) < len(values)) or (values and not codes):
        raise GuaranteeViolated(f"{attribute}: the published {_dump(values)} stands for no value of the original")
    return codes


JSON_LINES = ReleaseFormat(
    id="jsonl",
    suffixes=(".jsonl", ".ndjson"),
    read=read_json_lines,
    batches=json_line_batches,
    text_start=b"{",
    write=write,
    read_back=read_back,
    write_part=write,
)
JSON = Format(id="json", suffixes=(".json",), read=read_json_array, batches=json_array_batches, text_start=b"[")
