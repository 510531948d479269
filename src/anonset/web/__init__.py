"""The workbench in the browser: pages over the workbench, on the application that also has the REST API."""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from fastapi import FastAPI
from nicegui import app, ui

from anonset.web.elements import declare_signatures, element, note, page_head
from anonset.web.pages.data import data_page
from anonset.web.pages.hierarchies import hierarchies_page
from anonset.web.pages.inspection import inspect_page
from anonset.web.pages.projects import projects_page
from anonset.web.pages.promise import promise_page
from anonset.web.pages.release import release_page
from anonset.web.pages.trials import try_page
from anonset.web.screen import Screen, browser_connected, plain_frame, project_frame
from anonset.workbench import Workbench

STATIC = Path(__file__).with_name("static")
RECONNECT_SECONDS = 30.0  # after which a silent browser counts as disconnected
FRAME_SECONDS = 120.0  # that a busy server may take for the frame of a page
RUN_ID = re.compile(r"[0-9a-f]{1,64}")
KEEP_SECONDS = 10.0  # for which the page of a disconnected browser is kept


@dataclass(frozen=True, slots=True)
class PageAddress:
    """The parameters in the address of a page."""

    run: str | None
    tab: str
    row: int | None
    other: str | None


PLACES: Mapping[str, Callable[[Screen, PageAddress], Awaitable[None]]] = {
    "data": lambda screen, address: data_page(screen),
    "hierarchies": lambda screen, address: hierarchies_page(screen, address.tab),
    "promise": lambda screen, address: promise_page(screen),
    "try": lambda screen, address: try_page(screen),
    "inspect": lambda screen, address: inspect_page(screen, address.tab, address.row, address.other),
    "release": lambda screen, address: release_page(screen, address.run),
}


def mount(application: FastAPI, bench: Workbench) -> None:
    """Add the pages to an application."""
    app.add_static_files("/static", STATIC)
    _pages(bench)
    declare_signatures()
    ui.run_with(
        application,
        title="anonset",
        dark=None,
        language="en-US",
        tailwind=False,
        show_welcome_message=False,
        reconnect_timeout=RECONNECT_SECONDS,
    )


def _pages(bench: Workbench) -> None:
    @ui.page("/", response_timeout=FRAME_SECONDS, reconnect_timeout=KEEP_SECONDS)
    async def projects() -> None:
        with plain_frame("Projects"):
            if await browser_connected():
                await projects_page(bench)

    @ui.page("/projects/{id}/{place}", response_timeout=FRAME_SECONDS, reconnect_timeout=KEEP_SECONDS)
    async def place(
        id: str, place: str, run: str | None = None, tab: str = "records", row: int | None = None, other: str | None = None
    ) -> None:
        screen = Screen(bench, id, place, run if run and RUN_ID.fullmatch(run) else None)
        if not await screen.opened():
            _missing()
            return
        with project_frame(screen):
            if await browser_connected():
                await _place(screen, PageAddress(run, tab, row, other))


async def _place(screen: Screen, address: PageAddress) -> None:
    """Draw the page of a place."""
    if screen.place != "data" and (screen.project.file is None or not screen.project.file.usable):
        note("There are no data yet that can be read. Begin under Data.", "warn")
        return
    await PLACES[screen.place](screen, address)


def _missing() -> None:
    with plain_frame("Not here"):
        page_head("There is no such project", "It may have been deleted.")
        element("a", "", "All projects", href="/")
