"""Data from folders, patterns, standard input, pipes and addresses of object stores."""

import gzip
import io
import os
import re
import sys
import threading

import fsspec
import polars as pl
import pytest

from anonset.data import Schema, read
from anonset.errors import InputError

FRAME = pl.DataFrame({"age": [30, 40, 30, 40], "codes": [["a"], ["a", "b"], [], ["b"]]})


def ages(data):
    return [data.column("age").domain[c] for c in data.column("age").codes]


@pytest.fixture
def folder(tmp_path):
    """Two part files, and beside them what folders of part files have."""
    parts = tmp_path / "parts"
    parts.mkdir()
    FRAME[:2].write_parquet(parts / "part-0.parquet")
    FRAME[2:].write_parquet(parts / "part-1.parquet")
    (parts / "_SUCCESS").touch()
    (parts / ".part-0.parquet.crc").touch()
    return parts


def test_a_folder_of_part_files_is_one_table(folder):
    data = read(folder)

    assert ages(data) == ["30", "40", "30", "40"]
    assert list(data.transactions.records()) == [{"a"}, {"a", "b"}, set(), {"b"}]
    assert [source.name for source in data.sources] == ["part-0.parquet", "part-1.parquet"]


def test_a_pattern_takes_the_files_it_fits(folder):
    assert ages(read(str(folder / "*-1.parquet"))) == ["30", "40"]
    assert len(read(str(folder / "part-*.parquet"))) == 4
    with pytest.raises(InputError, match="no file matches this pattern"):
        read(str(folder / "*.pq"))


def test_folders_that_are_called_like_values_give_a_column(tmp_path):
    for year, part in (("year=2020", FRAME[:2]), ("year=a%2Fb", FRAME[2:3]), ("year=__HIVE_DEFAULT_PARTITION__", FRAME[3:])):
        (tmp_path / year).mkdir()
        part.write_parquet(tmp_path / year / "p.parquet")

    year = read(tmp_path).column("year")

    assert [None if c < 0 else year.domain[c] for c in year.codes] == ["2020", "2020", None, "a/b"]


def test_part_files_that_differ_and_folders_without_any_are_told(folder):
    FRAME.rename({"age": "years"}).write_parquet(folder / "part-2.parquet")
    with pytest.raises(InputError, match=r"part-2.parquet: has other columns, or of other types, than part-0.parquet"):
        read(folder)
    (folder / "part-2.parquet").write_bytes(b"PAR1")
    with pytest.raises(InputError, match=r"part-2.parquet: is not a complete Parquet file"):
        read(folder)
    for file in folder.glob("*.parquet"):
        file.unlink()
    with pytest.raises(InputError, match=r"parts: is a folder without Parquet files"):
        read(folder)


def feather(frame):
    buffer = io.BytesIO()
    frame.write_ipc(buffer)
    return buffer.getvalue()


def parquet(frame):
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


LOOKS = {
    "csv": b"age,codes\n30,a\n40,a b\n30,\n40,b\n",
    "csv, gzipped": gzip.compress(b"\xef\xbb\xbfage,codes\n30,a\n40,a b\n30,\n40,b\n"),
    "json": b'\n [{"age": 30, "codes": ["a"]}, {"age": 40, "codes": ["a", "b"]}, {"age": 30}, {"age": 40, "codes": ["b"]}]',
    "jsonl": b'{"age": 30, "codes": ["a"]}\n{"age": 40, "codes": ["a", "b"]}\n{"age": 30}\n{"age": 40, "codes": ["b"]}\n',
    "parquet": parquet(FRAME),
    "feather": feather(FRAME),
}


def stdin(monkeypatch, data):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


@pytest.mark.parametrize("look", LOOKS)
def test_standard_input_is_taken_for_what_it_looks_like(monkeypatch, look):
    stdin(monkeypatch, LOOKS[look])

    data = read("-")

    assert ages(data) == ["30", "40", "30", "40"]
    assert list(data.transactions.records()) == [{"a"}, {"a", "b"}, set(), {"b"}]
    assert data.sources[0].name == "standard input"


def test_baskets_on_standard_input(monkeypatch):
    stdin(monkeypatch, b"1 20\n\n3\n4")
    assert list(read("-").transactions.records()) == [{"1", "20"}, set(), {"3"}, {"4"}]
    stdin(monkeypatch, b"a|b\n1|2\n")
    with pytest.raises(InputError, match="standard input, line 1, column 1: whole numbers"):
        read("-", schema=Schema(format="fimi"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_read_once(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(LOOKS["csv"],))
    writer.start()

    assert ages(read(pipe)) == ["30", "40", "30", "40"]
    writer.join()


@pytest.fixture
def store():
    """An object store in memory."""
    system = fsspec.filesystem("memory")
    for name, content in {"/b/t.csv.gz": LOOKS["csv, gzipped"], "/b/parts/x=1/0.parquet": parquet(FRAME[:2])}.items():
        system.pipe_file(name, content)
    system.pipe_file("/b/parts/x=2/0.parquet", parquet(FRAME[2:]))
    yield system
    system.rm("/b", recursive=True)


def test_addresses_of_a_store(store, tmp_path):
    (tmp_path / "t.csv").write_bytes(LOOKS["csv"])

    assert ages(read("memory://b/t.csv.gz")) == ["30", "40", "30", "40"]
    assert ages(read((tmp_path / "t.csv").as_uri())) == ["30", "40", "30", "40"]
    assert read("memory://b/parts").column("x").domain == ("1", "2")
    assert len(read("memory://b/parts/*/0.parquet")) == 4


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("memory://b/none.csv", "memory://b/none.csv: there is no such file"),
        ("memory://b/none*.csv", "is a folder without Parquet files"),
        ("nonsense://key:geheim@b/t.csv", "nonsense://key:***@b/t.csv: cannot be read (ValueError)"),
    ],
)
def test_what_goes_wrong_far_away_is_told_without_keys(store, url, message):
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        read(url)

    assert "geheim" not in str(caught.value)
