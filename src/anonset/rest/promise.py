"""Routes of the promise: remarks, items, constraints."""

from typing import Annotated, Literal

from fastapi import APIRouter, Request
from pydantic import Field

from anonset.model.policy import ConstraintLines, LineFacts
from anonset.rest.bodies import Bench, Body, FileName, Id, ItemsetsBody, Promised, Search, Text, body_chunks, file_name
from anonset.rest.projects import RAW_BODY
from anonset.workbench.values import Remark

router = APIRouter(prefix="/projects/{project}", tags=["promise"])
Which = Annotated[str, Field(max_length=40)]


class Lines(Body):
    """Lines of items."""

    lines: Annotated[list[Annotated[list[Text], Field(max_length=5_000)]], Field(max_length=1_000)]


class ConstraintsRequest(Body):
    """Constraints to make: privacy as in pairs:0.1 or PR1, utility as in level:2, neighbours:25 or UR1."""

    privacy: Which | None = None
    utility: Which | None = None
    seed: Annotated[int, Field(ge=0, le=2**31)] = 0


@router.post("/promise/remarks")
def remarks(bench: Bench, project: Id, body: Promised) -> tuple[Remark, ...]:
    """Remarks about a promise on these data: errors, what is infeasible, warnings and notes."""
    return bench.promise.remarks(project, body.promise)


@router.post("/items/supports")
def supports(bench: Bench, project: Id, body: ItemsetsBody) -> tuple[int, ...]:
    """How many people hold all items of each set."""
    return bench.promise.supports(project, body.itemsets)


@router.post("/items/search")
def find_items(bench: Bench, project: Id, body: Search) -> tuple[tuple[str, int], ...]:
    """Items whose name contains a text, the most frequent first."""
    return bench.promise.find_items(project, body.text, body.count)


@router.post("/rules/look")
def look_at_rules(bench: Bench, project: Id, body: Lines) -> tuple[LineFacts, ...]:
    """How many people each line of items is about, and which names do not occur."""
    return bench.promise.describe_rules(project, body.lines)


@router.post("/rules/make")
def make_rules(bench: Bench, project: Id, body: ConstraintsRequest) -> ConstraintLines:
    """Constraints made from the data; the step `set_promise` stores them."""
    return bench.promise.make_rules(project, body.privacy, body.utility, seed=body.seed)


@router.post("/rules/read", openapi_extra=RAW_BODY)
async def upload_rules(
    bench: Bench, project: Id, request: Request, name: FileName = None, holds: Literal["privacy", "utility"] = "privacy"
) -> ConstraintLines:
    """The constraints in a TOML, JSON or CSV file; the file is not kept."""
    return await bench.promise.read_rules(project, file_name(name), body_chunks(request), holds)
