"""The REST API of the workbench: parse, call the workbench, show."""

from fastapi import FastAPI

from anonset import __version__
from anonset.rest import databases, hierarchies, problems, projects, releases, rules, runs
from anonset.workbench import Workbench

ABOUT = """Everything that the workbench can do.

Errors are problem+json. Uploads and downloads are streams. What names people stays out of addresses: it travels in bodies.
"""


def create_api(bench: Workbench) -> FastAPI:
    """The API over a workbench, an application of its own: to be mounted at /api."""
    api = FastAPI(
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
    for part in (databases, rules):
        api.include_router(part.router)

    @api.get("/", include_in_schema=False)
    def index() -> dict[str, str]:
        return {"openapi": "/api/openapi.json", "version": __version__}

    return api
