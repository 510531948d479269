"""Excel files as people make them: read as what they show, or refused in one line."""

import datetime
import re

import openpyxl
import pytest

from anonset.data import Schema, read
from anonset.errors import InputError

ROWS = [("name", "born", "codes"), ("P1", datetime.date(1980, 5, 1), "a;b"), ("P2", None, "a"), ("P3", "?", None)]


def workbook(path, sheets, at=(1, 1)):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for r, row in enumerate(rows):
            for c, cell in enumerate(row):
                sheet.cell(at[0] + r, at[1] + c, cell)
    book.save(path)
    return path


def test_a_sheet_is_read_as_what_it_shows(tmp_path):
    rows = [("age", "seen", "open", "codes"), (30, datetime.datetime(2020, 1, 2), True, "a;b"), (2.5, "x", False, "c;a")]

    data = read(workbook(tmp_path / "t.xlsx", {"people": rows, "empty": []}), schema=Schema(items=("codes",)))

    assert data.column("age").domain == ("2.5", "30")
    assert data.column("seen").domain == ("2020-01-02", "x")
    assert data.column("open").domain == ("false", "true")
    assert list(data.transactions.records()) == [{"a", "b"}, {"a", "c"}]


def test_the_sheet_is_chosen(tmp_path):
    path = workbook(tmp_path / "t.xlsx", {"old": [("a",), (1,)], "new": [("b",), (2,)]})

    assert read(path, schema=Schema(sheet="new")).columns[0].name == "b"
    for sheet, message in [
        (None, "has 2 sheets, old, new; name one: sheet=..."),
        ("neu", "there is no sheet 'neu'; there are old, new"),
    ]:
        with pytest.raises(InputError, match=re.escape(message)):
            read(path, schema=Schema(sheet=sheet))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("a", "a"), (1, 2)], "line 3, column 2: sheet 's': the name 'a' is used for two columns"),
        ([("a", None), (1, 2)], "line 3, column 2: sheet 's': every column needs a name"),
        ([("a", "b")], "t.xlsx: sheet 's' has a header but no records"),
        ([("a", "b"), (1, 2), (None, None), (3, 4)], "t.xlsx, line 5: sheet 's': an empty row"),
        ([("a", "b"), (1, 2), ("inf", 4)], "t.xlsx, line 5, column a: a finite number is expected"),
        ([], "t.xlsx: is empty"),
    ],
)
def test_what_is_wrong_names_the_row_that_excel_shows(tmp_path, rows, message):
    with pytest.raises(InputError, match=re.escape(message)):
        read(workbook(tmp_path / "t.xlsx", {"s": rows}, at=(3, 2)))


def test_what_is_no_workbook_is_told(tmp_path):
    whole = workbook(tmp_path / "t.xlsx", {"s": ROWS}).read_bytes()
    for content in (b"", b"a,b\n", whole[:500], whole[:-200]):
        (tmp_path / "u.xlsx").write_bytes(content)
        with pytest.raises(InputError, match=r"u.xlsx: is not a complete Excel file"):
            read(tmp_path / "u.xlsx")


def test_a_workbook_that_unpacks_beyond_measure_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("anonset.data.files.FREE", 1000)
    monkeypatch.setattr("anonset.data.files.TIMES", 2)

    with pytest.raises(InputError, match="unpacks to more than 2 times its size"):
        read(workbook(tmp_path / "t.xlsx", {"s": [("a",)] + [("x" * 3000,)] * 50}))


def test_cells_far_from_one_another_are_refused_before_the_room_between_them_is_made(tmp_path):
    book = openpyxl.Workbook()
    book.active["A1"], book.active["XFD1048576"] = "age", 3
    book.save(tmp_path / "t.xlsx")

    with pytest.raises(InputError, match="a sheet of 1,048,576 rows and 16,384 columns is nearly empty; delete what is far"):
        read(tmp_path / "t.xlsx")
