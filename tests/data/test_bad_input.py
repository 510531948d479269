"""What is wrong with an input is told in one line that names the file, the line and the column where they are known."""

import gzip
import os
import re

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from anonset.data import Schema, read
from anonset.errors import InputError

TABLE = b"age,city,items\n39,Ulm,milk bread\n50,Bonn,milk\n"
PACKED = gzip.compress(TABLE * 50)

BAD_FILES = {
    "empty file": ("t.csv", b"", {}, "t.csv: is empty"),
    "blank file": ("t.csv", b"\n \n", {}, "t.csv: is empty"),
    "header only": ("t.csv", b"a,b\n", {}, "t.csv: has a header but no records"),
    "row too short": ("t.csv", b"a,b\n1,2\n3\n", {}, "t.csv, line 3: 2 fields are expected, as in the header; got 1"),
    "row too long": ("t.csv", b"a,b\n1,2,3\n", {}, "t.csv, line 2: 2 fields are expected, as in the header; got 3"),
    "blank line inside": ("t.csv", b"a,b\n1,2\n\n3,4\n", {}, "t.csv, line 3: 2 fields are expected"),
    "binary junk": ("t.csv", bytes(range(256)) * 9, {}, "t.csv, line 2: must be UTF-8 text"),
    "zero byte": ("t.csv", b"a,b\n1,\0\n", {}, "t.csv, line 2: must be text; this is a zero byte"),
    "latin-1": ("t.csv", "a,b\n1,2\nMünchen,3\n".encode("latin-1"), {}, "t.csv, line 3: must be UTF-8 text"),
    "cut character": ("t.csv", "a,b\n1,ü".encode()[:-1], {}, "t.csv, line 2: must be UTF-8 text"),
    "utf-16": ("t.csv", "a,b\n1,2\n".encode("utf-16"), {}, "t.csv: must be UTF-8 text; this looks like UTF-16"),
    "nan": ("t.csv", b"a,b\n1,2\nNaN,3\n", {}, "t.csv, line 3, column a: a finite number is expected; got 'NaN'"),
    "inf": ("t.csv", b"a,b\n1,-inf\n2,3\n", {}, "t.csv, line 2, column b: a finite number is expected; got '-inf'"),
    "number too large": ("t.csv", b"a,b\n1,2\n1,1e999\n", {}, "t.csv, line 3, column b: a finite number is expected"),
    "line after quoted line ends": ("t.csv", b'a,b\n1,"x\ny"\ninf,z\n', {}, "t.csv, line 4, column a: a finite number"),
    "not the given kind": ("t.csv", b"a,b\n1,2\nx,3\n", {"kinds": {"a": "numeric"}}, "line 3, column a: a finite number"),
    "duplicate column": ("t.csv", b"a,b,a\n1,2,3\n", {}, "t.csv, line 1, column 3: the name 'a' is used for two columns"),
    "column without a name": ("t.csv", b"a,,b\n1,2,3\n", {}, "t.csv, line 1, column 2: every column needs a name"),
    "no header": ("t.csv", b"\n1,2\n", {}, "t.csv, line 1: a header with the names of the columns is expected"),
    "open quote": ("t.csv", b'a,b\n1,2\n3,"4\n5,6\n', {}, "t.csv, line 3: a quotation mark is opened and never closed"),
    "stray quote": ("t.csv", b'a,b\n5" pipe,2\n', {}, "t.csv, line 2: a quotation mark inside a field"),
    "text after quote": ("t.csv", b'a,b\n"5"6,2\n', {}, "t.csv, line 2: a delimiter is expected after the closing quotation"),
    "unknown quasi": ("t.csv", TABLE, {"quasi": ("agee",)}, "no column 'agee' (quasi); did you mean 'age'"),
    "unknown sensitive": ("t.csv", TABLE, {"sensitive": ("x",)}, "t.csv: there is no column 'x' (sensitive)"),
    "unknown identifier": ("t.csv", TABLE, {"identifier": ("x",)}, "t.csv: there is no column 'x' (identifier)"),
    "unknown kind's column": ("t.csv", TABLE, {"kinds": {"x": "numeric"}}, "t.csv: there is no column 'x' (kinds)"),
    "unknown items": ("t.csv", TABLE, {"items": ("drugs",)}, "t.csv: there is no column 'drugs' (items)"),
    "identifiers alone": ("t.csv", b"a\n1\n", {"identifier": ("a",)}, "t.csv: nothing to publish"),
    "delimiter not ASCII": ("t.csv", TABLE, {"delimiter": "§"}, "t.csv: the delimiter must be an ASCII character"),
    "bad JSON line": ("t.jsonl", b'{"a": 1}\n{"a": \n', {}, "t.jsonl, line 2: is not valid JSON"),
    "JSON line is no object": ("t.jsonl", b'{"a": 1}\n[1]\n', {}, "t.jsonl, line 2: a JSON object is expected"),
    "list where a value was": ("t.jsonl", b'{"a": 1}\n{"a": [1]}\n', {}, "line 2, column a: a single value is expected"),
    "value where a list was": ("t.jsonl", b'{"a": [1]}\n{"a": 1}\n', {}, "t.jsonl, line 2, column a: a list is expected"),
    "list in a list": ("t.jsonl", b'{"a": [[1]]}\n', {}, "t.jsonl, line 1, column a: a text, a number or a list of such"),
    "object in a field": ("t.jsonl", b'{"a": {"b": 1}}\n', {}, "t.jsonl, line 1, column a: a text, a number or a list of such"),
    "JSON NaN": ("t.jsonl", b'{"a": NaN}\n', {}, "t.jsonl, line 1: numbers must be finite; got NaN"),
    "JSON number too large": ("t.jsonl", b'{"a": 1e999}\n', {}, "t.jsonl, line 1, column a: numbers must be finite"),
    "JSON field twice": ("t.jsonl", b'{"a": 1, "a": 2}\n', {}, "line 1: every field of an object needs a name of its own"),
    "JSON too deep": ("t.jsonl", b"[" * 100_000, {}, "t.jsonl, line 1: is nested too deeply"),
    "JSON without fields": ("t.jsonl", b"{}\n{}\n", {}, "t.jsonl: the objects must have fields"),
    "FIMI with text": ("b.dat", b"1 2\n3 milk\n", {}, "b.dat, line 2, column 3: whole numbers"),
    "FIMI with fractions": ("b.dat", b"1 2.5\n", {}, "b.dat, line 1, column 3: whole numbers"),
    "FIMI with leading zeros": ("b.dat", b"1 007\n", {}, "b.dat, line 1, column 3: whole numbers"),
    "FIMI of junk": ("b.dat", b"\xff\xfe\x00\x01", {}, "got 'bytes that are not text'"),
    "FIMI empty": ("b.dat", b"", {}, "b.dat: is empty"),
    "FIMI with columns asked": ("b.dat", b"1 2\n", {"quasi": ("age",)}, "no column 'age' (quasi); there are 1 columns"),
    "SPMF with text": ("b.spmf", b"@CONVERTED\n1 x\n", {}, "b.spmf, line 2, column 3: whole numbers"),
    "SPMF without records": ("b.spmf", b"@CONVERTED\n\n", {}, "b.spmf: has no records"),
    "SPMF name used twice": ("b.spmf", b"@ITEM=1=a\n@ITEM=2=a\n1 2\n", {}, "b.spmf: @ITEM gives one name to two items"),
    "SPMF name not UTF-8": ("b.spmf", b"@ITEM=1=\xff\n1 2\n", {}, "b.spmf: the names of @ITEM lines must be UTF-8 text"),
    "gzip cut off": ("t.csv.gz", PACKED[:-9], {}, "t.csv.gz: is not a complete gzip file"),
    "gzip damaged": ("t.csv.gz", PACKED[:30] + b"\xff" * 9 + PACKED[39:], {}, "t.csv.gz: is not a complete gzip file"),
    "no gzip": ("t.csv.gz", TABLE, {}, "t.csv.gz: ends in .gz but is not a gzip file"),
    "gzip of FIMI cut off": ("b.dat.gz", gzip.compress(b"1 2\n" * 99)[:-4], {}, "b.dat.gz: is not a complete gzip file"),
    "unknown ending": ("t.xls", TABLE, {}, "t.xls: must end in .csv"),
    "no parquet": ("t.parquet", TABLE, {}, "t.parquet: is not a complete Parquet file"),
    "parquet empty": ("t.parquet", b"", {}, "t.parquet: is empty"),
    "sensitive item unknown": ("t.csv", TABLE, {"sensitive_items": ("beer",)}, "do not occur in the data, e.g. 'beer'"),
    "sensitive items without items": ("t.csv", b"a\n1\n", {"sensitive_items": "x"}, "given, and the data has no items"),
    "item hierarchy without items": ("t.csv", b"a\n1\n", {"item_hierarchy": "balanced:2"}, "the data has no items"),
    "bad builder": ("t.csv", TABLE, {"item_hierarchy": "balanced:two"}, "column items: a hierarchy to build must be one of"),
    "hierarchy missing": ("t.csv", TABLE, {"item_hierarchy": "none.csv"}, "none.csv: there is no such file"),
    "hierarchies missing": ("t.csv", TABLE, {"hierarchies": "none"}, "none: is not a folder of hierarchies"),
    "hierarchy for nothing": ("t.csv", TABLE, {"hierarchies": {"x": "balanced:2"}}, "neither a quasi column nor the items"),
    "long file missing": ("t.csv", TABLE, {"id": "age", "long": "none.csv"}, "none.csv: there is no such file"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "content", "given", "message"), BAD_FILES.values(), ids=BAD_FILES)
