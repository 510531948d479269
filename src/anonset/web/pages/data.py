"""The page Data: the file or the database table, its problems, the roles of its columns, and who is unique."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from nicegui import ui
from nicegui.element import Element

from anonset.web.components import ColumnPicture, DataGrid, DropZone, GridColumn, RoleSelect
from anonset.web.elements import button, card, element, hinted, in_thread, note, page_head, role_chip, table
from anonset.web.screen import Screen, attempt, show_error
from anonset.web.words import ROLES, percent, sentence, size
from anonset.workbench.databases import Allowed, Database, Selection, TableFacts
from anonset.workbench.journal import Accept, SetItems, SetKinds, SetRoles
from anonset.workbench.values import DataFile, Exposure, FileColumn

SEPARATORS = {None: "detected", " ": "space", ",": "comma ,", ";": "semicolon ;", "|": "bar |"}

MULTISET = "multiset: an item that occurs twice in a list differs from one that occurs once"

DROP = "Items that match are removed on reading, such as record numbers: * means any characters, [0-9] a digit."


async def draw_item_options(screen: Screen, columns: tuple[FileColumn, ...], items: SetItems) -> None:
    """The options of a column with lists of items."""
    if not any(column.role == "items" for column in columns):
        return

    async def save() -> None:
        patterns = tuple(text.strip() for text in (drop.value or "").split(",") if text.strip())
        chosen = {"separator": separator.value, "multiset": bool(multiset.value), "person": person.value, "drop": patterns}
        await screen.take(replace(items, **chosen))

    with card("How the lists are read"):
        options = SEPARATORS if items.separator in SEPARATORS else {**SEPARATORS, items.separator: items.separator or ""}
        separator = ui.select(options, value=items.separator, label="Item separator").props("outlined dense")
        keys = [column.name for column in columns if column.role != "items"]
        rows = {None: "each row is a person"} | {key: f"rows with the same {key} are one person" for key in keys}
        person = ui.select(rows, value=items.person, label="People and rows").props("outlined dense")
        drop = ui.input("Remove items that match", value=", ".join(items.drop), placeholder="mrn:*").props("outlined dense")
        hinted("what is this?", DROP, "soft small")
        multiset = ui.switch("repeated items count", value=items.multiset)
        hinted("what is this?", MULTISET, "soft small")
        button("Save", save, kind="quiet").props["data-key"] = "item-options"


PASSWORD_HINT = (
    "Used for this connection only and stored nowhere. If empty, PGPASSWORD, ~/.pgpass or the service file of the server apply."
)


class AddressFields:
    """The fields for the address of a database and its password."""

    def __init__(self, allowed: Allowed) -> None:
        self._password: ui.input | None = None
        if not allowed.postgresql and not allowed.addresses:
            self._address: Any = None
            note("This server may not connect to databases. Its administrator can allow one with --allow-database.")
            return
        with element("div", "line"):
            if allowed.postgresql:
                self._address = ui.input("Address", placeholder="postgresql://user@host:5432/database")
                self._address.props("stack-label")
            else:
                self._address = ui.select(list(allowed.addresses), value=allowed.addresses[0], label="Database")
            self._address.props("outlined dense").classes("grow")
            self._password = ui.input("Password", password=True).props("outlined dense autocomplete=off")
            with self._password:
                ui.tooltip(PASSWORD_HINT)

    def __bool__(self) -> bool:
        return self._address is not None

    def database(self) -> Database:
        """The database that was typed in."""
        return Database(str(self._address.value or ""), str(self._password.value or "") if self._password else "")


class FromDatabase:
    """A form that copies a table of a database: address, table, item table."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._database = Database()
        self._tables: dict[str, Sequence[str]] = {}
        self._choice = ui.refreshable(self._draw_choice)

    async def draw(self) -> None:
        """Draw the address, the drop zone of a SQLite file, and the tables once they are known."""
        fields = AddressFields(await in_thread(self._screen.bench.databases.allowed))

        async def connect() -> None:
            found = await attempt(self._screen.bench.databases.tables, self._screen.id, fields.database())
            if found is not None:
                self._show(fields.database(), {table.name: table.columns for table in found})

        def uploaded(answer: dict[str, Any]) -> None:
            tables = {table["name"]: table["columns"] for table in answer["tables"]}
            self._show(Database(upload=answer["upload"]), tables)

        if fields:
            button("Show its tables", connect, kind="quiet", icon="storage")
        with element("div") as place:
            button("Upload a SQLite file instead", lambda: self._drop(place, uploaded), kind="bare", icon="upload_file")
        self._choice()

    def _drop(self, place: Element, uploaded: Callable[[dict[str, Any]], None]) -> None:
        url = f"/api/projects/{self._screen.id}/databases"
        place.clear()
        with place:
            DropZone(url, "Drop a SQLite file here", method="POST", on_done=uploaded, on_failed=show_error)

    def _show(self, database: Database, tables: dict[str, Sequence[str]]) -> None:
        self._database, self._tables = database, tables
        self._choice.refresh()

    def _draw_choice(self) -> None:
        if not self._tables:
            return
        names = list(self._tables)
        with element("div", "line"):
            table = _select(names, "Table with one row per person").props("data-key=table")
            items_table = _select(["", *names], "Table with one row per item (if there is one)", value="")
        more = ui.refreshable(lambda: self._tied(str(table.value), str(items_table.value)))
        more()
        table.on_value_change(more.refresh)
        items_table.on_value_change(more.refresh)

    def _tied(self, table: str, items_table: str) -> None:
        """The keys of the item table, if there is one, and the button."""
        here, there = list(self._tables[table]), list(self._tables.get(items_table, ()))
        fields: list[ui.select] = []
        if items_table:
            same = next((name for name in here if name in there), here[0])
            key = same if same in there else there[0]
            with element("div", "line"):
                fields.append(_select(here, f"Key column in {table}", value=same))
                fields.append(_select(there, f"Key column in {items_table}", value=key))
                fields.append(
                    _select(there, "Column with the items", value=next((name for name in there if name != key), there[-1]))
                )

        async def read() -> None:
            chosen = Selection(table, items_table or None, *(str(field.value) for field in fields))
            if await attempt(self._screen.bench.databases.read_table, self._screen.id, self._database, chosen) is not None:
                self._tables = {}
                await self._screen.changed()

        button("Read this table", read, icon="download")


