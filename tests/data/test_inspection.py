"""A file is what its bytes say."""

import gzip
import io
import zipfile

import polars as pl
import pytest

from anonset.data.inspection import detect_format
from anonset.errors import InputError


def zip_bytes():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("table.csv", "a,b\n1,2\n")
    return out.getvalue()


def parquet_bytes():
    out = io.BytesIO()
    pl.DataFrame({"a": [1]}).write_parquet(out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("content", "name", "format"),
    [
        (b"age,town\n1,x\n", "people.csv", "csv"),
        (b"age,town\n1,x\n", "people.xls", "csv"),
        (b"age\ttown\n1\tx\n", "people.tsv", "tsv"),
        (gzip.compress(b"age,town\n1,x\n", mtime=0), "people.csv", "csv"),
        (b"\xef\xbb\xbf1 2 3\n4 5\n", "baskets.csv", "fimi"),
        (b"1 -1 2 -1 -2\n3 -1 -2\n", "baskets.txt", "spmf"),
        (b'{"a": 1}\n', "people.csv", "jsonl"),
        (b"milk bread\nbeer\n", "baskets.dat", "fimi"),
        (parquet_bytes(), "people.csv", "parquet"),
        (b"7\n8\n", "one.csv", "csv"),
    ],
)
def test_the_content_decides(tmp_path, content, name, format):
    (tmp_path / "upload").write_bytes(content)

    assert detect_format(tmp_path / "upload", name) == format


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (zip_bytes(), "zip archive"),
        (b"", "empty"),
        (b" \n", "empty"),
        (b"a\0b", "neither text"),
        (b"%PDF-1.7", "PDF"),
        (gzip.compress(gzip.compress(b"a,b\n1,2\n", mtime=0), mtime=0), "compressed twice"),
        (gzip.compress(b"a,b\n1,2\n", mtime=0)[:12], "truncated"),
    ],
)
def test_what_is_no_table_is_refused_whatever_it_is_called(tmp_path, content, complaint):
    (tmp_path / "upload").write_bytes(content)

    with pytest.raises(InputError, match=complaint):
        detect_format(tmp_path / "upload", "people.csv")
