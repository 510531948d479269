"""What comes in batches has the codes, kinds, missing values and items that it has in memory, whatever it comes from."""

import gzip
import io
import itertools
import sqlite3
import sys

import numpy as np
import polars as pl
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from anonset.data.read import read
from anonset.engine.planning import Resources
from anonset.engine.session import open_session
from anonset.engine.source import open_source
from anonset.errors import InputError
from anonset.model.progress import unheard
from anonset.model.schema import Schema

PEOPLE = Schema(quasi=("age", "town"), sensitive=("illness",), items=("goods",), item_separator=";")


def people(seed, n):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "name": [f"p{i}" for i in range(n)],
            "age": [None if rng.random() < 0.05 else str(a) for a in rng.integers(1, 99, n)],
            "town": rng.choice(["Ulm ", "Nice, FR", 'the "Hague"', "NA", ""], n).tolist(),
            "illness": rng.choice(["flu", "cold", "?"], n).tolist(),
            "goods": [";".join(rng.choice(["a", "b ", "c", "NA"], rng.integers(0, 4))) for _ in range(n)],
        }
    )


def as_jsonl(frame):
    raw = io.BytesIO()
    frame.write_ndjson(raw)
    return raw.getvalue()


def as_csv(frame, sign=","):
    return frame.write_csv(separator=sign).encode()


def written(frame, kind, folder):
    """The frame in a file, a folder or a database."""
    if kind == "sqlite":
        (folder / "people.db").unlink(missing_ok=True)
        with sqlite3.connect(folder / "people.db") as database:
            database.execute(f"create table people ({', '.join(frame.columns)})")
            database.executemany(f"insert into people values ({', '.join('?' * frame.width)})", frame.rows())
        database.close()
        return f"sqlite:///{folder}/people.db"
    if kind == "hive":
        for town in ("a", "b"):
            (folder / "hive" / f"part={town}").mkdir(parents=True, exist_ok=True)
            frame.write_parquet(folder / "hive" / f"part={town}" / "0.parquet", row_group_size=3)
        return folder / "hive"
    bytes_of = {
        "people.csv": lambda: as_csv(frame),
        "people.tsv": lambda: as_csv(frame, "\t"),
        "people.csv.gz": lambda: gzip.compress(as_csv(frame, "|")),
        "people.csv.zst": lambda: zstandard.compress(as_csv(frame)),
        "people.jsonl": lambda: as_jsonl(frame),
        "people.jsonl.gz": lambda: gzip.compress(as_jsonl(frame)),
        "people.json": lambda: frame.write_json().encode(),
        "people.parquet": lambda: parquet(frame),
    }
    (folder / kind).write_bytes(bytes_of[kind]())
    return folder / kind


def parquet(frame):
    raw = io.BytesIO()
    frame.write_parquet(raw, row_group_size=5)
    return raw.getvalue()


def in_batches(data, schema, work, rows):
    """The coded records of the batches, one after the other, as values and sets of items; and the roster."""
    with pytest.MonkeyPatch.context() as monkey:
        monkey.setattr("anonset.engine.planning.LARGEST", rows)
        monkey.setattr("anonset.engine.source.COPY_ROWS", 2 * rows)
        with open_session(data, schema, Resources(jobs=1), work, unheard) as (driver, source, _):
            return [shown(driver.context.batch(ref)) for ref in source.batches], driver.context.roster


def shown(data):
    values = {c.name: [None if code < 0 else c.domain[code] for code in c.codes.tolist()] for c in data.columns}
    if data.transactions is not None:
        held = data.transactions
        ends = held.offsets.tolist()
        values["items"] = [tuple(held.domain[i] for i in held.items[a:b]) for a, b in itertools.pairwise(ends)]
    return values


def same(data, schema, work, rows):
    whole = read(data, schema=schema)
    batches, roster = in_batches(data, schema, work, rows)
    together = {name: [value for batch in batches for value in batch[name]] for name in batches[0]}
    assert together == shown(whole)
    assert [(c.name, c.role, c.kind, c.domain) for c in roster.columns] == [
        (c.name, c.role, c.kind, c.domain) for c in whole.columns
    ]
    assert roster.transactions is None or roster.transactions.domain == whole.transactions.domain
    assert roster.fates == whole.fates


KINDS = (
    "people.csv",
    "people.tsv",
    "people.csv.gz",
    "people.csv.zst",
    "people.jsonl",
    "people.jsonl.gz",
    "people.json",
    "people.parquet",
    "hive",
)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=6)
@given(st.integers(0, 99), st.integers(2, 60), st.integers(1, 25))
def test_batches_are_coded_as_in_memory(kind, tmp_path_factory, seed, n, rows):
    folder = tmp_path_factory.mktemp("batches")

    same(written(people(seed, n), kind, folder), PEOPLE, folder, rows)


