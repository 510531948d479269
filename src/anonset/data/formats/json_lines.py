"""JSON: one object a line, or an array of objects, one a record; lists are item sets."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from anonset.data.coding import ItemSets, Table, require_width
from anonset.data.files import File, fingerprint, text_bytes, trimmed
from anonset.errors import InputError
from anonset.model.progress import Progress, silent
from anonset.model.sets import offsets_of

BATCH = 1 << 16


class _Texts:
    """The values of one field that holds single values, gathered in batches."""

    def __init__(self, absent: int) -> None:
        self.done = [pl.Series([None] * absent, dtype=pl.String)]
        self.batch: list[str | None] = []

    def add(self, value: Any) -> None:
        if isinstance(value, list):
            raise TypeError("a single value is expected, as in the records before; got a list")
        self.batch.append(None if value is None else trimmed(_text(value)))
        if len(self.batch) == BATCH:
            self.flush()

    def flush(self) -> None:
        self.done.append(pl.Series(self.batch, dtype=pl.String))
        self.batch = []


class _Sets:
    """The lists of one field, coded as they come."""

    def __init__(self, absent: int) -> None:
        self.code: dict[str, int] = {}
        self.done = [np.zeros(0, np.int32)]
        self.batch: list[int] = []
        self.lengths = [0] * absent

    def add(self, value: Any) -> None:
        if value is not None and not isinstance(value, list):
            raise TypeError("a list is expected, as in the records before; got a single value")
        names = [trimmed(_text(item)) for item in value or () if item is not None]
        codes = [self.code.setdefault(name, len(self.code)) for name in names if name]
        self.lengths.append(len(codes))
        self.batch += codes
        if len(self.batch) >= BATCH:
            self.flush()

    def flush(self) -> None:
        self.done.append(np.array(self.batch, np.int32))
        self.batch = []


def read_json_lines(path: File, progress: Progress = silent) -> Table:
    """The table in a file of JSON lines; a field that a line does not have is missing there."""
    numbered = ((number, _record(line, path, number)) for number, line in _lines(text_bytes(path, progress)))
    return table_of(numbered, path, has_lines=True)


def table_of(records: Iterable[tuple[int, dict[str, Any]]], path: File, *, has_lines: bool) -> Table:
    """The table of objects, each with the number of its line, or of the record where there are no lines."""
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
    if not fields:
        raise InputError("the objects must have fields", file=str(path))
    columns, sets = {}, {}
    for name, field in fields.items():
        if isinstance(field, _Sets):
            field.flush()
            offsets = offsets_of(field.lengths)
            sets[name] = ItemSets(offsets, np.concatenate(field.done), tuple(field.code))
        else:
            texts = field or _Texts(len(numbers))
            texts.flush()
            columns[name] = pl.concat(texts.done)
    table = Table(columns, (fingerprint(path),), str(path), sets)
    return replace(table, line=numbers.__getitem__) if has_lines else table


def _lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    start, number = 0, 0
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        number += 1
        if line := data[start:end].strip():
            yield number, line
        start = end + 1


def _record(line: bytes, path: File, number: int) -> dict[str, Any]:
    record = parsed(line, path, number)
    if not isinstance(record, dict):
        raise InputError("a JSON object is expected", file=str(path), line=number)
    return record


def parsed(data: bytes, path: File, number: int | None = None) -> Any:
    """The value in a line, or in a whole file; the fields of every object have names of their own."""
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
        "take out of it what is meant, e.g. a list of codes, or leave the field out of the file"
    )


def read_json_array(path: File, progress: Progress = silent) -> Table:
    """The table in a file with an array of objects; a field that an object does not have is missing there."""
    records: Any = parsed(text_bytes(path, progress), path)
    if not isinstance(records, list):
        raise InputError("an array of objects is expected; for one object a line the format is jsonl", file=str(path))
    if not records:
        raise InputError("has no records", file=str(path))
    odd = next((n for n, record in enumerate(records, 1) if not isinstance(record, dict)), None)
    if odd is not None:
        raise InputError(f"record {odd}: a JSON object is expected", file=str(path))
    return table_of(enumerate(records, 1), path, has_lines=False)
