"""Everything that can be done in the workbench: pages and the REST API call this and nothing else."""

import asyncio
import io
import os
import zipfile
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from anonset import errors
from anonset.errors import AnonsetError, Cancelled, InputError, ParameterError
from anonset.jobs import Ended, Event
from anonset.model.builders import BUILDERS, is_spec
from anonset.model.ends import check_ends
from anonset.model.passwords import without_password
from anonset.workbench import projects
from anonset.workbench.bundles import PROJECT, WHEN, again, zipped
from anonset.workbench.databases import Allowed, Database, DatabaseFile, Selection, TableFacts, checked_table
from anonset.workbench.journal import (
    BuildHierarchy,
    ChooseRelease,
    EditHierarchy,
    Entry,
    Journal,
    SetItems,
    SetPromise,
    SetRoles,
    State,
    UseHierarchy,
    after,
)
from anonset.workbench.projects import MOST_ROWS as PROJECTS_MOST_ROWS
from anonset.workbench.projects import Projects, packed_suffix, pieces, unconfirmed
from anonset.workbench.rail import rail_of
from anonset.workbench.runs import Runs, basis_of
from anonset.workbench.store import Store, new_id
from anonset.workbench.values import (
    Again,
    Beside,
    Candidates,
    Column,
    Difference,
    Exposure,
    Point,
    Preview,
    Project,
    Remark,
    Rows,
    RuleFacts,
    Rules,
    Run,
    Threefold,
    Tree,
    Verdict,
    Versus,
    WorstQuery,
)
from anonset.workbench.worker import Refused, make
from anonset.workbench.worker_pool import Answers, Crew
from anonset.workbench.worker_requests import Order, Reading

LARGEST_UPLOAD = 2_000_000_000  # bytes
LARGEST_HIERARCHY = 50_000_000
ASKED_SECONDS = 300.0
DESKS = 2  # the second is started when somebody waits for the first
GIVE_WAY = 10  # steps of nice, so that pages are drawn while all cores make releases
WARM_UP = "warm-up"


class Foundation:
    """A store with its journal and runs; two workers answer questions, `processes` others make releases and give way."""

    def __init__(
        self,
        store: Path | str,
        *,
        files: Path | None = None,
        processes: int = max(1, (os.cpu_count() or 2) - 1),
        memory_mb: float = float("inf"),
        largest_upload: int = LARGEST_UPLOAD,
        databases: Allowed = Allowed(),  # noqa: B008 - it is frozen
    ) -> None:
        self.store = Store(store, files)
        self.journal = Journal(self.store)
        self._projects = Projects(self.store, self.journal)
        self._desk = Crew(make, processes=DESKS, memory_mb=memory_mb)
        self._makers = Crew(make, GIVE_WAY, processes=processes, memory_mb=memory_mb)
        self._answers = Answers()
        self._runs = Runs(self.store, self._makers)
        self._largest_upload, self._allowed = largest_upload, databases
        self._warm = True

    def warm_up(self) -> None:
        """Let a worker load and, once an installation, compile what it needs, in the background."""
        self._warm = False

        def heard(event: Event) -> None:
            self._warm = self._warm or isinstance(event, Ended)

        self._makers.submit(WARM_UP, ("warm_up", {}, frozenset()), heard)
        self._desk.submit(WARM_UP, ("described", {}, frozenset()), lambda event: None)

    def _end_warm_up(self) -> None:
        """Make way for a run: what is compiled until now is kept, and the run compiles what it needs."""
        self._makers.cancel(WARM_UP)

    @property
    def is_warm(self) -> bool:
        """Whether workers answer at once; the first time they compile for about a minute."""
        return self._warm

    @property
    def beat(self) -> int:
        """Another number whenever there is news: something was decided, began, was measured or ended."""
        return self.store.changes + self._runs.measured

    def close(self) -> None:
        """End all workers, and let go of the store; runs under way will be interrupted ones."""
        self._desk.close()
        self._makers.close()
        self.store.close()

    def _ask(self, verb: str, names: Collection[str] = (), **arguments: Any) -> Any:
        """The answer of a worker, or the error it raised; `names` may be quoted in it."""
        ended = self._desk.ask(new_id(), (verb, arguments, frozenset(names)), seconds=ASKED_SECONDS)
        if ended.outcome == "cancelled":
            raise Cancelled("the work was stopped")
        if ended.outcome != "done":
            raise AnonsetError(ended.reason)
        if isinstance(ended.value, Refused):
            raise error_of(ended.value)
        return ended.value

    def _known(self, verb: str, names: Collection[str] = (), **arguments: Any) -> Any:
        """As `_ask`, for what depends on nothing but the arguments: asked once, then kept for a while."""
        return self._answers.get(_question(verb, arguments), lambda: self._ask(verb, names, **arguments))

    def _at_hand(self, verb: str, **arguments: Any) -> Any:
        """What `_known` would answer, if it needs to ask nobody."""
        return self._answers.at_hand(_question(verb, arguments))

    def _names(self, project: str) -> frozenset[str]:
        """The names that errors about a project may quote: those of its columns."""
        return frozenset((*self._projects.facts(project)["columns"], "items"))

    def _basis(self, project: str, state: State) -> str:
        """What tells the decisions behind a run from others: not the k and m, which runs vary."""
        facts = self._projects.facts(project)
        promise = (state.promise.privacy, state.promise.utility, state.promise.suppression)
        reading = self._projects.reading(project, state)
        return basis_of(facts["sha256"], sorted(reading.settings.items()), repr(sorted(reading.hierarchies.items())), promise)