def test_rows_of_a_database_are_those_in_memory(tmp_path):
    frame = people(1, 200)
    schema = Schema(quasi=("age", "town"), items=("goods",), item_separator=";", query="select * from people order by age")
    data = written(frame, "sqlite", tmp_path)

    batches, _ = in_batches(data, schema, tmp_path, 40)
    whole = shown(read(data, schema=schema))

    together = {name: [value for batch in batches for value in batch[name]] for name in batches[0]}
    assert sorted(map(repr, zip(*together.values(), strict=True))) == sorted(map(repr, zip(*whole.values(), strict=True)))


def test_click_streams_are_coded_as_in_memory(tmp_path):
    rng = np.random.default_rng(3)
    lines = [" ".join(map(str, rng.choice(500, rng.integers(0, 6), replace=False))) for _ in range(3_000)]
    (tmp_path / "clicks.dat").write_text("\n".join(lines) + "\n")

    same(tmp_path / "clicks.dat", Schema(), tmp_path, 700)


def test_standard_input_and_addresses_are_copied_to_files(tmp_path, monkeypatch):
    frame = people(2, 50)
    fsspec = pytest.importorskip("fsspec")
    with fsspec.open("memory://bucket/people.csv", "wb") as file:
        file.write(as_csv(frame))
    typed = io.TextIOWrapper(io.BytesIO(as_csv(frame)))
    monkeypatch.setattr(sys, "stdin", typed)
    path = written(frame, "people.csv", tmp_path)

    found = []
    for n, data in enumerate((str(path), "memory://bucket/people.csv", "-")):
        work = tmp_path / str(n)
        work.mkdir()
        found.append(in_batches(data, PEOPLE if data != "-" else Schema(**{**vars_of(PEOPLE), "format": "csv"}), work, 20)[0])

    assert found[0] == found[1] == found[2]


def vars_of(schema):
    return {name: getattr(schema, name) for name in ("quasi", "sensitive", "items", "item_separator")}


def test_a_field_that_comes_late_is_missing_before(tmp_path):
    lines = ['{"a": "1", "late": null}'] * 40 + ['{"a": "2", "late": ["x", "y"], "new": 5}'] * 3
    (tmp_path / "late.jsonl").write_text("\n".join(lines))

    with pytest.MonkeyPatch.context() as monkey:
        monkey.setattr("anonset.data.formats.json_lines.json_line_batches.__defaults__", (lambda done: None, 7))
        monkey.setattr("anonset.engine.source.COPY_ROWS", 10)
        source = open_source(tmp_path / "late.jsonl", Schema(), tmp_path)
        assert len(source.batches) > 2
        same(tmp_path / "late.jsonl", Schema(items=("late",), quasi=("a", "new")), tmp_path, 9)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", b"a,b\n1,2\n3\n", r"a\.csv, line 3: 2 fields are expected"),
        ("a.jsonl", b'{"a": 1}\n{"a": [2]}\n', r"a\.jsonl, line 2, column a: a single value is expected"),
        ("a.json", b'[{"a": 1},\n {"a" 2}]', r"a\.json, line 2: is not valid JSON"),
        ("a.dat", b"1 2\n3 x\n", r"a\.dat, line 2, column 3: whole numbers"),
        ("a.parquet", b"PAR1 not really", r"a\.parquet: is not a complete Parquet file"),
        ("a.feather", b"ARROW1 not really", r"a\.feather: is not a complete Feather file"),
        ("a.what", b"?", r"a\.what: must end in"),
    ],
)
def test_errors_name_the_place_as_in_memory(tmp_path, name, text, message):
    (tmp_path / name).write_bytes(text)

    with pytest.raises(InputError, match=message) as one:
        read(tmp_path / name, schema=Schema())
    with pytest.raises(InputError, match=message) as many:
        open_source(tmp_path / name, Schema(), tmp_path)

    assert str(one.value) == str(many.value)


def test_a_bomb_is_refused_in_batches(tmp_path, monkeypatch):
    monkeypatch.setattr("anonset.data.files.FREE", 1 << 16)
    (tmp_path / "bomb.csv.gz").write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 1_000_000))

    with pytest.raises(InputError, match="unpacks to more than"):
        open_source(tmp_path / "bomb.csv.gz", Schema(), tmp_path)
    assert not list(tmp_path.glob("copy-*[!.half]/*"))
