"""Routes of projects: data, roles, steps."""

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool

from anonset.rest.bodies import (
    Bench,
    Count,
    FileName,
    Id,
    NewProject,
    Page,
    Renaming,
    Roles,
    Sheet,
    Start,
    body_chunks,
    file_name,
)
from anonset.workbench.journal import Entry, State, Step
from anonset.workbench.values import Exposure, FileColumn, PopulationFile, Project, RecordPage

router = APIRouter()
RAW_BODY = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


@router.get("/samples", tags=["projects"])
def samples(bench: Bench) -> Mapping[str, str]:
    """The samples by name."""
    return bench.projects.samples()


@router.get("/projects", tags=["projects"])
def projects(bench: Bench, start: Start = 0, count: Count = 50) -> Page[Project]:
    """The projects, the newest first."""
    return Page.of(bench.projects.count(), start, bench.projects.page(start, count))


@router.post("/projects", tags=["projects"], status_code=201)
def create(bench: Bench, body: NewProject, response: Response) -> Project:
    """A new project: empty, or with a sample in it."""
    given = body.name if "name" in body.model_fields_set else ""
    made = bench.projects.create(body.name) if body.sample is None else bench.projects.create_from_sample(body.sample, given)
    response.headers["Location"] = f"/api/projects/{made.id}"
    return made


@router.get("/projects/{project}", tags=["projects"])
def project(bench: Bench, project: Id) -> Project:
    """A project with the state of its places."""
    return bench.projects.get(project)


@router.patch("/projects/{project}", tags=["projects"])
def rename(bench: Bench, project: Id, body: Renaming) -> Project:
    """Give a project another name."""
    return bench.projects.rename(project, body.name)


@router.delete("/projects/{project}", tags=["projects"], status_code=204)
def delete(bench: Bench, project: Id) -> None:
    """Delete a project: its rows, its files, all of it."""
    bench.projects.delete(project)


@router.put("/projects/{project}/data", tags=["data"], openapi_extra=RAW_BODY)
async def upload(bench: Bench, project: Id, request: Request, name: FileName = None) -> Project:
    """Stream a file into a project; its content decides the format, and all its problems are listed."""
    await bench.data.upload(project, file_name(name), body_chunks(request))
    return await run_in_threadpool(bench.projects.get, project)


@router.post("/projects/{project}/populations", tags=["data"], status_code=201, openapi_extra=RAW_BODY)
async def upload_population(bench: Bench, project: Id, request: Request, name: FileName = None) -> PopulationFile:
    """Keep a file of the population that the records were taken from; the step `set_population` has it counted."""
    return await bench.data.upload_population(project, file_name(name), body_chunks(request))


@router.put("/projects/{project}/data/sheet", tags=["data"])
def take_sheet(bench: Bench, project: Id, body: Sheet) -> Project:
    """Read another sheet of the workbook that was sent: `file.sheets` of the project has their names."""
    bench.data.take_sheet(project, body.sheet)
    return bench.projects.get(project)


@router.get("/projects/{project}/data/rows", tags=["data"])
def rows(bench: Bench, project: Id, start: Start = 0, count: Count = 100) -> RecordPage:
    """A page of the records as they were uploaded."""
    return bench.data.rows(project, start, count)


@router.get("/projects/{project}/columns", tags=["data"])
def columns(bench: Bench, project: Id) -> tuple[FileColumn, ...]:
    """The columns with their roles, as decided or guessed."""
    return bench.data.columns(project)


@router.get("/projects/{project}/profile", tags=["data"])
def profile(bench: Bench, project: Id) -> Mapping[str, Any]:
    """Facts about each column and about the items."""
    return bench.data.profile(project)


@router.post("/projects/{project}/exposure", tags=["data"])
def exposure(bench: Bench, project: Id, body: Roles) -> Exposure:
    """The shares of people who are unique in the original data, under the current roles or under others."""
    return bench.data.exposure(project, body.roles or None)


@router.get("/projects/{project}/state", tags=["steps"])
def state(bench: Bench, project: Id) -> State:
    """The current decisions."""
    return bench.journal.state(project)


@router.get("/projects/{project}/steps", tags=["steps"])
def history(bench: Bench, project: Id, start: Start = 0, count: Count = 200) -> Page[Entry]:
    """The journal; the next new step deletes the undone steps at its end."""
    entries = bench.journal.entries(project)
    return Page.of(len(entries), start, entries[start : start + count])


@router.post("/projects/{project}/steps", tags=["steps"], status_code=201)
def apply(bench: Bench, project: Id, step: Step) -> State:
    """Take a step, if it is possible."""
    return bench.journal.apply(project, step)


@router.post("/projects/{project}/undo", tags=["steps"])
def undo(bench: Bench, project: Id) -> State:
    """Undo the last step."""
    return bench.journal.undo(project)


@router.post("/projects/{project}/redo", tags=["steps"])
def redo(bench: Bench, project: Id) -> State:
    """Redo the step that was undone last."""
    return bench.journal.redo(project)
