"""One record: how it was, how it is published, how that came about, and the way to look for it."""

import re

from nicegui import ui

from anonset.web.parts import button, card, element, link, table
from anonset.web.screen import Screen, attempted
from anonset.web.words import percent
from anonset.workbench.values import Run

LOSS = re.compile(r"\b(NCP|UL)( of all records)? (\d+\.\d+)")
LOST = {"NCP": "detail lost in the columns", "UL": "detail lost in the items"}
ROW = re.compile(r"\b([Rr]ow|[Rr]ows|[Rr]ecord) (\d+)")


async def draw_story(screen: Screen, shown: Run, row: int | None) -> None:
    """The story of a record, or of the whole release where none is named."""
    base = f"/projects/{screen.id}/inspect?run={shown.id}"

    def tell() -> None:
        ui.navigate.to(f"{base}&tab=story&row={int(field.value or 1) - 1}")

    with element("div", "line"):
        field = ui.number("Row of the file", value=(row or 0) + 1, min=1, step=1, format="%d").props("outlined dense")
        field.on("keydown.enter", tell)
        button("Tell its story", tell, kind="quiet")
        if row is not None:
            link("Look for this person", f"{base}&tab=attack&row={row}", kind="bare", icon="person_search")
    if row is not None:
        await _before_and_after(screen, shown, row)
    lines = await attempted(screen.bench.story, screen.id, shown.id, row)
    title = "How that came about" if row is not None else "How the release came about"
    lead = "" if row is not None else "Name a row above to be told what became of it."
    with card(title, lead=lead), element("ol", "story", tabindex="0", aria_label=title):
        for line in lines or ():
            element("li", "", in_plain_words(counted_from_one(line)))


async def _before_and_after(screen: Screen, shown: Run, row: int) -> None:
    page = await attempted(screen.bench.beside, screen.id, shown.id, row, 1)
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
    """A sentence whose rows are counted as in the grid."""
    return ROW.sub(lambda found: f"{found[1]} {int(found[2]) + 1:,}", line)


def in_plain_words(line: str) -> str:
    """A sentence with the words that other pages have for what is lost."""
    return LOSS.sub(lambda found: f"{LOST[found[1]]}{found[2] or ''} {percent(float(found[3]))}", line)


def text(value: object) -> str:
    """A value for people."""
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else "" if value is None else str(value)
