"""The page Inspect: records before and after, one record's story, the verdict, attackers, two releases compared."""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from nicegui import ui

from anonset.model.release import ExactCounts
from anonset.model.verdict import Finding, Verdict
from anonset.web.components import DataGrid, DropZone, GridColumn
from anonset.web.elements import button, card, cells, element, hinted, in_thread, link, note, page_head, table
from anonset.web.screen import Screen, attempt, show_error
from anonset.web.words import CHECKS, MEASURES, ROLES, one_in, percent
from anonset.workbench.values import Candidates, Difference, ReleaseComparison, Run


def draw_verdict(verdict: Verdict) -> None:
    """Show whether the promise holds, what was checked, and witnesses against it."""
    if verdict.holds:
        note("The promise holds. The files were read by the verifier, which shares no code with the algorithms.", "good")
    else:
        note("The promise does not hold: this must not be handed out.", "bad")
    with card("What was checked"):
        rows = [(lambda f=f: _name(f.guarantee), _holds(f), f.worst or f.state, f"{f.violations:,}") for f in verdict.findings]
        table(("promise", "verdict", "closest call", "violations"), rows, "What was checked", right=(3,))
        for finding in verdict.findings:
            for witness in finding.witnesses:
                note(witness, "bad")


def _holds(finding: Finding) -> str:
    return "✓\u00a0holds" if finding.holds and finding.checked else "✕ does not hold"


def _name(what: str) -> None:
    hinted(CHECKS[what], what) if what in CHECKS else element("span", "", what)


LOSS = re.compile(r"\b(NCP|UL)( of all records)? (\d+\.\d+)")
LOST = {"NCP": "detail lost in the columns", "UL": "detail lost in the items"}
ROW = re.compile(r"\b([Rr]ow|[Rr]ows|[Rr]ecord) (\d+)")


async def draw_story(screen: Screen, run: Run, row: int | None) -> None:
    """Show the story of a record, or of the whole release."""
    base = f"/projects/{screen.id}/inspect?run={run.id}"

    def open_story() -> None:
        ui.navigate.to(f"{base}&tab=story&row={int(field.value or 1) - 1}")

    with element("div", "line"):
        field = ui.number("Row of the file", value=(row or 0) + 1, min=1, step=1, format="%d").props("outlined dense")
        field.on("keydown.enter", open_story)
        button("Tell its story", open_story, kind="quiet")
        if row is not None:
            link("Look for this person", f"{base}&tab=attack&row={row}", kind="bare", icon="person_search")
    if row is not None:
        await _before_and_after(screen, run, row)
    lines = await attempt(screen.bench.inspection.story, screen.id, run.id, row)
    title = "How that came about" if row is not None else "How the release came about"
    lead = "" if row is not None else "Name a row above to be told what became of it."
    with card(title, lead=lead), element("ol", "story", tabindex="0", aria_label=title):
        for line in lines or ():
            element("li", "", in_plain_words(counted_from_one(line)))


async def _before_and_after(screen: Screen, run: Run, row: int) -> None:
    page = await attempt(screen.bench.inspection.compare, screen.id, run.id, row, 1)
    if page is None or not page.before:
        return
    before, after, changed = page.before[0], page.after[0], page.changed[0]
    with card(f"Row {row + 1:,}"):
        if after is None:
            element("p", "", "This record was left out of the release.")
        rows = [
            (name, text(before.get(f"c{n}")), ("≈ " if f"c{n}" in changed else "") + text((after or {}).get(f"c{n}")))
            for n, name in enumerate(page.columns)
        ]
        table(("column", "before", "after"), rows, "The record before and after")


def counted_from_one(line: str) -> str:
    """A sentence with row numbers counted from 1, as in the grid."""
    return ROW.sub(lambda found: f"{found[1]} {int(found[2]) + 1:,}", line)


def in_plain_words(line: str) -> str:
    """A sentence with the pages' words for loss measures."""
    return LOSS.sub(lambda found: f"{LOST[found[1]]}{found[2] or ''} {percent(float(found[3]))}", line)


def text(value: object) -> str:
    """A value as text."""
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else "" if value is None else str(value)


async def attack_me(screen: Screen, run: Run, row: int | None) -> None:
    """A form for what somebody knows, and the records that fit."""
    columns = await in_thread(screen.bench.data.columns, screen.id)
    person = await _known(screen, run, row)
    fields: dict[str, ui.input] = {}
    with element("div", "two"):
        with card("What do you know about somebody?", lead="Fill in as much as you like; nothing of it is kept."):
            for column in columns:
                if column.role == "quasi":
                    fields[column.name] = ui.input(column.name, value=person.get(column.name, ""))
                    fields[column.name].props("outlined dense").classes("full-width")
            items = None
            if any(column.role == "items" for column in columns):
                known_items = person.get("items", "")
                items = ui.input("Items, with commas between them", value=known_items).props("outlined dense")
                items.classes("full-width")

            async def look() -> None:
                values = {name: field.value.strip() for name, field in fields.items() if field.value and field.value.strip()}
                known = [part.strip() for part in (items.value if items else "").split(",") if part.strip()]
                found = await attempt(screen.bench.inspection.candidates, screen.id, run.id, values, known)
                if found is not None:
                    result.refresh(found)

            for field in (*fields.values(), *([items] if items else [])):
                field.on("keydown.enter", look)
            button("Find this person", look, icon="person_search")
        with card("Who fits"):
            result = ui.refreshable(_result)
            result(None)
    _lab(screen, run)


