"""The store of a workbench: a small database with a schema version, and a folder of private files.

Deleted rows are overwritten, so that no byte of a deleted project is left.
"""

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Connection,
    Engine,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    create_engine,
    event,
    inspect,
    select,
    text,
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from anonset.errors import InputError

METADATA = MetaData()
DATABASE = "anonset.db"
POSTGRESQL_LOCK = "SELECT pg_advisory_xact_lock(4206910)"  # one server at a time migrates a store


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
ACCOUNTS = Table(
    "accounts",
    METADATA,
    Column("name", String(64), primary_key=True),
    Column("role", String(10), nullable=False),
    Column("disabled", Boolean, nullable=False),
    Column("created", String(32), nullable=False),
    Column("password", String(300), nullable=True),  # as scrypt keeps it
    Column("token", String(64), nullable=True),  # SHA-256 of the token of programs
)
SESSIONS = Table(
    "sessions",
    METADATA,
    Column("key", String(64), primary_key=True),  # derived from the cookie, which the store does not have
    Column("account", String(64), nullable=False),
    Column("created", Integer, nullable=False),
    Column("used", Integer, nullable=False),
)
AUDIT = Table(
    "audit",
    METADATA,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("at", String(32), nullable=False),
    Column("person", String(64), nullable=False),
    Column("action", String(60), nullable=False),
    Column("project", String(32), nullable=False),  # not tied to it: the log outlives projects
    Column("run", String(32), nullable=False),
    Column("detail", String(500), nullable=False),
)
SCHEMA_VERSION = Table("schema_version", METADATA, Column("version", Integer, nullable=False))
INDEXES = (Index("jobs_by_project", JOBS.c.project), Index("uploads_by_project", UPLOADS.c.project))


def _add_indexes(connection: Connection) -> None:
    """Index what is looked up by project."""
    for index in INDEXES:
        index.create(connection)


def _add_accounts(connection: Connection) -> None:
    """Add what sign-in per person needs."""
    for table in (ACCOUNTS, SESSIONS, AUDIT):
        table.create(connection)


# Migration i takes a store from version i to version i + 1. Version 0 has no table of the version.
# A new store is created from METADATA with the last version, so a migration also changes METADATA.
# A released migration stays as it is: later changes are further migrations.
MIGRATIONS: tuple[Callable[[Connection], None], ...] = (_add_indexes, _add_accounts)


def migrate(connection: Connection) -> None:
    """Create the tables of a new store, or bring those of an older one up to date; refuse a newer one."""
    tables = inspect(connection).get_table_names()
    if PROJECTS.name not in tables:
        METADATA.create_all(connection)
        connection.execute(SCHEMA_VERSION.insert().values(version=len(MIGRATIONS)))
        return
    if SCHEMA_VERSION.name not in tables:
        SCHEMA_VERSION.create(connection)
        connection.execute(SCHEMA_VERSION.insert().values(version=0))
    version = connection.execute(select(SCHEMA_VERSION.c.version)).scalar_one()
    if version > len(MIGRATIONS):
        raise InputError(
            f"the store has schema version {version}, this program knows versions up to {len(MIGRATIONS)}; update anonset"
        )
    for migration in MIGRATIONS[version:]:
        migration(connection)
    connection.execute(SCHEMA_VERSION.update().values(version=len(MIGRATIONS)))


def now() -> str:
    """The present time as text."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def new_id() -> str:
    """A random id that cannot be guessed."""
    return token_hex(8)


class NotFound(InputError):
    """There is no such thing, or not in this project."""


class Store:
    """Rows in SQLite or PostgreSQL, and files in one folder that only its owner may open."""

    def __init__(self, place: Path | str, files: Path | None = None) -> None:
        address = str(place)
        self.is_sqlite = "://" not in address
        self.folder = Path(place) if files is None and self.is_sqlite else files or default_folder()
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.is_sqlite:
            (self.folder / DATABASE).touch(0o600)  # before SQLite does; its other files get the same mode
        close_to_others(self.folder)
        self.changes = 0  # the number of writes, by which pages know that there is something new
        self.engine = self._opened(f"sqlite:///{self.folder / DATABASE}" if self.is_sqlite else address)

    def _opened(self, address: str) -> Engine:
        try:
            url = make_url(address)
            if url.drivername == "postgresql":
                url = url.set(drivername="postgresql+psycopg")
            engine = create_engine(url, hide_parameters=True, pool_pre_ping=not self.is_sqlite)
            if self.is_sqlite:
                event.listen(engine, "connect", _set_pragmas)
            with engine.begin() as connection:
                connection.execute(text("BEGIN IMMEDIATE" if self.is_sqlite else POSTGRESQL_LOCK))
                migrate(connection)
        except ModuleNotFoundError as error:
            raise InputError(f"this store needs the package {error.name}, which is not installed") from None
        except (ArgumentError, SQLAlchemyError):  # what they say may show the password
            raise InputError("the store cannot be opened; a folder or postgresql://... is expected") from None
        return engine

    def close(self) -> None:
        """Close the connections to the database."""
        self.engine.dispose()

    def project_folder(self, project: str) -> Path:
        """The private folder of a project; the name is its id, never a user's text."""
        folder = self.folder / "projects" / project
        for place in (folder.parent, folder):
            place.mkdir(exist_ok=True, mode=0o700)
        return folder

    def rows(self, statement: Any) -> Sequence[Mapping[str, Any]]:
        """The rows of a query."""
        with self.engine.connect() as connection:
            return [dict(row) for row in connection.execute(statement).mappings()]

    def one(self, table: Table, id: str, project: str | None = None) -> Mapping[str, Any] | None:
        """The row of an id, if there is one (in this project, where one is given)."""
        query = select(table).where(table.c.id == id)
        found = self.rows(query if project is None else query.where(table.c.project == project))
        return found[0] if found else None

    def project(self, project: str) -> Mapping[str, Any]:
        """The row of a project."""
        found = self.one(PROJECTS, project)
        if found is None:
            raise NotFound("there is no such project")
        return found

    def change(self, *statements: Any) -> None:
        """Run statements, all or none."""
        self.record(*statements)
        self.changes += 1

    def record(self, *statements: Any) -> None:
        """Run statements, all or none, that change nothing a page shows."""
        with self.engine.begin() as connection:
            for statement in statements:
                connection.execute(statement)

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


def close_to_others(folder: Path) -> None:
    """Let only the owner open the folder of a store and all that it has; files of earlier versions were readable."""
    os.chmod(folder, 0o700)
    for file in folder.glob(f"{DATABASE}*"):
        os.chmod(file, 0o600)
    for parent, folders, files in os.walk(folder / "projects"):
        for mode, names in ((0o700, folders), (0o600, files)):
            for name in names:
                path = os.path.join(parent, name)
                if not os.path.islink(path):
                    os.chmod(path, mode)


def _set_pragmas(connection: Any, _record: Any) -> None:
    """Allow readers during a write, enforce references, and overwrite freed pages with zeros."""
    for line in ("journal_mode=WAL", "foreign_keys=ON", "secure_delete=ON", "busy_timeout=10000", "synchronous=NORMAL"):
        connection.execute(f"PRAGMA {line}")


def default_folder() -> Path:
    """The default folder of a user's projects."""
    from platformdirs import user_data_path

    return user_data_path("anonset") / "workbench"
