"""Attack me: say what you know about a person, and see who fits, before and after."""

from collections.abc import Mapping
from typing import Any

from nicegui import ui

from anonset.web.pages.story import text
from anonset.web.parts import button, card, element, note, table
from anonset.web.screen import Screen, attempted
from anonset.web.waiting import answered
from anonset.web.words import one_in, percent
from anonset.workbench.values import Candidates, Run


async def attack_me(screen: Screen, shown: Run, row: int | None) -> None:
    """A form of what may be known, and the candidates."""
    columns = await answered(screen.bench.columns, screen.id)
    person = await _known(screen, shown, row)
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
                found = await attempted(screen.bench.candidates, screen.id, shown.id, values, known)
                if found is not None:
                    result.refresh(found)

            for field in (*fields.values(), *([items] if items else [])):
                field.on("keydown.enter", look)
            button("Find this person", look, icon="person_search")
        with card("Who fits"):
            result = ui.refreshable(_result)
            result(None)
    _lab(screen, shown)


async def _known(screen: Screen, shown: Run, row: int | None) -> dict[str, str]:
    """What somebody may know about the person in a row: the columns that could be known, and as many items as promised."""
    page = await attempted(screen.bench.beside, screen.id, shown.id, row, 1) if row is not None else None
    if page is None or not page.before:
        return {}
    m = (await answered(screen.bench.state, screen.id)).promise.m
    values = {name: page.before[0].get(f"c{place}") for place, name in enumerate(page.columns)}
    lists = [value for value in values.values() if isinstance(value, list)]
    return {name: text(value) for name, value in values.items()} | {"items": text(lists[0][:m]) if lists else ""}


def _lab(screen: Screen, shown: Run) -> None:
    """Many attackers at once: how often they find the right person."""

    async def play() -> None:
        found = await attempted(screen.bench.attack, screen.id, shown.id, attackers=200)
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
