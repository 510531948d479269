"""A table of a database as the data of a project: by address, or from a SQLite file; and the form for its address."""

from collections.abc import Callable, Sequence
from typing import Any

from nicegui import ui
from nicegui.element import Element

from anonset.web.components import DropZone
from anonset.web.parts import button, element, note
from anonset.web.screen import Screen, attempted, told
from anonset.web.waiting import answered
from anonset.workbench.databases import Allowed, Database, Selection, TableFacts

KEPT = "Used for this one connection, and kept nowhere. Empty: what the server's own PGPASSWORD, ~/.pgpass or service file say."


class AddressFields:
    """The address of a database, and the password beside it."""

    def __init__(self, allowed: Allowed) -> None:
        self._password: ui.input | None = None
        if not allowed.postgresql and not allowed.addresses:
            self._address: Any = None
            note("This server may reach no database; whoever runs it can allow one with --allow-database.")
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
                ui.tooltip(KEPT)

    def __bool__(self) -> bool:
        return self._address is not None

    def database(self) -> Database:
        """What was typed."""
        return Database(str(self._address.value or ""), str(self._password.value or "") if self._password else "")


class FromDatabase:
    """Where the database is, then which of its tables, then which of those has the items."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._database = Database()
        self._tables: dict[str, Sequence[str]] = {}
        self._choice = ui.refreshable(self._draw_choice)

    async def draw(self) -> None:
        """The address, a place to drop a SQLite file, and the tables once they are known."""
        fields = AddressFields(await answered(self._screen.bench.databases))

        async def connect() -> None:
            found = await attempted(self._screen.bench.tables, self._screen.id, fields.database())
            if found is not None:
                self._show(fields.database(), {table.name: table.columns for table in found})

        def uploaded(answer: dict[str, Any]) -> None:
            tables = {table["name"]: table["columns"] for table in answer["tables"]}
            self._show(Database(upload=answer["upload"]), tables)

        if fields:
            button("Show its tables", connect, kind="quiet", icon="storage")
        with element("div") as place:
            button("Hand in a SQLite file instead", lambda: self._drop(place, uploaded), kind="bare", icon="upload_file")
        self._choice()

    def _drop(self, place: Element, uploaded: Callable[[dict[str, Any]], None]) -> None:
        url = f"/api/projects/{self._screen.id}/databases"
        place.clear()
        with place:
            DropZone(url, "Drop a SQLite file here", method="POST", on_done=uploaded, on_failed=told)

    def _show(self, database: Database, tables: dict[str, Sequence[str]]) -> None:
        self._database, self._tables = database, tables
        self._choice.refresh()

    def _draw_choice(self) -> None:
        if not self._tables:
            return
        names = list(self._tables)
        with element("div", "line"):
            table = _select(names, "One row a person").props("data-key=table")
            items_table = _select(["", *names], "One row an item (if there is such a table)", value="")
        more = ui.refreshable(lambda: self._tied(str(table.value), str(items_table.value)))
        more()
        table.on_value_change(more.refresh)
        items_table.on_value_change(more.refresh)

    def _tied(self, table: str, items_table: str) -> None:
        """How the item table is tied, where there is one, and the button."""
        here, there = list(self._tables[table]), list(self._tables.get(items_table, ()))
        fields: list[ui.select] = []
        if items_table:
            same = next((name for name in here if name in there), here[0])
            key = same if same in there else there[0]
            with element("div", "line"):
                fields.append(_select(here, f"Key in {table}", value=same))
                fields.append(_select(there, f"The same in {items_table}", value=key))
                fields.append(_select(there, "The items", value=next((name for name in there if name != key), there[-1])))

        async def read() -> None:
            chosen = Selection(table, items_table or None, *(str(field.value) for field in fields))
            if await attempted(self._screen.bench.read_table, self._screen.id, self._database, chosen) is not None:
                self._tables = {}
                await self._screen.changed()

        button("Read it", read, icon="download")


class IntoDatabase:
    """A release into a new table of a database."""

    def __init__(self, screen: Screen, run: str) -> None:
        self._screen, self._run = screen, run

    async def draw(self) -> None:
        """The address, the name of the table, and what came of it."""
        fields = AddressFields(await answered(self._screen.bench.databases))
        if not fields:
            return
        table = ui.input("Name of the new table", value="release").props("outlined dense").classes("full-width")

        async def write() -> None:
            wanted = (self._run, fields.database(), str(table.value or "").strip())
            found = await attempted(self._screen.bench.write_table, self._screen.id, *wanted)
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
