"""A hierarchy as a tree that is changed by hand; every change is a step that can be undone."""

from collections.abc import Sequence
from typing import Any

from nicegui import ui

from anonset.web.components import TreeView
from anonset.web.pages.tree_dialogs import asked_group
from anonset.web.parts import asked, button, card, element, note
from anonset.web.screen import Screen, attempted
from anonset.web.waiting import answered
from anonset.workbench.journal import AddNode, DeleteNode, EditHierarchy, MergeNodes, MoveNode, RenameNode
from anonset.workbench.values import Tree, TreeRow


class TreeEditor:
    """The tree of one column, and what is chosen in it."""

    def __init__(self, screen: Screen, column: str) -> None:
        self._screen, self._column = screen, column
        self._rows: dict[int, TreeRow] = {}
        self._chosen: list[int] = []

    async def draw(self) -> None:
        """The tree with its tools."""
        with card():
            self._told_of = ui.refreshable(self._coverage)
            self._told_of(None)
            self._tools()
            self._view = TreeView(
                f"Hierarchy of {self._column}", on_select=self._select, on_move=self._move_to, on_key=self._key
            )
            element(
                "p", "soft small", "Arrow keys walk, space adds to the choice, F2 renames, Delete removes a group, Enter moves."
            )
        await self.load()

    async def load(self) -> None:
        """Read the tree again; what is open stays open."""
        found = await attempted(self._screen.bench.whole_tree, self._screen.id, self._column)
        if found is not None:
            self._rows = {row.id: row for row in found.rows}
            self._view.show(found.rows)
            self._told_of.refresh(found)
            self._select(self._chosen)

    def _coverage(self, found: Tree | None) -> None:
        """How many values there are, how many of them occur, and which are missing."""
        if found is None:
            return
        occur = found.rows[0].covered
        element(
            "p", "", f"{found.leaves:,} values in {found.nodes - found.leaves:,} groups; {occur:,} of them occur in the data."
        )
        if found.missing_count:
            note(f"{found.missing_count:,} values of the data are not in it: {', '.join(found.missing[:5])} …", "bad")

    def _tools(self) -> None:
        with element("div", "line", role="toolbar", aria_label="Change the tree"):
            self._buttons = {
                "add": button("Add a group", self._add, kind="quiet", icon="add"),
                "rename": button("Rename", self._rename, kind="quiet"),
                "move": button("Move to …", self._move, kind="quiet"),
                "merge": button("Merge", self._merge, kind="quiet"),
                "delete": button("Delete", self._delete, kind="quiet"),
            }
            self._told = element("span", "soft small", "nothing chosen", aria_live="polite")
            field = ui.input("Find").props("outlined dense clearable")
            field.on("keydown.enter", lambda: self._find(str(field.value or "")))
            button("Open all", lambda: self._view.open_all(), kind="bare")
            button("Close all", lambda: self._view.close_all(), kind="bare")
            button("Export", self._export, kind="bare", icon="download")
        self._select([])

    def _select(self, nodes: Sequence[int]) -> None:
        self._chosen = [node for node in nodes if node in self._rows]
        groups = [node for node in self._chosen if not self._rows[node].leaf]
        one = len(self._chosen) == 1
        able = {
            "add": one and bool(groups),
            "rename": one and bool(groups),
            "move": bool(self._chosen),
            "merge": len(self._chosen) > 1,
            "delete": bool(self._chosen),
        }
        for name, made in self._buttons.items():
            made.set_enabled(able[name])
        chosen = self._rows[self._chosen[0]].label if one else f"{len(self._chosen):,} chosen"
        self._told.set_text(chosen if self._chosen else "nothing chosen")  # type: ignore[attr-defined]

    async def _edit(self, *edits: Any) -> None:
        await self._screen.take(EditHierarchy(self._column, edits))

    async def _add(self) -> None:
        label = await asked("A new group", "Its name", action="Add")
        if label:
            await self._edit(AddNode(self._chosen[0], label))

    async def _rename(self) -> None:
        label = await asked("Another name", "Name of the group", self._rows[self._chosen[0]].label, action="Rename")
        if label:
            await self._edit(RenameNode(self._chosen[0], label))

    async def _move(self) -> None:
        to = await asked_group("Move to", [row for row in self._rows.values() if not row.leaf])
        if to is not None:
            await self._move_to(self._chosen, to)

    async def _move_to(self, nodes: Sequence[int], to: int) -> None:
        await self._edit(*(MoveNode(node, to) for node in nodes))

    async def _merge(self) -> None:
        label = await asked("Merge into one group", "Its name", self._rows[self._chosen[0]].label, action="Merge")
        if label:
            await self._edit(MergeNodes(tuple(self._chosen), label))

    async def _delete(self) -> None:
        await self._edit(*(DeleteNode(node) for node in self._chosen))

    async def _key(self, what: str) -> None:
        act = {"rename": self._rename, "move": self._move, "delete": self._delete}[what]
        if self._buttons[what].enabled:
            await act()

    async def _find(self, text: str) -> None:
        ways = await attempted(self._screen.bench.find_in_tree, self._screen.id, self._column, text) if text else ()
        if ways:
            self._view.reveal(ways[0][-1])
        else:
            ui.notify("nothing of this name")

    async def _export(self) -> None:
        ui.download.content(await answered(self._screen.bench.export_hierarchy, self._screen.id, self._column), "hierarchy.csv")
