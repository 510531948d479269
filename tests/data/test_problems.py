"""All problems of a file at once."""

import pytest

from anonset.data.formats.delimited import read_delimited
from anonset.data.formats.json_lines import read_json_lines
from anonset.data.inspection import complaints_of, oddities
from anonset.errors import InputError


def complaints(path, content):
    path.write_bytes(content)
    with pytest.raises(InputError) as raised:
        read_delimited(path)
    return complaints_of(raised.value, path, "csv")


def test_every_ragged_line_is_named(tmp_path):
    found = complaints(tmp_path / "t.csv", b"a,b\n1,2\n3\n4,5\n6,7,8\n")

    assert [complaint.line for complaint in found] == [3, 5]
    assert all("2 fields are expected" in complaint.text for complaint in found)


def test_every_line_that_is_not_utf8_is_named(tmp_path):
    found = complaints(tmp_path / "t.csv", "a,b\nMüller,1\nx,2\nGrün,3\n".encode("latin-1"))

    assert [complaint.line for complaint in found] == [2, 4]
    assert "UTF-8" in found[0].text


def test_every_line_that_is_no_json_object_is_named(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"a": 1}\n[1]\n{"a": 2}\n{"a":\n')
    with pytest.raises(InputError) as raised:
        read_json_lines(path)

    assert [complaint.line for complaint in complaints_of(raised.value, path, "jsonl")] == [2, 4]


def test_a_quotation_mark_that_is_never_closed(tmp_path):
    assert complaints(tmp_path / "t.csv", b'a,b\n1,"2\n3,4\n')[0].stops


def test_odd_columns_are_told_and_do_not_stop(tmp_path):
    rows = "".join(f"{i},x,{'Ulm' if i % 2 else 'ulm'},,{'?' if i == 7 else i}\n" for i in range(60))
    (tmp_path / "t.csv").write_text(f"id,one,town,none,age\n{rows}")

    complaints = oddities(read_delimited(tmp_path / "t.csv"))
    found = {complaint.column: complaint.text for complaint in complaints}

    assert found["one"] == "has one and the same value everywhere"
    assert found["none"] == "has no values at all"
    assert found["age"].startswith("this is no number")
    assert [complaint.line for complaint in complaints if complaint.column == "age"] == [9]
    assert "id" not in found
    assert "town" not in found
