"""Tables of databases become data of a project, and releases new tables; no password is left anywhere."""

import asyncio
import hashlib
import io
import shlex
import sqlite3
import zipfile

import pytest

from anonset.cli import main
from anonset.errors import InputError, ParameterError
from anonset.workbench.databases import Allowed, Database, Selection
from anonset.workbench.files import as_stream
from anonset.workbench.journal import Accept, SetRoles
from hospital import fill, fill_sqlite
from postgres_server import OWNER, PASSWORD

BOTH = Selection("visits", "diagnoses", "patient_id", "patient", "code")
ROLES = {"patient_id": "identifier", "age": "quasi", "town": "quasi", "weight": "other", "code": "items"}


@pytest.fixture(scope="module")
def read(bench, wait, tmp_path_factory):
    """A project read from an uploaded SQLite file with two tables, and a run on it."""
    file = tmp_path_factory.mktemp("db") / "clinic.db"
    fill_sqlite(file)
    project = bench.projects.create("From a database").id
    found = asyncio.run(bench.databases.upload(project, "clinic.db", as_stream([file.read_bytes()])))
    assert [(table.name, len(table.columns)) for table in found.tables] == [("diagnoses", 2), ("visits", 4)]
    bench.databases.read_table(project, Database(upload=found.upload), BOTH)
    bench.journal.apply(project, SetRoles(ROLES))
    bench.journal.apply(project, Accept(loss=True))
    return project, wait(bench, project, bench.runs.start(project, "rmerge-rt", {"k": 4, "items": "pcta", "seed": 7}).id), file


def digest(folder):
    return hashlib.sha256((folder / "published" / "records.csv").read_bytes()).hexdigest()


def test_a_table_and_its_items_are_read_and_the_uploaded_file_is_not_kept(bench, read):
    project = read[0]

    assert bench.projects.get(project).file.rows == 40
    assert bench.data.rows(project, 0, 1).rows[0]["c4"]
    assert not list((bench.store.project_folder(project) / "uploads").iterdir())


def test_the_same_release_from_the_database_itself(bench, read, tmp_path, monkeypatch):
    project, run, file = read
    assert run.state == "done", run.reason
    zipfile.ZipFile(io.BytesIO(bench.releases.kit(project, run.id))).extractall(tmp_path)
    (tmp_path / "clinic.db").write_bytes(file.read_bytes())
    monkeypatch.chdir(tmp_path)
    words = shlex.split((tmp_path / "make.sh").read_text())

    assert words[2] == "sqlite:///clinic.db"
    assert main([*words[1:], "--no-report", "--quiet"]) == 0
    assert digest(tmp_path / "release") == run.digest
    (tmp_path / "release").rename(tmp_path / "first")
    assert main(["run", "anonset.toml", "--quiet"]) == 0
    assert digest(tmp_path / "release") == run.digest


def test_a_release_as_a_sqlite_file_holds_the_release_alone(bench, read, tmp_path):
    project, run, _ = read
    (tmp_path / "out.db").write_bytes(bench.databases.sqlite_file(project, run.id, "visits_k4"))

    with sqlite3.connect(tmp_path / "out.db") as connection:
        names = {name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")}
        assert connection.execute("select count(*) from visits_k4").fetchone() == (40,)
    assert names == {"visits_k4", "visits_k4_code"}
    with pytest.raises(ParameterError, match="letters, digits"):
        bench.databases.sqlite_file(project, run.id, 'x"; drop')


def test_postgresql_is_read_and_written_and_the_password_is_nowhere(bench, read, postgres, tmp_path):
    dbapi = pytest.importorskip("adbc_driver_postgresql.dbapi")
    fill(dbapi, postgres.url())
    place = Database(f"postgresql://{OWNER}@127.0.0.1:{postgres.port}/postgres", PASSWORD)
    project, run, _ = read
    other = bench.projects.create("PostgreSQL").id

    assert {table.name for table in bench.databases.tables(other, place)} >= {"visits", "diagnoses"}
    bench.databases.read_table(other, place, BOTH)
    written = bench.databases.write_table(project, run.id, place, "visits_from_the_workbench")

    assert "code" in written.columns
    with pytest.raises(InputError, match="already"):
        bench.databases.write_table(project, run.id, place, "visits_from_the_workbench")
    with pytest.raises(InputError, match="password is wrong") as refused:
        bench.databases.tables(other, Database(place.address, "wr0ng"))
    assert "wr0ng" not in str(refused.value)
    assert PASSWORD not in repr(place)
    everything = b"".join(path.read_bytes() for path in bench.store.folder.rglob("*") if path.is_file())
    assert PASSWORD.encode() not in everything
    assert b"s3cret" not in everything
    with dbapi.connect(postgres.url()) as connection, connection.cursor() as cursor:
        cursor.execute("drop table visits_from_the_workbench")
        connection.commit()


def test_what_is_no_database_is_refused_and_not_kept(bench, read):
    project = read[0]

    with pytest.raises(InputError, match="not a SQLite file"):
        asyncio.run(bench.databases.upload(project, "x.db", as_stream([b"no database at all, but long enough" * 9])))
    assert not list(bench.store.project_folder(project).glob("upload-*"))
    with pytest.raises(ParameterError, match="key"):
        bench.databases.read_table(project, Database("postgresql://h/d"), Selection("visits", "diagnoses"))


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("sqlite:////etc/passwd", "hand the SQLite file in"),
        ("duckdb:///x.duckdb", "hand the SQLite file in"),
        ("/etc/passwd", "an address such as"),
        ("postgresql://user:secret@h/d", "leave the password out"),
        ("postgresql://h/d?password=secret", "leave the password out"),
        ("postgresql://h/d?passfile=/etc/passwd", "other settings"),
        ("postgresql://h:port/d", "an address such as"),
        ("postgresql://%2Fvar%2Frun/d", "an address such as"),
    ],
)
def test_addresses_that_are_refused(address, why):
    with pytest.raises(InputError, match=why) as refused:
        Allowed().address(Database(address, "secret"))
    assert "secret" not in str(refused.value)


def test_a_server_for_others_reaches_only_what_its_administrator_named():
    allowed = Allowed(False, ("postgresql://reader@db.example/hospital", "sqlite:////srv/clinic.db"))

    assert allowed.address(Database("postgresql://reader@db.example:5432/hospital", "p/w")).startswith(
        "postgresql://reader:p%2Fw@db.example:5432/hospital"
    )
    assert allowed.address(Database("sqlite:////srv/clinic.db")) == "sqlite:////srv/clinic.db"
    for address in (
        "postgresql://reader@db.example/payroll",
        "postgresql://owner@db.example/hospital",
        "postgresql://reader@db.example,evil/hospital",
        "postgresql://reader@db.example/hospital?service=other",
        "postgresql://reader@evil@db.example/hospital#",
        "postgresql:///hospital",
    ):
        with pytest.raises(InputError, match="may not reach"):
            allowed.address(Database(address))
    for address in ("postgresql://u:secret@h/d", "clinic.db"):
        with pytest.raises(InputError):
            Allowed(False, (address,))
