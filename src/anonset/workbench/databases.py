"""Tables of databases: read into projects, and releases written into new tables; no password is stored anywhere."""

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlencode, urlsplit

from anonset.errors import InputError, ParameterError, without_password
from anonset.workbench.data import ProjectData
from anonset.workbench.files import Draft, ProjectFiles
from anonset.workbench.runs import Runs
from anonset.workbench.store import new_id
from anonset.workbench.values import DataFile
from anonset.workbench.workers import Workers

EXPECTED = "an address such as postgresql://user@host:5432/database is expected"
POSTGRESQL = ("postgresql", "postgres")
HOST = re.compile(r"[\w.:\-\[\]]*", re.ASCII)
SETTINGS = ("sslmode", "service")
NAME = re.compile(r"[A-Za-z_]\w{0,59}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Database:
    """A database by its address and password, or a SQLite file by the id of its upload."""

    address: str = ""
    password: str = field(default="", repr=False)
    upload: str | None = None


@dataclass(frozen=True, slots=True)
class Selection:
    """A table, and its item table with one row per person and item: its name, its key and its item column."""

    table: str
    items_table: str | None = None
    key: str | None = None
    items_key: str | None = None
    item: str | None = None

    def settings(self) -> dict[str, str]:
        """The settings to read the tables with."""
        given = {"table": self.table}
        if self.items_table is None:
            return given
        if self.key is None:
            raise ParameterError("an item table needs the key that ties its rows to the records")
        more = {"items_table": self.items_table, "id": self.key, "items_key": self.items_key, "items": self.item}
        return given | {name: value for name, value in more.items() if value is not None}


@dataclass(frozen=True, slots=True)
class TableFacts:
    """A table of a database, and its columns."""

    name: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DatabaseFile:
    """An uploaded SQLite file and its tables."""

    upload: str
    name: str
    tables: tuple[TableFacts, ...]


@dataclass(frozen=True, slots=True)
class Allowed:
    """The databases that may be reached: every PostgreSQL server, or only those that the administrator named."""

    postgresql: bool = True
    addresses: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if any(without_password(address) != address for address in self.addresses):  # everybody who signs in can see them
            raise InputError("leave the password out of --allow-database; people type it, or PGPASSWORD and ~/.pgpass have it")
        for address in self.addresses:
            _split(address)

    def address(self, database: Database) -> str:
        """The address to connect to, with the password, built from its parsed parts; an error where it is not allowed."""
        given = database.address.strip()
        if without_password(given) != given:
            raise InputError("leave the password out of the address; it has a field of its own, and is kept nowhere")
        if given in self.addresses and not given.startswith(POSTGRESQL):
            return given
        parts = _split(given)
        if parts.scheme not in POSTGRESQL:
            raise InputError("files of this computer are not read by their paths; hand the SQLite file in instead")
        if not self.postgresql and not any(_is_allowed(parts, _split(known)) for known in self.addresses):
            raise InputError("this server may not reach that database; whoever runs it can allow it with --allow-database")
        return _built(parts, database.password)


class Databases:
    """The databases of projects; a table that is read becomes the file of a project, a copy as of now."""

    def __init__(self, files: ProjectFiles, data: ProjectData, runs: Runs, workers: Workers, allowed: Allowed) -> None:
        self._files, self._data, self._runs, self._workers, self._allowed = files, data, runs, workers, allowed

    def allowed(self) -> Allowed:
        """The databases that may be reached from this server."""
        return self._allowed

    async def upload(self, project: str, name: str, chunks: AsyncIterator[bytes]) -> DatabaseFile:
        """Keep a SQLite file until one of its tables is read, and list its tables."""
        draft = await self._files.save_upload(project, name, chunks, self._data.largest_upload)
        return await asyncio.to_thread(self._keep, project, draft)

    def _keep(self, project: str, draft: Draft) -> DatabaseFile:
        try:
            tables = self._workers.ask("databases.tables", address=f"sqlite:///{draft.path}")
        except BaseException:
            draft.path.unlink(missing_ok=True)
            raise
        return DatabaseFile(self._files.keep_upload(project, draft, "database", ".db"), draft.name, tables)

    def tables(self, project: str, database: Database) -> tuple[TableFacts, ...]:
        """The tables of a database, with their columns."""
        found: tuple[TableFacts, ...] = self._workers.ask("databases.tables", address=self._address(project, database)[0])
        return found

    def read_table(self, project: str, database: Database, selection: Selection) -> DataFile:
        """Copy a table, and its item table, into a project."""
        address, public_address = self._address(project, database)
        path, settings = self._files.folder(project) / f"upload-{new_id()}", selection.settings()
        try:
            self._workers.ask("databases.fetch", {*settings.values()}, address=address, settings=settings, file=path)
            origin = {"address": public_address, "settings": settings}
            file = self._data.read_draft(project, Draft(path, path.stat().st_size, f"{selection.table}.parquet"), origin=origin)
        finally:
            path.unlink(missing_ok=True)
        if database.upload is not None:
            self._files.drop_upload(project, database.upload)
        return file

    def write_table(self, project: str, run: str, database: Database, table: str) -> TableFacts:
        """Write a release into a new table: in one transaction, read back and verified."""
        return self._write(project, run, self._allowed.address(database), table)

    def sqlite_file(self, project: str, run: str, table: str = "release") -> bytes:
        """A new SQLite file with the release as its table, and nothing else."""
        file = self._files.store.project_folder(project) / f"export-{new_id()}.db"
        try:
            self._write(project, run, f"sqlite:///{file}", table)
            return file.read_bytes()
        finally:
            file.unlink(missing_ok=True)

    def _write(self, project: str, run: str, address: str, table: str) -> TableFacts:
        target = {"address": address, "table": checked_table(table)}
        reading, folder = self._runs.require_done(project, run)
        names = self._files.names(project)
        found: TableFacts = self._workers.ask("databases.write", names, reading=reading, folder=folder, **target)
        return found

    def _address(self, project: str, database: Database) -> tuple[str, str]:
        """The address of a database with its password to connect to, and without it to store."""
        if database.upload is None:
            address = self._allowed.address(database)
            return address, without_password(address).replace(":***@", "@").partition("?password=")[0]
        name = self._files.upload_name(project, database.upload)
        return f"sqlite:///{self._files.upload_path(project, database.upload)}", f"sqlite:///{name}"


def checked_table(name: str) -> str:
    """A name for a new table, if it needs no quoting."""
    if NAME.fullmatch(name) is None:
        raise ParameterError("a table's name has letters, digits and _, begins with none of the digits, and is at most 60 long")
    return name


def _split(address: str) -> SplitResult:
    try:
        parts = urlsplit(address)
        parts.port  # noqa: B018 - raises where it is no number
    except ValueError:
        raise InputError(EXPECTED) from None
    if not parts.scheme or "://" not in address:
        raise InputError(EXPECTED)
    return parts


def _is_allowed(address: SplitResult, known: SplitResult) -> bool:
    """Whether an address is a database that the administrator allowed, with its user if one is given."""
    same = (address.hostname, address.port or 5432, address.path) == (known.hostname, known.port or 5432, known.path)
    return same and known.username in (None, address.username) and not dict(parse_qsl(address.query)).keys() - {"sslmode"}


def _built(parts: SplitResult, password: str) -> str:
    """The address built from its parts, so that the checked address is the one that is connected to."""
    host, user, settings = parts.netloc.rpartition("@")[2], unquote(parts.username or ""), dict(parse_qsl(parts.query))
    if HOST.fullmatch(host) is None:
        raise InputError(EXPECTED)
    if strange := settings.keys() - set(SETTINGS):
        raise InputError(f"it takes {' and '.join(SETTINGS)} after the question mark; there are {len(strange)} other settings")
    if password and not user:
        settings["password"] = password
    secret = f":{quote(password, safe='')}" if password and user else ""
    login = f"{quote(user, safe='')}{secret}@" if user else ""
    tail = f"?{urlencode(settings, quote_via=quote)}" if settings else ""
    return f"postgresql://{login}{host}/{quote(unquote(parts.path[1:]), safe='')}{tail}"
