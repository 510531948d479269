"""The formats of published records, and tables of databases, read as docs/release.md describes them; by code that
writes nothing.
"""

import json
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import ZipFile

from anonset.errors import GuaranteeViolated
from anonset.verify.reading.delimited import read_csv, states_of
from anonset.verify.reading.written import Attributes, Guide, Written, WrittenDoubts, WrittenSets, WrittenValues, empty

PARTS = "workbook.xml _rels/workbook.xml.rels styles.xml theme/theme1.xml worksheets/sheet1.xml"
WORKBOOK = {"[Content_Types].xml", "_rels/.rels", "docProps/app.xml", "docProps/core.xml", *(f"xl/{p}" for p in PARTS.split())}


def read_fimi(path: Path, guides: Sequence[Guide]) -> Attributes:
    """One line of numbers a record; `numbers` names those that are no items, a last one holds the error bound."""
    found = empty(guides)
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
    found = empty(guides)
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

    return read_typed(pl.read_parquet(path, memory_map=False), path.name, guides)


def read_feather(path: Path, guides: Sequence[Guide]) -> Attributes:
    """The columns of Parquet in another file."""
    import polars as pl

    return read_typed(pl.read_ipc(path.read_bytes()), path.name, guides)


def read_typed(frame: Any, called: str, guides: Sequence[Guide]) -> Attributes:
    """Whole columns under the names that the guides give them, none more and none less."""
    named = columns_of(guides)
    if sorted(frame.columns) != sorted(named):
        odd = min(set(frame.columns) ^ set(named), default="")
        raise GuaranteeViolated(f"{called} and about.json disagree about the column {odd!r}")
    found = empty(guides)
    cells = {name: frame[name].to_list() for name in named}
    for guide in guides:
        add_cells(found[guide["name"]], guide, cells)
    return found


def columns_of(guides: Sequence[Guide]) -> list[str]:
    """The columns of a typed table."""
    return [name for guide in guides for name in (guide["columns"].values() if "columns" in guide else [guide["column"]])]


def read_xlsx(path: Path, guides: Sequence[Guide]) -> Attributes:
    """One sheet and nothing else: a running number, then the cells of CSV, exact numbers as numbers."""
    from python_calamine import CalamineWorkbook

    odd = sorted(set(ZipFile(path).namelist()) - WORKBOOK)
    if odd:
        raise GuaranteeViolated(f"{path.name} holds {odd[0]!r} beside its records")
    header, *rows = CalamineWorkbook.from_path(str(path)).get_sheet_by_index(0).to_python(skip_empty_area=False)
    names = [name for guide in guides for name in (guide["column"], guide.get("errors_column")) if name is not None]
    if header[1:] != names:
        raise GuaranteeViolated(f"{path.name} and about.json disagree about the columns")
    found = empty(guides)
    for n, (number, *row) in enumerate(rows, 1):
        if number != n:
            raise GuaranteeViolated(
                f"{path.name}, row {n + 1}: the first column must be the running number {n}; got {number!r}"
            )
        cell = dict(zip(names, row, strict=True))
        for guide in guides:
            value, written = cell[guide["column"]], found[guide["name"]]
            if isinstance(written, WrittenValues):
                written.add(None if value == "" else _xlsx_look(value, guide))
                continue
            if not isinstance(value, str):
                raise GuaranteeViolated(f"{path.name}, row {n + 1}: items must be texts")
            bound = cell.get(guide.get("errors_column", ""))
            errors = str(int(bound)) if isinstance(bound, float) and bound.is_integer() else None
            _add_tokens(written, value.split(guide["separator"]) if value else [], guide, errors)
    return found


READERS: dict[str, tuple[str, Callable[[Path, Sequence[Guide]], Attributes]]] = {
    "csv": ("records.csv", read_csv),
    "parquet": ("records.parquet", read_parquet),
    "feather": ("records.feather", read_feather),
    "jsonl": ("records.jsonl", read_json_lines),
    "xlsx": ("records.xlsx", read_xlsx),
    "fimi": ("records.dat", read_fimi),
}


def add_cells(written: Written, guide: Guide, cells: dict[str, list[Any]]) -> None:
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
        for value in cells[guide["column"]]:
            if value is not None and (isinstance(value, bool) or not isinstance(value, str | int | float)):
                raise GuaranteeViolated(f"{guide['name']}: a value must be a text or a number; got {value!r}")
            written.add(value)


def _add_tokens(written: Written, tokens: Sequence[str], guide: Guide, errors: str | None) -> None:
    """Append a set of tokens: labels, or items with marks that say how certain they are."""
    if isinstance(written, WrittenSets):
        written.add(tokens)
        return
    assert isinstance(written, WrittenDoubts)
    if errors is None:
        raise GuaranteeViolated(f"{guide['name']}: a record has no error bound")
    states = states_of(tokens, guide["marks"])
    written.add([i for i, s in states if s != "possible"], [i for i, s in states if s != "certain"], int(errors))


def _json_look(value: Any, labels: str) -> Hashable | None:
    if value is None:
        return None
    if isinstance(value, bool | list):
        raise GuaranteeViolated(f"a value must be a text, a number, a range or a choice; got {value!r}")
    if labels == "ranges":
        return (value["lo"], value["hi"]) if isinstance(value, dict) else (value, value)
    return tuple(value["any"]) if isinstance(value, dict) else (value,)


def _xlsx_look(value: Any, guide: Guide) -> Hashable:
    if isinstance(value, bool) or not isinstance(value, str | float):
        raise GuaranteeViolated(f"{guide['name']}: a cell must hold a text or a number; got {value!r}")
    return value if isinstance(value, str) or guide["labels"] != "ranges" else (value, value)


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


Batch = Mapping[str, list[Any]]  # the values of each column


class WrittenTable(NamedTuple):
    """A table under its name, the column with the running number, how to read the others, and its rows in that order."""

    name: str
    record: str
    guides: Sequence[Guide]
    batches: Iterable[Batch]


def read_batches(table: WrittenTable) -> Attributes:
    """What stands in a table; its rows must be numbered without a gap."""
    named, found, n = sorted([table.record, *columns_of(table.guides)]), empty(table.guides), 0
    for batch in table.batches:
        if sorted(batch) != named:
            raise GuaranteeViolated(f"{table.name} has the columns {', '.join(batch)}; {', '.join(named)} were written")
        numbers = batch[table.record]
        if numbers != list(range(n + 1, n + 1 + len(numbers))):
            raise GuaranteeViolated(f"{table.name}: {table.record} must number the records from 1 on, without a gap")
        n += len(numbers)
        for guide in table.guides:
            add_cells(found[guide["name"]], guide, dict(batch))
    return found
