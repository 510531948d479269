"""Where a hierarchy comes from: built from the values, or imported, after a look at what would change."""

from collections.abc import Callable
from typing import Any

from nicegui import ui

from anonset.web.components import DropZone
from anonset.web.parts import button, card, element, note, table
from anonset.web.screen import Screen, told
from anonset.workbench.journal import BuildHierarchy, HierarchyChoice, RemoveHierarchy, UseHierarchy

WAYS = {  # the words, what is asked for, and what is usual
    "balanced": ("groups of so many, level by level, the frequent ones together", "In a group", "5"),
    "frequency": ("groups that hold about as many people", "In a group", "5"),
    "learned": ("items that stand in for each other, learnt from the data", "In a group", "5"),
    "ranges": ("ranges of numbers, equally wide", "How many; then so many of them in one", "10,2"),
    "quantiles": ("ranges of numbers with about as many people", "How many; then so many of them in one", "10,2"),
    "dates": ("dates by month, quarter and year", "", ""),
    "prefixes": ("codes by their first letters", "Letters, the most first", "3,2,1"),
}


def draw_sources(screen: Screen, column: str, field: str, choice: HierarchyChoice | None, usual: str) -> None:
    """Build one, import one, or do without."""
    with element("div", "two"):
        _build(screen, column, choice, usual)
        _import(screen, column, field)


def _build(screen: Screen, column: str, choice: HierarchyChoice | None, usual: str) -> None:
    async def build() -> None:
        numbers = str(size.value or "").replace(" ", "")
        await screen.take(BuildHierarchy(column, f"{way.value}:{numbers}" if numbers else str(way.value)))

    def chosen() -> None:
        _, label, value = WAYS[str(way.value)]
        size.props["label"], size.value = label, value
        size.set_visibility(bool(label))
        size.update()

    with card("Build one", lead="From the values themselves."):
        options = {name: words for name, (words, _, _) in WAYS.items()}
        way = ui.select(options, value=usual, label="How", on_change=chosen).props("outlined").classes("full-width")
        size = ui.input(WAYS[usual][1], value=WAYS[usual][2]).props("outlined dense").classes("full-width")
        with element("div", "line"):
            button("Build", build, kind="quiet", icon="account_tree")
            if choice is not None:
                button("Do without", lambda: screen.take(RemoveHierarchy(column)), kind="bare")


def _import(screen: Screen, column: str, field: str) -> None:
    with card("Import one", lead="A CSV file: a value a line, then the groups above it. Nothing is replaced before you agree."):
        DropZone(
            f"/api/projects/{screen.id}/hierarchies/{field}/uploads",
            "Drop a hierarchy here",
            method="POST",
            on_done=lambda answer: preview.refresh(answer),
            on_failed=told,
        )
        preview = ui.refreshable(lambda answer: _preview(screen, column, answer, lambda: preview.refresh(None)))
        preview(None)


def _preview(screen: Screen, column: str, found: dict[str, Any] | None, leave: Callable[[], Any]) -> None:
    """What the upload would change."""
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
        element("p", "", "It cannot be used, and what was there stays.")
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
        button("Use it", lambda: screen.take(UseHierarchy(column, str(found["upload"]))), icon="check")
        button("Leave it", leave, kind="bare")