async def _known(screen: Screen, run: Run, row: int | None) -> dict[str, str]:
    """What somebody may know about the person in a row: the quasi columns and m items."""
    page = await attempt(screen.bench.inspection.compare, screen.id, run.id, row, 1) if row is not None else None
    if page is None or not page.before:
        return {}
    m = (await in_thread(screen.bench.journal.state, screen.id)).promise.m
    values = {name: page.before[0].get(f"c{place}") for place, name in enumerate(page.columns)}
    lists = [value for value in values.values() if isinstance(value, list)]
    return {name: text(value) for name, value in values.items()} | {"items": text(lists[0][:m]) if lists else ""}


def _lab(screen: Screen, run: Run) -> None:
    """The card of 200 sampled attackers and how often they find the right person."""

    async def play() -> None:
        found = await attempt(screen.bench.inspection.attack, screen.id, run.id, attackers=200)
        if found is not None:
            lab.refresh(found)

    with card("Two hundred attackers", lead="Drawn at random; each knows something true about somebody in the data."):
        button("Let them try", play, kind="quiet", icon="groups")
        lab = ui.refreshable(_attackers)
        lab(None)


def _attackers(found: Mapping[str, Any] | None) -> None:
    if found is None:
        return
    rows = [
        (
            known,
            *(percent(sides[side]["marketer"]["value"]) for side in ("before", "after")),
            one_in(sides["after"]["prosecutor"]),
        )
        for known, sides in found["linkability"].items()
    ]
    head = ("who know", "find the right one before", "after", "best chance of all after")
    table(head, rows, "What attackers find", right=(1, 2, 3))


def _result(found: Candidates | None) -> None:
    if found is None:
        element("p", "soft", "Nobody was looked for yet.")
        return
    with element("div", "figures", aria_live="polite"):
        for count, when in ((found.before, "fit before"), (found.after, "fit in the release")):
            with element("div"):
                element("div", "figure", f"{count:,}")
                element("div", "soft small", f"{'person' if count == 1 else 'people'} {when}")
    if found.before == 1 and found.after > 1:
        note(f"Before, this was one person. In the release nobody can tell which of {found.after:,} it is.", "good")
    elif found.after == 1:
        note(
            "One record fits. What you know is more than the promise covers, or the release is not safe: see The check.", "warn"
        )
    rows = [[text(record[f"c{place}"]) for place in range(len(found.columns))] for record in found.shown]
    table(found.columns, rows, "Some of the records that fit")


async def foreign_file(screen: Screen) -> None:
    """A file of another tool is dropped, and its verdict run."""
    text = "It is checked against the promise of this project, beside the data of this project, and not kept."
    with card("A file another tool made", lead=text):
        DropZone(
            f"/api/projects/{screen.id}/checks",
            "Drop the anonymized file here",
            method="POST",
            on_done=lambda answer: result.refresh(answer),
            on_failed=show_error,
        )
        element(
            "p", "soft small", "Groups are read as (a,b), {a,b} or a|b, ranges as [20:39], 20-39 or [20,40), and * as anything."
        )
    result = ui.refreshable(_file_verdict)
    result(None)


def _file_verdict(answer: dict[str, Any] | None) -> None:
    if answer is not None:
        draw_verdict(Verdict(tuple(_finding(found) for found in answer["findings"])))


def _finding(found: dict[str, Any]) -> Finding:
    """A finding as the API answers it."""
    return Finding(found["what"], found["holds"], found["violations"], found["text"], witnesses=tuple(found["witnesses"]))


LISTED = 20
SIDES = {"a": "A", "b": "B"}


async def draw_versus(screen: Screen, run: Run, other_id: str | None) -> None:
    """Choose the other release, and show how the two differ."""
    runs = await in_thread(screen.bench.runs.all, screen.id)
    others = [r for r in runs if r.state == "done" and r.current and r.id != run.id]
    if not others or not run.current:
        note("Two finished runs under the decisions that hold now are needed. Make another one under Try.", "warn")
        return
    other = next((r for r in others if r.id == other_id), others[0])
    base = f"/projects/{screen.id}/inspect?run={run.id}&tab=versus&other="
    choice = ui.select({r.id: r.label for r in others}, value=other.id, label="B, the other release")
    choice.props("outlined dense options-dense").style("max-width: 520px")
    choice.on_value_change(lambda event: ui.navigate.to(base + str(event.value)))
    found = await attempt(screen.bench.inspection.compare_releases, screen.id, run.id, other.id)
    if found is None:
        return
    element("p", "soft", f"A is {run.label}, B is {other.label}.")
    with element("div", "two"):
        _settings(found)
        _measures(found)
    if found.columns:
        _exact_counts("Columns", "records that show the value as it is", found.columns, len(found.columns))
    if found.item_count:
        _exact_counts("Items", "of the records that hold the item, those that show it as it is", found.items, found.item_count)
    await _records(screen, found)


