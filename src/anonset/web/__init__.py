"""The workbench in the browser: pages over the workbench, on the application that also has the REST API."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from fastapi import FastAPI
from nicegui import app, ui

from anonset.web.elements import draw_quickly, element, note, page_head
from anonset.web.pages.data import data_page
from anonset.web.pages.hierarchies import hierarchies_page
from anonset.web.pages.inspection import inspect_page
from anonset.web.pages.projects import projects_page
from anonset.web.pages.promise import promise_page
from anonset.web.pages.release import release_page
from anonset.web.pages.trials import try_page
from anonset.web.screen import Screen, drawn_later, plain_frame, project_frame
from anonset.workbench import Workbench

STATIC = Path(__file__).with_name("static")
PATIENCE = 30.0  # seconds after which a browser that does not answer is not connected any more
BUILT = 120.0  # seconds that a busy server may take for the frame of a page
LEFT = 10.0  # seconds that the page of a browser which is not connected is kept for it


@dataclass(frozen=True, slots=True)
class PageAddress:
    """What the address of a page asks for."""

    run: str | None
    tab: str
    row: int | None
    other: str | None


PLACES: Mapping[str, Callable[[Screen, PageAddress], Awaitable[None]]] = {
    "data": lambda screen, asked: data_page(screen),
    "hierarchies": lambda screen, asked: hierarchies_page(screen, asked.tab),
    "promise": lambda screen, asked: promise_page(screen),
    "try": lambda screen, asked: try_page(screen, asked.run),
    "inspect": lambda screen, asked: inspect_page(screen, asked.run, asked.tab, asked.row, asked.other),
    "release": lambda screen, asked: release_page(screen),
}


def mount(application: FastAPI, bench: Workbench) -> None:
    """Add the pages to an application."""
    app.add_static_files("/static", STATIC)
    _pages(bench)
    draw_quickly()
    ui.run_with(
        application,
        title="anonset",
        dark=None,
        language="en-US",
        tailwind=False,
        show_welcome_message=False,
        reconnect_timeout=PATIENCE,
    )


def _pages(bench: Workbench) -> None:
    @ui.page("/", response_timeout=BUILT, reconnect_timeout=LEFT)
    async def projects() -> None:
        with plain_frame("Projects"):
            if await drawn_later():
                await projects_page(bench)

    @ui.page("/projects/{id}/{place}", response_timeout=BUILT, reconnect_timeout=LEFT)
    async def place(
        id: str, place: str, run: str | None = None, tab: str = "records", row: int | None = None, other: str | None = None
    ) -> None:
        screen = Screen(bench, id, place)
        if not await screen.opened():
            _missing()
            return
        with project_frame(screen):
            if await drawn_later():
                await _place(screen, PageAddress(run, tab, row, other))


async def _place(screen: Screen, asked: PageAddress) -> None:
    """What is between bar and rail."""
    if screen.place != "data" and (screen.project.file is None or not screen.project.file.usable):
        note("There are no data yet that can be read. Begin under Data.", "warn")
        return
    await PLACES[screen.place](screen, asked)


def _missing() -> None:
    with plain_frame("Not here"):
        page_head("There is no such project", "It may have been deleted.")
        element("a", "", "All projects", href="/")
