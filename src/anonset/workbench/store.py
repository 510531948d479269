"""Where projects are kept: a small database beside a folder of private files. Deleted is deleted, byte by byte."""

import os
import shutil
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Engine,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    create_engine,
    event,
    select,
    text,
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from anonset.errors import InputError

METADATA = MetaData()


def _project(**more: Any) -> Column[str]:
    """The column that ties a row to its project."""
    return Column("project", String(32), ForeignKey("projects.id", ondelete="CASCADE"), nullable=False, **more)


PROJECTS = Table(
    "projects",
    METADATA,
    Column("id", String(32), primary_key=True),
    Column("name", String(200), nullable=False),
    Column("created", String(32), nullable=False),
    Column("facts", JSON, nullable=False),
)
STEPS = Table(
    "steps",
    METADATA,
    _project(primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("at", String(32), nullable=False),
    Column("undone", Boolean, nullable=False),
    Column("body", JSON, nullable=False),
)
UPLOADS = Table(
    "uploads",
    METADATA,
    Column("id", String(32), primary_key=True),
    _project(),
    Column("kind", String(20), nullable=False),
    Column("name", String(200), nullable=False),
    Column("facts", JSON, nullable=False),
)
JOBS = Table(
    "jobs",
    METADATA,
    Column("id", String(32), primary_key=True),
    _project(),
    Column("key", String(200), nullable=True),
    Column("number", Integer, nullable=False),
    Column("state", String(20), nullable=False),
    Column("created", String(32), nullable=False),
    Column("request", JSON, nullable=False),
    Column("result", JSON, nullable=False),
)


def now() -> str:
    """The present time as text."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def new_id() -> str:
    """A name that nobody can guess."""
    return token_hex(8)


class NotFound(InputError):
    """There is no such thing, or not in this project."""


class Store:
    """Rows in SQLite, or in PostgreSQL by its address, and files in one folder that only their owner may open."""

    def __init__(self, place: Path | str, files: Path | None = None) -> None:
        address = str(place)
        self.is_sqlite = "://" not in address
        self.folder = Path(place) if files is None and self.is_sqlite else files or default_folder()
        self.folder.mkdir(parents=True, exist_ok=True)
        os.chmod(self.folder, 0o700)
        self.changes = 0  # how often something was written, for those who wait for news
        self.engine = self._opened(f"sqlite:///{self.folder / 'anonset.db'}" if self.is_sqlite else address)

    def _opened(self, address: str) -> Engine:
        try:
            url = make_url(address)
            if url.drivername == "postgresql":
                url = url.set(drivername="postgresql+psycopg")
            engine = create_engine(url, hide_parameters=True, pool_pre_ping=not self.is_sqlite)
            if self.is_sqlite:
                event.listen(engine, "connect", _careful)
            METADATA.create_all(engine)
        except ModuleNotFoundError as error:
            raise InputError(f"this store needs the package {error.name}, which is not installed") from None
        except (ArgumentError, SQLAlchemyError):  # what they say may show the password
            raise InputError("the store cannot be opened; a folder or postgresql://... is expected") from None
        if self.is_sqlite:
            os.chmod(self.folder / "anonset.db", 0o600)
        return engine

    def close(self) -> None:
        """Let go of the database."""
        self.engine.dispose()

    def project_folder(self, project: str) -> Path:
        """The private folder of a project; its name is ours."""
        folder = self.folder / "projects" / project
        for place in (folder.parent, folder):
            place.mkdir(exist_ok=True, mode=0o700)
        return folder

    def rows(self, statement: Any) -> Sequence[Mapping[str, Any]]:
        """What a query finds."""
        with self.engine.connect() as connection:
            return [dict(row) for row in connection.execute(statement).mappings()]

    def one(self, table: Table, id: str, project: str | None = None) -> Mapping[str, Any] | None:
        """The row of that id, of that project where one is named."""
        wanted = select(table).where(table.c.id == id)
        found = self.rows(wanted if project is None else wanted.where(table.c.project == project))
        return found[0] if found else None

    def project(self, project: str) -> Mapping[str, Any]:
        """The row of a project."""
        found = self.one(PROJECTS, project)
        if found is None:
            raise NotFound("there is no such project")
        return found

    def change(self, *statements: Any) -> None:
        """Run statements, all or none."""
        with self.engine.begin() as connection:
            for statement in statements:
                connection.execute(statement)
        self.changes += 1

    def delete_project(self, project: str) -> None:
        """Delete a project so that nothing of it is left in the store."""
        tables = (STEPS, UPLOADS, JOBS)
        self.change(
            *(t.delete().where(t.c.project == project) for t in tables), PROJECTS.delete().where(PROJECTS.c.id == project)
        )
        shutil.rmtree(self.folder / "projects" / project, ignore_errors=True)
        with self.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            if self.is_sqlite:
                connection.execute(text("VACUUM"))
                connection.execute(text("PRAGMA wal_checkpoint(TRUNCATE)"))
            else:
                for table in (*tables, PROJECTS):
                    connection.execute(text(f"VACUUM FULL {table.name}"))


def _careful(connection: Any, _record: Any) -> None:
    """Readers beside a writer, references kept, and freed pages overwritten with zeros."""
    for line in ("journal_mode=WAL", "foreign_keys=ON", "secure_delete=ON", "busy_timeout=10000", "synchronous=NORMAL"):
        connection.execute(f"PRAGMA {line}")


def default_folder() -> Path:
    """Where a person's projects are, if nobody says otherwise."""
    from platformdirs import user_data_path

    return user_data_path("anonset") / "workbench"
