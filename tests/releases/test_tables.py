"""A release in a new table: whole, read back and verified, or not there at all."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest

import anonset
from anonset.cli import main
from anonset.data.databases import connected
from anonset.errors import GuaranteeViolated, InputError
from anonset.releases import tables as writing
from engine_data import write_baskets
from hospital import ASKED, FLAGS, fill, fill_sqlite, tables
from postgres_server import PASSWORD

WANTED = "--quasi age,town --other weight -a rmerge-rt --set items=pcta -k 4 -m 2 --seed 7 --no-report --accept-loss"


@pytest.fixture
def work(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys, *words, code=0):
    found = main(list(words))
    captured = capsys.readouterr()
    assert found == code, captured.err
    return captured


def test_from_tables_of_postgresql_to_a_verified_table(work, postgres, capsys):
    dbapi = pytest.importorskip("adbc_driver_postgresql.dbapi")
    fill(dbapi, postgres.url())

    said = run(capsys, "anonymize", postgres.url(), *FLAGS.split(), *WANTED.split(), "-o", "out", "--into", "visits_k4")
    checked = run(capsys, "verify", "out", "--original", postgres.url(), "--json")

    assert "in the new table visits_k4, read back and verified" in said.out
    assert json.loads(checked.out)["holds"]
    with dbapi.connect(postgres.url()) as connection, connection.cursor() as cursor:
        cursor.execute("select count(*), min(record), max(record), sum(cardinality(code)), max(weight) from visits_k4")
        assert cursor.fetchone()[:3] == (40, 1, 40)
        cursor.execute(
            "select column_name::text, data_type::text from information_schema.columns where table_name = 'visits_k4'"
        )
        types = dict(cursor.fetchall())
    assert types["code"] == "ARRAY"
    assert types["weight"] == "double precision"
    assert types["town"] == "text"
    everything = [path for path in Path("out").rglob("*") if path.is_file()]
    assert not any(piece in path.read_text() for path in everything for piece in (PASSWORD, "s3cret"))
    assert "postgresql://owner:***@" in json.loads(Path("out/private/manifest.json").read_text())["command"]
    again = run(
        capsys, "anonymize", postgres.url(), *FLAGS.split(), *WANTED.split(), "-o", "two", "--into", "visits_k4", code=2
    )
    assert "there is a table 'visits_k4' already" in again.err
    assert not Path("two").exists()


def test_sqlite_keeps_items_in_a_table_of_their_own(work):
    url = fill_sqlite(work / "h.db")
    release = anonset.anonymize(anonset.read(url, **ASKED, quasi=["age", "town"]), "rmerge-rt", k=4, m=2, items="pcta")

    release.write("out", report=False, accept_loss=True, into="safe", database=url)

    connection = sqlite3.connect(work / "h.db")
    shown = {n: set() for (n,) in connection.execute("select record from safe")}
    for record, item in connection.execute("select record, item from safe_code"):
        shown[record].add(item)
    texts = release.items.labels.texts
    wanted = [{texts[i] for i in release.items.shown[a:b]} for a, b in pairwise(release.items.offsets)]
    assert sorted(map(sorted, shown.values())) == sorted(map(sorted, wanted))
    connection.close()


def test_into_a_new_file_of_another_database(work, capsys):
    duck = pytest.importorskip("adbc_driver_duckdb.dbapi")
    url = fill_sqlite(work / "h.db")

    run(
        capsys,
        "anonymize",
        url,
        *FLAGS.split(),
        *WANTED.split(),
        "-o",
        "out",
        "--into",
        "t",
        "--database",
        "duckdb:///o.duckdb",
    )

    assert tables(duck, "o.duckdb") == {"t"}
    said = run(capsys, "anonymize", "h.csv", "-o", "x", "-k", "4", "--into", "t", code=2)
    assert "h.csv: is no database to write a table into; name one: --database" in said.err


class Cheat:
    """A database that keeps something else than it was given."""

    has_arrays = False

    def __init__(self, database, change):
        self.database, self.change, self.shown = database, change, database.shown

    def __getattr__(self, name):
        return getattr(self.database, name)

    def create(self, table, frame):
        self.database.create(table, frame)
        for statement in self.change:
            if table in statement.split():
                self.database.connection.execute(statement)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["delete from safe where record = 40"], "has 39 records|disagree"),
        (["delete from safe where record = 4"], "record must number the records from 1 on"),
        (["update safe set town = 'Ulm'"], "truthful|which no record shows"),
        (["update safe set town = 'Rom' where record = 1"], "stands for no value of the original"),
        (["alter table safe add column name text"], "has the columns"),
        (["update safe_code set item = 'gout' where record = 40"], "truthful|k-km"),
    ],
)
def test_what_the_table_holds_is_verified_not_what_was_meant(work, monkeypatch, change, message):
    url = fill_sqlite(work / "h.db")
    release = anonset.anonymize(anonset.read(url, **ASKED, quasi=["age", "town"]), "rmerge-rt", k=4, m=2, items="pcta")
    usual = writing.TableWriter.__init__
    monkeypatch.setattr(
        writing.TableWriter, "__init__", lambda self, database, table: usual(self, Cheat(database, change), table)
    )

    with pytest.raises(GuaranteeViolated, match=message):
        release.write("out", report=False, accept_loss=True, into="safe", database=url)

    assert not Path("out").exists()
    with connected(url) as database:
        assert sorted(database.tables()) == ["diagnoses", "visits"]


KILLED = """
import sys, time
from pathlib import Path
from anonset.releases import tables
from anonset.cli import main