class IntoDatabase:
    """A form that writes a release into a new table of a database."""

    def __init__(self, screen: Screen, run: str) -> None:
        self._screen, self._run = screen, run

    async def draw(self) -> None:
        """Draw the address, the name of the table, and the result."""
        fields = AddressFields(await in_thread(self._screen.bench.databases.allowed))
        if not fields:
            return
        table = ui.input("Name of the new table", value="release").props("outlined dense").classes("full-width")

        async def write() -> None:
            wanted = (self._run, fields.database(), str(table.value or "").strip())
            found = await attempt(self._screen.bench.databases.write_table, self._screen.id, *wanted)
            if found is not None:
                done.refresh(found)

        button("Write the table", write, kind="quiet", icon="storage")
        done = ui.refreshable(_written)
        done(None)


def _written(found: TableFacts | None) -> None:
    if found is not None:
        note(f"{found.name} is written, read back and verified; its columns are {', '.join(found.columns)}.", "good")


def _select(options: Sequence[str], label: str, value: str | None = None) -> ui.select:
    made = ui.select(list(options), value=options[0] if value is None else value, label=label)
    return made.props("outlined dense options-dense").classes("grow")


SHOWN_PROBLEMS = 50
PROMISED_TO_PEOPLE = "several rows belong to one person, so k rows may all be the same person."
GUESSES = {"it is called so": "recognised by the column's name"}  # reasons of the reader, in the words of the pages
KINDS = {"numeric": "numbers", "ordered": "words in order", "categorical": "words", "items": "lists of items"}
KIND_HINTS = {
    "numeric": "a label is a range, such as 20 to 39",
    "ordered": "a label is several neighbours, such as 25-34 and 35-44",
    "categorical": "a label is several words or codes, whatever their order",
}


async def data_page(screen: Screen) -> None:
    """The file of a project, or the drop zone for one."""
    page_head("Data", "Say what each column means: what others could know is protected, what identifies a person is left out.")
    view = DataView(screen)
    await view.body()
    screen.on_change(view.changed)


