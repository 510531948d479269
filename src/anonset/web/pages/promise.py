"""Promise: a sentence to fill in, what it does not cover yet, and whether it can be kept."""

from dataclasses import dataclass, replace
from typing import Any

from nicegui import ui

from anonset.web.pages.rules import draw_rules, draw_sensitive_items
from anonset.web.parts import button, card, element, hinted, note, page_head
from anonset.web.screen import Screen
from anonset.web.waiting import answered
from anonset.web.words import TERMS, sentence
from anonset.workbench.journal import Accept, SetPromise
from anonset.workbench.values import Column


@dataclass(frozen=True, slots=True)
class Preset:
    """A usual promise and where it comes from."""

    title: str
    k: int
    m: int
    source: str


PRESETS = (
    Preset("Within the house", 3, 1, "at least three in a cell: the rule of thumb of statistical offices"),
    Preset("To researchers", 5, 2, "a chance of 1 in 5, a usual choice where a contract forbids attempts"),
    Preset("To the public", 11, 2, "a chance below 0.09: EMA policy 0070, Health Canada; CMS shows no cell below 11"),
    Preset("To the public, cautious", 20, 3, "a chance of 1 in 20 against somebody who knows three items"),
)


async def promise_page(screen: Screen) -> None:
    """What is promised to the people in the data."""
    page_head("Promise", "What may somebody know about a person, and how many people must look alike to them?")
    body = ui.refreshable(lambda: _body(screen))
    await body()
    screen.on_change(body.refresh)


async def _body(screen: Screen) -> None:
    state = await answered(screen.bench.state, screen.id)
    columns = await answered(screen.bench.columns, screen.id)
    _sentence(screen, state.promise, columns, "people" if state.items.person else "records")
    if not state.items.person:
        note("Each record is taken for one person: under Data you can say which column tells people apart.", "")
    await _gates(screen, state.promised)
    has_items = bool(_of_role(columns, "items"))
    _presets(screen, state.promise, has_items)
    with element("div", "two"):
        with element("div", "stack"):
            if has_items:
                draw_sensitive_items(screen, state.items)
            _exceptions(screen, state.accepted, columns)
        if has_items:
            draw_rules(screen, state.promise)


def _of_role(columns: tuple[Column, ...], role: str) -> list[str]:
    return [column.name for column in columns if column.role == role]


def _sentence(screen: Screen, promise: SetPromise, columns: tuple[Column, ...], unit: str) -> None:
    quasi, items, sensitive = (_of_role(columns, role) for role in ("quasi", "items", "sensitive"))
    with card(), element("div", "sentence"):
        element("span", "", "Someone who knows ")
        if quasi:
            hinted(", ".join(quasi), "the columns marked K under Data: quasi-identifiers", "bold")
        if items:
            element("span", "", " and up to " if quasi else " up to ")
            _number(screen, promise, "m", 1, 10)
            hinted("items", TERMS["m"].hint)
        element("span", "", " of a person finds at least ")
        _number(screen, promise, "k", 1, 1_000_000)
        hinted(unit, TERMS["k"].hint)
        element("span", "", " that look alike")
        if sensitive:
            element("span", "", ", with at least ")
            _number(screen, promise, "l", 2, 1000)
            hinted("different answers", TERMS["l"].hint)
            element("span", "", f" for {', '.join(sensitive)}")
        element("span", "", ".")


def _number(screen: Screen, promise: SetPromise, name: str, low: int, high: int) -> None:
    async def change(event: Any) -> None:
        value = int(field.value) if field.value else None
        if value != getattr(promise, name) and (value is not None or name == "l"):
            changed: dict[str, Any] = {name: value}
            await screen.take(replace(promise, **changed))

    field = ui.number(value=getattr(promise, name), min=low, max=high, step=1, format="%d").props("outlined dense")
    field.props["aria-label"] = TERMS[name].words
    field.props["data-key"] = name
    field.style("width: 92px").on("change", change)


async def _gates(screen: Screen, promised: bool) -> None:
    remarks = await answered(screen.bench.remarks, screen.id)
    kinds = {"error": "bad", "infeasible": "bad", "warning": "warn", "note": ""}
    for remark in remarks:
        words = f"{TERMS['infeasible'].words}: {remark.text}" if remark.level == "infeasible" else remark.text
        note(sentence(words), kinds[remark.level])
    if any(remark.level in {"error", "infeasible"} for remark in remarks):
        return
    if promised and any(remark.level == "warning" for remark in remarks):
        note("Everything that could be known is covered. What is marked above would keep a run from being published.", "")
    elif promised:
        note("Everything that could be known is covered, and nothing speaks against the promise.", "good")
    else:
        with element("div", "line"):
            note("This is the usual promise. Change it, choose one below, or take it as it is.", "")
            button("Promise this", lambda: _keep(screen), icon="check")


async def _keep(screen: Screen) -> None:
    state = await answered(screen.bench.state, screen.id)
    await screen.take(state.promise)


def _presets(screen: Screen, promise: SetPromise, has_items: bool) -> None:
    element("h2", "", "Usual promises")
    with element("div", "cards narrow"):
        for preset in PRESETS:
            on = (promise.k, promise.m) == (preset.k, preset.m)
            made = element("button", "card preset", type="button", aria_pressed=str(on).lower())
            made.props["data-key"] = preset.title
            made.on("click", lambda p=preset: screen.take(replace(promise, k=p.k, m=p.m)))
            with made:
                element("h3", "", preset.title)
                known = f", {preset.m} item{'s' if preset.m > 1 else ''} known" if has_items else ""
                element("div", "num", f"{preset.k} look alike{known}")
                element("div", "soft small", preset.source)


def _exceptions(screen: Screen, accepted: Accept, columns: tuple[Column, ...]) -> None:
    async def save() -> None:
        await screen.take(Accept(tuple(exposed.value or ()), bool(loss.value), bool(repeats.value)))

    names = [column.name for column in columns if column.role not in {"identifier", "none"}]
    with card("Exceptions", lead="What is refused otherwise. Each is told in the report and to the receiver."):
        exposed = ui.select(names, value=[n for n in accepted.exposure if n in names], multiple=True)
        exposed.props("outlined use-chips").classes("full-width").props["label"] = "Publish although nothing protects it"
        loss = ui.switch("Publish although nearly nothing is left", value=accepted.loss)
        repeats = ui.switch("Count rows although people have several", value=accepted.repeats)
        button("Save exceptions", save, kind="quiet")
