"""A file is taken in whole: judged, looked through, copied."""

import io

import openpyxl
import polars as pl

from anonset.tasks.intake import IntakeRequest, run


def take_in(tmp_path, content, name, sheet=None):
    (tmp_path / "upload").write_bytes(content)
    return run(IntakeRequest(tmp_path / "upload", name, tmp_path / "copy.parquet", sheet)), tmp_path / "copy.parquet"


def workbook(**sheets):
    book, data = openpyxl.Workbook(), io.BytesIO()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(data)
    return data.getvalue()


def test_the_first_sheet_that_is_a_table_is_read_and_any_other_when_it_is_meant(tmp_path):
    content = workbook(cover=[("only a title",)], old=[("a", "b"), (1, 2)], new=[("c", "d"), (3, 4), (5, 6)], empty=[])
    first, _ = take_in(tmp_path, content, "people.xlsx")
    other, copy = take_in(tmp_path, content, "people.xlsx", "new")

    assert (first.columns, first.reading["sheet"]) == (("a", "b"), "old")
    assert (other.columns, other.rows, other.reading["sheet"]) == (("c", "d"), 2, "new")
    assert first.sheets == other.sheets == ("cover", "old", "new")
    assert pl.read_parquet(copy)["c0"].to_list() == ["3", "5"]


def test_a_workbook_without_a_table_names_its_sheets(tmp_path):
    found, _ = take_in(tmp_path, workbook(one=[("a",)], two=[("b",)]), "people.xlsx")

    assert (found.columns, found.sheets, found.suffix) == ((), ("one", "two"), ".xlsx")
    assert found.complaints[0].text == "sheet 'one' has a header but no records"


def test_a_workbook_with_one_sheet_offers_no_choice(tmp_path):
    found, _ = take_in(tmp_path, workbook(one=[("a", "b"), (1, 2)], empty=[]), "people.xlsx")

    assert (found.columns, found.sheets, found.reading["sheet"]) == (("a", "b"), (), None)


def test_a_table_is_copied_under_names_of_ours(tmp_path):
    found, copy = take_in(tmp_path, b":a,<b>\n1,x\n,y\n", "people.csv")

    assert (found.format, found.rows, found.columns) == ("csv", 2, (":a", "<b>"))
    assert pl.read_parquet(copy).to_dicts() == [{"c0": "1", "c1": "x"}, {"c0": None, "c1": "y"}]
    assert [fate.role for fate in found.fates] == ["quasi", "quasi"]


def test_sets_are_copied_as_lists(tmp_path):
    found, copy = take_in(tmp_path, b"1 2\n3\n", "baskets.dat")

    assert found.rows == 2
    assert pl.read_parquet(copy)["c0"].to_list() == [["1", "2"], ["3"]]
    assert [fate.role for fate in found.fates] == ["items"]


def test_what_cannot_be_read_has_complaints_and_no_copy(tmp_path):
    found, copy = take_in(tmp_path, b"a,b\n1\n2\n", "people.csv")

    assert [complaint.line for complaint in found.complaints] == [2, 3]
    assert found.columns == ()
    assert not copy.exists()