def test_a_bad_file_is_told_in_one_line(tmp_path, monkeypatch, name, content, given, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(content)

    with pytest.raises(InputError, match=re.escape(message)) as caught:
        read(name, schema=Schema(**given))

    assert "\n" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_missing_file_a_folder_and_an_unreadable_file_are_told(tmp_path, monkeypatch):
    with pytest.raises(InputError, match=r"none\.csv: there is no such file"):
        read(tmp_path / "none.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError, match=r"folder\.csv: is a folder"):
        read(tmp_path / "folder.csv")
    (tmp_path / "t.csv").write_bytes(TABLE)

    def refuse(*args, **kwargs):
        raise PermissionError(13, os.strerror(13))

    monkeypatch.setattr("pathlib.Path.open", refuse)
    with pytest.raises(InputError, match=r"t\.csv: cannot be read: Permission denied"):
        read(tmp_path / "t.csv")


def test_a_parquet_column_of_single_values_is_split_as_items_and_a_nested_one_is_refused(tmp_path):
    path = tmp_path / "t.parquet"
    pl.DataFrame({"a": ["x y"]}).write_parquet(path)
    assert list(read(path, schema=Schema(items=("a",))).transactions.records()) == [{"x", "y"}]
    pl.DataFrame({"a": ["x y"], "b": [[["x"]]]}).write_parquet(path)

    with pytest.raises(InputError, match=r"t\.parquet, column b: values must be texts, numbers"):
        read(path)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pl.DataFrame({"a": [1.0, float("nan")]}), "column a: record 2: numbers must be finite; got nan"),
        (pl.DataFrame({"a": [[1.0, float("inf")]]}), "column a: numbers must be finite; got inf"),
        (pl.DataFrame({"a": [{"b": 1}]}), "column a: values must be texts"),
        (pl.DataFrame({"a": [b"x"]}), "column a: values must be texts"),
        (pl.DataFrame({"a": ["1", "inf"]}), "column a: record 2: a finite number is expected"),
        (pl.DataFrame({"a": []}, schema={"a": pl.String}), "has no records"),
        (pl.DataFrame(), "has no columns"),
        (pl.DataFrame({" ": [1]}), "every column needs a name"),
        (pd.DataFrame({"b": [1], "a": [object()]}), "the column a holds what Arrow cannot take"),
        (
            pd.DataFrame({"a": [1, "x"]}),
            "the column a holds what Arrow cannot take, such as values of several types; astype(str)",
        ),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "the DataFrame has two columns with the same name"),
        (pd.Series([1], name="a"), "a DataFrame is expected; got Series: to_frame() makes one of it"),
        (pa.table([[1], [2]], names=["a", "a"]), "the DataFrame has two columns with the same name"),
        ({"a": [1]}, "a path or a DataFrame is expected; got dict"),
        (None, "a path or a DataFrame is expected; got NoneType"),
    ],
)
def test_a_bad_frame_is_told_in_one_line(frame, message):
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        read(frame)

    assert "\n" not in str(caught.value)


def test_an_error_shows_the_token_and_not_the_row(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("name,age\nAda Secret,30\nBob Secret,inf\n")

    with pytest.raises(InputError) as caught:
        read(path)

    assert "Secret" not in str(caught.value)
