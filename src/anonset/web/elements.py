"""Small elements that all pages use; text is always set as text, never as markup. Slow calls run in threads."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from functools import partial
from inspect import Parameter, Signature
from typing import Any, ParamSpec, TypeVar

from nicegui import ui
from nicegui.classes import Classes
from nicegui.element import Element
from nicegui.props import Props
from nicegui.style import Style

from anonset.web.words import ROLES, TERMS

NO_ARGUMENTS = Signature([Parameter("self", Parameter.POSITIONAL_ONLY)])


def declare_signatures() -> None:
    """Declare the signatures of three methods that NiceGUI inspects for every element, which takes half of the time."""
    for kind in (Classes, Props, Style):
        if (update := getattr(kind, "_update", None)) is not None:  # where a version of NiceGUI has it
            update.__signature__ = NO_ARGUMENTS


P = ParamSpec("P")
T = TypeVar("T")
PAGE_THREADS = ThreadPoolExecutor(64, "anonset-page")  # many, since most of them only wait for a worker


async def in_thread(call: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
    """The result of a call made in a thread, for the person who is at the page."""
    here = copy_context()
    return await asyncio.get_running_loop().run_in_executor(PAGE_THREADS, partial(here.run, call, *args, **options))


def element(tag: str, classes: str = "", text: str | None = None, **attributes: str) -> Element:
    """An HTML element with attributes and an optional text."""
    made: Element = ui.element(tag).classes(classes) if text is None else ui.label(text).classes(classes)
    if text is not None:
        made.tag = tag
    for name, value in attributes.items():
        made.props[name.strip("_").replace("_", "-")] = value
    return made


def hinted(words: str, hint: str, classes: str = "") -> Element:
    """Words that show a hint on hover and on focus."""
    made = element("span", f"hinted {classes}", words, tabindex="0")
    with made:
        ui.tooltip(hint)
    return made


def term(name: str, classes: str = "") -> Element:
    """A term in plain words, with the technical name as its hint."""
    return hinted(TERMS[name].words, TERMS[name].hint, classes)


def role_chip(role: str) -> Element:
    """The letter of a role in its colour."""
    made = element("span", f"role role-{role}", ROLES[role].letter)
    made.props["role"] = "img"
    made.props["aria-label"] = ROLES[role].words
    with made:
        ui.tooltip(f"{ROLES[role].words}: {ROLES[role].hint}")
    return made


@contextmanager
def card(title: str = "", classes: str = "", lead: str = "") -> Iterator[Element]:
    """A white box with a heading."""
    with element("section", f"card stack {classes}") as box:
        if title:
            with element("div"):
                element("h2", "", title)
                if lead:
                    element("p", "soft", lead)
        yield box


def page_head(title: str, lead: str) -> Element:
    """The heading of a page; elements added to it are at its right."""
    with element("div", "page-head") as head, element("div", "grow"):
        element("h1", "", title)
        element("p", "lead", lead)
    return head


def note(text: str, kind: str = "", **attributes: str) -> Element:
    """A highlighted sentence; its kind is good, warn or bad."""
    signs = {"good": "✓ ", "warn": "! ", "bad": "✕ "}
    return element("div", f"note {kind}-note" if kind else "note", signs.get(kind, "") + text, **attributes)


def figure(value: str, name: str, kind: str = "") -> None:
    """A large number with a term below it."""
    with element("div"):
        element("div", f"figure {kind}", value)
        term(name, "soft small")


def table(head: Sequence[str], rows: Sequence[Sequence[Any]], caption: str, *, right: Sequence[int] = ()) -> Element:
    """A plain table; a cell is a text or a function that draws it."""
    with element("div", "scroller") as box, element("table", "plain-table"):
        element("caption", "unseen", caption)
        with element("thead"), element("tr"):
            for place, title in enumerate(head):
                element("th", "right" if place in right else "", title, scope="col")
        with element("tbody"):
            for row in rows:
                with element("tr"):
                    cells(row, right)
    return box


def cells(row: Sequence[Any], right: Sequence[int] = ()) -> None:
    """The cells of one row."""
    for place, cell in enumerate(row):
        style = "right" if place in right else ""
        if callable(cell):
            with element("td", style):
                cell()
        else:
            element("td", style, str(cell))


def button(text: str, act: Callable[..., Any] | None = None, *, kind: str = "main", icon: str | None = None) -> ui.button:
    """A button; its kind is main, quiet (with a border) or bare."""
    made = ui.button(text, on_click=act, color=None, icon=icon).props("unelevated" if kind == "main" else "flat").classes(kind)
    made.props["data-key"] = text
    return made


def link(text: str, href: str, *, kind: str = "quiet", icon: str | None = None, **attributes: str) -> Element:
    """A link that looks like a button."""
    made = element("a", f"as-button {kind}", href=href, **attributes)
    with made:
        if icon is not None:
            ui.icon(icon).props["aria-hidden"] = "true"
        element("span", "", text)
    return made


def icon_button(icon: str, name: str, act: Callable[..., Any] | None = None) -> ui.button:
    """A button with an icon; its name is shown on hover and read by screen readers."""
    made = ui.button(icon=icon, on_click=act, color=None).props("flat round dense").classes("icon")
    made.props["aria-label"] = name
    with made:
        ui.tooltip(name)
    return made


def copyable(text: str, name: str) -> None:
    """A text with a button that copies it."""
    with element("div", "copyable"):
        element("pre", "mono", text)

        def copy() -> None:
            ui.clipboard.write(text)
            ui.notify("copied")

        icon_button("content_copy", f"Copy: {name}", copy)


async def ask_text(question: str, label: str, value: str = "", *, action: str = "Save") -> str | None:
    """The text that a user types into a dialog, or None."""
    with ui.dialog() as dialog, ui.card():
        element("h2", "", question)
        field = ui.input(label, value=value).props("outlined autofocus").classes("full-width")
        field.on("keydown.enter", lambda: dialog.submit(field.value))
        with element("div", "line"):
            button(action, lambda: dialog.submit(field.value))
            button("Cancel", lambda: dialog.submit(None), kind="bare")
    answer = await dialog
    return str(answer).strip() or None if answer is not None else None


async def confirm(question: str, text: str, *, action: str) -> bool:
    """Whether a user agrees in a dialog."""
    with ui.dialog() as dialog, ui.card():
        element("h2", "", question)
        element("p", "soft", text)
        with element("div", "line"):
            button(action, lambda: dialog.submit(True)).props("autofocus")
            button("Cancel", lambda: dialog.submit(False), kind="bare")
    return bool(await dialog)
