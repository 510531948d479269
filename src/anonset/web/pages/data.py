"""Data: the file, all that is wrong with it, what its columns mean, and who could be found."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from nicegui import ui

from anonset.web.components import DataGrid, DropZone, GridColumn
from anonset.web.pages.database import FromDatabase
from anonset.web.pages.item_options import draw_item_options
from anonset.web.parts import button, card, element, note, page_head, role_chip, table
from anonset.web.screen import Screen, attempted, told
from anonset.web.waiting import answered
from anonset.web.words import ROLES, percent, size
from anonset.workbench.journal import SetRoles
from anonset.workbench.values import Column, DataFile, Exposure

SHOWN_PROBLEMS = 50
PROMISED_TO_PEOPLE = "a promise is about people, and k rows may all be one person's."
KINDS = {"numeric": "numbers", "categorical": "texts", "items": "lists of items"}


async def data_page(screen: Screen) -> None:
    """The file of a project, or the place to drop one."""
    page_head("Data", "Say what each column means: what could be known is protected, what names a person is left out.")
    shown = DataView(screen)
    await shown.body()
    screen.on_change(shown.changed)


class DataView:
    """A file with its columns; another role changes what depends on it, and leaves the rest of the page alone."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._file: DataFile | None = None
        self._columns: tuple[Column, ...] = ()
        self._profile: Mapping[str, Any] | None = None
        self._before: float | None = None  # the share of people one of a kind under the roles before
        self.body = ui.refreshable(self._draw)
        self._roles = ui.refreshable(lambda: _roles(screen, _with_facts(self._columns, self._profile)))
        self._exposure = ui.refreshable(lambda: _exposure(self._profile, self._before))
        self._repeats = ui.refreshable(lambda: _repeats(screen, self._profile))

    async def _draw(self) -> None:
        screen, self._file = self._screen, self._screen.project.file
        if self._file is None or not self._file.usable:
            _problems(self._file)
            _sheets(screen, self._file)
            with element("div", "two"):
                with card("From a file", lead="CSV, Excel, Parquet, JSON lines or lists of items; also packed."):
                    _drop(screen, "Drop a table here")
                with card("From a database", lead="A table of PostgreSQL or SQLite is copied as it is now."):
                    await FromDatabase(screen).draw()
            return
        self._columns = await answered(screen.bench.columns, screen.id)
        self._profile = await answered(screen.bench.profile_at_hand, screen.id)
        _problems(self._file)
        self._repeats()
        with element("div", "wide-left"):
            self._roles()
            with element("div", "stack"):
                self._exposure()
                await draw_item_options(screen, self._columns)
        self._grid = await _rows(screen, self._file, self._columns)
        if self._profile is None:
            await self._count()

    async def changed(self) -> None:
        """Show another file, or the same under other roles."""
        file = self._screen.project.file
        if file is None or not file.usable or file != self._file:
            await self.body.refresh()
            return
        self._columns = await answered(self._screen.bench.columns, self._screen.id)
        await self._roles.refresh()
        self._grid.show(_shown_columns(self._columns))
        await self._count()

    async def _count(self) -> None:
        """Count who could be found, which may take a moment."""
        if self._profile is not None:
            self._before = Exposure(**self._profile["exposure"]).worst
        self._profile = None
        await self._exposure.refresh()
        self._profile = await attempted(self._screen.bench.profile, self._screen.id)
        await self._roles.refresh()
        await self._exposure.refresh()
        await self._repeats.refresh()
        await self._screen.frame_changed()


def _with_facts(columns: tuple[Column, ...], profile: Mapping[str, Any] | None) -> tuple[Column, ...]:
    """The columns with how many values they have, where that was counted."""
    known = {facts["name"]: facts for facts in profile["columns"]} if profile else {}
    if profile and profile["items"]:
        known |= {c.name: {"values": profile["items"]["items"]} for c in columns if c.role == "items"}
    return tuple(replace(c, **{n: known.get(c.name, {}).get(n) for n in ("values", "missing")}) for c in columns)


def _drop(screen: Screen, prompt: str) -> None:
    async def done(_: object) -> None:
        await screen.changed()

    DropZone(
        f"/api/projects/{screen.id}/data",
        prompt,
        method="PUT",
        on_done=done,
        on_failed=told,
    )


def _sheets(screen: Screen, file: DataFile | None) -> None:
    """Which sheet of a workbook is read, where it has several."""
    if file is None or not file.sheets:
        return

    async def take(event: Any) -> None:
        await attempted(screen.bench.take_sheet, screen.id, str(event.value))
        await screen.changed()

    choice = ui.select(list(file.sheets), value=file.sheet, label=f"Sheet, one of {len(file.sheets)}").props("outlined dense")
    choice.style("min-width: 240px; max-width: 520px").on_value_change(take)


def _problems(file: DataFile | None) -> None:
    if file is None or not file.problems:
        return
    with card(f"{file.problem_count:,} {'problem' if file.problem_count == 1 else 'problems'} in the file"):
        for problem in file.problems[:SHOWN_PROBLEMS]:
            place = [f"line {problem.line:,}"] if problem.line is not None else []
            place += [f"column {problem.column}"] if problem.column is not None else []
            note(
                ": ".join([", ".join(place), problem.text] if place else [problem.text]),
                "bad" if problem.level == "error" else "warn",
            )
        if file.problem_count > SHOWN_PROBLEMS:
            element("p", "soft", f"and {file.problem_count - SHOWN_PROBLEMS:,} more")


