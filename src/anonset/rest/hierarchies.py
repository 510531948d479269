"""Routes of hierarchies."""

from fastapi import APIRouter, Request, Response

from anonset.rest.bodies import Bench, FieldName, FileName, Id, Search, TreePlace, body_chunks, field_name, file_name
from anonset.rest.problems import Documented
from anonset.rest.projects import RAW_BODY
from anonset.workbench.values import HierarchyPreview, NamedPreview, Tree

router = APIRouter(tags=["hierarchies"])
CSV: Documented = {
    200: {"content": {"text/csv": {"schema": {"type": "string"}}}, "description": "A value a line, then the groups above it."}
}


@router.get("/hierarchies/builders")
def builders(bench: Bench) -> tuple[str, ...]:
    """The hierarchy builders."""
    return bench.hierarchies.builders()


@router.get("/projects/{project}/hierarchies/{field}", response_class=Response, responses=CSV)
def export_hierarchy(bench: Bench, project: Id, field: FieldName) -> Response:
    """The hierarchy of a column as a file."""
    content = bench.hierarchies.export(project, field_name(bench, project, field))
    headers = {"Content-Disposition": f'attachment; filename="{field}.csv"'}
    return Response(content, media_type="text/csv", headers=headers)


@router.post("/projects/{project}/hierarchies/{field}/rows")
def tree(bench: Bench, project: Id, field: FieldName, body: TreePlace) -> Tree:
    """The visible rows of a hierarchy, with support and coverage."""
    return bench.hierarchies.tree(project, field_name(bench, project, field), body.opened, body.start, body.count)


@router.get("/projects/{project}/hierarchies/{field}/rows")
def whole_tree(bench: Bench, project: Id, field: FieldName) -> Tree:
    """All rows of a hierarchy at once."""
    return bench.hierarchies.whole_tree(project, field_name(bench, project, field))


@router.post("/projects/{project}/hierarchies/{field}/search")
def find_in_tree(bench: Bench, project: Id, field: FieldName, body: Search) -> tuple[tuple[int, ...], ...]:
    """The paths to nodes whose label contains a text."""
    return bench.hierarchies.find(project, field_name(bench, project, field), body.text)


@router.post("/projects/{project}/hierarchies/{field}/uploads", status_code=201, openapi_extra=RAW_BODY)
async def upload_hierarchy(
    bench: Bench, project: Id, field: FieldName, request: Request, name: FileName = None
) -> HierarchyPreview:
    """Keep a hierarchy file, and say what it would change; the step `use_hierarchy` uses it."""
    return await bench.hierarchies.upload(project, field_name(bench, project, field), file_name(name), body_chunks(request))


@router.post("/projects/{project}/hierarchies", status_code=201, openapi_extra=RAW_BODY)
async def upload_hierarchies(bench: Bench, project: Id, request: Request, name: FileName = None) -> tuple[NamedPreview, ...]:
    """Keep a hierarchy file, or those in a zip, each for the column that its name says; `use_hierarchy` uses them."""
    return await bench.hierarchies.upload_several(project, file_name(name), body_chunks(request))


@router.get("/projects/{project}/hierarchies/{field}/uploads/{upload}")
def preview_hierarchy(bench: Bench, project: Id, field: FieldName, upload: Id) -> HierarchyPreview:
    """What an uploaded hierarchy would change."""
    return bench.hierarchies.preview(project, field_name(bench, project, field), upload)
