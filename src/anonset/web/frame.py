"""The frame of every page: the bar at the top, the rail at the left, and what is between them."""

from collections.abc import Iterator
from contextlib import contextmanager

from nicegui import ui

from anonset.web.components import Meter, Meters, ProjectRail, RailStep
from anonset.web.parts import element, icon_button, table
from anonset.web.screen import Screen
from anonset.web.words import PLACES, TERMS, one_in, percent
from anonset.workbench.values import Project

LONGEST_WAIT = 600.0  # seconds that a browser on a busy machine may take to listen


@contextmanager
def plain_frame(title: str) -> Iterator[None]:
    """A page outside a project."""
    _dress(title)
    with element("header", "bar"):
        _brand()
        element("div", "grow")
        _theme_button()
    with element("div", "plain", id="main"):
        yield


@contextmanager
def project_frame(screen: Screen) -> Iterator[None]:
    """A place of a project."""
    _dress(f"{PLACES[screen.place]} – {screen.project.name}")
    with element("header", "bar"):
        bar = ui.refreshable(lambda: _bar(screen))
        bar()
    with element("div", "project"):
        rail = ProjectRail()
        _show_rail(screen, rail)

        async def redraw() -> None:
            await bar.refresh()
            _show_rail(screen, rail)

        with element("div", "page", id="main"):
            screen.framed_by(redraw)
            yield


async def drawn_later() -> bool:
    """Send the frame at once; what takes time is drawn when the browser listens. False where it does not."""
    waiting = ui.spinner(size="lg")
    waiting.props["aria-label"] = "Loading"
    try:
        await ui.context.client.connected(timeout=LONGEST_WAIT)
    except TimeoutError:
        return False
    waiting.delete()
    return not ui.context.client.is_deleted


def _dress(title: str) -> None:
    ui.page_title(f"{title} – anonset")
    ui.add_head_html('<link rel="stylesheet" href="/static/workbench.css"><script src="/static/page.js"></script>')


def _brand() -> None:
    with element("a", "brand", href="/"):
        element("span", "brand-mark", aria_hidden="true")
        element("span", "", "anonset")


def _theme_button() -> None:
    button = icon_button("contrast", "Light or dark")
    button.on("click", js_handler="() => anonsetTheme.toggle()")


def _bar(screen: Screen) -> None:
    project = screen.project
    _brand()
    element("div", "bar-name", project.name)
    _journal_buttons(screen)
    Meters().show(_meters(project))
    _theme_button()


def _meters(project: Project) -> list[Meter]:
    verdict = {None: "not yet", True: "✓ verified", False: "✕ does not hold"}[project.verified]
    kind = {None: "soft", True: "good", False: "bad"}[project.verified]
    figures = {
        "now": percent(project.found_before),
        "after": one_in(project.found_after),
        "lost": percent(project.lost),
        "verified": verdict,
    }
    return [
        Meter(TERMS[name].words, TERMS[name].hint, value, kind if name == "verified" else "") for name, value in figures.items()
    ]


def _journal_buttons(screen: Screen) -> None:
    steps = screen.journal
    back = next((entry for entry in reversed(steps) if not entry.undone), None)
    again = next((entry for entry in steps if entry.undone), None)
    with element("div", "line"):
        for name, icon, entry, act in (("Undo", "undo", back, screen.undo), ("Redo", "redo", again, screen.redo)):
            button = icon_button(icon, f"{name}: {entry.text}" if entry else f"nothing to {name.lower()}", act)
            button.props["data-key"] = name
            button.set_enabled(entry is not None)
        icon_button("history", "All steps", lambda: _history(screen)).props["data-key"] = "All steps"


def _history(screen: Screen) -> None:
    """Every step with its time; those taken back are marked."""
    with ui.dialog(value=True), ui.card().classes("history"):
        element("h2", "", "What was decided")
        element("p", "soft", "Undo takes the last step back; what is taken back can be redone until another step is taken.")
        rows = [
            (e.number, e.at.replace("T", " ")[:16], f"{e.text}{' (taken back)' if e.undone else ''}")
            for e in reversed(screen.journal)
        ]
        if rows:
            table(("step", "when", "what"), rows, "The steps of this project", right=(0,))
        else:
            element("p", "", "Nothing yet.")


def _show_rail(screen: Screen, rail: ProjectRail) -> None:
    base = f"/projects/{screen.id}"
    rail.show(
        [
            RailStep(PLACES[step.place], f"{base}/{step.place}", step.sentence, step.done, step.place == screen.place)
            for step in screen.project.rail
        ]
    )