def _repeats(screen: Screen, profile: Mapping[str, Any] | None) -> None:
    """Where people have several rows: the way to one record a person."""
    tied = [facts["name"] for facts in profile["columns"] if facts.get("ties")] if profile else []
    if not tied:
        return

    async def gather(name: str) -> None:
        state = await answered(screen.bench.state, screen.id)
        await screen.take(replace(state.items, person=name))

    with card("People have several rows"):
        note(f"Values of {', '.join(tied)} repeat: {PROMISED_TO_PEOPLE}", "warn")
        for name in tied:
            by = f" by {name}" if len(tied) > 1 else ""
            button(f"Gather one record a person{by}", lambda name=name: gather(name), icon="group")


def _roles(screen: Screen, columns: tuple[Column, ...]) -> None:
    unsure = [column for column in columns if not column.given and len(columns) > 1]  # items alone leave nothing to guess
    with card("What the columns mean"):
        if unsure:
            with element("div", "line between"):
                note(f"{len(unsure)} guessed: look through them, then confirm.", "warn")
                roles: dict[str, Any] = {c.name: c.role for c in unsure}
                button("Confirm all", lambda: screen.take(SetRoles(roles)), kind="quiet", icon="check")
        rows = [(lambda c=c: _name(c), _facts(c), lambda c=c: _role_choice(screen, c)) for c in columns]
        table(("column", "values", "meaning"), rows, "Columns and what they mean")
        with element("div", "line small soft"):
            for name, role in ROLES.items():
                with element("span", "line"):
                    role_chip(name)
                    element("span", "", role.words)


def _name(column: Column) -> None:
    with element("div"):
        element("strong", "", column.name)
        element("div", "soft small", column.reason if not column.given else "")


def _facts(column: Column) -> str:
    kind = KINDS.get(column.kind, column.kind)
    if column.values is None:
        return kind
    missing = f", {column.missing:,} missing" if column.missing else ""
    return f"{kind}, {column.values:,} different{missing}"


def _role_choice(screen: Screen, column: Column) -> None:
    """One letter a role, one of them chosen: arrow keys are not needed, each is a stop of its own."""
    with element("div", "role-choice", role="radiogroup", aria_label=f"Meaning of {column.name}"):
        for name, role in ROLES.items():
            chosen = column.role == name
            made = element("button", f"role-{name}", role.letter, type="button", role="radio", aria_checked=str(chosen).lower())
            made.props["aria-label"] = role.words
            made.props["data-key"] = f"{column.field}-{name}"
            made.on("click", lambda name=name: screen.take(SetRoles({column.name: name})))
            made.props["title"] = f"{role.words}: {role.hint}"
    element("span", "soft small role-words", ROLES[column.role].words)


def _exposure(profile: Mapping[str, Any] | None, before: float | None) -> None:
    with card("Who could find you"):
        if profile is None:
            with element("div", "line soft", role="status"):
                ui.spinner()
                element("span", "", "counting …")
            return
        found = Exposure(**profile["exposure"])
        with element("div", "line", aria_live="polite"):
            element("div", f"figure {'bad' if found.worst > 0.05 else 'good'}", percent(found.worst))
            if before is not None and before != found.worst:
                element("span", "soft", f"before this change: {percent(before)}")
        alone = f"{round(found.worst * found.records):,} of {found.records:,}"
        element("p", "", f"of the people ({alone}) are the only one with what somebody could know about them.")
        rows = [(what, percent(share)) for what, share in _knowledge(found)]
        table(("to somebody who knows", "one of a kind"), rows, "People who are one of a kind", right=(1,))


def _knowledge(exposure: Exposure) -> list[tuple[str, float]]:
    known = [] if exposure.quasi is None else [("the columns marked K", exposure.quasi)]
    known += [(f"{n} item{'s' if n > 1 else ''}", share) for n, share in enumerate(exposure.items or (), 1)]
    known += [(f"these columns and {n} item{'s' if n > 1 else ''}", share) for n, share in enumerate(exposure.both or (), 1)]
    return known


async def _rows(screen: Screen, file: DataFile, columns: tuple[Column, ...]) -> DataGrid:
    with card("The records", lead=f"{file.name}: {file.rows:,} records, {file.format}, {size(file.bytes)}."):
        _sheets(screen, file)
        with ui.expansion("Take another file", icon="upload_file").classes("full-width"):
            _drop(screen, "Drop it here")
        with ui.expansion("Take another table of a database", icon="storage").classes("full-width"), element("div", "stack"):
            await FromDatabase(screen).draw()
        return DataGrid(f"/api/projects/{screen.id}/data/rows", _shown_columns(columns), "Records of the file")


def _shown_columns(columns: tuple[Column, ...]) -> list[GridColumn]:
    return [GridColumn(column.name, column.role, ROLES[column.role].letter) for column in columns]
