"""The audit log: who did what, when; kept in the store, and not deleted with a project."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, fields

from sqlalchemy import func, select

from anonset.workbench.store import AUDIT, Store, now

LONGEST_DETAIL = 500
OWNER = "owner"  # who is at the workbench where there are no accounts


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One line of the log; `detail` has no values of the data."""

    number: int
    at: str
    person: str
    action: str
    project: str
    run: str
    detail: str


class AuditLog:
    """The audit log of a store; entries are only added."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add(self, person: str, action: str, *, project: str = "", run: str = "", detail: str = "") -> None:
        """Add an entry, at the present time."""
        detail = " ".join(detail.split())[:LONGEST_DETAIL]
        values = {"at": now(), "person": person or OWNER, "action": action, "project": project, "run": run, "detail": detail}
        self._store.record(AUDIT.insert().values(values))

    def count(self) -> int:
        """The number of entries."""
        return int(self._store.rows(select(func.count().label("entries")).select_from(AUDIT))[0]["entries"])

    def page(self, start: int = 0, count: int = 200) -> tuple[AuditEntry, ...]:
        """Some of the entries, the newest first."""
        query = select(AUDIT).order_by(AUDIT.c.number.desc()).offset(start).limit(count)
        return tuple(AuditEntry(**row) for row in self._store.rows(query))

    def all(self) -> tuple[AuditEntry, ...]:
        """All entries, the oldest first."""
        return tuple(AuditEntry(**row) for row in self._store.rows(select(AUDIT).order_by(AUDIT.c.number)))


def as_csv(entries: Sequence[AuditEntry]) -> str:
    """Entries as CSV; no cell is taken for a formula."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = [f.name for f in fields(AuditEntry)]
    writer.writerow(names)
    for entry in entries:
        writer.writerow([_plain(getattr(entry, name)) for name in names])
    return out.getvalue()


def _plain(value: object) -> str:
    text = str(value)
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text
