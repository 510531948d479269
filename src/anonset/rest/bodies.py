"""Parameters and bodies of requests, and pages of long lists."""

from collections.abc import AsyncIterator, Sequence
from typing import Annotated, Generic, Literal, TypeVar
from urllib.parse import unquote

from fastapi import Depends, Header, Path, Query, Request
from pydantic import BaseModel, ConfigDict, Field

from anonset.model.ends import Ends
from anonset.workbench import Workbench
from anonset.workbench.journal import ColumnRole, SetPromise
from anonset.workbench.store import NotFound

Id = Annotated[str, Path(pattern="^[0-9a-f]{16}$", description="The id of a project, a run or an upload.")]
FieldName = Annotated[
    str, Path(pattern="^(c[0-9]{1,5}|items)$", description="A column by its field: c0, c1, ..., or `items` for the items.")
]
Start = Annotated[int, Query(ge=0, le=2**40)]
Count = Annotated[int, Query(ge=1, le=200)]
FileName = Annotated[str | None, Header(alias="X-File-Name", max_length=600, description="The file's name, percent-encoded.")]
Key = Annotated[
    str | None, Header(alias="Idempotency-Key", min_length=1, max_length=200, description="The same key, the same run.")
]
RunId = Annotated[str, Field(pattern="^[0-9a-f]{16}$")]
Text = Annotated[str, Field(max_length=500)]
Parameter = bool | int | float | Annotated[str, Field(max_length=200)]


class Body(BaseModel):
    """A request body; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class NewProject(Body):
    """A new project: empty, or from a sample."""

    name: Annotated[str, Field(max_length=100)] = "Project"
    sample: Literal["patients"] | None = None


class Renaming(Body):
    """The new name of a project."""

    name: Annotated[str, Field(min_length=1, max_length=100)]


class Sheet(Body):
    """A sheet of a workbook."""

    sheet: Text


class Roles(Body):
    """Roles by column name."""

    roles: Annotated[dict[str, ColumnRole], Field(max_length=2_000)] = {}


class TreePlace(Body):
    """The open nodes of a tree, and the page of visible rows."""

    opened: Annotated[list[Annotated[int, Field(ge=0, le=2**31)]], Field(max_length=50_000)] = []
    start: Annotated[int, Field(ge=0, le=2**31)] = 0
    count: Annotated[int, Field(ge=1, le=1_000)] = 200


class Search(Body):
    """A text to search for."""

    text: Text = ""
    count: Annotated[int, Field(ge=1, le=200)] = 50


class ItemsetsBody(Body):
    """Sets of items."""

    itemsets: Annotated[list[Annotated[list[Text], Field(max_length=50)]], Field(max_length=1_000)]


class Promised(Body):
    """A promise, or none for the current one."""

    promise: SetPromise | None = None


class NewRun(Body):
    """A new run, by an algorithm or by the one that fits the data; values that are not given come from the promise."""

    algorithm: Annotated[str, Field(max_length=60)] | None = None
    parameters: Annotated[dict[Annotated[str, Field(max_length=60)], Parameter], Field(max_length=50)] = {}
    format: Literal["csv", "parquet", "jsonl", "fimi"] = "csv"
    margins: bool = False
    ends: Ends = "auto"
    pages: bool = True
    earlier: Annotated[
        list[RunId], Field(max_length=20, description="Runs whose releases somebody may hold too: k candidates must be left.")
    ] = []
    accept_earlier: Annotated[bool, Field(description="Publish although fewer are left; recorded.")] = False
    like: Annotated[RunId | None, Field(description="A run whose settings, hierarchies and global rules are taken over.")] = (
        None
    )


class Ladder(Body):
    """Runs for each usual k."""

    algorithm: Annotated[str, Field(max_length=60)] | None = None
    parameters: Annotated[dict[Annotated[str, Field(max_length=60)], Parameter], Field(max_length=50)] = {}


class Budget(Body):
    """The time of a recommendation, and its highest risk."""

    seconds: Annotated[float, Field(ge=1, le=3_600)] = 60.0
    max_risk: Annotated[float, Field(gt=0, le=1)] = 0.2


class Knowledge(Body):
    """What somebody knows about a person: values by column, and items."""

    values: Annotated[dict[str, Text], Field(max_length=200)] = {}
    items: Annotated[list[Text], Field(max_length=50)] = []


class Asked(Body):
    """A condition such as "age < 40 and diagnoses contains I10"; without one all records count."""

    condition: Annotated[str, Field(max_length=2_000)] = ""


class Attackers(Body):
    """The number of sampled attackers, and of items that they know."""

    m: Annotated[int, Field(ge=1, le=5)] = 2
    attackers: Annotated[int, Field(ge=1, le=5_000)] = 200
    seed: Annotated[int, Field(ge=0, le=2**31)] = 0
    earlier: Annotated[list[RunId], Field(max_length=20, description="Runs whose releases the attackers hold too.")] = []
    knows_algorithm: Annotated[
        bool, Field(description="Run the algorithm again for at most 20 people: who can be excluded by it.")
    ] = False


class Chosen(Body):
    """Runs to compare."""

    runs: Annotated[list[RunId], Field(min_length=1, max_length=50)]


def bench_of(request: Request) -> Workbench:
    """The workbench behind the API."""
    found: Workbench = request.app.state.bench
    return found


Bench = Annotated[Workbench, Depends(bench_of)]


def field_name(bench: Workbench, project: str, field: str) -> str:
    """The name of a column by its field; column names are never in addresses."""
    if field == "items":
        return field
    for column in bench.data.columns(project):
        if column.field == field:
            return column.name
    raise NotFound("there is no such column")


def file_name(header: str | None) -> str:
    """The name of an upload; it is displayed, and never used as a path."""
    return unquote(header or "") or "file"


async def body_chunks(request: Request) -> AsyncIterator[bytes]:
    """The body of a request as a stream."""
    async for chunk in request.stream():
        if chunk:
            yield chunk


T = TypeVar("T")


class Page(BaseModel, Generic[T]):
    """Some of `total` entries, from `start` on."""

    total: int
    start: int
    entries: tuple[T, ...]

    @classmethod
    def of(cls, total: int, start: int, entries: Sequence[T]) -> "Page[T]":
        """A page."""
        return cls(total=total, start=start, entries=tuple(entries))
