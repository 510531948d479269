"""Two releases: what was set otherwise, which is better at what, what one shows as it is and the other does not, records."""

from nicegui import ui

from anonset.web.components import DataGrid, GridColumn
from anonset.web.parts import card, cells, element, hinted, note, table
from anonset.web.screen import Screen, attempted
from anonset.web.waiting import answered
from anonset.web.words import MEASURES, ROLES, percent
from anonset.workbench.values import Difference, Kept, Run, Versus

LISTED = 20
SIDES = {"a": "A", "b": "B"}


async def draw_versus(screen: Screen, shown: Run, other_id: str | None) -> None:
    """The choice of the other release, and all that sets the two apart."""
    runs = await answered(screen.bench.runs, screen.id)
    others = [r for r in runs if r.state == "done" and r.current and r.id != shown.id]
    if not others or not shown.current:
        note("Two finished runs under the decisions that hold now are needed. Make another one under Try.", "warn")
        return
    other = next((r for r in others if r.id == other_id), others[0])
    base = f"/projects/{screen.id}/inspect?run={shown.id}&tab=versus&other="
    choice = ui.select({r.id: r.label for r in others}, value=other.id, label="B, the other release")
    choice.props("outlined dense options-dense").style("max-width: 520px")
    choice.on_value_change(lambda event: ui.navigate.to(base + str(event.value)))
    found = await attempted(screen.bench.versus, screen.id, shown.id, other.id)
    if found is None:
        return
    element("p", "soft", f"A is {shown.label}, B is {other.label}.")
    with element("div", "two"):
        _settings(found)
        _measures(found)
    if found.columns:
        _kept("Columns", "records that show the value as it is", found.columns, len(found.columns))
    if found.item_count:
        _kept("Items", "of the records that hold the item, those that show it as it is", found.items, found.item_count)
    await _records(screen, found)


def _settings(found: Versus) -> None:
    with card("What was set otherwise"):
        if not found.settings:
            element("p", "soft", "Nothing: both were asked for the same way.")
            return
        rows = [(d.name, "–" if d.a is None else str(d.a), "–" if d.b is None else str(d.b)) for d in found.settings]
        table(("setting", "A", "B"), rows, "Settings that differ")


def _measures(found: Versus) -> None:
    differ = [d for d in found.measures if d.a != d.b]
    with card("What came out", lead="★ marks the better one. What both have alike is left out."):
        if not differ:
            element("p", "soft", "No measure differs.")
            return
        known = [d for d in differ if d.name in MEASURES]
        rest = [d for d in differ if d.name not in MEASURES]
        _measure_table(known)
        if rest:
            with ui.expansion(f"{len(rest)} more measures").classes("full-width"):
                _measure_table(rest)


def _measure_table(found: list[Difference]) -> None:
    with element("div", "scroller"), element("table", "plain-table"):
        element("caption", "unseen", "Measures of both releases")
        with element("thead"), element("tr"):
            for place, title in enumerate(("measure", "A", "B")):
                element("th", "right" if place else "", title, scope="col")
        with element("tbody"):
            for d in found:
                shares = d.name in MEASURES
                texts = [percent(v) if shares else f"{v:,.4g}" for v in (d.a, d.b)]
                marked = [f"★ {text}" if d.better == side else text for side, text in zip(SIDES, texts, strict=True)]
                with element("tr"):
                    cells([lambda d=d: hinted(MEASURES.get(d.name, d.name), f"{d.name}: {d.meaning}"), *marked], (1, 2))


def _kept(title: str, lead: str, found: tuple[Kept, ...], count: int) -> None:
    differ = [k for k in found if k.only_a or k.only_b]
    with card(f"{title} that one shows and the other does not", lead=f"Counted: {lead}."):
        if not differ:
            element("p", "soft", "There are none: both show the same as it is.")
            return
        rows = [(k.name, f"{k.records:,}", *(f"{n:,}" for n in (k.a, k.b, k.only_a, k.only_b))) for k in differ[:LISTED]]
        head = (title.lower()[:-1], "records", "exact in A", "exact in B", "only in A", "only in B")
        table(head, rows, f"{title} exact in one release", right=(1, 2, 3, 4, 5))
        if count > len(rows):
            element("p", "soft", f"and {count - len(rows):,} more that differ less")


async def _records(screen: Screen, found: Versus) -> None:
    page = await attempted(screen.bench.versus_rows, screen.id, found.a.id, found.b.id, 0, 1)
    if page is None:
        return
    roles = {column.name: column.role for column in await answered(screen.bench.columns, screen.id)}
    columns = [GridColumn(name, roles.get(name, "items"), ROLES[roles.get(name, "items")].letter) for name in page.columns]
    url = f"/api/projects/{screen.id}/runs/{found.a.id}/versus/{found.b.id}/rows"
    with element("p", "soft line"):
        element("span", "chip cell-changed", "≈ the two differ")
        element("span", "chip cell-gone", "✕ left out")
    with element("div", "three"):
        grids = []
        for side, title in (("before", "Before"), ("a", "A"), ("b", "B")):
            with card(title, classes="flat-head"):
                grids.append(DataGrid(url, columns, f"Records: {title}", side=side))
    grids[0].mirror(*grids[1:])
