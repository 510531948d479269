"""How a list of items is read: what stands between items, and whether one may occur several times."""

from dataclasses import replace

from nicegui import ui

from anonset.web.parts import button, card, hinted
from anonset.web.screen import Screen
from anonset.web.waiting import answered
from anonset.workbench.values import Column

SEPARATORS = {None: "as guessed", " ": "a blank", ",": "a comma", ";": "a semicolon", "|": "a bar |"}

MULTISET = "multiset: an item that occurs twice in a list is another item than one that occurs once"

DROP = (
    "numbers that name people, among items that many share, are removed on reading: * stands for any signs, [0-9] for a digit"
)


async def draw_item_options(screen: Screen, columns: tuple[Column, ...]) -> None:
    """The options, where there is a list of items."""
    if not any(column.role == "items" for column in columns):
        return
    items = (await answered(screen.bench.state, screen.id)).items

    async def save() -> None:
        patterns = tuple(text.strip() for text in (drop.value or "").split(",") if text.strip())
        chosen = {"separator": separator.value, "multiset": bool(multiset.value), "person": person.value, "drop": patterns}
        await screen.take(replace(items, **chosen))

    with card("How the lists are read"):
        options = SEPARATORS if items.separator in SEPARATORS else {**SEPARATORS, items.separator: items.separator or ""}
        separator = ui.select(options, value=items.separator, label="Between two items stands").props("outlined dense")
        keys = [column.name for column in columns if column.role != "items"]
        rows = {None: "is another person"} | {key: f"with the same {key} is the same person" for key in keys}
        person = ui.select(rows, value=items.person, label="Every row").props("outlined dense")
        drop = ui.input("Remove items like", value=", ".join(items.drop), placeholder="mrn:*").props("outlined dense")
        hinted("what is this?", DROP, "soft small")
        multiset = ui.switch("how often an item occurs counts", value=items.multiset)
        hinted("what is this?", MULTISET, "soft small")
        button("Save", save, kind="quiet").props["data-key"] = "item-options"
