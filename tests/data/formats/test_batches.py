"""Whatever the format and the size of its batches: they are the table that is read at once, with the same errors."""

import csv
import gzip
import io
import json
import zipfile

import polars as pl
import pytest
import xlsxwriter
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from anonset.data.coding import whole_table
from anonset.data.files import BufferedBytes, chunks
from anonset.data.formats import FORMATS, baskets, delimited, file_batches, json_lines, parquet, read_file, workbooks
from anonset.errors import InputError
from anonset.model.progress import silent

cell = st.one_of(st.sampled_from(["", " ", "7", '"', "a,b", "two\nlines", "x", "é\u2028"]), st.text('ab"\n,; \té', max_size=5))
rows = st.lists(st.tuples(cell, cell), min_size=1, max_size=12)
numbers = st.lists(st.lists(st.integers(-30, 10**9), max_size=4), min_size=1, max_size=12)


def as_csv(rows, sign=","):
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=sign).writerows([("one", "two"), *rows])
    return text.getvalue().encode()


def as_objects(rows):
    """Fields that come late, are missing, or hold lists."""
    return [
        {name: value for name, value in {"one": a or None, "two": b, f"n{n // 5}": [a, b]}.items() if value is not None}
        for n, (a, b) in enumerate(rows)
    ]


def as_excel(rows):
    raw = io.BytesIO()
    book = xlsxwriter.Workbook(raw)
    sheet = book.add_worksheet("a")
    for r, row in enumerate([("one", "two"), *rows]):
        for c, value in enumerate(row):
            if value:
                sheet.write_string(r + 2, c + 1, value)
    book.close()
    return raw.getvalue()


def frame(rows):
    return pl.DataFrame({"one": [a for a, _ in rows], "n": list(range(len(rows))), "set": [[a, b] for a, b in rows]})


def as_parquet(rows):
    raw = io.BytesIO()
    frame(rows).write_parquet(raw, row_group_size=3)
    return raw.getvalue()


def as_feather(rows):
    raw = io.BytesIO()
    frame(rows).write_ipc(raw)
    return raw.getvalue()


def as_lines(values):
    return "".join(" ".join(map(str, line)) + "\n" for line in values).encode()


MADE = {
    "csv": (as_csv, rows),
    "tsv": (lambda rows: as_csv(rows, "\t"), rows),
    "jsonl": (lambda rows: "\n".join(map(json.dumps, as_objects(rows))).encode(), rows),
    "json": (lambda rows: json.dumps(as_objects(rows), indent=1, ensure_ascii=False).encode(), rows),
    "xlsx": (as_excel, rows),
    "parquet": (as_parquet, rows),
    "feather": (as_feather, rows),
    "fimi": (as_lines, numbers),
    "spmf": (lambda values: b"@ITEM=7=seven\n%x\n\n" + as_lines(values) + b"@ITEM=8=eight\n", numbers),
}


def packed(data, how):
    if how == "zip":
        raw = io.BytesIO()
        with zipfile.ZipFile(raw, "w") as archive:
            archive.writestr("in", data)
        return raw.getvalue()
    return {"": lambda d: d, "gz": gzip.compress, "zst": zstandard.compress}[how](data)


BATCHED = (
    delimited.delimited_batches,
    json_lines.json_line_batches,
    json_lines.json_array_batches,
    parquet.parquet_batches,
    parquet.feather_batches,
    workbooks.workbook_batches,
)


def shrunk(monkey, size):
    """Batches of some `size` bytes or rows, which is the last parameter of every reader."""
    for read in BATCHED:
        monkey.setattr(read, "__defaults__", (*read.__defaults__[:-1], size))
    monkey.setattr(json_lines, "JSON_CHUNK", 5 * size)
    monkey.setattr(baskets, "chunks", lambda file, progress=silent: chunks(file, progress, 5 * size))
    monkey.setattr(baskets, "FEW", 0)


