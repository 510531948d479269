"""Tables of databases hold what files of the same rows hold, in an order that does not depend on the database's."""

import re
import sqlite3

import pytest

import anonset
from anonset.errors import InputError
from hospital import ASKED, DIAGNOSES, VISITS, fill, fill_sqlite


@pytest.fixture
def from_files(tmp_path):
    VISITS.write_csv(tmp_path / "visits.csv")
    DIAGNOSES.write_csv(tmp_path / "diagnoses.csv")
    asked = {"id": "patient_id", "items_key": "patient", "long": tmp_path / "diagnoses.csv"}
    return anonset.read(tmp_path / "visits.csv", **asked)


def rows(data):
    """Every record as texts, in order."""
    columns = [[None if c < 0 else column.domain[c] for c in column.codes] for column in data.columns]
    return list(zip(*columns, map(frozenset, data.transactions.records()), strict=True))


def test_a_table_with_its_item_table_holds_what_files_hold(tmp_path, from_files):
    data = anonset.read(fill_sqlite(tmp_path / "h.db"), **ASKED)

    assert sorted(rows(data), key=str) == sorted(rows(from_files), key=str)
    assert [column.kind for column in data.columns] == ["numeric", "categorical", "numeric"]
    assert [source.name for source in data.sources] == ["table visits", "table diagnoses"]


def test_every_database_gives_the_same_records_in_the_same_order(tmp_path, postgres):
    pg, duck = pytest.importorskip("adbc_driver_postgresql.dbapi"), pytest.importorskip("adbc_driver_duckdb.dbapi")
    fill(pg, postgres.url())
    fill(duck, str(tmp_path / "h.duckdb"))

    found = [
        anonset.read(url, **ASKED)
        for url in (fill_sqlite(tmp_path / "h.db"), postgres.url(), f"duckdb:///{tmp_path / 'h.duckdb'}")
    ]

    assert rows(found[0]) == rows(found[1]) == rows(found[2])
    assert found[0].sources == found[1].sources == found[2].sources


def test_types_of_postgresql_are_read_as_what_they_show(postgres):
    query = """select 12.50::numeric as price, date '2020-01-02' as seen, timestamp '2020-01-02 03:04' as at, true as yes,
        '6f2b5f0a-6d1c-4a52-9c3e-000000000001'::uuid as code, array['b', null, 'a'] as tags, null::text as none"""

    data = anonset.read(postgres.url(), query=query, other=["price", "seen", "at", "yes", "code", "none"], items="tags")

    assert {column.name: column.domain for column in data.columns} == {
        "price": ("12.50",),
        "seen": ("2020-01-02",),
        "at": ("2020-01-02 03:04:00",),
        "yes": ("true",),
        "code": ("6f2b5f0a-6d1c-4a52-9c3e-000000000001",),
        "none": (),
    }
    assert list(data.transactions.records()) == [{"a", "b"}]


def test_array_columns_in_batches_are_sets_in_an_order_of_their_own(postgres):
    query = "select n % 3 as age, array['x' || n % 7, 'y'] as tags from generate_series(1, 70000) n order by {}"

    one, two = (anonset.read(postgres.url(), query=query.format(order), items="tags") for order in ("n", "-n"))

    assert len(one) == 70_000
    assert rows(one) == rows(two)
    assert one.sources == two.sources


def test_sqlite_values_keep_their_digits_whatever_type_the_column_has(tmp_path):
    connection = sqlite3.connect(tmp_path / "t.db")
    connection.execute("create table t (a)")
    connection.executemany("insert into t values (?)", [(None,), (1,), (0.1 + 0.2,), ("x",), (3.0,)])
    connection.commit()
    connection.close()

    data = anonset.read(f"sqlite:///{tmp_path / 't.db'}", table="t", other="a")

    assert set(data.column("a").domain) == {"1", "0.30000000000000004", "x", "3"}


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({}, "name a table or a query: table=... or query=...; there are the tables diagnoses, visits"),
        ({"table": "visit"}, "there is no table 'visit'; did you mean 'visits'?"),
        ({"query": "select nix from visits"}, "the database says: no such column: nix"),
        ({"query": "selec"}, 'the database says: near "selec": syntax error'),
        ({"query": "select age, age from visits"}, "two columns have the same name"),
        ({"query": "select * from visits where age > 99"}, "query: has no records"),
        ({"query": "select x'00' as a"}, "column a: values must be texts or numbers; got bytes"),
        ({"query": "drop table visits"}, "the database refuses this"),
        ({"table": "visits", "quasi": ["aeg"]}, "table visits: there is no column 'aeg' (quasi)"),
        (ASKED | {"items_key": "x"}, "table diagnoses: there is no column 'x' (id)"),
        (ASKED | {"items_table": "diagnosis"}, "there is no table 'diagnosis'; did you mean 'diagnoses'?"),
        (ASKED | {"id": "age"}, "the id '30' occurs a second time"),
        (ASKED | {"query": "select 1"}, "either a table or a query is expected, not both"),
        ({"table": "visits", "items_table": "diagnoses"}, "`items_table` needs `id`"),
        ({"query": "select * from visits where patient_id < 30", **{k: ASKED[k] for k in ("items_table", "id", "items_key")}},
         "is that of no record"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_in_one_line(tmp_path, asked, message):
    with pytest.raises(InputError, match=re.escape(message)):
        anonset.read(fill_sqlite(tmp_path / "h.db"), **asked)


def test_only_databases_have_tables(tmp_path):
    VISITS.write_csv(tmp_path / "visits.csv")
    with pytest.raises(InputError, match="`table` is given, and the data are in no database"):
        anonset.read(tmp_path / "visits.csv", table="visits")
    with pytest.raises(InputError, match="there is no such file"):
        anonset.read(f"sqlite:///{tmp_path / 'none.db'}", table="visits")
    with pytest.raises(InputError, match="is not a SQLite file"):
        anonset.read(f"sqlite:///{tmp_path / 'visits.csv'}", table="visits")
    with pytest.raises(InputError, match="a file path must follow"):
        anonset.read("sqlite://", table="visits")