def _settings(found: ReleaseComparison) -> None:
    with card("What was set otherwise"):
        if not found.settings:
            element("p", "soft", "Nothing: both were asked for the same way.")
            return
        rows = [(d.name, "–" if d.a is None else str(d.a), "–" if d.b is None else str(d.b)) for d in found.settings]
        table(("setting", "A", "B"), rows, "Settings that differ")


def _measures(found: ReleaseComparison) -> None:
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


def _exact_counts(title: str, lead: str, found: tuple[ExactCounts, ...], count: int) -> None:
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


async def _records(screen: Screen, found: ReleaseComparison) -> None:
    page = await attempt(screen.bench.inspection.compare_release_records, screen.id, found.a.id, found.b.id, 0, 1)
    if page is None:
        return
    roles = {column.name: column.role for column in await in_thread(screen.bench.data.columns, screen.id)}
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
    """One release, in the view of the tab."""
    page_head("Inspect", "Before anything leaves the house: look at what became of the records, and try to find yourself.")
    if tab == "foreign":
        _tabs(screen, run_id, tab)
        await foreign_file(screen)
        return
    runs = [r for r in await in_thread(screen.bench.runs.all, screen.id) if r.state == "done"]
    if not runs:
        note("There is no release to look into yet. Make one under Try.", "warn")
        link("Go to Try", f"/projects/{screen.id}/try")
        link("Check a file another tool made", f"/projects/{screen.id}/inspect?tab=foreign")
        return
    state = await in_thread(screen.bench.journal.state, screen.id)
    run = next((r for r in runs if r.id == (run_id or state.release)), runs[0])
    _choice(screen, runs, run, tab)
    _tabs(screen, run.id, tab)
    if tab == "versus":
        await draw_versus(screen, run, other)
    else:
        await DRAW[tab if tab in DRAW else "records"](screen, run, row)


def _choice(screen: Screen, runs: list[Run], run: Run, tab: str) -> None:
    options = {r.id: r.label for r in runs}
    chosen = ui.select(options, value=run.id, label="Release").props("outlined dense options-dense").style("max-width: 520px")
    chosen.on_value_change(lambda event: ui.navigate.to(f"/projects/{screen.id}/inspect?run={event.value}&tab={tab}"))


def _tabs(screen: Screen, run_id: str | None, tab: str) -> None:
    with element("nav", "tabs", aria_label="Views of the release"):
        for name, title in TABS.items():
            current = {"aria_current": "page"} if name == tab else {}
            run = f"run={run_id}&" if run_id else ""
            element("a", "tab", title, href=f"/projects/{screen.id}/inspect?{run}tab={name}", **current)


async def _record_grid(screen: Screen, run: Run, row: int | None) -> None:
    page = await attempt(screen.bench.inspection.compare, screen.id, run.id, 0, 1)
    if page is None:
        return
    roles = {column.name: column.role for column in await in_thread(screen.bench.data.columns, screen.id)}
    columns = [GridColumn(name, roles.get(name, "items"), ROLES[roles.get(name, "items")].letter) for name in page.columns]
    url = f"/api/projects/{screen.id}/runs/{run.id}/beside"

    def story(place: int) -> None:
        ui.navigate.to(f"/projects/{screen.id}/inspect?run={run.id}&tab=story&row={place}")

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


async def _verdict(screen: Screen, run: Run, row: int | None) -> None:
    verdict = await attempt(screen.bench.inspection.verdict, screen.id, run.id)
    if verdict is None:
        return
    draw_verdict(verdict)


async def _counts(screen: Screen, run: Run, row: int | None) -> None:
    found = await attempt(screen.bench.inspection.worst_queries, screen.id, run.id, 20)
    with card(
        "Counts that come out worst", lead="Of 200 questions drawn at random: how many records, really and by the release?"
    ):
        rows = [(q.query, f"{q.actual:,.0f}", f"{q.estimate:,.1f}", percent(q.error)) for q in found or ()]
        table(("how many have", "really", "by the release", "off by"), rows, "Counts that come out worst", right=(1, 2, 3))
    with card("What it is good for"), element("ul", "story"):
        for sentence in run.usefulness:
            element("li", "", sentence)


DRAW: dict[str, Callable[[Screen, Run, int | None], Awaitable[None]]] = {
    "records": _record_grid,
    "story": draw_story,
    "verdict": _verdict,
    "counts": _counts,
    "attack": attack_me,
}
