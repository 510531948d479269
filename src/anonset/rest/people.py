"""Routes of people: who one is, and the audit log."""

from fastapi import APIRouter, Response

from anonset.rest.bodies import Bench, Count, Page, Start
from anonset.rest.problems import Documented
from anonset.workbench.accounts import Account
from anonset.workbench.audit import AuditEntry, as_csv
from anonset.workbench.permissions import person

router = APIRouter(tags=["people"])
CSV: Documented = {200: {"content": {"text/csv": {"schema": {"type": "string"}}}, "description": "A table."}}


@router.get("/account")
def account(bench: Bench) -> Account | None:
    """The account that requests are made with; null where the server has no accounts."""
    name = person()
    return None if name is None else bench.accounts.get(name)


@router.get("/audit")
def audit(bench: Bench, start: Start = 0, count: Count = 50) -> Page[AuditEntry]:
    """The audit log, the newest entry first; it takes an account that may release."""
    return Page.of(bench.audit.count(), start, bench.audit.page(start, count))


@router.get("/audit/csv", response_class=Response, responses=CSV)
def audit_csv(bench: Bench) -> Response:
    """The whole audit log as CSV, the oldest entry first."""
    headers = {"Content-Disposition": 'attachment; filename="audit.csv"'}
    return Response(as_csv(bench.audit.all()), media_type="text/csv; charset=utf-8", headers=headers)
