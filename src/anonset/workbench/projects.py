"""Projects: created, listed with the state of their places, renamed, deleted; and the sample that one can begin with."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import select

from anonset.errors import InputError, ParameterError
from anonset.workbench.data import ProjectData
from anonset.workbench.files import ProjectFiles, as_stream, roles_of, unconfirmed
from anonset.workbench.journal import SetPopulation, SetRoles, State, UseHierarchy
from anonset.workbench.runs import Runs
from anonset.workbench.store import PROJECTS, Store, new_id, now
from anonset.workbench.values import Exposure, FileFacts, PlaceState, Project, Run
from anonset.workbench.workers import Workers

LONGEST_NAME = 100
SAMPLES = {"patients": "2,000 made-up patients with age, sex, town, schooling and diagnoses"}
SAMPLE_ROLES = SetRoles(
    {
        "patient_id": "identifier",
        "age": "quasi",
        "sex": "quasi",
        "town": "quasi",
        "schooling": "quasi",
        "diagnoses": "items",
    }
)


class Projects:
    """The projects of a store."""

    def __init__(self, store: Store, files: ProjectFiles, data: ProjectData, runs: Runs, workers: Workers) -> None:
        self._store, self._files, self._data, self._runs, self._workers = store, files, data, runs, workers
        self._journal = files.journal

    def samples(self) -> Mapping[str, str]:
        """The samples by name, with a sentence about each."""
        return SAMPLES

    def count(self) -> int:
        """The number of projects."""
        return len(self._ids())

    def page(self, start: int = 0, count: int = 200) -> tuple[Project, ...]:
        """Some of the projects, the newest first."""
        return tuple(self.get(id) for id in self._ids()[start : start + count])

    def get(self, project: str) -> Project:
        """A project with the state of its places."""
        row, state = self._store.project(project), self._journal.state(project)
        facts, runs = self._files.known_facts(project), self._runs.all(project)
        chosen = next((run for run in runs if run.id == state.release), None)
        measures = chosen.measures if chosen else {}
        return Project(
            project,
            row["name"],
            row["created"],
            self._files.file(project),
            places_of(facts, state, runs, row["facts"].get("opened") or ()),
            found_before=_unique(row["facts"].get("look") or {}, state.promise.m),
            found_after=measures.get("risk"),
            lost=measures.get("ncp"),
            lost_items=measures.get("ncp-items"),
            verified=chosen.holds if chosen else None,
        )

    def create(self, name: str) -> Project:
        """A new, empty project."""
        id = new_id()
        self._store.change(PROJECTS.insert().values(id=id, name=_checked_name(name), created=now(), facts={}))
        self._store.project_folder(id)
        return self.get(id)

    def create_from_sample(self, sample: str, name: str = "") -> Project:
        """A new project with made-up data, their roles and hierarchies."""
        with TemporaryDirectory() as folder:
            table, hierarchies = write_sample_files(sample, Path(folder))
            project = self.create(name or sample.capitalize()).id
            asyncio.run(self._data.upload(project, table.name, as_stream([table.read_bytes()])))
            self._journal.apply(project, SAMPLE_ROLES)
            for column, file in hierarchies.items():
                stream, limit = as_stream([file.read_bytes()]), self._data.largest_upload
                draft = asyncio.run(self._files.save_upload(project, file.name, stream, limit))
                self._journal.apply(project, UseHierarchy(column, self._files.keep_hierarchy(project, draft)))
        return self.get(project)

    def rename(self, project: str, name: str) -> Project:
        """Give a project another name."""
        self._store.project(project)
        self._store.change(PROJECTS.update().where(PROJECTS.c.id == project).values(name=_checked_name(name)))
        return self.get(project)

    def delete(self, project: str) -> None:
        """Delete a project: its rows, its files, all of it."""
        self._store.project(project)
        self._runs.cancel_all(project)
        self._workers.clear_cache()
        self._store.delete_project(project)

    def _ids(self) -> list[str]:
        rows = self._store.rows(select(PROJECTS.c.id, PROJECTS.c.created).order_by(PROJECTS.c.created.desc(), PROJECTS.c.id))
        return [row["id"] for row in rows]


def _checked_name(name: str) -> str:
    clean = " ".join("".join(sign if sign.isprintable() else " " for sign in name).split())
    if not 0 < len(clean) <= LONGEST_NAME:
        raise InputError(f"a project's name has 1 to {LONGEST_NAME} characters")
    return clean


def write_sample_files(sample: str, folder: Path) -> tuple[Path, dict[str, Path]]:
    """Write a sample to a folder: its table, and its hierarchies by column."""
    if sample not in SAMPLES:
        raise ParameterError(f"there is no sample of this name; there are {', '.join(SAMPLES)}")
    from anonset.samples import write_sample

    table = write_sample(folder)
    return table, {name: folder / "hierarchies" / f"{name}.csv" for name in ("town", "items")}


LATER_PLACES = ("hierarchies", "promise", "try", "inspect", "release")


def places_of(
    facts: FileFacts | None, state: State, runs: Sequence[Run], opened: Collection[str] = ()
) -> tuple[PlaceState, ...]:
    """The six places of a project; one is done when nothing of it is open. `opened` are the runs that were looked into."""
    if facts is None or not facts.columns:
        first = PlaceState("data", False, "no data yet" if facts is None else "the file cannot be read")
        return (first, *(PlaceState(place, False, "needs data") for place in LATER_PLACES))  # type: ignore[arg-type]
    chosen = next((run for run in runs if run.id == state.release), None)
    done = [run for run in runs if run.state == "done" and run.current]
    return (
        _data(facts, state),
        _hierarchies(facts, state),
        PlaceState("promise", state.promised, _promise(facts, state)),
        PlaceState("try", bool(done), _runs(runs, done)),
        _inspect(chosen, done, opened),
        PlaceState("release", chosen is not None and bool(chosen.holds), _release(chosen, done)),
    )


def _unique(look: Mapping[str, Any], m: int) -> float | None:
    """The share of unique people by the last profile; an older store has the share alone."""
    return Exposure(**look["exposure"]).unique(m) if "exposure" in look else look.get("worst")


def _data(facts: FileFacts, state: State) -> PlaceState:
    guessed, roles = unconfirmed(facts, state), roles_of(facts, state).values()
    if guessed:
        return PlaceState("data", False, f"{facts.rows:,} rows; {len(guessed)} roles are only guessed")
    known = sum(role in ("quasi", "items") for role in roles)
    return PlaceState("data", True, f"{facts.rows:,} rows; {known} of {len(roles)} columns could be known")


def _hierarchies(facts: FileFacts, state: State) -> PlaceState:
    roles = roles_of(facts, state)
    columns = [name for name, role in roles.items() if role == "quasi"] + (["items"] if "items" in roles.values() else [])
    present = sum(name in state.hierarchies for name in columns)
    missing = len(columns) - present
    more = "; the others go by ranges and sets" if missing else ""
    return PlaceState("hierarchies", not missing, f"{present} of {len(columns)} have one{more}")


def _promise(facts: FileFacts, state: State) -> str:
    promise = state.promise
    unit = "people" if state.items.person else "records"
    if state.population != SetPopulation():
        unit = "people of the population"
    text = f"at least {promise.k} {unit} look alike"
    text += f" to someone who knows {promise.m} items" if "items" in roles_of(facts, state).values() else ""
    return text if state.promised else f"{text} (not confirmed)"


def _runs(runs: Sequence[Run], done: Sequence[Run]) -> str:
    if not runs:
        return "nothing tried yet"
    at_work = sum(run.state in ("waiting", "running") for run in runs)
    old = sum(not run.current for run in runs)
    parts = [f"{len(done)} run{'s' if len(done) != 1 else ''} to choose from"]
    parts += [f"{at_work} at work"] if at_work else []
    parts += [f"{old} of earlier decisions"] if old else []
    return "; ".join(parts)


def _inspect(chosen: Run | None, done: Sequence[Run], opened: Collection[str]) -> PlaceState:
    if chosen is not None:
        looked = chosen.id in opened
        return PlaceState("inspect", looked, "the release was looked into" if looked else "the release was not looked into yet")
    looked_into = sum(run.id in opened for run in done)
    if not done:
        return PlaceState("inspect", False, "needs a run")
    return PlaceState("inspect", bool(looked_into), f"{looked_into} of {len(done)} runs looked into")


def _release(chosen: Run | None, done: Sequence[Run]) -> str:
    if chosen is None:
        return "choose which run to release" if done else "needs a run"
    return "verified; ready to hand out" if chosen.holds else "not verified"
