"""The workbench's part for hierarchies."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

from anonset.errors import InputError
from anonset.model.builders import BUILDERS, is_spec
from anonset.workbench.data_part import DataPart
from anonset.workbench.foundation import LARGEST_HIERARCHY
from anonset.workbench.orders import Reading
from anonset.workbench.state import after
from anonset.workbench.steps import BuildHierarchy, EditHierarchy, UseHierarchy
from anonset.workbench.store import new_id
from anonset.workbench.values import Preview, Tree

MOST_ROWS = 1_000
MOST_NODES = 200_000  # of a tree that a page gets whole


class TreePart(DataPart):
    """Hierarchies: built, uploaded, changed, looked at."""

    def builders(self) -> tuple[str, ...]:
        """How hierarchies can be built, as it is to be written."""
        return tuple(builder.usage for builder in BUILDERS.values())

    def tree(self, project: str, column: str, opened: Sequence[int] = (), start: int = 0, count: int = 200) -> Tree:
        """The visible rows of a hierarchy: the root, and what is below opened nodes; only the root's where none is named."""
        return self._tree(project, column, opened, start, min(count, MOST_ROWS))

    def _tree(self, project: str, column: str, opened: Sequence[int], start: int, count: int) -> Tree:
        reading = self._with_tree(project, column)
        state = self.journal.state(project)
        cut: list[str] = []
        if state.release is not None:
            folder = self._runs.folder(project, state.release)
            cut = self._ask("cut", reading=reading, folder=folder, column=column) if folder.exists() else []
        where = {"column": column, "opened": opened, "start": start, "count": count}
        found: Tree = self._ask("tree", self._names(project), reading=reading, cut=cut, **where)
        return found

    def whole_tree(self, project: str, column: str) -> Tree:
        """All rows of a hierarchy at once, for a page that opens and closes them by itself."""
        return self._tree(project, column, range(MOST_NODES), 0, MOST_NODES)

    def find_in_tree(self, project: str, column: str, text: str) -> tuple[tuple[int, ...], ...]:
        """The ways from the root to at most 20 nodes whose label holds a text."""
        found = self._ask("find", self._names(project), reading=self._with_tree(project, column), column=column, text=text)
        return tuple(tuple(way) for way in found)

    async def upload_hierarchy(self, project: str, column: str, name: str, chunks: AsyncIterator[bytes]) -> Preview:
        """Keep a hierarchy file and say what it would change; `UseHierarchy` with its id then takes it."""
        draft, _, shown = await self._projects.save(project, name, chunks, LARGEST_HIERARCHY)
        upload = self._projects.keep_hierarchy(project, draft, shown)
        return await asyncio.to_thread(self.preview_hierarchy, project, column, upload)

    def preview_hierarchy(self, project: str, column: str, upload: str) -> Preview:
        """What an uploaded hierarchy would change."""
        name = self._projects.upload_name(project, upload)
        reading = self._projects.reading(project)
        found: Preview = self._ask("preview", self._names(project), reading=reading, column=column, upload=upload, name=name)
        return found

    def export_hierarchy(self, project: str, column: str) -> bytes:
        """The hierarchy of a column as a file: a value a line, then the groups above it."""
        reading = self._with_tree(project, column)
        file = reading.folder / f"export-{new_id()}.csv"
        try:
            self._ask("export", self._names(project), reading=reading, column=column, file=file)
            return file.read_bytes()
        finally:
            file.unlink(missing_ok=True)

    def _with_tree(self, project: str, column: str) -> Reading:
        reading = self._projects.reading(project)
        if column not in reading.hierarchies:
            raise InputError("this column has no hierarchy")
        return reading

    def _check_step(self, project: str, step: Any) -> None:
        if not isinstance(step, BuildHierarchy | UseHierarchy | EditHierarchy):
            super()._check_step(project, step)
            return
        if isinstance(step, BuildHierarchy) and not is_spec(step.how):
            raise InputError(f"a hierarchy to build must be one of {' '.join(self.builders())}")
        if isinstance(step, EditHierarchy) and step.column not in self.journal.state(project).hierarchies:
            raise InputError("this column has no hierarchy to change")
        if isinstance(step, UseHierarchy) and not (found := self.preview_hierarchy(project, step.column, step.upload)).usable:
            raise InputError(_against(found))
        reading = self._projects.reading(project, after(self.journal.state(project), step))
        if step.column not in reading.hierarchies:
            raise InputError("a hierarchy is for a column that could be known, or for the items")
        self._ask("check_edit", self._names(project), reading=reading, column=step.column)


def _against(found: Preview) -> str:
    if found.problems:
        return f"this hierarchy cannot be used: {found.problems[0]}"
    return f"this hierarchy cannot be used: {found.missing_count} values of the data are not in it; what was there stays"
