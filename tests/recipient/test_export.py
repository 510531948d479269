"""A release as a DuckDB file: its views count as the library does, and a name can be any text."""

import json
import random
import re
import sys
from pathlib import Path

import polars as pl
import pytest

import anonset
from anonset.errors import InputError
from anonset.recipient.published import MOST_GROUPS
from anonset.samples import write_sample
from recipient_cases import case_of

ROOT = Path(__file__).parents[2]
dbapi = pytest.importorskip("adbc_driver_duckdb.dbapi")


def asked(file, query):
    with dbapi.connect(str(file)) as connection, connection.cursor() as cursor:
        cursor.execute(query)
        return cursor.fetchall()


def counts_of(file):
    return {(a, v): (low, expected, high) for a, v, low, expected, high in asked(file, "select * from counts")}


@pytest.mark.parametrize("seed", range(8))
def test_the_views_count_every_value_and_item_as_the_library_does(seed, tmp_path):
    dice = random.Random(seed)
    case = None
    while case is None:
        case = case_of(dice, tmp_path)
    opened, file = case.published, tmp_path / "release.duckdb"
    opened.to_duckdb(file)
    found, compared = counts_of(file), 0

    for name in opened.columns:
        for row in groups_of(opened, name):
            low, expected, high = found.pop((name, row[name]), (0, 0.0, opened.about["suppressed_records"]))
            assert (low, high) == (row["low"], row["high"]), (case.told, row)
            assert expected == pytest.approx(row["estimate"], abs=1e-6), (case.told, row)
            compared += 1
    assert compared > 0
    assert found == {}
    assert asked(file, "select count(*) from records") == [(len(opened),)]
    query = "select min(e.count - c.count), max(e.count - p.count) from certain c join expected e using (attribute, value) "
    least, most = asked(file, query + "join possible p using (attribute, value)")[0]
    assert least is None or (least >= 0 >= most)


def groups_of(opened, name):
    """A count for each value of a column; none where its numbers are not listed one by one."""
    about = next(one for one in opened.about["attributes"] if one["name"] == name)
    if about.get("labels") == "ranges":
        table = opened.table()[name].drop_nulls()
        if not table.is_empty() and table.dtype != pl.Int64:
            return []
    try:
        return opened.group_by(name).to_dicts()
    except InputError as error:
        assert "too many numbers" in str(error) or str(MOST_GROUPS) in str(error)
        return []


def test_names_of_columns_are_kept_and_told_apart(tmp_path):
    frame = pl.DataFrame({'a "b"': [1, 2, 3, 4] * 3, "record": ["x", "y"] * 6, "Record": ["u"] * 12})
    data = anonset.read(frame, quasi=['a "b"', "record"], other=["Record"])
    anonset.anonymize(data, "cluster", k=3, seed=0).write(tmp_path / "out", report=False, accept_loss=True)

    anonset.open_published(tmp_path / "out").to_duckdb(tmp_path / "r.duckdb")

    columns = [name for name, *_ in asked(tmp_path / "r.duckdb", "describe records")]
    assert columns[0] == "record"
    assert 'a "b".lo' in columns
    assert len({name.lower() for name in columns}) == len(columns)


def test_a_file_is_not_replaced_unless_asked_and_nothing_is_left_after_an_error(tmp_path, monkeypatch):
    data = anonset.read(pl.DataFrame({"bag": [["a", "b"], ["a"], ["b"]] * 4}), items="bag", item_hierarchy="balanced:2")
    anonset.anonymize(data, "aa", k=2, m=1).write(tmp_path / "out", report=False, accept_loss=True)
    opened, file = anonset.open_published(tmp_path / "out"), tmp_path / "r.duckdb"
    file.write_text("mine")

    with pytest.raises(InputError, match="exists already"):
        opened.to_duckdb(file)
    assert file.read_text() == "mine"
    with pytest.raises(InputError, match="does not exist"):
        opened.to_duckdb(tmp_path / "nowhere" / "r.duckdb")
    opened.to_duckdb(file, overwrite=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "r.duckdb"]

    monkeypatch.setitem(sys.modules, "adbc_driver_duckdb", None)
    with pytest.raises(InputError, match=r"pip install 'anonset\[duckdb\]'"):
        opened.to_duckdb(tmp_path / "other.duckdb")


def test_the_queries_of_the_documentation_run_and_bound_the_truth(tmp_path):
    queries = re.findall(r"^```sql\n(.*?)^```$", (ROOT / "docs" / "recipient.md").read_text(), re.MULTILINE | re.DOTALL)
    people = pl.read_csv(write_sample(tmp_path, 200, 3)).with_columns(pl.col("diagnoses").fill_null("").str.split("|"))
    data = anonset.read(people, quasi=["age", "sex"], identifier=["patient_id"], items="diagnoses", other=[])
    anonset.anonymize(data, "rmerge-rt", k=4, m=1, seed=1).write(tmp_path / "out", report=False, accept_loss=True)
    anonset.open_published(tmp_path / "out").to_duckdb(tmp_path / "r.duckdb")
    top, both, numbers = (asked(tmp_path / "r.duckdb", query) for query in queries)
    truth = people.filter(pl.col("diagnoses").list.contains("asthma") & (pl.col("sex") == "female")).height

    assert len(top) == 10
    assert all(low <= expected <= high for _, low, expected, high in top)
    assert both[0][0] <= truth <= both[0][2]
    assert both[0][0] <= both[0][1] <= both[0][2]
    assert numbers[0][0] <= people.filter(pl.col("age").is_between(20, 39)).height <= numbers[0][1]


def test_the_command_says_what_it_made(tmp_path, capsys):
    from anonset.cli import main

    data = anonset.read(pl.DataFrame({"bag": [["a", "b"], ["a"], ["b"]] * 4}), items="bag", item_hierarchy="balanced:2")
    anonset.anonymize(data, "aa", k=2, m=1).write(tmp_path / "out", report=False, accept_loss=True)

    main(["export", str(tmp_path / "out" / "published"), "--duckdb", str(tmp_path / "r.duckdb"), "--json"])

    found = json.loads(capsys.readouterr().out)
    assert found["records"] == 12
    assert {"records", "labels", "members"} <= set(found["tables"])
    assert {"certain", "possible", "expected"} <= set(found["views"])
