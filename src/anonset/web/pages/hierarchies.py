"""The page Hierarchies: one column at a time, a hierarchy is built, imported, and edited as a tree."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from nicegui import ui

from anonset.web.components import DropZone, TreeView
from anonset.web.elements import ask_text, button, card, element, in_thread, note, page_head, table
from anonset.web.screen import Screen, attempt, show_error
from anonset.workbench.journal import (
    AddNode,
    BuildHierarchy,
    DeleteNode,
    EditHierarchy,
    HierarchyChoice,
    MergeNodes,
    MoveNode,
    RemoveHierarchy,
    RenameNode,
    UseHierarchy,
)
from anonset.workbench.values import FileColumn, Tree, TreeRow


async def ask_group(question: str, groups: Sequence[TreeRow]) -> int | None:
    """The group that a user picks from a list, or None."""
    options = {row.id: f"{'  ' * row.depth}{row.label}" for row in groups}
    with ui.dialog() as dialog, ui.card():
        element("h2", "", question)
        field = ui.select(options, label="Group", with_input=True).props("outlined autofocus").classes("full-width")
        with element("div", "line"):
            button("Move", lambda: dialog.submit(field.value))
            button("Cancel", lambda: dialog.submit(None), kind="bare")
    answer = await dialog
    return None if answer is None else int(answer)


BUILDER_FIELDS = {  # by builder: its description, the label of its field, and the usual value
    "balanced": ("groups of equal size, frequent values together", "Values per group", "5"),
    "frequency": ("groups with about the same number of people", "Values per group", "5"),
    "learned": ("items that occur in similar records, learned from the data", "Values per group", "5"),
    "ranges": ("ranges of equal width", "Number of ranges; then how many are merged per level", "10,2"),
    "quantiles": (
        "ranges with about the same number of people",
        "Number of ranges; then how many are merged per level",
        "10,2",
    ),
    "dates": ("dates by month, quarter and year", "", ""),
    "prefixes": ("codes by their first characters", "Lengths, longest first", "3,2,1"),
}


def draw_sources(screen: Screen, column: str, field: str, choice: HierarchyChoice | None, usual: str) -> None:
    """The cards to build or import a hierarchy."""
    with element("div", "two"):
        _build(screen, column, choice, usual)
        _import(screen, column, field)


def _build(screen: Screen, column: str, choice: HierarchyChoice | None, usual: str) -> None:
    async def build() -> None:
        numbers = str(size.value or "").replace(" ", "")
        await screen.take(BuildHierarchy(column, f"{builder.value}:{numbers}" if numbers else str(builder.value)))

    def chosen() -> None:
        _, label, value = BUILDER_FIELDS[str(builder.value)]
        size.props["label"], size.value = label, value
        size.set_visibility(bool(label))
        size.update()

    with card("Build from the values"):
        options = {name: words for name, (words, _, _) in BUILDER_FIELDS.items()}
        builder = ui.select(options, value=usual, label="Method", on_change=chosen).props("outlined").classes("full-width")
        size = ui.input(BUILDER_FIELDS[usual][1], value=BUILDER_FIELDS[usual][2]).props("outlined dense").classes("full-width")
        with element("div", "line"):
            button("Build", build, kind="quiet", icon="account_tree")
            if choice is not None:
                button("Remove this hierarchy", lambda: screen.take(RemoveHierarchy(column)), kind="bare")


def _import(screen: Screen, column: str, field: str) -> None:
    with card("Import one", lead="A CSV file: a value a line, then the groups above it. Nothing is replaced before you agree."):
        DropZone(
            f"/api/projects/{screen.id}/hierarchies/{field}/uploads",
            "Drop a hierarchy here",
            method="POST",
            on_done=lambda answer: preview.refresh(answer),
            on_failed=show_error,
        )
        preview = ui.refreshable(lambda answer: _preview(screen, column, answer, lambda: preview.refresh(None)))
        preview(None)


def _preview(screen: Screen, column: str, found: dict[str, Any] | None, leave: Callable[[], Any]) -> None:
    """Show what the upload would change."""
    if found is None:
        return
    for problem in found["problems"]:
        note(problem, "bad")
    if found["missing_count"]:
        note(
            f"{found['missing_count']:,} values of the data are not in it, for example {', '.join(found['missing'][:5])}.",
            "bad",
        )
    if found["problems"] or found["missing_count"]:
        element("p", "", "This file cannot be used. Nothing was changed.")
        return
    count = found["moved_count"]
    moved = f"{count:,} values would be in another group" if count else "no value changes its group"
    note(f"{found['leaves']:,} values in {found['nodes'] - found['leaves']:,} groups; {moved}.", "good")
    if found["moves"]:
        rows = [(move["value"], move["now"], move["then"]) for move in found["moves"]]
        table(("value", "in the group now", "then"), rows, "Values that would be in another group")
        if found["moved_count"] > len(rows):
            element("p", "soft small", f"and {found['moved_count'] - len(rows):,} more")
    with element("div", "line"):
        button("Use this hierarchy", lambda: screen.take(UseHierarchy(column, str(found["upload"]))), icon="check")
        button("Cancel", leave, kind="bare")


class TreeEditor:
    """The tree of one column, and the selected nodes."""

    def __init__(self, screen: Screen, column: str) -> None:
        self._screen, self._column = screen, column
        self._rows: dict[int, TreeRow] = {}
        self._chosen: list[int] = []

    async def draw(self) -> None:
        """Draw the tree and its tools."""
        with card():
            self._summary = ui.refreshable(self._coverage)
            self._summary(None)
            self._tools()
            self._view = TreeView(
                f"Hierarchy of {self._column}", on_select=self._select, on_move=self._move_to, on_key=self._key
            )
            element(
                "p",
                "soft small",
                "Arrow keys move, Space selects, F2 renames, Delete removes a group, Enter moves the selection.",
            )
        await self.load()

    async def load(self) -> None:
        """Read the tree again; open nodes stay open."""
        found = await attempt(self._screen.bench.hierarchies.whole_tree, self._screen.id, self._column)
        if found is not None:
            self._rows = {row.id: row for row in found.rows}
            self._view.show(found.rows)
            self._summary.refresh(found)
            self._select(self._chosen)

    def _coverage(self, found: Tree | None) -> None:
        """Show how many values there are, how many of them occur, and which are missing."""
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
            self._selection = element("span", "soft small", "nothing selected", aria_live="polite")
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
        chosen = self._rows[self._chosen[0]].label if one else f"{len(self._chosen):,} selected"
        self._selection.set_text(chosen if self._chosen else "nothing selected")  # type: ignore[attr-defined]

    async def _edit(self, *edits: Any) -> None:
        await self._screen.take(EditHierarchy(self._column, edits))

    async def _add(self) -> None:
        label = await ask_text("A new group", "Its name", action="Add")
        if label:
            await self._edit(AddNode(self._chosen[0], label))

    async def _rename(self) -> None:
        label = await ask_text("Another name", "Name of the group", self._rows[self._chosen[0]].label, action="Rename")
        if label:
            await self._edit(RenameNode(self._chosen[0], label))

    async def _move(self) -> None:
        to = await ask_group("Move to", [row for row in self._rows.values() if not row.leaf])
        if to is not None:
            await self._move_to(self._chosen, to)

    async def _move_to(self, nodes: Sequence[int], to: int) -> None:
        await self._edit(*(MoveNode(node, to) for node in nodes))

    async def _merge(self) -> None:
        label = await ask_text("Merge into one group", "Its name", self._rows[self._chosen[0]].label, action="Merge")
        if label:
            await self._edit(MergeNodes(tuple(self._chosen), label))

    async def _delete(self) -> None:
        await self._edit(*(DeleteNode(node) for node in self._chosen))

    async def _key(self, what: str) -> None:
        act = {"rename": self._rename, "move": self._move, "delete": self._delete}[what]
        if self._buttons[what].enabled:
            await act()

    async def _find(self, text: str) -> None:
        paths = await attempt(self._screen.bench.hierarchies.find, self._screen.id, self._column, text) if text else ()
        if paths:
            self._view.reveal(paths[0][-1])
        else:
            ui.notify("No group or value has this name.")

    async def _export(self) -> None:
        ui.download.content(
            await in_thread(self._screen.bench.hierarchies.export, self._screen.id, self._column), "hierarchy.csv"
        )


async def hierarchies_page(screen: Screen, column: str) -> None:
    """The hierarchy of one column, and tabs for the others; the address has the column's position, not its name."""
    page_head("Hierarchies", "A hierarchy says which group may replace a value: a town its county, a diagnosis its chapter.")
    names = await _linkable(screen)
    if not names:
        note("No column is marked as something that could be known, so none needs a hierarchy. See Data.", "")
        return
    place = int(column) if column.isdigit() and int(column) < len(names) else 0
    _tabs(screen, names, place)
    name, file_column = list(names.items())[place]
    view = HierarchyView(screen, name, file_column)
    await view.body()
    SeveralFiles(screen).draw()
    screen.on_change(view.changed)


