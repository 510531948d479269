"""The four formats of published records, read as docs/release.md describes them; by code that writes nothing."""

import csv
import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from anonset.errors import GuaranteeViolated
from anonset.verify.reading.written import Written, WrittenDoubts, WrittenSets, WrittenValues

Guide = dict[str, Any]  # an entry of `attributes` in about.json
Attributes = dict[str, Written]  # by name
SET, DOUBTS = "set", "uncertain set"
LONGEST_CELL = 2**31 - 1  # characters


def read_csv(path: Path, guides: Sequence[Guide]) -> Attributes:
    """One row a record: labels, an empty cell for a missing value, items with a separator between them."""
    names = [name for guide in guides for name in (guide["column"], guide.get("errors_column")) if name is not None]
    found = _empty(guides)
    for row in _rows(path, names):
        cell = dict(zip(names, row, strict=True))
        for guide in guides:
            text, written = cell[guide["column"]], found[guide["name"]]
            if isinstance(written, WrittenValues):
                written.add(text or None)
                continue
            tokens = text.split(guide["separator"]) if text else []
            _add_tokens(written, tokens, guide, cell.get(guide.get("errors_column", "")))
    return found


def read_fimi(path: Path, guides: Sequence[Guide]) -> Attributes:
    """One line of numbers a record; `numbers` names those that are no items, a last one holds the error bound."""
    found = _empty(guides)
    (guide,) = guides
    written, unseen = found[guide["name"]], set(guide["numbers"])
    with path.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            numbers = line.removesuffix("\n").split()
            bound = None
            if "errors_from" in guide:
                bound = str(int(numbers.pop()) - int(guide["errors_from"]))
            unseen.difference_update(numbers)
            _add_tokens(written, [guide["numbers"].get(number, number) for number in numbers], guide, bound)
    if unseen:
        raise GuaranteeViolated(f"about.json names the number {min(unseen)}, which no record shows")
    return found


def read_json_lines(path: Path, guides: Sequence[Guide]) -> Attributes:
    """One object a record: every value says what it stands for."""
    found = _empty(guides)
    with path.open(encoding="utf-8", newline="\n") as file:
        for n, line in enumerate(file, 1):
            record = json.loads(line, object_pairs_hook=_without_repeats, parse_constant=_no_number)
            if not isinstance(record, dict) or record.keys() != found.keys():
                raise GuaranteeViolated(f"{path.name}, line {n}: a record must have the attributes {', '.join(found)}")
            for guide in guides:
                written, value = found[guide["name"]], record[guide["name"]]
                if isinstance(written, WrittenValues):
                    written.add(_json_look(value, guide["labels"]))
                elif isinstance(written, WrittenSets):
                    written.add(tuple(_texts(item)) for item in value)
                else:
                    written.add(_texts(value["base"]), _texts(value["uncertain"]), _whole(value["errors"]))
    return found


def read_parquet(path: Path, guides: Sequence[Guide]) -> Attributes:
    """Columns of texts, numbers (two for ranges) and lists."""
    import polars as pl

    frame = pl.read_parquet(path, memory_map=False)
    named = [name for guide in guides for name in (guide["columns"].values() if "columns" in guide else [guide["column"]])]
    if sorted(frame.columns) != sorted(named):
        odd = min(set(frame.columns) ^ set(named), default="")
        raise GuaranteeViolated(f"{path.name} and about.json disagree about the column {odd!r}")
    found = _empty(guides)
    cells = {name: frame[name].to_list() for name in named}
    for guide in guides:
        _add_cells(found[guide["name"]], guide, cells)
    return found


READERS: dict[str, tuple[str, Callable[[Path, Sequence[Guide]], Attributes]]] = {
    "csv": ("records.csv", read_csv),
    "parquet": ("records.parquet", read_parquet),
    "jsonl": ("records.jsonl", read_json_lines),
    "fimi": ("records.dat", read_fimi),
}


