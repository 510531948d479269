"""Stores of other versions: older ones are migrated when they are opened, newer ones are refused."""

import sqlite3

import pytest
from sqlalchemy import create_engine, inspect, select, text

from anonset.errors import InputError
from anonset.workbench import Workbench, store
from anonset.workbench.store import MIGRATIONS, SCHEMA_VERSION, Store

VERSION_0 = (
    """CREATE TABLE projects (
        id VARCHAR(32) NOT NULL, name VARCHAR(200) NOT NULL, created VARCHAR(32) NOT NULL, facts JSON NOT NULL, PRIMARY KEY (id)
    )""",
    """CREATE TABLE jobs (
        id VARCHAR(32) NOT NULL, project VARCHAR(32) NOT NULL, "key" VARCHAR(200), number INTEGER NOT NULL,
        state VARCHAR(20) NOT NULL, created VARCHAR(32) NOT NULL, request JSON NOT NULL, result JSON NOT NULL,
        PRIMARY KEY (id), FOREIGN KEY(project) REFERENCES projects (id) ON DELETE CASCADE
    )""",
    """CREATE TABLE steps (
        project VARCHAR(32) NOT NULL, number INTEGER NOT NULL, at VARCHAR(32) NOT NULL, undone BOOLEAN NOT NULL,
        body JSON NOT NULL, PRIMARY KEY (project, number),
        FOREIGN KEY(project) REFERENCES projects (id) ON DELETE CASCADE
    )""",
    """CREATE TABLE uploads (
        id VARCHAR(32) NOT NULL, project VARCHAR(32) NOT NULL, kind VARCHAR(20) NOT NULL, name VARCHAR(200) NOT NULL,
        facts JSON NOT NULL, PRIMARY KEY (id), FOREIGN KEY(project) REFERENCES projects (id) ON DELETE CASCADE
    )""",
    "INSERT INTO projects VALUES ('0123456789abcdef', 'old', '2026-01-01T00:00:00+00:00', '{}')",
    """INSERT INTO steps VALUES ('0123456789abcdef', 1, '2026-01-01T00:00:01+00:00', false,
        '{"kind": "set_promise", "k": 7, "m": 2}')""",
    """INSERT INTO jobs VALUES ('00000000000000aa', '0123456789abcdef', NULL, 0, 'running', '2026-01-01T00:00:02+00:00',
        '{"asked": {"kind": "anonymize", "algorithm": "aa", "parameters": {"k": 7}}, "basis": ""}', '{}')""",
)
INDEXES = {"jobs": "jobs_by_project", "uploads": "uploads_by_project"}


def old_store(folder):
    folder.mkdir()
    with sqlite3.connect(folder / "anonset.db") as connection:
        for statement in VERSION_0:
            connection.execute(statement)
    connection.close()
    return folder


def version_of(opened):
    return opened.rows(select(SCHEMA_VERSION))


def indexes_of(opened):
    return {table: inspect(opened.engine).get_indexes(table)[0]["name"] for table in INDEXES}


def test_a_new_store_has_the_last_version(tmp_path):
    opened = Store(tmp_path / "new")

    assert version_of(opened) == [{"version": len(MIGRATIONS)}]
    assert indexes_of(opened) == INDEXES
    opened.close()


def test_a_store_of_version_0_opens_and_is_migrated_once(tmp_path):
    folder = old_store(tmp_path / "old")

    for _ in range(2):
        bench = Workbench(folder, processes=1)
        try:
            assert [project.name for project in bench.projects.page()] == ["old"]
            assert bench.journal.state("0123456789abcdef").promise.k == 7
            assert bench.store.one(store.JOBS, "00000000000000aa")["state"] == "interrupted"
            assert version_of(bench.store) == [{"version": len(MIGRATIONS)}]
            assert indexes_of(bench.store) == INDEXES
        finally:
            bench.close()


def test_a_migration_that_fails_changes_nothing(tmp_path, monkeypatch):
    def fail(connection):
        connection.execute(text("CREATE TABLE half (id INTEGER)"))
        raise RuntimeError

    folder = old_store(tmp_path / "old")
    monkeypatch.setattr(store, "MIGRATIONS", (*MIGRATIONS, fail))
    with pytest.raises(RuntimeError):
        Store(folder)

    with sqlite3.connect(folder / "anonset.db") as connection:
        names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'")}
    connection.close()
    assert names == {"projects", "jobs", "steps", "uploads"}


def test_a_newer_store_is_refused_in_one_line(tmp_path):
    opened = Store(tmp_path / "newer")
    opened.change(SCHEMA_VERSION.update().values(version=len(MIGRATIONS) + 3))
    opened.close()

    with pytest.raises(InputError, match="schema version 5, this program knows versions up to 2; update anonset") as raised:
        Store(tmp_path / "newer")
    assert "\n" not in str(raised.value)


@pytest.mark.web
def test_a_store_of_version_0_in_postgresql(postgres, tmp_path):
    psycopg = pytest.importorskip("psycopg", reason="needs psycopg")
    with psycopg.connect(postgres.url(), autocommit=True) as connection:
        connection.execute("CREATE DATABASE version_0")
    address = postgres.url(database="version_0")
    engine = create_engine(address.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        for statement in VERSION_0:
            connection.execute(text(statement.replace(":", r"\:")))
    engine.dispose()

    opened = Store(address, tmp_path)

    assert [row["name"] for row in opened.rows(select(store.PROJECTS))] == ["old"]
    assert version_of(opened) == [{"version": len(MIGRATIONS)}]
    assert indexes_of(opened) == INDEXES
    opened.close()
