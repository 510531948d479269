"""The verifier's quick reading of CSV, against Python's own."""

import csv
import io
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.errors import GuaranteeViolated
from anonset.verify.reading import formats as delimited

VALUES = {"name": "v", "column": "v", "role": "quasi", "kind": "categorical"}
SETS = {"name": "items", "column": "items", "role": "items", "kind": "set", "separator": " "}
cells = st.text("ab '=-\",\n\r\u00e9", max_size=4)
tables = st.lists(st.tuples(cells, cells, st.booleans()), max_size=12)


def quoted(cell, anyway):
    return '"' + cell.replace('"', '""') + '"' if anyway or any(sign in cell for sign in ',"\n\r') else cell


def unguarded(cell):
    return cell[1:] if cell.startswith("'") and cell.lstrip("'")[:1] in (*"=+-@\t\r",) else cell


@given(tables, st.integers(1, 40), st.booleans())
def test_cells_are_those_that_python_reads(tmp_path_factory, table, at_once, ended):
    lines = [f"{quoted(v, anyway)},{quoted(items, anyway)}" for v, items, anyway in table]
    text = "\n".join(["v,items", *lines]) + "\n" * ended
    path = tmp_path_factory.getbasetemp() / "records.csv"
    path.write_bytes(text.encode())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "BYTES_AT_ONCE", at_once)
        patch.setattr(delimited, "ROWS_AT_ONCE", 3)
        found = delimited.read_csv(path, [VALUES, SETS])

    rows = [[unguarded(cell) for cell in row] for row in list(csv.reader(io.StringIO(text, newline=""), strict=True))[1:]]
    looks = [*found["v"].number, None]
    assert [looks[c] for c in found["v"].codes] == [v or None for v, _ in rows]
    names, offsets, codes = list(found["items"].number), found["items"].offsets, found["items"].codes
    sets = [{names[c] for c in codes[a:b]} for a, b in pairwise(offsets)]
    assert sets == [set(items.split(" ")) if items else set() for _, items in rows]


@pytest.mark.parametrize("line", ["a", "a,b,c", '"a"', ""])
@pytest.mark.parametrize("before", ["a,b\n", '"a,a",b\n'])
def test_rows_of_another_width_are_a_breach(tmp_path, before, line):
    (tmp_path / "records.csv").write_text("v,items\n" + before + line + "\na,b\n", newline="")

    with pytest.raises(GuaranteeViolated, match="record 2: 2 fields are expected; got"):
        delimited.read_csv(tmp_path / "records.csv", [VALUES, SETS])


@pytest.mark.parametrize("line", ['"a"b', '"a', "a\rb"])
def test_what_is_no_strict_csv_is_not_guessed(tmp_path, line):
    (tmp_path / "records.csv").write_text(f"items\n{line}\n", newline="")

    with pytest.raises(csv.Error):
        delimited.read_csv(tmp_path / "records.csv", [SETS])


@pytest.mark.parametrize("text", ["input_row\n3\n0\n", "input_row\r\n3\r\n0\r\n", "input_row\n3\n0"])
def test_a_column_of_numbers_is_read(tmp_path, text):
    (tmp_path / "rows.csv").write_text(text, newline="")

    header, numbers = delimited.read_numbers(tmp_path / "rows.csv")

    assert (header, numbers.tolist()) == ("input_row", [3, 0])


@pytest.mark.parametrize("line", ["", "1.0", "1e3", "one", "1,2", "99999999999999999999"])
def test_what_is_no_whole_number_is_not_read(tmp_path, line):
    (tmp_path / "rows.csv").write_text(f"input_row\n{line}\n0\n")

    with pytest.raises(ValueError, match="no whole number"):
        delimited.read_numbers(tmp_path / "rows.csv")


def test_no_records_have_no_numbers(tmp_path):
    (tmp_path / "rows.csv").write_text("input_row\n")

    assert delimited.read_numbers(tmp_path / "rows.csv")[1].tolist() == []
