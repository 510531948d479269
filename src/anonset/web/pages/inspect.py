"""Inspect: what became of the records, whether the promise holds, and what an attacker would see."""

from collections.abc import Awaitable, Callable

from nicegui import ui

from anonset.web.components import DataGrid, GridColumn
from anonset.web.pages.attack_me import attack_me
from anonset.web.pages.foreign import foreign_file
from anonset.web.pages.story import draw_story
from anonset.web.pages.verdicts import draw_verdict
from anonset.web.pages.versus import draw_versus
from anonset.web.parts import card, element, link, note, page_head, table
from anonset.web.screen import Screen, attempted
from anonset.web.waiting import answered
from anonset.web.words import ROLES, percent
from anonset.workbench.values import Run

TABS = {
    "records": "Before and after",
    "story": "One record",
    "verdict": "The check",
    "counts": "Worst counts",
    "attack": "Attack me",
    "versus": "Two releases",
    "foreign": "Another tool's file",
}


async def inspect_page(screen: Screen, run_id: str | None, tab: str, row: int | None, other: str | None) -> None:
    """One release, seen from all sides."""
    page_head("Inspect", "Before anything leaves the house: look at what became of the records, and try to find yourself.")
    if tab == "foreign":
        _tabs(screen, run_id, tab)
        await foreign_file(screen)
        return
    runs = [r for r in await answered(screen.bench.runs, screen.id) if r.state == "done"]
    if not runs:
        note("There is no release to look into yet. Make one under Try.", "warn")
        link("Go to Try", f"/projects/{screen.id}/try")
        link("Check a file another tool made", f"/projects/{screen.id}/inspect?tab=foreign")
        return
    state = await answered(screen.bench.state, screen.id)
    shown = next((r for r in runs if r.id == (run_id or state.release)), runs[0])
    _choice(screen, runs, shown, tab)
    _tabs(screen, shown.id, tab)
    if tab == "versus":
        await draw_versus(screen, shown, other)
    else:
        await DRAW[tab if tab in DRAW else "records"](screen, shown, row)


def _choice(screen: Screen, runs: list[Run], shown: Run, tab: str) -> None:
    options = {r.id: r.label for r in runs}
    chosen = ui.select(options, value=shown.id, label="Release").props("outlined dense options-dense").style("max-width: 520px")
    chosen.on_value_change(lambda event: ui.navigate.to(f"/projects/{screen.id}/inspect?run={event.value}&tab={tab}"))


def _tabs(screen: Screen, run_id: str | None, tab: str) -> None:
    with element("nav", "tabs", aria_label="Views of the release"):
        for name, title in TABS.items():
            current = {"aria_current": "page"} if name == tab else {}
            shown = f"run={run_id}&" if run_id else ""
            element("a", "tab", title, href=f"/projects/{screen.id}/inspect?{shown}tab={name}", **current)


async def _records(screen: Screen, shown: Run, row: int | None) -> None:
    page = await attempted(screen.bench.beside, screen.id, shown.id, 0, 1)
    if page is None:
        return
    roles = {column.name: column.role for column in await answered(screen.bench.columns, screen.id)}
    columns = [GridColumn(name, roles.get(name, "items"), ROLES[roles.get(name, "items")].letter) for name in page.columns]
    url = f"/api/projects/{screen.id}/runs/{shown.id}/beside"

    def story(place: int) -> None:
        ui.navigate.to(f"/projects/{screen.id}/inspect?run={shown.id}&tab=story&row={place}")

    with element("p", "soft line"):
        element("span", "chip cell-changed", "≈ changed")
        element("span", "chip cell-gone", "✕ left out")
        element("span", "", "A row that is clicked tells its story.")
    with element("div", "two"):
        with card("Before", classes="flat-head"):
            before = DataGrid(url, columns, "Records before", on_row=story, side="before")
        with card("After", classes="flat-head"):
            after = DataGrid(url, columns, "Records after", on_row=story, side="after")
    before.mirror(after)


async def _verdict(screen: Screen, shown: Run, row: int | None) -> None:
    verdict = await attempted(screen.bench.verdict, screen.id, shown.id)
    if verdict is None:
        return
    draw_verdict(verdict)


async def _counts(screen: Screen, shown: Run, row: int | None) -> None:
    found = await attempted(screen.bench.worst_queries, screen.id, shown.id, 20)
    with card(
        "Counts that come out worst", lead="Of 200 questions drawn at random: how many records, really and by the release?"
    ):
        rows = [(q.query, f"{q.actual:,.0f}", f"{q.estimate:,.1f}", percent(q.error)) for q in found or ()]
        table(("how many have", "really", "by the release", "off by"), rows, "Counts that come out worst", right=(1, 2, 3))
    with card("What it is good for"), element("ul", "story"):
        for sentence in shown.usefulness:
            element("li", "", sentence)


DRAW: dict[str, Callable[[Screen, Run, int | None], Awaitable[None]]] = {
    "records": _records,
    "story": draw_story,
    "verdict": _verdict,
    "counts": _counts,
    "attack": attack_me,
}
