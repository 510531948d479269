"""The workbench's part for databases: tables read into a project, releases written into new tables."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

from anonset.model.passwords import without_password
from anonset.workbench.databases import Allowed, Database, DatabaseFile, Selection, TableFacts, checked_table
from anonset.workbench.rule_part import RulePart
from anonset.workbench.store import new_id
from anonset.workbench.values import Project


class DatabasePart(RulePart):
    """Tables in databases. What is read becomes the file of a project; no password outlives a call."""

    def databases(self) -> Allowed:
        """Which databases may be reached from here."""
        return self._allowed

    async def upload_database(self, project: str, name: str, chunks: AsyncIterator[bytes]) -> DatabaseFile:
        """Keep a SQLite file beside the data until one of its tables is read, and say which it has."""
        draft, _, shown = await self._projects.save(project, name, chunks, self._largest_upload)
        return await asyncio.to_thread(self._keep_database, project, draft, shown)

    def _keep_database(self, project: str, draft: Path, name: str) -> DatabaseFile:
        try:
            tables = self._ask("tables", address=f"sqlite:///{draft}")
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
        return DatabaseFile(self._projects.keep_upload(project, draft, name, "database", ".db"), name, tables)

    def tables(self, project: str, database: Database) -> tuple[TableFacts, ...]:
        """The tables of a database, with their columns."""
        found: tuple[TableFacts, ...] = self._ask("tables", address=self._address(project, database)[0])
        return found

    def read_table(self, project: str, database: Database, selection: Selection) -> Project:
        """Read a table, and its item table, into a project: a copy, as of now."""
        address, shown = self._address(project, database)
        draft = self.store.project_folder(self._projects.row(project)["id"]) / f"upload-{new_id()}"
        settings = selection.settings()
        try:
            self._ask("fetch", {*settings.values()}, address=address, settings=settings, file=draft)
            origin = {"address": shown, "settings": settings}
            made = self._take_in(project, draft, draft.stat().st_size, f"{selection.table}.parquet", origin=origin)
        finally:
            draft.unlink(missing_ok=True)
        if database.upload is not None:
            self._projects.drop_upload(project, database.upload)
        return made

    def write_table(self, project: str, run: str, database: Database, table: str) -> TableFacts:
        """Write a release into a new table: in one transaction, read back and verified."""
        address = self._allowed.address(database)
        return self._write(project, run, address, table)

    def sqlite_file(self, project: str, run: str, table: str = "release") -> bytes:
        """A new SQLite file with the release as its table, and nothing else."""
        file = self.store.project_folder(project) / f"export-{new_id()}.db"
        try:
            self._write(project, run, f"sqlite:///{file}", table)
            return file.read_bytes()
        finally:
            file.unlink(missing_ok=True)

    def _write(self, project: str, run: str, address: str, table: str) -> TableFacts:
        wanted = {"address": address, "table": checked_table(table)}
        found: TableFacts = self._look(project, run, "write_table", **wanted)
        return found

    def _address(self, project: str, database: Database) -> tuple[str, str]:
        """Where a database is, and how that is shown."""
        if database.upload is None:
            address = self._allowed.address(database)
            return address, without_password(address).replace(":***@", "@").partition("?password=")[0]
        name = self._projects.upload_name(project, database.upload)
        return f"sqlite:///{self._projects.upload_path(project, database.upload)}", f"sqlite:///{name}"