def _question(verb: str, arguments: Mapping[str, Any]) -> str:
    return repr((verb, sorted(arguments.items())))


def error_of(refused: Refused) -> AnonsetError:
    """The error that a worker raised, as one of this process."""
    kind: type[AnonsetError] = getattr(errors, refused.error, AnonsetError)
    return kind(refused.text)


class DataPart(Foundation):
    """Projects: their files, roles and promises."""

    def samples(self) -> Mapping[str, str]:
        """The samples there are, with a sentence about each."""
        return projects.SAMPLES

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
            table, hierarchies = projects.write(sample, Path(folder))
            project = self._projects.create(name or sample.capitalize())
            asyncio.run(self.upload(project, table.name, pieces([table.read_bytes()])))
            self.apply(project, projects.ROLES)
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
        from anonset.workbench.journal import step_from

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


MOST_ROWS = 1_000
MOST_NODES = 200_000  # of a tree that a page gets whole


class TreePart(DataPart):
    """Hierarchies: built, uploaded, changed, looked at."""

    def builders(self) -> tuple[str, ...]:
        """How hierarchies can be built, as it is to be written."""
        return tuple(builder.usage for builder in BUILDERS.values())

    def tree(self, project: str, column: str, opened: Sequence[int] = (), start: int = 0, count: int = 200) -> Tree:
        """The visible rows of a hierarchy: the root, and what is below opened nodes; only the root's where none is named."""
        return self._tree(project, column, opened, start, min(count, MOST_ROWS))

    def _tree(self, project: str, column: str, opened: Sequence[int], start: int, count: int) -> Tree:
        reading = self._with_tree(project, column)
        state = self.journal.state(project)
        cut: list[str] = []
        if state.release is not None:
            folder = self._runs.folder(project, state.release)
            cut = self._ask("cut", reading=reading, folder=folder, column=column) if folder.exists() else []
        where = {"column": column, "opened": opened, "start": start, "count": count}
        found: Tree = self._ask("tree", self._names(project), reading=reading, cut=cut, **where)
        return found

    def whole_tree(self, project: str, column: str) -> Tree:
        """All rows of a hierarchy at once, for a page that opens and closes them by itself."""
        return self._tree(project, column, range(MOST_NODES), 0, MOST_NODES)

    def find_in_tree(self, project: str, column: str, text: str) -> tuple[tuple[int, ...], ...]:
        """The ways from the root to at most 20 nodes whose label holds a text."""
        found = self._ask("find", self._names(project), reading=self._with_tree(project, column), column=column, text=text)
        return tuple(tuple(way) for way in found)

    async def upload_hierarchy(self, project: str, column: str, name: str, chunks: AsyncIterator[bytes]) -> Preview:
        """Keep a hierarchy file and say what it would change; `UseHierarchy` with its id then takes it."""
        draft, _, shown = await self._projects.save(project, name, chunks, LARGEST_HIERARCHY)
        upload = self._projects.keep_hierarchy(project, draft, shown)
        return await asyncio.to_thread(self.preview_hierarchy, project, column, upload)

    def preview_hierarchy(self, project: str, column: str, upload: str) -> Preview:
        """What an uploaded hierarchy would change."""
        name = self._projects.upload_name(project, upload)
        reading = self._projects.reading(project)
        found: Preview = self._ask("preview", self._names(project), reading=reading, column=column, upload=upload, name=name)
        return found

    def export_hierarchy(self, project: str, column: str) -> bytes:
        """The hierarchy of a column as a file: a value a line, then the groups above it."""
        reading = self._with_tree(project, column)
        file = reading.folder / f"export-{new_id()}.csv"
        try:
            self._ask("export", self._names(project), reading=reading, column=column, file=file)
            return file.read_bytes()
        finally:
            file.unlink(missing_ok=True)

    def _with_tree(self, project: str, column: str) -> Reading:
        reading = self._projects.reading(project)
        if column not in reading.hierarchies:
            raise InputError("this column has no hierarchy")
        return reading

    def _check_step(self, project: str, step: Any) -> None:
        if not isinstance(step, BuildHierarchy | UseHierarchy | EditHierarchy):
            super()._check_step(project, step)
            return
        if isinstance(step, BuildHierarchy) and not is_spec(step.how):
            raise InputError(f"a hierarchy to build must be one of {' '.join(self.builders())}")
        if isinstance(step, EditHierarchy) and step.column not in self.journal.state(project).hierarchies:
            raise InputError("this column has no hierarchy to change")
        if isinstance(step, UseHierarchy) and not (found := self.preview_hierarchy(project, step.column, step.upload)).usable:
            raise InputError(_against(found))
        reading = self._projects.reading(project, after(self.journal.state(project), step))
        if step.column not in reading.hierarchies:
            raise InputError("a hierarchy is for a column that could be known, or for the items")
        self._ask("check_edit", self._names(project), reading=reading, column=step.column)


