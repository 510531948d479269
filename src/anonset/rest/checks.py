"""The route for files that other tools made."""

from fastapi import APIRouter, Request

from anonset.rest.bodies import Bench, FileName, Id, body_chunks, file_name
from anonset.rest.projects import RAW_BODY
from anonset.workbench.values import Verdict

router = APIRouter(tags=["checks"])


@router.post("/projects/{project}/checks", openapi_extra=RAW_BODY)
async def check_file(bench: Bench, project: Id, request: Request, name: FileName = None, aligned: bool = False) -> Verdict:
    """Whether a file keeps the promise of a project; it is looked at beside the project's data, and not kept."""
    return await bench.check_file(project, file_name(name), body_chunks(request), aligned=aligned)
