"""Routes of runs: the queue and the map."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from anonset.model.suitability import Suitability
from anonset.rest.bodies import Bench, Budget, Chosen, Count, Id, Key, Ladder, NewRun, Page, Start
from anonset.workbench.values import Run, RunPoint

router = APIRouter(tags=["runs"])


@router.get("/algorithms")
def algorithms(bench: Bench) -> Mapping[str, Any]:
    """The algorithms by id, with everything that each declares."""
    return bench.runs.algorithms()


@router.get("/projects/{project}/runs")
def runs(bench: Bench, project: Id, start: Start = 0, count: Count = 50) -> Page[Run]:
    """The runs of a project, the last one first."""
    found = bench.runs.all(project)
    return Page.of(len(found), start, found[start : start + count])


@router.post("/projects/{project}/runs", status_code=202)
def start(bench: Bench, project: Id, body: NewRun, response: Response, key: Key = None) -> Run:
    """Queue a run; a retry with the same Idempotency-Key is the same run."""
    made = bench.runs.start(
        project,
        body.algorithm,
        body.parameters,
        format=body.format,
        margins=body.margins,
        ends=body.ends,
        key=key,
        pages=body.pages,
        earlier=body.earlier,
        accept_earlier=body.accept_earlier,
        like=body.like,
    )
    response.headers["Location"] = f"/api/projects/{project}/runs/{made.id}"
    return made


@router.post("/projects/{project}/recommendations", status_code=202)
def recommend(bench: Bench, project: Id, body: Budget, response: Response, key: Key = None) -> Run:
    """Queue a search for the best release within a risk."""
    made = bench.runs.recommend(project, seconds=body.seconds, max_risk=body.max_risk, key=key)
    response.headers["Location"] = f"/api/projects/{project}/runs/{made.id}"
    return made


@router.post("/projects/{project}/ladder", status_code=202)
def ladder(bench: Bench, project: Id, body: Ladder) -> tuple[Run, ...]:
    """Queue a run for each usual k that has none yet."""
    return bench.runs.ladder(project, body.algorithm, body.parameters)


@router.get("/projects/{project}/algorithms")
def suitable(bench: Bench, project: Id) -> tuple[Suitability, ...]:
    """What each algorithm is for, and why it is not for these data."""
    return bench.runs.suitable(project)


@router.post("/projects/{project}/presets", status_code=202)
def three(bench: Bench, project: Id) -> tuple[Run, ...]:
    """Queue a run for each of three settings that are worth comparing, where there is none yet."""
    return bench.runs.three(project)


@router.get("/projects/{project}/presets")
def presets(bench: Bench, project: Id) -> tuple[Run, ...]:
    """The runs of the three settings."""
    return bench.runs.presets(project)


@router.get("/projects/{project}/points")
def points(
    bench: Bench,
    project: Id,
    loss: Annotated[str, Query(pattern="^[a-z0-9-]{1,40}$")] = "are",
    max_risk: Annotated[float, Query(gt=0, le=1)] = 0.2,
) -> tuple[RunPoint, ...]:
    """The map of risk and utility."""
    return bench.runs.points(project, loss, max_risk)


@router.post("/projects/{project}/differences")
def differences(bench: Bench, project: Id, body: Chosen) -> Mapping[str, Mapping[str, Any]]:
    """The settings and measures that differ between runs."""
    return bench.runs.differences(project, body.runs)


@router.get("/projects/{project}/runs/{run}")
def run(bench: Bench, project: Id, run: Id) -> Run:
    """One run."""
    return bench.runs.get(project, run)


@router.delete("/projects/{project}/runs/{run}", status_code=204)
def forget(bench: Bench, project: Id, run: Id) -> None:
    """Delete a run and its release."""
    bench.runs.delete(project, run)


@router.post("/projects/{project}/runs/{run}/cancel")
def cancel(bench: Bench, project: Id, run: Id) -> Run:
    """Stop a run; nothing of it is left."""
    return bench.runs.cancel(project, run)


@router.post("/projects/{project}/runs/{run}/restart", status_code=202)
def restart(bench: Bench, project: Id, run: Id) -> Run:
    """Queue a run again that was interrupted, cancelled or failed."""
    return bench.runs.restart(project, run)