def _against(found: Preview) -> str:
    if found.problems:
        return f"this hierarchy cannot be used: {found.problems[0]}"
    return f"this hierarchy cannot be used: {found.missing_count} values of the data are not in it; what was there stays"


LADDER = (2, 3, 5, 10, 11, 20, 25, 50)
ALIVE = ("waiting", "running", "done")
FORMATS = ("csv", "parquet", "jsonl", "fimi")


class RunPart(TreePart):
    """Runs."""

    @cached_property
    def _algorithms(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self._ask("described")
        return found

    def algorithms(self) -> Mapping[str, Any]:
        """What algorithms there are, and what each declares."""
        return self._algorithms

    def start(
        self,
        project: str,
        algorithm: str | None = None,
        parameters: Mapping[str, Any] | None = None,
        *,
        format: str = "csv",
        margins: bool = False,
        ends: str = "auto",
        key: str | None = None,
        ladder: bool = False,
        pages: bool = True,
    ) -> Run:
        """Queue a run: by the algorithm that fits the data where none is named, under the promise where a value is not given.

        The same `key` again is the same run. Without `pages` a run is quicker, and its report is made when it is asked for.
        """
        if format not in FORMATS:
            raise ParameterError(f"the format must be one of {', '.join(FORMATS)}")
        values = self._values(project, algorithm, dict(parameters or {}))
        asked = {"kind": "anonymize", "algorithm": algorithm, "parameters": values, "format": format, "margins": margins}
        asked["ends"] = check_ends(ends)
        return self._start(project, asked | {"ladder": ladder, "pages": pages}, key)

    def recommend(self, project: str, *, seconds: float = 60.0, max_risk: float = 0.2, key: str | None = None) -> Run:
        """Queue a search for the best release within a risk, for so many seconds; it ends with that release and the reasons."""
        if not 1 <= seconds <= 3_600 or not 0 < max_risk <= 1:
            raise ParameterError("a recommendation takes 1 to 3600 seconds, and a risk above 0 and at most 1")
        asked: dict[str, Any] = {
            "kind": "recommend",
            "algorithm": None,
            "parameters": {},
            "seconds": seconds,
            "max_risk": max_risk,
        }
        return self._start(project, asked, key)

    def ladder(
        self, project: str, algorithm: str | None = None, parameters: Mapping[str, Any] | None = None
    ) -> tuple[Run, ...]:
        """Queue a run for each usual k that has none yet, for a slider to snap to."""
        rest = {name: value for name, value in (parameters or {}).items() if name != "k"}
        people = self._projects.facts(project)["rows"]
        asked = {name: value for name, value in self._values(project, algorithm, rest).items() if name != "k"}
        alive = [
            run for run in self.runs(project) if run.current and run.ladder and run.state in ("waiting", "running", "done")
        ]
        alike = [run for run in alive if algorithm is None or run.algorithm == algorithm]
        there = {run.parameters.get("k") for run in alike if {n: v for n, v in run.parameters.items() if n != "k"} == asked}
        wanted = [k for k in LADDER if k <= people and k not in there]
        return tuple(self.start(project, algorithm, {**rest, "k": k}, ladder=True, pages=False) for k in wanted)

    def runs(self, project: str) -> tuple[Run, ...]:
        """All runs, the last one first; `current` are those made under the decisions that hold now."""
        self._projects.row(project)
        file = self._projects.file(project)
        if file is None or not file.columns:
            return ()
        return self._runs.all(project, self._basis(project, self.journal.state(project)))

    def run(self, project: str, run: str) -> Run:
        """One run."""
        return self._runs.shown(self._runs.row(project, run), self._basis(project, self.journal.state(project)))

    def cancel(self, project: str, run: str) -> Run:
        """Stop a run; nothing of it is left."""
        self._runs.cancel(project, run)
        return self.run(project, run)

    def restart(self, project: str, run: str) -> Run:
        """Queue a run that was interrupted, cancelled or failed once more, under the decisions it was made under."""
        row = self._runs.row(project, run)
        if row["request"]["basis"] != self._basis(project, self.journal.state(project)):
            raise InputError("the decisions have changed since; start a new run instead")
        self._runs.again(project, run, lambda id: self._work(project, id, row["request"]["asked"]))
        return self.run(project, run)

    def forget(self, project: str, run: str) -> None:
        """Delete a run and its release."""
        if self.journal.state(project).release == run:
            raise InputError("this run is chosen as the release; choose another one first")
        self._runs.forget(project, run)

    def points(self, project: str, loss: str = "are", max_risk: float = 0.2) -> tuple[Point, ...]:
        """The map of risk and utility of the runs that count, by a measure of loss."""
        runs = [
            {"key": run.id, "algorithm": run.algorithm, "parameters": dict(run.parameters), "measures": dict(run.measures)}
            for run in reversed(self.runs(project))
            if run.current and run.measures
        ]
        found: tuple[Point, ...] = self._known("points", runs=runs, loss=loss, max_risk=max_risk) if runs else ()
        return found

    def differences(self, project: str, runs: Sequence[str]) -> Mapping[str, Mapping[str, Any]]:
        """What differs between runs: each parameter and measure that is not the same in all of them, by run."""
        found = [self.run(project, run) for run in runs]
        facts = {run.id: {"algorithm": run.algorithm, **run.parameters, **run.measures} for run in found}
        names = dict.fromkeys(name for values in facts.values() for name in values)
        varied = [name for name in names if len({repr(values.get(name)) for values in facts.values()}) > 1]
        return {name: {run: values.get(name) for run, values in facts.items()} for name in varied}

    def _values(self, project: str, algorithm: str | None, given: dict[str, Any]) -> dict[str, Any]:
        """The parameters of a run: those given, and those of the promise that the algorithm takes."""
        promise = self.journal.state(project).promise
        usual = {"k": promise.k, "m": promise.m} | ({"l": promise.l} if promise.l is not None else {})
        if algorithm is None:
            return {"k": promise.k} | self._known_items(project) | given
        if algorithm not in self._algorithms:
            raise ParameterError(f"there is no such algorithm; there are {', '.join(self._algorithms)}")
        declared = {p["name"]: p["type"] for p in self._algorithms[algorithm]["parameters"]}
        for name in given:
            if declared.get(name) == "policy":
                raise ParameterError("constraints are part of the promise, not of a run")
        return {name: value for name, value in usual.items() if name in declared} | given

    def _known_items(self, project: str) -> dict[str, int]:
        """The m of the promise, where the algorithm that fits takes one: items that rules do not speak of."""
        state = self.journal.state(project)
        roles = {column.role for column in self._projects.columns(project)}
        ruled = "quasi" not in roles and (state.promise.privacy or state.promise.utility)
        return {"m": state.promise.m} if "items" in roles and not ruled else {}

    def _start(self, project: str, asked: dict[str, Any], key: str | None) -> Run:
        state = self.journal.state(project)
        if names := unconfirmed(self._projects.facts(project), state):
            raise InputError(f"say first what the columns mean: {len(names)} roles are only guessed")
        request = {"asked": asked, "basis": self._basis(project, state)}
        self._end_warm_up()
        return self.run(project, self._runs.start(project, request, lambda id: self._work(project, id, asked), key))

    def _work(self, project: str, run: str, asked: Mapping[str, Any]) -> tuple[str, dict[str, Any], frozenset[str]]:
        """What a worker is asked for."""
        verb = "make" if asked["kind"] == "anonymize" else "advise"
        names = self._names(project) | {str(value) for value in asked["parameters"].values()} | set(asked["parameters"])
        return verb, {"order": self._order(project, run, asked)}, frozenset(names)

    def _order(self, project: str, run: str, asked: Mapping[str, Any]) -> Order:
        state: State = self.journal.state(project)
        more = {name: asked[name] for name in ("format", "margins", "ends", "seconds", "max_risk") if name in asked}
        return Order(
            self._projects.reading(project),
            self._runs.folder(project, run),
            asked["algorithm"],
            asked["parameters"],
            state.promise,
            state.accepted.exposure,
            state.accepted.loss,
            state.accepted.repeats,
            report=asked.get("pages", True),
            origin=self._projects.facts(project).get("origin") or {},
            **more,
        )

    def _check_step(self, project: str, step: Any) -> None:
        if not isinstance(step, ChooseRelease):
            super()._check_step(project, step)
        elif step.run is not None:
            run = self.run(project, step.run)
            if run.state != "done" or not run.holds or not run.current:
                raise InputError("only a verified run under the decisions that hold now can be the release")
            self._check_kept(project, step.run)

    def _check_kept(self, project: str, run: str) -> None:
        """Raise where a run promises less than the project does: runs may try other values, a release keeps its word."""
        promise, settled = self.journal.state(project).promise, self._runs.row(project, run)["result"]["settled"]
        for name, wanted in (("k", promise.k), ("m", promise.m), ("l", promise.l)):
            if wanted is not None and settled.get(name, wanted) < wanted:
                raise InputError(f"this run has {name} = {settled[name]}, the promise says {wanted}: change one of them first")


class InspectPart(RunPart):
    """Runs that are done, and releases."""

    def beside(self, project: str, run: str, start: int = 0, count: int = 50) -> Beside:
        """Records before and after, in the order of the input; at most 200 at once."""
        where = {"start": start, "count": min(count, PROJECTS_MOST_ROWS)}
        found: Beside = self._look(project, run, "compare", **where)
        return found

    def story(self, project: str, run: str, row: int | None = None) -> tuple[str, ...]:
        """Why a release is as it is, or the way of one record of the input, counted from 0."""
        folder = self._done(project, run)[1]
        found: tuple[str, ...] = self._ask("story", self._names(project), folder=folder, row=row)
        return found

    def worst_queries(self, project: str, run: str, count: int = 10) -> tuple[WorstQuery, ...]:
        """The counts that come out worst, of 200 drawn ones."""
        found: tuple[WorstQuery, ...] = self._look(project, run, "worst", count=min(count, PROJECTS_MOST_ROWS))
        return found

    def verdict(self, project: str, run: str) -> Verdict:
        """What the check of the published files finds, done again now."""
        found: Verdict = self._look(project, run, "check")
        return found

    def candidates(self, project: str, run: str, values: Mapping[str, str], items: Sequence[str] = ()) -> Candidates:
        """Attack me: who fits somebody with these values and items, before and after."""
        found: Candidates = self._look(project, run, "candidates", values=dict(values), items=list(items))
        return found

    def attack(self, project: str, run: str, *, m: int = 2, attackers: int = 200, seed: int = 0) -> Mapping[str, Any]:
        """The attack lab: what sampled attackers of every kind find, before and after."""
        found: Mapping[str, Any] = self._look(project, run, "lab", m=m, attackers=min(attackers, 5_000), seed=seed)
        return found

    def report(self, project: str, run: str) -> bytes:
        """The report of a run, for the owner of the data: an HTML page."""
        return (self._with_pages(project, run) / "report.html").read_bytes()

    def certificate(self, project: str, run: str) -> bytes:
        """The page that goes out with a release: an HTML page without anything raw."""
        return (self._with_pages(project, run) / "published" / "about.html").read_bytes()

    def bundle(self, project: str, run: str, *, private: bool = False) -> Iterator[bytes]:
        """A release as a zip, piece by piece: what may be handed out; with the private half only where it is asked for."""
        folder = self._with_pages(project, run)
        return zipped(folder, private=private)

    def again(self, project: str, run: str) -> Again:
        """How to make the same release elsewhere, ready to copy; the lines expect the kit beside the data."""
        order, name = self._repeatable(project, run)
        return again(project, order, name, self._kit(project, run)[PROJECT])

    def kit(self, project: str, run: str) -> bytes:
        """A zip with all that makes the release again but the data: scripts, schema, project file, hierarchies."""
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in self._kit(project, run).items():
                archive.writestr(zipfile.ZipInfo(name, WHEN), text)
        return out.getvalue()

    def _kit(self, project: str, run: str) -> Mapping[str, str]:
        order, name = self._repeatable(project, run)
        found: Mapping[str, str] = self._ask("kit", self._names(project), order=order, name=name)
        return found

    def _repeatable(self, project: str, run: str) -> tuple[Order, str]:
        """The order behind a run, with everything that was left open to it, and the name of the data."""
        self._done(project, run)
        row = self._runs.row(project, run)
        asked = dict(row["request"]["asked"]) | {"parameters": row["result"]["settled"]}
        order = self._order(project, run, asked | {"algorithm": row["result"]["algorithm"]})
        name = str(order.origin.get("address") or self._projects.facts(project)["name"])
        return order, f"./{name}" if name.startswith("-") else name  # no option of a command

    def _done(self, project: str, run: str) -> tuple[Reading, Path]:
        """How the data are read for a run that is done, and its folder."""
        found = self.run(project, run)
        if found.state != "done":
            raise InputError("this run has made no release")
        if not found.current:
            raise InputError("the decisions have changed since this run; undo them, or run it again")
        return self._projects.reading(project), self._runs.folder(project, run)

    def _look(self, project: str, run: str, verb: str, **arguments: Any) -> Any:
        reading, folder = self._done(project, run)
        return self._ask(verb, self._names(project), reading=reading, folder=folder, **arguments)

    def _with_pages(self, project: str, run: str) -> Path:
        """The folder of a run with its pages; a quick run is made again with them, to the same records."""
        _, folder = self._done(project, run)
        if not (folder / "report.html").exists():
            row = self._runs.row(project, run)
            order = replace(self._repeatable(project, run)[0], report=True)
            made = self._ask("make", self._names(project), order=order)
            if made["digest"] != row["result"]["digest"]:
                raise InputError("this run cannot be made again exactly; start it anew with its report")
        return folder


KNOWN = (".csv", ".tsv", ".txt", ".dat", ".parquet", ".jsonl")


class CheckPart(InspectPart):
    """Does a file keep the promise of a project? It is looked at beside the project's data, and not kept."""

    async def check_file(self, project: str, name: str, chunks: AsyncIterator[bytes], *, aligned: bool = False) -> Verdict:
        """What the check of a file finds; where its rows are those of the data, `aligned`, truth is checked too."""
        draft, _, shown = await self._projects.save(project, name, chunks, self._largest_upload)
        return await asyncio.to_thread(self._check_draft, project, draft, shown, aligned)

    def _check_draft(self, project: str, draft: Path, name: str, aligned: bool) -> Verdict:
        ending = Path(name.lower().removesuffix(".gz")).suffix
        file = draft.rename(draft.with_suffix((ending if ending in KNOWN else ".csv") + packed_suffix(draft)))
        promise, reading = self.journal.state(project).promise, self._projects.reading(project)
        try:
            found: Verdict = self._ask(
                "check_file", self._names(project), reading=reading, file=file, promise=promise, aligned=aligned
            )
            return found
        finally:
            file.unlink(missing_ok=True)


class VersusPart(CheckPart):
    """What one release has and another has not."""

    def versus(self, project: str, run: str, other: str) -> Versus:
        """Two releases of the same data: settings that differ, measures with the better one, what is exact in one alone."""
        if run == other:
            raise ParameterError("two different runs are expected")
        a, b = self.run(project, run), self.run(project, other)
        columns, items, count = self._look(project, run, "kept", other=self._done(project, other)[1])
        measures = self._ask("measures", a=dict(a.measures), b=dict(b.measures))
        left, right = _settings(a), _settings(b)
        names = dict.fromkeys((*left, *right))
        settings = tuple(Difference(n, left.get(n), right.get(n)) for n in names if left.get(n) != right.get(n))
        return Versus(a, b, settings, measures, columns, items, count)

    def versus_rows(self, project: str, run: str, other: str, start: int = 0, count: int = 50) -> Threefold:
        """Records before and in two releases, in the order of the input; at most 200 at once."""
        where = {"start": start, "count": min(count, PROJECTS_MOST_ROWS), "other": self._done(project, other)[1]}
        found: Threefold = self._look(project, run, "records", **where)
        return found


def _settings(run: Run) -> dict[str, Any]:
    return {"algorithm": run.algorithm, **run.parameters, "promise": "; ".join(run.guarantees), **run.settings}


LARGEST = 5_000_000  # bytes of a file
MOST_LINES = 1_000  # looked at in one call


class RulePart(VersusPart):
    """Constraints on sets of items; what is kept of them is part of the promise."""

    def look_at_rules(self, project: str, lines: Sequence[Sequence[str]]) -> tuple[RuleFacts, ...]:
        """How many people each line of items is about, and which names do not occur."""
        wanted = [tuple(line) for line in lines[:MOST_LINES]]
        found: tuple[RuleFacts, ...] = self._ask("look_at_rules", reading=self._projects.reading(project).bare(), lines=wanted)
        return found

    def make_rules(self, project: str, privacy: str | None = None, utility: str | None = None, *, seed: int = 0) -> Rules:
        """Constraints made from the data: pairs:0.1 or PR1 to PR9, level:2, neighbours:25 or UR1 to UR5; nothing is kept."""
        if privacy is None and utility is None:
            raise ParameterError("say which constraints to make: privacy, utility or both")
        asked = {"privacy": privacy, "utility": utility, "seed": seed}
        names = {name for name in (privacy, utility) if name}
        found: Rules = self._ask("make_rules", names, reading=self._projects.reading(project), **asked)
        return found

    async def upload_rules(
        self, project: str, name: str, chunks: AsyncIterator[bytes], holds: Literal["privacy", "utility"] = "privacy"
    ) -> Rules:
        """The constraints in a TOML or JSON file, or those of one kind in CSV; the file is not kept."""
        draft, _, shown = await self._projects.save(project, name, chunks, LARGEST)
        return await asyncio.to_thread(self._read_rules, draft, shown, holds)

    def _read_rules(self, draft: Path, name: str, holds: str) -> Rules:
        plain = name.lower().removesuffix(".gz")
        ending = next((ending for ending in (".toml", ".json") if plain.endswith(ending)), ".csv")
        file = draft.rename(draft.with_suffix(ending + packed_suffix(draft)))
        try:
            found: Rules = self._ask("read_rules", file=file, holds=holds)
            return found
        finally:
            file.unlink(missing_ok=True)


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


class Workbench(DatabasePart):
    """Projects in a store, and workers for what takes time. All methods wait for their answer; uploads are coroutines.

    Errors are those of `anonset.errors`, ready to be shown: they hold no values of the data.
    """
