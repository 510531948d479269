import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.data import Schema, read
from anonset.data.formats.delimited import read_delimited

cells = st.text("ab01,;|\"'\n\r\t é€#\\", max_size=6)


@st.composite
def tables(draw):
    width = draw(st.integers(1, 3))
    return draw(st.lists(st.lists(cells, min_size=width, max_size=width), min_size=1, max_size=6))


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@given(rows=tables())
def test_any_cells_survive_being_written(tmp_path_factory, delimiter, rows):
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    names = [f"column{c}" for c in range(len(rows[0]))]
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows([names, *rows])

    table = read_delimited(path, delimiter)

    found = [[cell or "" for cell in row] for row in zip(*(table.columns[name].to_list() for name in names), strict=True)]
    assert found == [[cell.strip() for cell in row] for row in rows]


def test_a_blank_line_of_a_single_column_is_an_empty_set(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("items\na b\n\nb\n\n")

    assert list(read(path).transactions.records()) == [{"a", "b"}, set(), {"b"}, set()]


def test_blank_lines_at_the_end_of_a_table_do_not_count(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n\n\r\n")

    assert len(read(path)) == 1


@pytest.mark.parametrize("tab", ["\t", "\\t", "tab"])
def test_a_tab_may_be_spelled_out(tmp_path, tab):
    path = tmp_path / "t.csv"
    path.write_text("a\tb,c\n1\t2,5\n")

    assert [column.name for column in read(path, schema=Schema(delimiter=tab)).columns] == ["a", "b,c"]
