"""Hierarchies: the groups that values may be shown as, one column at a time."""

from collections.abc import Iterable

from nicegui import ui

from anonset.web.pages.tree_editor import TreeEditor
from anonset.web.pages.tree_sources import draw_sources
from anonset.web.parts import element, note, page_head
from anonset.web.screen import Screen
from anonset.web.waiting import answered
from anonset.workbench.journal import HierarchyChoice
from anonset.workbench.values import Column


async def hierarchies_page(screen: Screen, column: str) -> None:
    """The hierarchy of one column, the others a click away; the address has the column's place, not its name."""
    page_head(
        "Hierarchies", "A value may be shown as a group that it belongs to: a town as its county, a diagnosis as its chapter."
    )
    names = await _wanted(screen)
    if not names:
        note("No column could be known, so none needs a hierarchy. See Data.", "")
        return
    place = int(column) if column.isdigit() and int(column) < len(names) else 0
    _tabs(screen, names, place)
    name, column_shown = list(names.items())[place]
    shown = HierarchyView(screen, name, column_shown)
    await shown.body()
    screen.on_change(shown.changed)


class HierarchyView:
    """The tree of a column, if it has one, and where to get one; a changed tree stays as open as it was."""

    def __init__(self, screen: Screen, name: str, column: Column) -> None:
        self._screen, self._column = screen, name
        self._field = "items" if column.role == "items" else column.field
        self._usual = "ranges" if column.role == "quasi" and column.kind == "numeric" else "balanced"
        self._editor: TreeEditor | None = None
        self.body = ui.refreshable(self._draw)

    async def _choice(self) -> HierarchyChoice | None:
        state = await answered(self._screen.bench.state, self._screen.id)
        return state.hierarchies.get(self._column)

    async def changed(self) -> None:
        """Show the tree as it is now."""
        if self._editor is None or await self._choice() is None:
            await self.body.refresh()
        else:
            await self._editor.load()

    async def _draw(self) -> None:
        choice = await self._choice()
        self._editor = TreeEditor(self._screen, self._column) if choice is not None else None
        if self._editor is not None:
            await self._editor.draw()
        else:
            note(
                f"{self._column} has no hierarchy. Numbers go by ranges, other values by sets of them; "
                "build or import one to say which."
            )
        draw_sources(self._screen, self._column, self._field, choice, self._usual)


async def _wanted(screen: Screen) -> dict[str, Column]:
    """The columns that could be known, and the items, by name."""
    columns = await answered(screen.bench.columns, screen.id)
    items = next(({"items": column} for column in columns if column.role == "items"), {})
    return {column.name: column for column in columns if column.role == "quasi"} | items


def _tabs(screen: Screen, names: Iterable[str], place: int) -> None:
    with element("nav", "tabs", aria_label="Columns"):
        for number, name in enumerate(names):
            current = {"aria_current": "page"} if number == place else {}
            element("a", "tab", name, href=f"/projects/{screen.id}/hierarchies?tab={number}", **current)