class DataView:
    """A file with its columns; a changed role redraws only what depends on it."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._file: DataFile | None = None
        self._columns: tuple[FileColumn, ...] = ()
        self._profile: Mapping[str, Any] | None = None
        self._before: float | None = None  # the share of unique people under the roles before
        self.body = ui.refreshable(self._draw)
        self._m = 2
        self._roles = ui.refreshable(lambda: _roles(screen, _with_facts(self._columns, self._profile), self._profile))
        self._exposure = ui.refreshable(lambda: _exposure(self._profile, self._before, self._m))
        self._repeats = ui.refreshable(self._draw_ways_out)
        self._items: SetItems | None = None
        self._accepted: Accept | None = None
        self._options = ui.refreshable(self._draw_options)

    async def _draw(self) -> None:
        screen, self._file = self._screen, self._screen.project.file
        if self._file is None or not self._file.usable:
            _problems(self._file)
            _sheets(screen, self._file)
            with element("div", "two"):
                with card("From a file", lead="CSV, Excel, Parquet, JSON lines or lists of items; compressed files work too."):
                    _drop(screen, "Drop a table here")
                with card("From a database", lead="The current content of a PostgreSQL or SQLite table is copied."):
                    await FromDatabase(screen).draw()
            return
        self._columns = await in_thread(screen.bench.data.columns, screen.id)
        self._profile = await in_thread(screen.bench.data.cached_profile, screen.id)
        await self._read_state()
        _problems(self._file)
        self._repeats()
        with element("div", "wide-left"):
            self._roles()
            with element("div", "stack"):
                self._exposure()
                await self._options()
        self._grid = await _rows(screen, self._file, self._columns)
        if self._profile is None:
            await self._count()

    def _draw_ways_out(self) -> None:
        """What would keep a run from being published, each with its ways out, until one was chosen."""
        if self._profile is None or self._accepted is None:
            return
        if not self._accepted.repeats:
            _repeats(self._screen, self._profile)
        naming = [one for one in self._profile["naming"] if one["column"] not in self._accepted.exposure]
        _naming(self._screen, {**self._profile, "naming": naming}, self._columns)

    async def _read_state(self) -> None:
        state = await in_thread(self._screen.bench.journal.state, self._screen.id)
        self._m, self._accepted = state.promise.m, state.accepted

    async def changed(self) -> None:
        """Draw another file, or the same under other roles."""
        file = self._screen.project.file
        if file is None or not file.usable or file != self._file:
            await self.body.refresh()
            return
        self._columns = await in_thread(self._screen.bench.data.columns, self._screen.id)
        await self._read_state()
        await self._roles.refresh()
        if self._items != (await in_thread(self._screen.bench.journal.state, self._screen.id)).items:
            await self._options.refresh()
        self._grid.show(_grid_columns(self._columns))
        await self._count()

    async def _draw_options(self) -> None:
        self._items = (await in_thread(self._screen.bench.journal.state, self._screen.id)).items
        await draw_item_options(self._screen, self._columns, self._items)

    async def _count(self) -> None:
        """Count unique people, which may take a moment."""
        if self._profile is not None:
            self._before = Exposure(**self._profile["exposure"]).unique(self._m)
        self._profile = None
        await self._exposure.refresh()
        self._profile = await attempt(self._screen.bench.data.profile, self._screen.id)
        await self._roles.refresh()
        await self._exposure.refresh()
        await self._repeats.refresh()
        await self._screen.frame_changed()


def _with_facts(columns: tuple[FileColumn, ...], profile: Mapping[str, Any] | None) -> tuple[FileColumn, ...]:
    """The columns with their numbers of values, where they are counted."""
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
        on_failed=show_error,
    )


def _sheets(screen: Screen, file: DataFile | None) -> None:
    """The choice of the sheet, where a workbook has several."""
    if file is None or not file.sheets:
        return

    async def take(event: Any) -> None:
        await attempt(screen.bench.data.take_sheet, screen.id, str(event.value))
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
    """The ways out where people have several rows, one click each."""
    tied = [facts["name"] for facts in profile["columns"] if facts.get("ties")] if profile else []
    if profile and (gathered := profile["gathered"]):
        with card("One record per person"):
            note(f"{gathered[0].upper()}{gathered[1:]}.", "good")
    if not tied:
        return

    async def gather(name: str) -> None:
        state = await in_thread(screen.bench.journal.state, screen.id)
        await screen.take(replace(state.items, person=name))

    async def insist() -> None:
        state = await in_thread(screen.bench.journal.state, screen.id)
        await screen.take(replace(state.accepted, repeats=True))

    with card("People have several rows"):
        note(f"Values of {', '.join(tied)} repeat: {PROMISED_TO_PEOPLE} Runs are refused until you choose a way out.", "warn")
        with element("div", "line"):
            for name in tied:
                by = f" by {name}" if len(tied) > 1 else ""
                button(f"Combine the rows of each person{by}", lambda name=name: gather(name), icon="group")
            button("Count rows instead", insist, kind="bare")
        element("p", "soft small", "Counting rows is listed in the report as an exception.")


def _naming(screen: Screen, profile: Mapping[str, Any] | None, columns: tuple[FileColumn, ...]) -> None:
    """The ways out for columns and items that identify people, one click each."""
    roles = {column.name: column.role for column in columns}
    found = [one for one in profile["naming"] if roles.get(one["column"]) not in {"identifier", "none"}] if profile else []
    if not found:
        return

    async def remove(patterns: Sequence[str]) -> None:
        items = (await in_thread(screen.bench.journal.state, screen.id)).items
        await screen.take(replace(items, drop=tuple(dict.fromkeys((*items.drop, *patterns)))))

    async def insist(name: str) -> None:
        accepted = (await in_thread(screen.bench.journal.state, screen.id)).accepted
        await screen.take(replace(accepted, exposure=tuple(dict.fromkeys((*accepted.exposure, name)))))

    with card("Values that identify people", lead="Runs are refused until you choose a way out."):
        for one in found:
            name, patterns = one["column"], one["patterns"]
            note(sentence(one["text"]), "warn")
            with element("div", "line"):
                if patterns:
                    button(f"Remove the items {', '.join(patterns)}", lambda p=patterns: remove(p), icon="filter_alt")
                leave: dict[str, Any] = {name: "none"}
                button(f"Leave out {name}", lambda r=leave: screen.take(SetRoles(r)), kind="quiet")
                button(f"Publish {name} anyway", lambda name=name: insist(name), kind="bare")


def _roles(screen: Screen, columns: tuple[FileColumn, ...], profile: Mapping[str, Any] | None) -> None:
    unsure = [column for column in columns if not column.given and len(columns) > 1]  # items alone leave nothing to guess
    pictures = profile["pictures"] if profile else {}
    with card("What the columns mean"):
        if unsure:
            with element("div", "line between"):
                note(f"{len(unsure)} {'role is' if len(unsure) == 1 else 'roles are'} guessed: check, then confirm.", "warn")
                roles: dict[str, Any] = {c.name: c.role for c in unsure}
                button("Confirm all", lambda: screen.take(SetRoles(roles)), kind="quiet", icon="check")
        rows = [
            (
                lambda c=c: _name(c),
                lambda c=c: _picture(c, pictures.get("" if c.role == "items" else c.name, ())),
                lambda c=c: _role_choice(screen, c),
            )
            for c in columns
        ]
        table(("column", "values", "role and kind"), rows, "Columns, their roles and kinds").classes("roles-table")
        with ui.expansion("What the roles mean").classes("full-width"), element("dl", "facts"):
            for name, role in ROLES.items():
                with element("dt", "line"):
                    role_chip(name)
                    element("span", "", role.words)
                element("dd", "", role.hint)


def _name(column: FileColumn) -> None:
    with element("div", "column-name"):
        element("strong", "", column.name)
        element("div", "soft small", f"guessed: {GUESSES.get(column.reason, column.reason)}" if not column.given else "")


def _picture(column: FileColumn, bars: Sequence[tuple[str, int]]) -> None:
    """The facts about a column, and a picture of how its values are spread."""
    element("div", "small", _facts(column))
    if bars:
        top = ", ".join(f"{name} {count:,}" for name, count in sorted(bars, key=lambda bar: -bar[1])[:3])
        ColumnPicture(bars, f"Values of {column.name}; the most frequent: {top}")
        if column.kind != "numeric":
            element("div", "soft small top-values", top)


def _facts(column: FileColumn) -> str:
    kind = KINDS.get(column.kind, column.kind)
    if column.values is None:
        return kind
    missing = f", {column.missing:,} missing" if column.missing else ""
    return f"{kind}, {column.values:,} different{missing}"


KIND_OPTIONS = tuple((name, KINDS[name], hint) for name, hint in KIND_HINTS.items())
ROLE_OPTIONS = tuple((name, role.words, role.hint) for name, role in ROLES.items())


def _role_choice(screen: Screen, column: FileColumn) -> None:
    def choose(role: str) -> Any:
        chosen: dict[str, Any] = {column.name: role}
        return screen.take(SetRoles(chosen)) if role in ROLES else None

    RoleSelect(f"Role of {column.name}", ROLE_OPTIONS, column.role, f"role-{column.field}", choose)
    _kind_choice(screen, column)


def _kind_choice(screen: Screen, column: FileColumn) -> None:
    """The choice between numbers and words, of a column that is published."""

    def choose(kind: str) -> Any:
        kinds: dict[str, Any] = {column.name: kind}
        return screen.take(SetKinds(kinds)) if kind in KIND_HINTS else None

    if column.kind in KIND_HINTS and column.role in ("quasi", "sensitive", "other"):
        RoleSelect(f"Kind of {column.name}", KIND_OPTIONS, column.kind, f"kind-{column.field}", choose)


def _exposure(profile: Mapping[str, Any] | None, before: float | None, m: int) -> None:
    with card("Who is unique today"):
        if profile is None:
            with element("div", "line soft", role="status"):
                ui.spinner()
                element("span", "", "counting …")
            return
        found = Exposure(**profile["exposure"])
        share = found.unique(m)
        with element("div", "line", aria_live="polite"):
            element("div", f"figure {'bad' if share > 0.05 else 'good'}", percent(share))
            if before is not None and before != share:
                element("span", "soft", f"before this change: {percent(before)}")
        alone = f"{round(share * found.records):,} of {found.records:,}"
        element("p", "", f"{alone} people are the only one to fit what the promise takes as known: {_known(found, m)}.")
        rows = [(what, percent(share)) for what, share in _knowledge(found)]
        table(("to somebody who knows", "unique"), rows, "Unique people, by what somebody knows", right=(1,))
        element(
            "p", "soft small", "Items are those of a person that tell most. An attacker who knows random items finds fewer."
        )


def _known(exposure: Exposure, m: int) -> str:
    """What the figure of the promise takes as known."""
    known = exposure.both or exposure.items
    if not known:
        return "the columns that could be known"
    count = min(m, len(known))
    items = f"{count} item{'s' if count > 1 else ''}"
    return f"the columns that could be known and {items}" if exposure.both else items


def _knowledge(exposure: Exposure) -> list[tuple[str, float]]:
    known = [] if exposure.quasi is None else [("the columns that could be known", exposure.quasi)]
    known += [(f"{n} item{'s' if n > 1 else ''}", share) for n, share in enumerate(exposure.items or (), 1)]
    known += [(f"these columns and {n} item{'s' if n > 1 else ''}", share) for n, share in enumerate(exposure.both or (), 1)]
    return known


async def _rows(screen: Screen, file: DataFile, columns: tuple[FileColumn, ...]) -> DataGrid:
    with card("The records", lead=f"{file.name}: {file.rows:,} records, {file.format}, {size(file.bytes)}."):
        _sheets(screen, file)
        with ui.expansion("Upload another file", icon="upload_file").classes("full-width"):
            _drop(screen, "Drop the other file here")
        with ui.expansion("Read another database table", icon="storage").classes("full-width"), element("div", "stack"):
            await FromDatabase(screen).draw()
        return DataGrid(f"/api/projects/{screen.id}/data/rows", _grid_columns(columns), "Records of the file")


def _grid_columns(columns: tuple[FileColumn, ...]) -> list[GridColumn]:
    return [GridColumn(column.name, column.role, ROLES[column.role].letter) for column in columns]
