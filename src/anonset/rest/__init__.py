"""The REST API of the workbench: routes parse a request, call a service and return its result."""

from typing import Any

from fastapi import FastAPI

from anonset import __version__
from anonset.rest import databases, hierarchies, people, problems, projects, promise, releases, runs
from anonset.workbench import Workbench

ABOUT = """Everything that the workbench can do.

Errors are problem+json. Uploads and downloads are streams. Column names and values are in bodies, never in addresses.

Programs send a token: `Authorization: Bearer TOKEN`. It is the token of the server or, on a server with accounts, the token of
an account (`anonset accounts token NAME`). Pages have a session, the cookie of /login; what changes something then needs the
header X-CSRF-Token too. What an account may do depends on its role (look, run or release); anything else is 403.
"""
AUTHENTICATION = {
    "token": {"type": "http", "scheme": "bearer", "description": "The token of the server, or of an account."},
    "session": {"type": "apiKey", "in": "cookie", "name": "anonset_session", "description": "The session of a browser."},
}


REFERENCE = "#/components/schemas/"
SCHEMA_NAMES = {  # of the document, where a class has another name
    "ConstraintLines": "Rules",
    "ExactCounts": "Kept",
    "FileColumn": "Column",
    "FindingBody": "Finding",
    "HierarchyPreview": "Preview",
    "ItemsetsBody": "Itemsets",
    "LineFacts": "RuleFacts",
    "PlaceState": "Rail",
    "RecordComparison": "Beside",
    "RecordPage": "Rows",
    "ReleaseComparison": "Versus",
    "ReleaseRecords": "Threefold",
    "RepeatInstructions": "Again",
    "RunPoint": "Point",
    "VerdictBody": "Verdict",
}


class Api(FastAPI):
    """An application whose document keeps its schema names when classes are renamed."""

    def openapi(self) -> dict[str, Any]:
        """The OpenAPI document."""
        if self.openapi_schema is None:
            document = super().openapi()
            schemas = document["components"]["schemas"]
            document["components"]["schemas"] = {SCHEMA_NAMES.get(name, name): schemas[name] for name in schemas}
            document["components"]["securitySchemes"] = AUTHENTICATION
            document["security"] = [{name: []} for name in AUTHENTICATION]
            self.openapi_schema = _with_public_names(document)
        return self.openapi_schema


def _with_public_names(part: Any) -> Any:
    """The same part of a document with titles and references by their public names."""
    if isinstance(part, dict):
        return {
            key: SCHEMA_NAMES.get(v, v) if key == "title" and isinstance(v, str) else _with_public_names(v)
            for key, v in part.items()
        }
    if isinstance(part, list):
        return [_with_public_names(entry) for entry in part]
    if isinstance(part, str) and part.startswith(REFERENCE):
        name = part.removeprefix(REFERENCE)
        return REFERENCE + SCHEMA_NAMES.get(name, name)
    return part


def create_api(bench: Workbench) -> FastAPI:
    """The API of a workbench, an application of its own that is mounted at /api."""
    api = Api(
        title="anonset",
        version=__version__,
        description=ABOUT,
        docs_url=None,
        redoc_url=None,
        openapi_url="/openapi.json",
        responses=problems.DOCUMENTED,
        separate_input_output_schemas=False,
    )
    api.state.bench = bench
    problems.install(api)
    for part in (projects, hierarchies, runs, releases):
        api.include_router(part.router)
    api.include_router(releases.check_router)
    for part in (databases, promise, people):
        api.include_router(part.router)

    @api.get("/", include_in_schema=False)
    def index() -> dict[str, str]:
        return {"openapi": "/api/openapi.json", "version": __version__}

    return api
