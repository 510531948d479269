"""Errors as problem+json: what is wrong and how to fix it, without values of the data and without tracebacks."""

import logging
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from anonset.errors import AnonsetError, Cancelled, GuaranteeViolated, InfeasibleError
from anonset.workbench.files import TooLarge
from anonset.workbench.permissions import NotPermitted
from anonset.workbench.store import NotFound

LOG = logging.getLogger("anonset.rest")
MEDIA_TYPE = "application/problem+json"
STATUS: dict[type[AnonsetError], int] = {
    NotPermitted: 403,
    NotFound: 404,
    TooLarge: 413,
    InfeasibleError: 409,
    GuaranteeViolated: 409,
    Cancelled: 409,
}


class ProblemDetails(BaseModel):
    """What went wrong."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str


Documented = dict[int | str, dict[str, Any]]
DOCUMENTED: Documented = {
    "4XX": {
        "description": "The request cannot be met; `detail` says why.",
        "content": {MEDIA_TYPE: {"schema": ProblemDetails.model_json_schema()}},
    }
}


def problem(status: int, title: str, detail: str, headers: dict[str, str] | None = None) -> JSONResponse:
    """A problem as a response."""
    body = ProblemDetails(title=title, status=status, detail=detail).model_dump()
    return JSONResponse(body, status, headers=headers, media_type=MEDIA_TYPE)


def install(api: FastAPI) -> None:
    """Install the error handlers of an API."""

    @api.exception_handler(AnonsetError)
    def deliberate(request: Request, error: AnonsetError) -> JSONResponse:
        status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), None)
        status = status or (422 if error.exit_code == 2 else 503)
        return problem(status, type(error).__name__, " ".join(str(error).split()))

    @api.exception_handler(RequestValidationError)
    def malformed(request: Request, error: RequestValidationError) -> JSONResponse:
        detail = "; ".join(f"{_place(part['loc'])}: {_complaint(part)}" for part in error.errors()[:3])
        return problem(422, "RequestError", detail)

    @api.exception_handler(HTTPException)
    def unknown(request: Request, error: HTTPException) -> JSONResponse:
        return problem(error.status_code, "RequestError", str(error.detail), dict(error.headers or {}))

    @api.exception_handler(Exception)
    def unexpected(request: Request, error: Exception) -> JSONResponse:
        return problem(500, "InternalError", f"internal error: {where(error)}")


def where(error: BaseException) -> str:
    """The kind and the place of an error, without its message, which may quote the data."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    line = f" in {place.tb_frame.f_globals.get('__name__', '?')}, line {place.tb_lineno}" if place is not None else ""
    return f"{type(error).__name__}{line}"


def _place(loc: tuple[int | str, ...]) -> str:
    """The place of an error in a request, without keys that a user chose."""
    return ".".join(str(part) for part in loc[:2] if isinstance(part, str) and part.isidentifier() and len(part) < 30)


def _complaint(part: dict[str, Any]) -> str:
    """The error of a value, without the value."""
    if part["type"] == "union_tag_invalid":
        return f"one of {part['ctx']['expected_tags']} is expected"
    return str(part["msg"])
