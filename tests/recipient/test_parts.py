"""Releases in parts of every format count as the same records in one file."""

import shutil
from dataclasses import astuple

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import anonset
from anonset.recipient.export import VIEWS

CODES = ["a", "b", "c", "d", "e", "f", "g", "h"]
TOWNS = ["Oslo", "Bergen", "Rome", "Milan"]
PEOPLE = pl.DataFrame(
    [
        {
            "age": 20 + n % 9,
            "town": TOWNS[n % 4],
            "codes": [CODES[(n + i) % 8] for i in range(n % 4)],
        }
        for n in range(48)
    ],
    schema={"age": pl.Int64, "town": pl.String, "codes": pl.List(pl.String)},
)
BOTH = ({"quasi": ["age", "town"], "items": "codes", "item_hierarchy": "balanced:2"}, "rmerge-rt", {"k": 5, "m": 2, "seed": 1})
DOUBTS = ({"items": "codes"}, "nr-k", {"k": 3, "seed": 1})
ITEMS = ({"items": "codes", "item_hierarchy": "balanced:2"}, "aa", {"k": 5, "m": 2})
CASES = {
    **{f"both, {format}": (*BOTH, format) for format in ("csv", "jsonl", "parquet", "feather")},
    **{f"doubts, {format}": (*DOUBTS, format) for format in ("csv", "jsonl", "fimi")},
    "items, fimi": (*ITEMS, "fimi"),
}


def in_parts(published):
    """The same folder with its records in three files."""
    file = next(published.glob("records.*"))
    format, name = file.suffix, file.name
    file = file.rename(published / "all")
    (published / name).mkdir()
    place = [published / name / f"part-{n:06}{format}" for n in range(3)]
    if format in (".parquet", ".feather"):
        frame = pl.read_parquet(file) if format == ".parquet" else pl.read_ipc(file.read_bytes())
        for n, path in enumerate(place):
            part = frame[16 * n : 16 * (n + 1)]
            part.write_parquet(path) if format == ".parquet" else part.write_ipc(path)
    else:
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        head, lines = (lines[:1], lines[1:]) if format == ".csv" else ([], lines)
        for n, path in enumerate(place):
            path.write_text("".join([*head, *lines[16 * n : 16 * (n + 1)]]), encoding="utf-8")
    file.unlink()


@pytest.mark.parametrize("case", CASES)
def test_parts_count_as_one_file_does(case, tmp_path):
    roles, algorithm, parameters, format = CASES[case]
    kept = [name for name in PEOPLE.columns if name in (*roles.get("quasi", ()), "codes")]
    release = anonset.anonymize(anonset.read(PEOPLE.select(kept), **roles), algorithm, **parameters)
    release.write(tmp_path / "out", format=format, report=False, accept_loss=True)
    whole = tmp_path / "out" / "published"
    shutil.copytree(whole, tmp_path / "parts")
    in_parts(tmp_path / "parts")

    one, several = anonset.open_published(whole), anonset.open_published(tmp_path / "parts")

    assert_frame_equal(several.items(), one.items())
    assert several.item_names == one.item_names
    asked = "codes contains any (a, h) and not codes contains b"
    found, expected = several.count(asked), one.count(asked)
    assert astuple(found)[:3] == pytest.approx(astuple(expected)[:3])
    assert found.standard_error == pytest.approx(expected.standard_error, rel=0.05)  # reads how frequent a test is in each part
    assert several.complete(1, seed=1)[0].height == 48
    if "quasi" in roles:
        assert_frame_equal(several.group_by("town"), one.group_by("town"))
        assert_frame_equal(several.group_by({"age": [(22, 25)]}), one.group_by({"age": [(22, 25)]}))
        assert several.table().height == 48
    with pytest.raises(anonset.InputError, match="no item 'nothing'"):
        several.count(items=["nothing"])


def test_a_database_of_parts_has_the_same_counts(tmp_path):
    dbapi = pytest.importorskip("adbc_driver_duckdb.dbapi")
    roles, algorithm, parameters = BOTH
    release = anonset.anonymize(anonset.read(PEOPLE, **roles), algorithm, **parameters)
    release.write(tmp_path / "out", report=False, accept_loss=True)
    shutil.copytree(tmp_path / "out" / "published", tmp_path / "parts")
    in_parts(tmp_path / "parts")
    found = []
    for name in ("out", "parts"):
        anonset.open_published(tmp_path / name).to_duckdb(tmp_path / f"{name}.duckdb")
        with dbapi.connect(str(tmp_path / f"{name}.duckdb")) as connection, connection.cursor() as cursor:
            cursor.execute("select attribute, value, low, round(expected, 6), high from counts order by all")
            found.append(cursor.fetchall())

    assert found[0] == found[1]
    assert len(found[0]) > len(VIEWS)
