"""The data of a project: taken in, shown page by page, described under the roles of its columns."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any

from anonset.errors import InputError, ParameterError
from anonset.workbench.files import Draft, ProjectFiles
from anonset.workbench.journal import SetItems, SetKinds, SetPopulation, SetRoles, after, step_from
from anonset.workbench.values import DataFile, Exposure, FileColumn, FileFacts, PopulationFile, RecordPage
from anonset.workbench.workers import Workers

LARGEST_UPLOAD = 2_000_000_000  # bytes


class ProjectData:
    """The data of projects."""

    def __init__(self, files: ProjectFiles, workers: Workers, largest_upload: int = LARGEST_UPLOAD) -> None:
        self._files, self._journal, self._workers = files, files.journal, workers
        self.largest_upload = largest_upload

    async def upload(self, project: str, name: str, chunks: AsyncIterator[bytes]) -> DataFile:
        """Stream a file into a project and read it: its content decides the format, and all its problems are listed.

        Where it cannot be read, the project keeps the file it had, and the error says what is wrong.
        """
        draft = await self._files.save_upload(project, name, chunks, self.largest_upload)
        return await asyncio.to_thread(self.read_draft, project, draft)

    async def upload_population(self, project: str, name: str, chunks: AsyncIterator[bytes]) -> PopulationFile:
        """Keep a file of the population that the records were taken from; `SetPopulation` with its id has it counted."""
        draft = await self._files.save_upload(project, name, chunks, self.largest_upload)
        facts = self._files.facts(project)
        return PopulationFile(self._files.keep_upload(project, draft, "population", facts.suffix), draft.name)

    def take_sheet(self, project: str, sheet: str) -> DataFile:
        """Read another sheet of the project's workbook."""
        file = self._files.file(project)
        if file is None or sheet not in file.sheets:
            raise InputError("the file has no such sheet")
        return self.read_draft(project, Draft(self._files.draft_of_file(project), file.bytes, file.name), sheet=sheet)

    def read_draft(
        self, project: str, draft: Draft, *, origin: Mapping[str, Any] | None = None, sheet: str | None = None
    ) -> DataFile:
        """Read a draft and make it the file of the project; `origin` says which tables it is a copy of."""
        copy = draft.path.with_suffix(".parquet")
        try:
            found: FileFacts = self._workers.ask("data.take_in", file=draft.path, name=draft.name, copy=copy, sheet=sheet)
            if not found.columns and self._files.file(project) is not None:
                raise InputError(first_problem(found))
            self._files.replace_file(project, draft, found, origin)
            if found.columns:
                copy.replace(draft.path.parent / "copy.parquet")
        finally:
            draft.path.unlink(missing_ok=True)
            copy.unlink(missing_ok=True)
        file = self._files.file(project)
        assert file is not None
        return file

    def rows(self, project: str, start: int = 0, count: int = 100) -> RecordPage:
        """A page of at most 200 records, as they were uploaded."""
        return self._files.rows(project, start, count)

    def columns(self, project: str) -> tuple[FileColumn, ...]:
        """The columns of the file, with their roles as decided or guessed."""
        return self._files.columns(project)

    def profile(self, project: str) -> Mapping[str, Any]:
        """Facts about each column and about the items, under the current roles."""
        reading = self._files.reading(project).bare()
        found: Mapping[str, Any] = self._workers.ask_once("data.profile", self._files.names(project), reading=reading)
        look = {"exposure": dict(found["exposure"])}
        if self._files.store.project(project)["facts"].get("look") != look:
            self._files.set_facts(project, look=look)
        return found

    def cached_profile(self, project: str) -> Mapping[str, Any] | None:
        """The profile if it is cached, else None."""
        found: Mapping[str, Any] | None = self._workers.cached("data.profile", reading=self._files.reading(project).bare())
        return found

    def exposure(self, project: str, roles: Mapping[str, str] | None = None) -> Exposure:
        """The share of people who are unique in the original data, under the current roles or under others."""
        state = self._journal.state(project)
        if roles:
            step = step_from({"kind": "set_roles", "roles": dict(roles)})
            self.check_roles(project, step)
            state = after(state, step)
        reading = self._files.reading(project, state).bare()
        found = self._workers.ask_once("data.profile", self._files.names(project), reading=reading)
        return Exposure(**found["exposure"])

    def check_roles(self, project: str, step: SetRoles) -> None:
        """Raise where a role is given to an unknown column."""
        known = self._files.facts(project).guess
        if any(name not in known for name in step.roles):
            raise ParameterError("a role is given to a column that the file does not have")

    def check_kinds(self, project: str, step: SetKinds) -> None:
        """Raise where a kind is given to an unknown column, or its values are not of that kind."""
        if any(name not in self._files.facts(project).guess for name in step.kinds):
            raise ParameterError("a kind is given to a column that the file does not have")
        self._check_reading(project, step, self._files.names(project))

    def check_items(self, project: str, step: SetItems) -> None:
        """Raise where the data cannot be read with these options."""
        self._check_reading(project, step, self._files.names(project) | set(step.sensitive))

    def _check_reading(self, project: str, step: SetItems | SetKinds | SetPopulation, names: frozenset[str]) -> None:
        reading = self._files.reading(project, after(self._journal.state(project), step))
        self._workers.ask("promise.supports", names, reading=reading, itemsets=[])

    def check_population(self, project: str, step: SetPopulation) -> None:
        """Raise where the data cannot be read with this population."""
        if step.upload is not None:
            self._files.upload_name(project, step.upload)
        self._check_reading(project, step, self._files.names(project))


def first_problem(found: FileFacts) -> str:
    """The first error of a file, in a line."""
    worst = next((problem for problem in found.problems if problem.level == "error"), None)
    if worst is None:
        return "the file cannot be read"
    where = f"line {worst.line}: " if worst.line is not None else ""
    more = found.problem_count - 1
    return f"{where}{worst.text}" + (f" (and {more} more)" if more else "")
