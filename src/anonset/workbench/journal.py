"""The one journal of a project: steps are added, undone and done again; nothing else changes its state."""

from typing import Any

from sqlalchemy import select

from anonset.errors import InputError
from anonset.workbench.state import State, folded
from anonset.workbench.steps import Entry, plain, sentence, step_from
from anonset.workbench.store import STEPS, Store, now


class Journal:
    """The steps of projects in a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def entries(self, project: str) -> tuple[Entry, ...]:
        """All steps, the undone ones at the end."""
        rows = self._store.rows(select(STEPS).where(STEPS.c.project == project).order_by(STEPS.c.number))
        steps = [step_from(row["body"]) for row in rows]
        return tuple(
            Entry(row["number"], row["at"], sentence(step), row["undone"], step) for row, step in zip(rows, steps, strict=True)
        )

    def state(self, project: str) -> State:
        """What the steps that hold add up to."""
        return folded(entry.step for entry in self.entries(project) if not entry.undone)

    def add(self, project: str, step: Any) -> None:
        """Add a step; what was undone cannot be done again then."""
        held = [entry.number for entry in self.entries(project) if not entry.undone]
        here = STEPS.c.project == project
        self._store.change(
            STEPS.delete().where(here, STEPS.c.undone),
            STEPS.insert().values(project=project, number=max(held, default=0) + 1, at=now(), undone=False, body=plain(step)),
        )

    def undo(self, project: str) -> None:
        """Take the last step back."""
        self._mark([entry.number for entry in self.entries(project) if not entry.undone][-1:], project, undone=True)

    def redo(self, project: str) -> None:
        """Do the first undone step again."""
        self._mark([entry.number for entry in self.entries(project) if entry.undone][:1], project, undone=False)

    def _mark(self, numbers: list[int], project: str, *, undone: bool) -> None:
        if not numbers:
            raise InputError("there is nothing to undo" if undone else "there is nothing to do again")
        here = (STEPS.c.project == project, STEPS.c.number == numbers[0])
        self._store.change(STEPS.update().where(*here).values(undone=undone))