def tables(file, id, size):
    with pytest.MonkeyPatch.context() as monkey:
        shrunk(monkey, size)
        return list(file_batches(file, id))


def shown(table):
    """What a table holds: texts, sets of names, and the line of each record."""
    sets = {
        name: [tuple(held.names[i] for i in held.entries[a:b]) for a, b in zip(held.offsets, held.offsets[1:], strict=False)]
        for name, held in table.sets.items()
    }
    return {name: texts.to_list() for name, texts in table.columns.items()} | sets, [*map(table.line, range(len(table)))]


def joined(batches):
    """The batches as one table, with the columns that came late."""
    names = batches[-1].names
    records, lines = {name: [] for name in names}, []
    for table in batches:
        held, at = shown(table)
        lines += at
        for name in names:
            absent = [()] * len(table) if name in batches[-1].sets else [None] * len(table)
            found = held.get(name, absent)
            records[name] += absent if name in batches[-1].sets and name in table.columns else found
    return records, lines


def outcome(read):
    try:
        return read()
    except InputError as error:
        return str(error)


@pytest.mark.parametrize("id", MADE)
@settings(max_examples=20)
@given(st.data(), st.integers(1, 9))
def test_batches_are_the_table_that_is_read_at_once(id, data, size):
    make, values = MADE[id]
    file = BufferedBytes("in", f"in{FORMATS[id].suffixes[0]}", make(data.draw(values)))

    assert outcome(lambda: joined(tables(file, id, size))) == outcome(lambda: shown(read_file(file, id)))


@pytest.mark.parametrize("id", ["csv", "jsonl", "fimi"])
@pytest.mark.parametrize("how", ["gz", "zst", "zip"])
@settings(max_examples=5)
@given(st.data(), st.integers(1, 9))
def test_what_is_packed_is_read_in_batches(id, how, data, size):
    make, values = MADE[id]
    whole = make(data.draw(values))
    plain, file = (
        BufferedBytes("in", f"in{FORMATS[id].suffixes[0]}{how and '.' + how}", packed(whole, how)) for how in ("", how)
    )

    assert outcome(lambda: joined(tables(file, id, size))) == outcome(lambda: shown(read_file(plain, id)))


@pytest.mark.parametrize("id", ["csv", "jsonl", "json", "fimi", "spmf"])
@settings(max_examples=30)
@given(
    st.data(),
    st.integers(1, 9),
    st.sampled_from([b'"', b"\n", b",", b"x", b"[", b"}", b"{}", b"\xff", b"\0", b"-1 "]),
    st.integers(0, 10**6),
)
def test_damaged_text_is_refused_alike(id, data, size, sign, place):
    make, values = MADE[id]
    whole = make(data.draw(values))
    at = place % (len(whole) + 1)
    file = BufferedBytes("in", f"in{FORMATS[id].suffixes[0]}", whole[:at] + sign + whole[at:])

    one, many = outcome(lambda: shown(read_file(file, id))), outcome(lambda: joined(tables(file, id, size)))

    assert one == many


def test_a_quotation_mark_that_is_never_closed_is_found_without_reading_all_of_the_file(monkeypatch):
    monkeypatch.setattr(delimited, "LONGEST_ROW", 1 << 12)
    file = BufferedBytes("in.csv", "in.csv", b'a,b\n1,2\n3,"4\n' + b"5,6\n" * 100_000)

    with pytest.raises(InputError, match=r"in\.csv, line 3: a quotation mark is opened and never closed"):
        list(delimited.delimited_batches(file, size=1 << 10))


def test_batches_of_other_columns_are_no_table():
    one, other = (list(file_batches(BufferedBytes("in.csv", "in.csv", text), "csv")) for text in (b"a,b\n1,2\n", b"a,c\n1,2\n"))

    with pytest.raises(InputError, match="there is no column 'b'"):
        whole_table([*one, *other])