usual = tables.verify
def slow(*arguments, **more):
    Path("written").touch()  # the rows are in the table, and nothing is committed
    time.sleep(120)
tables.verify = slow
main(sys.argv[1:])
"""


@pytest.mark.parametrize("kind", ["postgresql", "sqlite"])
def test_a_client_that_is_killed_while_it_writes_leaves_no_table(work, request, kind):
    if kind == "postgresql":
        server = request.getfixturevalue("postgres")
        dbapi = pytest.importorskip("adbc_driver_postgresql.dbapi")
        fill(dbapi, server.url())
        url = server.url()
    else:
        url = fill_sqlite(work / "h.db")
    words = ["anonymize", url, *FLAGS.split(), *WANTED.split(), "-o", "out", "--into", "unfinished"]
    client = subprocess.Popen([sys.executable, "-c", KILLED, *words], env=os.environ)
    try:
        for _ in range(2400):
            if Path("written").exists() or client.poll() is not None:
                break
            time.sleep(0.1)
        assert Path("written").exists(), "the client ended before it wrote"
    finally:
        client.send_signal(signal.SIGKILL)
        client.wait()

    with connected(url) as database:
        assert "unfinished" not in database.tables()
    assert not Path("out").exists()


def test_a_table_that_cannot_be_written_leaves_nothing(work, capsys):
    url = fill_sqlite(work / "h.db")
    data = anonset.read(url, **ASKED, quasi=["age", "town"])
    release = anonset.anonymize(data, "rmerge-rt", k=4, m=2, items="pcta")
    (work / "h.db").chmod(0o444)

    for place in (f"sqlite:///{work / 'none' / 'x.db'}", f"sqlite:///{work}"):
        with pytest.raises(InputError, match=r"cannot be connected to|is a folder|no such|refuses"):
            release.write("out", report=False, accept_loss=True, into="t", database=place)
    assert not Path("out").exists()


@pytest.mark.parametrize("server", ["postgres", "duckdb"])
def test_a_release_in_parts_is_written_into_a_table_whole_or_not_at_all(tmp_path, monkeypatch, request, server):
    monkeypatch.setattr("anonset.engine.planning.LARGEST", 120)
    folder = write_baskets(tmp_path / "big", 300, files=2)
    pytest.importorskip("adbc_driver_duckdb")
    url = request.getfixturevalue("postgres").url() if server == "postgres" else f"duckdb:///{tmp_path}/parts.db"
    asked = {"algorithm": "aa", "k": 3, "m": 2, "item_hierarchy": "balanced:3", "memory": "1GB", "database": url}

    with monkeypatch.context() as broken:
        broken.setattr("anonset.engine.publication._move", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            anonset.anonymize_files(folder, tmp_path / "out", into="baskets_k3", **asked)
    done = anonset.anonymize_files(folder, tmp_path / "out", into="baskets_k3", **asked)
    with pytest.raises(InputError, match="already"):
        anonset.anonymize_files(folder, tmp_path / "two", into="baskets_k3", **asked)

    published = pl.read_parquet(tmp_path / "out" / "published" / "records.parquet" / "*.parquet")
    with connected(url) as database:
        rows = pl.concat(database.batches('select * from "baskets_k3" order by "record"'))
    assert done.parts > 1
    assert rows["record"].to_list() == list(range(1, 301))
    assert rows.drop("record").cast(dict(published.schema)).equals(published)


def test_a_table_of_parts_that_holds_something_else_is_undone(tmp_path):
    pl.DataFrame({"age": [1, 2]}).write_parquet(tmp_path / "part-000000.parquet")

    class Forgetful:
        has_arrays, shown = True, "a database"

        def tables(self):
            return []

        def create(self, table, frame):
            self.frame = frame[:1]

        def batches(self, query):
            return iter([self.frame])

    with pytest.raises(GuaranteeViolated, match="undone"):
        writing.TableWriter(Forgetful(), "ages").write_parts(sorted(tmp_path.iterdir()), pl.read_parquet)