class SeveralFiles:
    """Hierarchies for several columns at once: files or a zip, each named like its column."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._found: dict[str, dict[str, Any]] = {}
        self._body = ui.refreshable(self._draw_found)

    def draw(self) -> None:
        """Draw the drop zone, and what was dropped."""
        lead = "Drop files or a zip. Each file is named like its column, such as town.csv; items.csv is for the items."
        with card("Import hierarchies for several columns", lead=lead):
            url, prompt = f"/api/projects/{self._screen.id}/hierarchies", "Drop hierarchies here"
            DropZone(url, prompt, method="POST", several=True, on_done=self._add, on_failed=show_error)
            self._body()

    def _add(self, answer: list[dict[str, Any]]) -> None:
        self._found |= {one["file"]: one for one in answer}
        self._body.refresh()

    def _usable(self) -> list[dict[str, Any]]:
        return [one for one in self._found.values() if one["preview"] and not _why_not(one["preview"])]

    def _draw_found(self) -> None:
        if not self._found:
            return
        rows = [(one["file"], one["column"] or "–", _coverage_words(one)) for one in self._found.values()]
        table(("file", "column", "coverage"), rows, "Hierarchies that were dropped")
        if usable := self._usable():
            count = f"these {len(usable)} hierarchies" if len(usable) > 1 else "this hierarchy"
            button(f"Use {count}", self._use, icon="check")

    async def _use(self) -> None:
        usable, self._found = self._usable(), {}
        self._body.refresh()
        for one in usable:
            if not await self._screen.take(UseHierarchy(one["column"], str(one["preview"]["upload"]))):
                return


def _why_not(preview: dict[str, Any]) -> str:
    """Why an uploaded hierarchy cannot be used; empty if it can."""
    if preview["problems"]:
        return str(preview["problems"][0])
    if preview["missing_count"]:
        return f"{preview['missing_count']:,} values of the data are not in it, such as {', '.join(preview['missing'][:3])}"
    return ""


def _coverage_words(one: dict[str, Any]) -> str:
    if one["preview"] is None:
        return "✕ no column that could be known has this name"
    if reason := _why_not(one["preview"]):
        return f"✕ {reason}"
    groups = one["preview"]["nodes"] - one["preview"]["leaves"]
    return f"✓ all values of the data; {one['preview']['leaves']:,} values in {groups:,} groups"


class HierarchyView:
    """The tree of a column, if it has one, and the cards to get one; open nodes stay open when the tree changes."""

    def __init__(self, screen: Screen, name: str, column: FileColumn) -> None:
        self._screen, self._column = screen, name
        self._field = "items" if column.role == "items" else column.field
        self._usual = "ranges" if column.role == "quasi" and column.kind == "numeric" else "balanced"
        self._editor: TreeEditor | None = None
        self.body = ui.refreshable(self._draw)

    async def _choice(self) -> HierarchyChoice | None:
        state = await in_thread(self._screen.bench.journal.state, self._screen.id)
        return state.hierarchies.get(self._column)

    async def changed(self) -> None:
        """Draw the tree again."""
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
                f"{self._column} has no hierarchy. Numbers become ranges and other values become sets of values, chosen by the "
                "algorithm. Build or import a hierarchy to decide the groups yourself."
            )
        draw_sources(self._screen, self._column, self._field, choice, self._usual)


async def _linkable(screen: Screen) -> dict[str, FileColumn]:
    """The columns that could be known, and the items, by name."""
    columns = await in_thread(screen.bench.data.columns, screen.id)
    items = next(({"items": column} for column in columns if column.role == "items"), {})
    return {column.name: column for column in columns if column.role == "quasi"} | items


def _tabs(screen: Screen, names: Iterable[str], place: int) -> None:
    with element("nav", "tabs", aria_label="Columns"):
        for number, name in enumerate(names):
            current = {"aria_current": "page"} if number == place else {}
            element("a", "tab", name, href=f"/projects/{screen.id}/hierarchies?tab={number}", **current)
