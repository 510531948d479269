"""The workbench's part for projects, data, steps and promises."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from anonset.errors import InputError, ParameterError
from anonset.workbench import samples
from anonset.workbench.foundation import Foundation
from anonset.workbench.rail import rail_of
from anonset.workbench.state import State, after
from anonset.workbench.steps import Entry, SetItems, SetPromise, SetRoles, UseHierarchy
from anonset.workbench.uploads import pieces
from anonset.workbench.values import Column, Exposure, Project, Remark, Rows


class DataPart(Foundation):
    """Projects: their files, roles and promises."""

    def samples(self) -> Mapping[str, str]:
        """The samples there are, with a sentence about each."""
        return samples.SAMPLES

    def project_count(self) -> int:
        """How many projects there are."""
        return len(self._projects.ids())

    def projects(self, start: int = 0, count: int = 200) -> tuple[Project, ...]:
        """The projects, the newest first."""
        return tuple(self.project(id) for id in self._projects.ids()[start : start + count])

    def project(self, project: str) -> Project:
        """A project and where it stands."""
        row, state = self._projects.row(project), self.journal.state(project)
        facts = row["facts"].get("file")
        runs = self._runs.all(project, self._basis(project, state) if facts and facts["columns"] else "")
        chosen = next((run for run in runs if run.id == state.release), None)
        seen = row["facts"].get("look") or {}
        measures = chosen.measures if chosen else {}
        return Project(
            project,
            row["name"],
            row["created"],
            self._projects.file(project),
            rail_of(facts, state, runs),
            found_before=seen.get("worst"),
            found_after=measures.get("risk"),
            lost=next((measures[id] for id in ("ncp", "ncp-items") if id in measures), None),
            verified=chosen.holds if chosen else None,
        )

    def create(self, name: str) -> Project:
        """A new, empty project."""
        return self.project(self._projects.create(name))

    def create_from_sample(self, sample: str, name: str = "") -> Project:
        """A new project with made-up data, their roles and hierarchies."""
        with TemporaryDirectory() as folder:
            table, hierarchies = samples.write(sample, Path(folder))
            project = self._projects.create(name or sample.capitalize())
            asyncio.run(self.upload(project, table.name, pieces([table.read_bytes()])))
            self.apply(project, samples.ROLES)
            for column, file in hierarchies.items():
                draft, _, shown = asyncio.run(
                    self._projects.save(project, file.name, pieces([file.read_bytes()]), self._largest_upload)
                )
                self.apply(project, UseHierarchy(column, self._projects.keep_hierarchy(project, draft, shown)))
        return self.project(project)

    def rename(self, project: str, name: str) -> Project:
        """Give a project another name."""
        self._projects.rename(project, name)
        return self.project(project)

    def delete(self, project: str) -> None:
        """Delete a project: its rows, its files, all of it."""
        self._projects.row(project)
        self._runs.cancel_all(project)
        self._answers.forget()
        self.store.delete_project(project)

    async def upload(self, project: str, name: str, chunks: AsyncIterator[bytes]) -> Project:
        """Stream a file into a project and take it in: judged by its content, with all its problems listed.

        Where it cannot be read, the project keeps what it had, and the error says everything that is wrong.
        """
        draft, size, shown = await self._projects.save(project, name, chunks, self._largest_upload)
        return await asyncio.to_thread(self._take_in, project, draft, size, shown)

    def take_sheet(self, project: str, sheet: str) -> Project:
        """Read another sheet of the workbook that the file of a project is."""
        file = self.project(project).file
        if file is None or sheet not in file.sheets:
            raise InputError("the file has no such sheet")
        return self._take_in(project, self._projects.copied(project), file.bytes, file.name, sheet=sheet)

    def _take_in(
        self, project: str, draft: Path, size: int, name: str, *, origin: Any = None, sheet: str | None = None
    ) -> Project:
        copy = draft.with_suffix(".parquet")
        try:
            found = self._ask("take_in", file=draft, name=name, copy=copy, sheet=sheet)
            if not found["columns"] and self._projects.file(project) is not None:
                raise InputError(first_problem(found))
            self._projects.keep(project, draft, size, name, found, origin)
            if found["columns"]:
                copy.replace(draft.parent / "copy.parquet")
        finally:
            draft.unlink(missing_ok=True)
            copy.unlink(missing_ok=True)
        return self.project(project)

    def rows(self, project: str, start: int = 0, count: int = 100) -> Rows:
        """A page of at most 200 records, as they were uploaded."""
        return self._projects.rows(project, start, count)

    def columns(self, project: str) -> tuple[Column, ...]:
        """The columns of the file, with their roles as decided or guessed."""
        return self._projects.columns(project)

    def profile(self, project: str) -> Mapping[str, Any]:
        """Facts about each column and about the items, under the roles that hold."""
        found: Mapping[str, Any] = self._known("look", self._names(project), reading=self._projects.reading(project).bare())
        look = {"worst": Exposure(**found["exposure"]).worst}
        if self._projects.row(project)["facts"].get("look") != look:
            self._projects.note(project, look=look)
        return found

    def profile_at_hand(self, project: str) -> Mapping[str, Any] | None:
        """The same, if it was counted before."""
        found: Mapping[str, Any] | None = self._at_hand("look", reading=self._projects.reading(project).bare())
        return found

    def exposure(self, project: str, roles: Mapping[str, str] | None = None) -> Exposure:
        """Who could find you in the data as they are, under the roles that hold or under others."""
        state = self.journal.state(project)
        if roles:
            state = after(state, self._checked_roles(project, roles))
        found = self._known("look", self._names(project), reading=self._projects.reading(project, state).bare())
        return Exposure(**found["exposure"])

    def _checked_roles(self, project: str, roles: Mapping[str, str]) -> SetRoles:
        from anonset.workbench.steps import step_from

        step: SetRoles = step_from({"kind": "set_roles", "roles": dict(roles)})
        strange = next((name for name in step.roles if name not in self._projects.facts(project)["guess"]), None)
        if strange is not None:
            raise ParameterError("a role is given to a column that the file does not have")
        return step

    def state(self, project: str) -> State:
        """The decisions that hold now."""
        self._projects.row(project)
        return self.journal.state(project)

    def history(self, project: str) -> tuple[Entry, ...]:
        """All steps; those at the end that are undone are lost with the next new one."""
        self._projects.row(project)
        return self.journal.entries(project)

    def undo(self, project: str) -> State:
        """Take the last step back."""
        self._projects.row(project)
        self.journal.undo(project)
        return self.journal.state(project)

    def redo(self, project: str) -> State:
        """Do again what was undone last."""
        self._projects.row(project)
        self.journal.redo(project)
        return self.journal.state(project)

    def apply(self, project: str, step: Any) -> State:
        """Take a step, once it is found to be possible; what does not work changes nothing."""
        self._projects.row(project)
        self._check_step(project, step)
        self.journal.add(project, step)
        return self.journal.state(project)

    def _check_step(self, project: str, step: Any) -> None:
        if isinstance(step, SetRoles):
            self._checked_roles(project, step.roles)
        elif isinstance(step, SetPromise):
            if wrong := next((remark for remark in self.remarks(project, step) if remark.level == "error"), None):
                raise InputError(wrong.text)
        elif isinstance(step, SetItems):
            reading = self._projects.reading(project, after(self.journal.state(project), step))
            self._ask("supports", self._names(project) | set(step.sensitive), reading=reading, itemsets=[])

    def remarks(self, project: str, promise: SetPromise | None = None) -> tuple[Remark, ...]:
        """What speaks against the promise that holds, or another one, on these data."""
        reading = self._projects.reading(project)
        wanted = promise or self.journal.state(project).promise
        names = self._names(project) | {name for itemset in (*wanted.privacy, *wanted.utility) for name in itemset}
        insisted = self.journal.state(project).accepted
        taken = {"accepted": insisted.exposure, "repeats": insisted.repeats}
        found: tuple[Remark, ...] = self._known("remarks", names, reading=reading, promise=wanted, **taken)
        return found

    def supports(self, project: str, itemsets: Sequence[Sequence[str]]) -> tuple[int, ...]:
        """How many people hold all items of each set."""
        wanted = [list(itemset) for itemset in itemsets]
        return tuple(self._ask("supports", reading=self._projects.reading(project), itemsets=wanted))

    def find_items(self, project: str, text: str = "", count: int = 50) -> tuple[tuple[str, int], ...]:
        """Items whose name holds a text, the most frequent first, with their numbers of people."""
        found = self._ask("items", reading=self._projects.reading(project), text=text, count=min(count, 200))
        return tuple((name, n) for name, n in found)


def first_problem(found: Mapping[str, Any]) -> str:
    """What is wrong with a file, in a line."""
    worst = next((problem for problem in found["problems"] if problem["level"] == "error"), None)
    if worst is None:
        return "the file cannot be read"
    where = f"line {worst['line']}: " if worst["line"] is not None else ""
    more = found["problem_count"] - 1
    return f"{where}{worst['text']}" + (f" (and {more} more)" if more else "")
