"""Routes that inspect a finished run and hand out its release, and the route for files of other tools."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

from anonset.model.verdict import Verdict
from anonset.rest.bodies import Asked, Attackers, Bench, Count, FileName, Id, Knowledge, Start, body_chunks, file_name
from anonset.rest.problems import Documented
from anonset.rest.projects import RAW_BODY
from anonset.workbench.values import (
    Candidates,
    ColumnChoices,
    CountBeside,
    RecordComparison,
    ReleaseComparison,
    ReleasePromise,
    ReleaseRecords,
    RepeatInstructions,
    WorstQuery,
)

router = APIRouter(prefix="/projects/{project}/runs/{run}", tags=["releases"])
PAGE: Documented = {200: {"content": {"text/html": {"schema": {"type": "string"}}}, "description": "A page."}}
ZIP: Documented = {
    200: {"content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}}, "description": "A zip."}
}
SEALED = (
    "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "img-src data:; font-src data:; frame-ancestors 'self'"
)


class FindingBody(BaseModel):
    """The check of one guarantee, with witnesses where it does not hold."""

    what: str
    holds: bool
    violations: int
    text: str
    witnesses: tuple[str, ...] = ()


class VerdictBody(BaseModel):
    """The verdict on published files."""

    holds: bool
    findings: tuple[FindingBody, ...]

    @classmethod
    def of(cls, verdict: Verdict) -> "VerdictBody":
        """A verdict as the API answers it."""
        findings = tuple(
            FindingBody(
                what=found.guarantee,
                holds=found.holds and found.checked,
                violations=found.violations,
                text=found.worst or found.state,
                witnesses=found.witnesses,
            )
            for found in verdict.findings
        )
        return cls(holds=verdict.holds, findings=findings)


@router.get("/beside")
def beside(bench: Bench, project: Id, run: Id, start: Start = 0, count: Count = 50) -> RecordComparison:
    """Records before and after, in the order of the input."""
    return bench.inspection.compare(project, run, start, count)


@router.get("/versus/{other}")
def versus(bench: Bench, project: Id, run: Id, other: Id) -> ReleaseComparison:
    """Two releases of the same data: settings, measures, and what is exact in one and not in the other."""
    return bench.inspection.compare_releases(project, run, other)


@router.get("/versus/{other}/rows")
def versus_rows(bench: Bench, project: Id, run: Id, other: Id, start: Start = 0, count: Count = 50) -> ReleaseRecords:
    """Records before and in two releases, in the order of the input."""
    return bench.inspection.compare_release_records(project, run, other, start, count)


@router.get("/story")
def story(bench: Bench, project: Id, run: Id, row: Annotated[int | None, Query(ge=0, le=2**40)] = None) -> tuple[str, ...]:
    """How a release came about, or what happened to one record."""
    return bench.inspection.story(project, run, row)


@router.get("/worst-queries")
def worst_queries(bench: Bench, project: Id, run: Id, count: Count = 10) -> tuple[WorstQuery, ...]:
    """The queries with the largest error."""
    return bench.inspection.worst_queries(project, run, count)


@router.get("/verdict")
def verdict(bench: Bench, project: Id, run: Id) -> VerdictBody:
    """Verify the published files again, now."""
    return VerdictBody.of(bench.inspection.verdict(project, run))


@router.post("/opened", status_code=204)
def opened(bench: Bench, project: Id, run: Id) -> None:
    """Remember that somebody looked into this run."""
    bench.inspection.opened(project, run)


@router.get("/promise")
def promise(bench: Bench, project: Id, run: Id) -> ReleasePromise:
    """What a run promises, and what that does not cover."""
    return bench.releases.promise(project, run)


@router.post("/candidates")
def candidates(bench: Bench, project: Id, run: Id, body: Knowledge) -> Candidates:
    """The records that fit what somebody knows, before and after."""
    return bench.inspection.candidates(project, run, body.values, body.items)


@router.post("/attack")
def attack(bench: Bench, project: Id, run: Id, body: Attackers) -> Mapping[str, Any]:
    """What sampled attackers of every kind find, before and after."""
    return bench.inspection.attack(
        project,
        run,
        m=body.m,
        attackers=body.attackers,
        seed=body.seed,
        earlier=body.earlier,
        knows_algorithm=body.knows_algorithm,
    )


@router.post("/count")
def count(bench: Bench, project: Id, run: Id, body: Asked) -> CountBeside:
    """How many records meet a condition, from the published files alone; `refused` says what is wrong with it."""
    return bench.releases.count(project, run, body.condition)


@router.post("/count/beside")
def count_beside(bench: Bench, project: Id, run: Id, body: Asked) -> CountBeside:
    """The same, with the truth."""
    return bench.inspection.count(project, run, body.condition)


@router.get("/report", response_class=Response, responses=PAGE)
def report(bench: Bench, project: Id, run: Id) -> Response:
    """The report of a run, for the owner of the data."""
    return _page(bench.releases.report(project, run))


@router.get("/certificate", response_class=Response, responses=PAGE)
def certificate(bench: Bench, project: Id, run: Id) -> Response:
    """The page that goes out with a release."""
    return _page(bench.releases.certificate(project, run))


@router.get("/bundle", response_class=Response, responses=ZIP)
def bundle(bench: Bench, project: Id, run: Id, private: bool = False) -> Response:
    """A release as a zip: what may be handed out, or all of it."""
    name = "release-private.zip" if private else "release.zip"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(
        bench.releases.bundle(project, run, private=private), media_type="application/zip", headers=headers
    )


@router.get("/again")
def again(bench: Bench, project: Id, run: Id) -> RepeatInstructions:
    """How to make the same release elsewhere."""
    return bench.releases.instructions(project, run)


@router.get("/kit", response_class=Response, responses=ZIP)
def kit(bench: Bench, project: Id, run: Id) -> Response:
    """A zip with everything that makes the release again except the data."""
    headers = {"Content-Disposition": 'attachment; filename="again.zip"'}
    return Response(bench.releases.kit(project, run), media_type="application/zip", headers=headers)


def _page(content: bytes) -> Response:
    """A page that can load nothing from elsewhere."""
    return Response(content, media_type="text/html; charset=utf-8", headers={"Content-Security-Policy": SEALED})


check_router = APIRouter(tags=["checks"])


@check_router.get("/projects/{project}/known-values", tags=["releases"])
def known_values(bench: Bench, project: Id) -> tuple[ColumnChoices, ...]:
    """What somebody can know of each column and of the items."""
    return bench.inspection.known_values(project)


@check_router.post("/projects/{project}/checks", openapi_extra=RAW_BODY)
async def check_file(bench: Bench, project: Id, request: Request, name: FileName = None, aligned: bool = False) -> VerdictBody:
    """Verify a file of another tool against the promise and the data of a project; the file is not kept."""
    verdict = await bench.inspection.check_file(project, file_name(name), body_chunks(request), aligned=aligned)
    return VerdictBody.of(verdict)
