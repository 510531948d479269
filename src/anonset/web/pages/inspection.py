"""The page Inspect: records before and after, one record's story, the verdict, attackers, two releases compared."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal

from nicegui import ui

from anonset.model.release import ExactCounts
from anonset.model.verdict import Finding, Verdict
from anonset.web.components import DataGrid, DropZone, GridColumn
from anonset.web.counting import CountingPanel
from anonset.web.elements import button, card, cells, element, hinted, in_thread, link, note, page_head, table
from anonset.web.headline import headline_of
from anonset.web.screen import Screen, attempt, show_error
from anonset.web.words import CHECKS, MEASURES, ROLES, TERMS, one_in, percent
from anonset.workbench.values import Candidates, ColumnChoices, Difference, ReleaseComparison, Run


def draw_verdict(verdict: Verdict) -> None:
    """Show whether the promise holds, what was checked, and witnesses against it."""
    if verdict.holds:
        note("The promise holds. The verifier, which shares no code with the algorithms, read the written files.", "good")
    else:
        note("The promise does not hold: do not hand this out.", "bad")
    with card("What was checked"):
        rows = [(lambda f=f: _name(f.guarantee), _holds(f), f.worst or f.state, f"{f.violations:,}") for f in verdict.findings]
        table(("promise", "verdict", "smallest group found", "violations"), rows, "What was checked", right=(3,))
        for finding in verdict.findings:
            for witness in finding.witnesses:
                note(witness, "bad")


def _holds(finding: Finding) -> str:
    return "✓\u00a0holds" if finding.holds and finding.checked else "✕ does not hold"


def _name(what: str) -> None:
    hinted(CHECKS[what], what) if what in CHECKS else element("span", "", what)


ITEMS = ""  # the key of the items of a person; no column has an empty name
LOSS = re.compile(r"\b(NCP|UL)( of all records)? (\d+\.\d+)")
LOST = {"NCP": "information lost in columns", "UL": "information lost in items"}
ROW = re.compile(r"\b([Rr]ow|[Rr]ows|[Rr]ecord) (\d+)")


async def draw_story(screen: Screen, run: Run, row: int | None) -> None:
    """Show the story of a record, or of the whole release."""
    base = f"/projects/{screen.id}/inspect?run={run.id}"

    def open_story() -> None:
        ui.navigate.to(f"{base}&tab=story&row={int(field.value or 1) - 1}")

    with element("div", "line"):
        field = ui.number("Row of the file", value=(row or 0) + 1, min=1, step=1, format="%d").props("outlined dense")
        field.on("keydown.enter", open_story)
        button("Show what changed", open_story, kind="quiet")
        if row is not None:
            link("Attack as somebody who knows this person", f"{base}&tab=attack&row={row}", kind="bare", icon="person_search")
    if row is not None:
        await _before_and_after(screen, run, row)
    lines = await attempt(screen.bench.inspection.story, screen.id, run.id, row)
    title = "Why" if row is not None else "How the release was made"
    lead = "" if row is not None else "Enter a row above to see what changed in it and why."
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


class KnowledgeForm:
    """Fields for what somebody knows about a person, with the values that occur to choose from."""

    def __init__(self, choices: Sequence[ColumnChoices], items_name: str | None, person: Mapping[str, Any]) -> None:
        self._fields: dict[str, Any] = {}
        self._items: Any = None
        for choice in choices:
            if choice.column == items_name:
                self._items = _choose(choice, list(person.get(ITEMS, ())), several=True)
            else:
                self._fields[choice.column] = _choose(choice, person.get(choice.column))

    def knowledge(self) -> tuple[dict[str, str], list[str]]:
        """The values by column and the items that are filled in."""
        values = {name: _typed(field.value) for name, field in self._fields.items() if field.value not in (None, "")}
        return values, [str(item) for item in (self._items.value or ())] if self._items else []


def _typed(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _choose(choice: ColumnChoices, value: Any, *, several: bool = False) -> Any:
    """A field for a column: a number within its range, or one or several of its values."""
    if choice.low is not None and choice.high is not None:
        number = None if value in (None, "") else float(str(value))
        label = f"{choice.column} ({choice.low:g} to {choice.high:g})"
        return ui.number(label, value=number).props("outlined dense clearable").classes("full-width")
    given = value if several else ([value] if value not in (None, "") else [])
    options = list(dict.fromkeys((*choice.values, *(str(one) for one in given))))
    chosen = [str(one) for one in given] if several else next((str(one) for one in given), None)
    label = f"{choice.column}: items that somebody knows" if several else choice.column
    field = ui.select(options, label=label, value=chosen, with_input=True, multiple=several, clearable=True)
    return field.props("outlined dense options-dense use-chips" if several else "outlined dense options-dense").classes(
        "full-width"
    )


async def attack_me(screen: Screen, run: Run, row: int | None) -> None:
    """A form for what somebody knows, and the records that fit."""
    choices = await attempt(screen.bench.inspection.known_values, screen.id)
    if choices is None:
        return
    columns = await in_thread(screen.bench.data.columns, screen.id)
    quasi = {column.name for column in columns if column.role == "quasi"}
    items_name = next((choice.column for choice in choices if choice.column not in quasi), None)
    person = await _known(screen, run, row)
    with element("div", "two"):
        with card("What do you know about somebody?", lead="Choose as much as you like. Nothing of it is stored."):
            form = KnowledgeForm(choices, items_name, person)

            async def look() -> None:
                found = await attempt(screen.bench.inspection.candidates, screen.id, run.id, *form.knowledge())
                if found is not None:
                    result.refresh(found)

            button("Find this person", look, icon="person_search")
        with card("Who fits"):
            result = ui.refreshable(_result)
            result(None)
    _lab(screen, run)


async def _known(screen: Screen, run: Run, row: int | None) -> dict[str, Any]:
    """What somebody may know about the person in a row: the quasi columns and m items."""
    page = await attempt(screen.bench.inspection.compare, screen.id, run.id, row, 1) if row is not None else None
    if page is None or not page.before:
        return {}
    m = (await in_thread(screen.bench.journal.state, screen.id)).promise.m
    values = {name: page.before[0].get(f"c{place}") for place, name in enumerate(page.columns)}
    lists = [value for value in values.values() if isinstance(value, list)]
    return {**values, ITEMS: lists[0][:m] if lists else []}


def _lab(screen: Screen, run: Run) -> None:
    """The card of 200 sampled attackers and how often they find the right person."""

    async def play() -> None:
        found = await attempt(screen.bench.inspection.attack, screen.id, run.id, attackers=200)
        if found is not None:
            lab.refresh(found)

    with card("200 simulated attackers", lead="Each knows the columns and random items of a person."):
        button("Simulate", play, kind="quiet", icon="groups")
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
    head = ("who know", "success in the original", "success in the release", "highest risk in the release")
    table(head, rows, "What attackers find", right=(1, 2, 3))


def _result(found: Candidates | None) -> None:
    if found is None:
        element("p", "soft", "No search yet.")
        return
    if found.unknown:
        for one in found.unknown:
            close = f" Did you mean {' or '.join(one.close)}?" if one.close else ""
            note(f"{one.value} does not occur in {one.column}, so nothing was searched for.{close}", "warn", role="alert")
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
    text = "The file is checked against the promise and the data of this project. It is not stored."
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
        note("This needs two finished runs made under the current decisions. Make another one under Try.", "warn")
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
        _exact_counts("Columns", "records that show the exact value", found.columns, len(found.columns))
    if found.item_count:
        _exact_counts("Items", "of the records with the item, those that show it exactly", found.items, found.item_count)
    await _records(screen, found)


def _settings(found: ReleaseComparison) -> None:
    with card("Settings that differ"):
        if not found.settings:
            element("p", "soft", "None: both have the same settings.")
            return
        rows = [(d.name, "–" if d.a is None else str(d.a), "–" if d.b is None else str(d.b)) for d in found.settings]
        table(("setting", "A", "B"), rows, "Settings that differ")


def _measures(found: ReleaseComparison) -> None:
    differ = [d for d in found.measures if d.a != d.b]
    with card("Results that differ", lead="★ marks the better one."):
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
            element("p", "soft", "There are none: both show the same values exactly.")
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
    "verdict": "Verification",
    "counts": "Counts",
    "attack": "Attack me",
    "versus": "Two releases",
    "foreign": "Another tool's file",
}


async def inspect_page(screen: Screen, tab: str, row: int | None, other: str | None) -> None:
    """One release, in the view of the tab."""
    page_head("Inspect", "Before you release anything: see what became of the records, and try to find yourself.")
    runs = [r for r in await in_thread(screen.bench.runs.all, screen.id) if r.state == "done"]
    run = next((r for r in runs if r.id == (screen.looked_at or screen.release)), None)
    if tab == "foreign":
        _tabs(screen, run.id if run else None, tab)
        await foreign_file(screen)
        return
    if run is None:
        _ask_for_run(screen, runs, tab)
        return
    await in_thread(screen.bench.inspection.opened, screen.id, run.id)
    await screen.look_at(run.id)
    _choice(screen, runs, run, tab)
    _tabs(screen, run.id, tab)
    if tab == "versus":
        await draw_versus(screen, run, other)
    else:
        await DRAW[tab if tab in DRAW else "records"](screen, run, row)


def _ask_for_run(screen: Screen, runs: list[Run], tab: str) -> None:
    """Let the user choose the run to look into; none is chosen by itself."""
    base = f"/projects/{screen.id}"
    if not runs:
        note("There is no run to look into yet. Make one under Try.", "warn")
        link("Go to Try", f"{base}/try")
        link("Check a file another tool made", f"{base}/inspect?tab=foreign")
        return
    with card("Choose the run to look into"):
        rows = [
            (lambda r=r: element("a", "", r.label, href=f"{base}/inspect?run={r.id}&tab={tab}"), *(f.short for f in figures))
            for r in runs
            for figures in [headline_of(r.measures)]
        ]
        head = ("run", *(TERMS[figure.term].words for figure in headline_of(runs[0].measures)))
        table(head, rows, "Runs that can be looked into", right=range(1, len(head)))
    link("Check a file another tool made", f"{base}/inspect?tab=foreign", kind="bare")


def _choice(screen: Screen, runs: list[Run], run: Run, tab: str) -> None:
    options = {r.id: f"{r.label}{' ★ the release' if r.id == screen.release else ''}" for r in runs}
    chosen = ui.select(options, value=run.id, label="Run").props("outlined dense options-dense").style("max-width: 520px")
    chosen.on_value_change(lambda event: ui.navigate.to(f"/projects/{screen.id}/inspect?run={event.value}&tab={tab}"))


def _tabs(screen: Screen, run_id: str | None, tab: str) -> None:
    with element("nav", "tabs", aria_label="Views of the release"):
        for name, title in TABS.items():
            current = {"aria_current": "page"} if name == tab else {}
            run = f"run={run_id}&" if run_id else ""
            element("a", "tab", title, href=f"/projects/{screen.id}/inspect?{run}tab={name}", **current)


class RecordGrid:
    """Before over after in one grid; columns are chosen and frozen, the items stay in sight at the right."""

    def __init__(self, screen: Screen, run: Run, names: Sequence[str], roles: Mapping[str, str]) -> None:
        self._screen, self._run, self._names, self._roles = screen, run, tuple(names), roles
        self._items = [name for name in names if roles.get(name, "items") == "items"]
        self._shown, self._frozen = list(names), list(self._items)
        self._grid: DataGrid

    def draw(self) -> None:
        """Draw the choices and the grid."""
        with element("div", "line"):
            element("span", "chip cell-changed", "≈ changed: before above, after below")
            element("span", "chip cell-gone", "✕ left out")
            element("span", "soft", "Click a row to see what changed and why.")
        with element("div", "line"):
            self._columns = ui.select(list(self._names), value=self._shown, label="Columns shown", multiple=True)
            self._kept = ui.select(list(self._names), value=self._frozen, label="Columns always in sight", multiple=True)
            for field in (self._columns, self._kept):
                field.props("outlined dense options-dense").style("width: 260px; max-width: 100%")
                field.on_value_change(self._choose)
            ui.switch("only values that changed", on_change=self._only_changed)
        with card(classes="flat"):
            url = f"/api/projects/{self._screen.id}/runs/{self._run.id}/beside"
            label = "Records before and after"
            self._grid = DataGrid(url, self._definitions(), label, on_row=self._open, side="both").classes("tall")

    def _only_changed(self, event: Any) -> None:
        self._grid.show_only_changed(bool(event.value))

    def _choose(self) -> None:
        self._shown, self._frozen = list(self._columns.value or ()), list(self._kept.value or ())
        self._grid.show(self._definitions())

    def _definitions(self) -> list[GridColumn]:
        return [self._definition(name) for name in self._names]

    def _definition(self, name: str) -> GridColumn:
        role = self._roles.get(name, "items")
        pinned: Literal["", "left", "right"] = ""
        if name in self._frozen:
            pinned = "right" if name in self._items else "left"
        return GridColumn(name, role, ROLES[role].letter, name not in self._shown, pinned)

    def _open(self, row: int) -> None:
        ui.navigate.to(f"/projects/{self._screen.id}/inspect?run={self._run.id}&tab=story&row={row}")


async def _record_grid(screen: Screen, run: Run, row: int | None) -> None:
    page = await attempt(screen.bench.inspection.compare, screen.id, run.id, 0, 1)
    if page is not None:
        columns = await in_thread(screen.bench.data.columns, screen.id)
        RecordGrid(screen, run, page.columns, {column.name: column.role for column in columns}).draw()


async def _verdict(screen: Screen, run: Run, row: int | None) -> None:
    verdict = await attempt(screen.bench.inspection.verdict, screen.id, run.id)
    if verdict is None:
        return
    draw_verdict(verdict)


async def _counts(screen: Screen, run: Run, row: int | None) -> None:
    await CountingPanel(screen, run.id).draw()
    found = await attempt(screen.bench.inspection.worst_queries, screen.id, run.id, 20)
    with card(
        "Counts with the largest errors", lead="Of 200 random questions: how many records, in the original and by the release?"
    ):
        rows = [(q.query, f"{q.actual:,.0f}", f"{q.estimate:,.1f}", percent(q.error)) for q in found or ()]
        table(
            ("how many records have", "original", "release", "error"), rows, "Counts with the largest errors", right=(1, 2, 3)
        )
    with card("What the release is good for"), element("ul", "story"):
        for sentence in run.usefulness:
            element("li", "", sentence)


DRAW: dict[str, Callable[[Screen, Run, int | None], Awaitable[None]]] = {
    "records": _record_grid,
    "story": draw_story,
    "verdict": _verdict,
    "counts": _counts,
    "attack": attack_me,
}