def _empty(guides: Sequence[Guide]) -> Attributes:
    """Nothing written yet, for each attribute."""
    found: Attributes = {}
    for guide in guides:
        if guide["name"] in found:
            raise GuaranteeViolated(f"about.json explains {guide['name']!r} twice")
        kinds: dict[str, type[Written]] = {SET: WrittenSets, DOUBTS: WrittenDoubts}
        found[guide["name"]] = kinds[guide["kind"]]() if guide["role"] == "items" else WrittenValues()
    return found


def _add_cells(written: Written, guide: Guide, cells: dict[str, list[Any]]) -> None:
    """Append the values of whole columns."""
    parts = guide.get("columns", {})
    if isinstance(written, WrittenDoubts):
        for base, uncertain, errors in zip(*(cells[parts[part]] for part in ("base", "uncertain", "errors")), strict=True):
            written.add(_texts(base), _texts(uncertain), _whole(errors))
    elif isinstance(written, WrittenSets):
        for tokens in cells[guide["column"]]:
            written.add(_texts(tokens or []))
    elif guide["labels"] == "ranges":
        low, high = (cells[parts[side] if parts else guide["column"]] for side in ("lo", "hi"))
        for ends in zip(low, high, strict=True):
            written.add(_range_look(*ends, guide["name"]))
    else:
        for text in cells[guide["column"]]:
            written.add(text)


def _rows(path: Path, names: Sequence[str]) -> Iterator[list[str]]:
    """The rows of a CSV file under a header of exactly these names."""
    usual = csv.field_size_limit(LONGEST_CELL)
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.reader(file, strict=True)
            header = next(rows, [])
            if len(header) != len(names):
                raise GuaranteeViolated(f"{path.name} has {len(header)} columns; about.json explains {len(names)}")
            if header != list(names):
                odd = next(a for a, b in zip(header, names, strict=True) if a != b)
                raise GuaranteeViolated(f"{path.name} has a column {odd!r}; about.json has another at its place")
            for row in rows:
                if len(row or [""]) != len(names):
                    raise GuaranteeViolated(
                        f"{path.name}, line {rows.line_num}: {len(names)} fields are expected; got {len(row)}"
                    )
                yield row or [""]
    finally:
        csv.field_size_limit(usual)


def _add_tokens(written: Written, tokens: Sequence[str], guide: Guide, errors: str | None) -> None:
    """Append a set of tokens: labels, or items with marks that say how certain they are."""
    if isinstance(written, WrittenSets):
        written.add(tokens)
        return
    assert isinstance(written, WrittenDoubts)
    if errors is None:
        raise GuaranteeViolated(f"{guide['name']}: a record has no error bound")
    states = [_state(token, guide["marks"]) for token in tokens]
    written.add([i for i, s in states if s != "possible"], [i for i, s in states if s != "certain"], int(errors))


def _state(token: str, marks: Guide) -> tuple[str, str]:
    """The item a token is about, and how certain it is; no item begins or ends with as many signs as the marks have."""
    for state in ("possible", "doubted"):
        before, after = marks[state].split("ITEM")
        if token.startswith(before) and token.endswith(after) and len(token) >= len(before) + len(after):
            return token[len(before) : len(token) - len(after)], state
    return token, "certain"


def _json_look(value: Any, labels: str) -> Hashable | None:
    if value is None:
        return None
    if isinstance(value, bool | list):
        raise GuaranteeViolated(f"a value must be a text, a number, a range or a choice; got {value!r}")
    if labels == "ranges":
        return (value["lo"], value["hi"]) if isinstance(value, dict) else (value, value)
    return tuple(value["any"]) if isinstance(value, dict) else (value,)


def _range_look(low: Any, high: Any, name: str) -> Hashable | None:
    if (low is None) != (high is None):
        raise GuaranteeViolated(f"{name}: a published range has only one end")
    return None if low is None else (low, high)


def _texts(values: Iterable[Any]) -> list[str]:
    found = list(values)
    if not all(isinstance(value, str) for value in found):
        raise GuaranteeViolated(f"items must be texts; got {next(v for v in found if not isinstance(v, str))!r}")
    return found


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise GuaranteeViolated(f"an error bound must be a whole number; got {value!r}")
    return value


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise GuaranteeViolated("a record has two values under one name")
    return found


def _no_number(text: str) -> Any:
    raise GuaranteeViolated(f"{text} is no number")
