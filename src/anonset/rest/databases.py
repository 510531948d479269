"""Routes of databases: tables read into a project, releases written into new tables."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from anonset.rest.bodies import Bench, Body, FileName, Id, body_chunks, file_name
from anonset.rest.problems import Documented
from anonset.rest.projects import RAW_BODY
from anonset.workbench.databases import Allowed, Database, DatabaseFile, Selection, TableFacts
from anonset.workbench.values import Project

router = APIRouter(tags=["databases"])
Name = Annotated[str, Field(min_length=1, max_length=200)]
SQLITE: Documented = {
    200: {
        "content": {"application/vnd.sqlite3": {"schema": {"type": "string", "format": "binary"}}},
        "description": "A SQLite file with one release in it.",
    }
}


class Reached(Body):
    """A database: its address without a password, and the password; or a SQLite file by the id of its upload."""

    address: Annotated[str, Field(max_length=500)] = ""
    password: Annotated[str, Field(max_length=500, json_schema_extra={"format": "password", "writeOnly": True})] = ""
    upload: Annotated[str, Field(pattern="^[0-9a-f]{16}$")] | None = None

    def named(self) -> Database:
        """The database of the request."""
        return Database(self.address, self.password, self.upload)


class TableRequest(Body):
    """A table of a database, and perhaps its item table."""

    database: Reached
    table: Name
    items_table: Name | None = None
    key: Name | None = None
    items_key: Name | None = None
    item: Name | None = None


class NewTable(Body):
    """A new table of a database."""

    database: Reached
    table: Name


@router.get("/databases")
def databases(bench: Bench) -> Allowed:
    """The databases that may be reached."""
    return bench.databases.allowed()


@router.post("/projects/{project}/databases", status_code=201, openapi_extra=RAW_BODY)
async def upload_database(bench: Bench, project: Id, request: Request, name: FileName = None) -> DatabaseFile:
    """Upload a SQLite file, and list its tables."""
    return await bench.databases.upload(project, file_name(name), body_chunks(request))


@router.post("/projects/{project}/tables")
def tables(bench: Bench, project: Id, body: Reached) -> tuple[TableFacts, ...]:
    """The tables of a database, with their columns."""
    return bench.databases.tables(project, body.named())


@router.put("/projects/{project}/data/table")
def read_table(bench: Bench, project: Id, body: TableRequest) -> Project:
    """Read a table, and its item table, into a project: a copy, as of now."""
    chosen = Selection(body.table, body.items_table, body.key, body.items_key, body.item)
    bench.databases.read_table(project, body.database.named(), chosen)
    return bench.projects.get(project)


@router.post("/projects/{project}/runs/{run}/tables", status_code=201)
def write_table(bench: Bench, project: Id, run: Id, body: NewTable) -> TableFacts:
    """Write a release into a new table, read back and verified."""
    return bench.databases.write_table(project, run, body.database.named(), body.table)


@router.get("/projects/{project}/runs/{run}/sqlite", response_class=Response, responses=SQLITE)
def sqlite_file(
    bench: Bench, project: Id, run: Id, table: Annotated[str, Query(pattern="^[A-Za-z_][A-Za-z0-9_]{0,59}$")] = "release"
) -> Response:
    """A new SQLite file with the release as its table."""
    headers = {"Content-Disposition": f'attachment; filename="{table}.db"'}
    return Response(bench.databases.sqlite_file(project, run, table), media_type="application/vnd.sqlite3", headers=headers)
