"""One open page of a project, and its frame: the bar at the top and the rail at the left."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

from nicegui import ui

from anonset.errors import AnonsetError, InputError
from anonset.web.components import Meter, Meters, ProjectRail, RailStep
from anonset.web.elements import confirm, element, icon_button, in_thread, table
from anonset.web.headline import headline_of
from anonset.web.words import PLACES, TERMS, percent
from anonset.workbench import Workbench
from anonset.workbench.journal import Entry
from anonset.workbench.permissions import person
from anonset.workbench.values import Project, Run

P = ParamSpec("P")
T = TypeVar("T")
BUSY_AFTER = 0.8  # seconds after which a message says that work is going on


async def attempt(call: Callable[P, T], *args: P.args, **options: P.kwargs) -> T | None:
    """The result of a slow call, made in a thread; an error is shown as a message, and the result is None."""
    client = ui.context.client  # the element that was clicked may be drawn again before the call returns
    work = asyncio.ensure_future(in_thread(call, *args, **options))
    await asyncio.wait({work}, timeout=BUSY_AFTER)
    with client:
        busy = None if work.done() else ui.notification("Working …", spinner=True, timeout=None, position="bottom")
    try:
        return await work
    except AnonsetError as error:
        with client:
            show_error(str(error))
        return None
    finally:
        if busy is not None:
            busy.dismiss()


def show_error(reason: str) -> None:
    """Show an error as a message, long enough to be read."""
    ui.notify(reason, type="negative", position="top", multi_line=True, close_button="Close", timeout=15_000)


class Screen:
    """The project as it was last read, and the functions that draw the page again when it changes."""

    project: Project
    journal: tuple[Entry, ...]
    subject: Run | None  # the run that the bar speaks of: the one looked at, else the release
    release: str | None

    def __init__(self, bench: Workbench, id: str, place: str, looked_at: str | None = None) -> None:
        self.bench, self.id, self.place = bench, id, place
        self.looked_at = looked_at  # the run that the user chose to look at
        self._client = ui.context.client
        self._redraws: list[Callable[[], Awaitable[Any]]] = []
        self._frame: tuple[Callable[[], Awaitable[Any]], ...] = ()

    async def opened(self) -> bool:
        """Read the project; False where there is no such project or place."""
        if self.place not in PLACES:
            return False
        try:
            await self.load()
        except InputError:
            return False
        return True

    async def load(self) -> None:
        """Read the project, its journal, and the run that the bar speaks of."""
        self.project, self.journal, self.release, self.subject = await in_thread(self._read)

    def _read(self) -> tuple[Project, tuple[Entry, ...], str | None, Run | None]:
        bench, release = self.bench, self.bench.journal.state(self.id).release
        runs = {run.id: run for run in bench.runs.all(self.id)}
        subject = runs.get(self.looked_at or "") or runs.get(release or "")
        return bench.projects.get(self.id), bench.journal.entries(self.id), release, subject

    async def look_at(self, run: str | None) -> None:
        """Choose the run that the bar speaks of, and that the other places open with."""
        self.looked_at = run
        with self._client:
            await self.frame_changed()

    def framed_by(self, *redraws: Callable[[], Awaitable[Any]]) -> None:
        """Set the functions that draw the bar and the rail."""
        self._frame = redraws

    async def frame_changed(self) -> None:
        """Read the project again, and draw bar and rail if it changed."""
        before = self._drawn()
        await self.load()
        for redraw in self._frame if before != self._drawn() else ():
            await redraw()

    def _drawn(self) -> tuple[Any, ...]:
        """What bar and rail show."""
        return self.project, self.journal, self.release, self.looked_at, self.subject

    def on_change(self, *redraws: Callable[[], Awaitable[Any]]) -> None:
        """Add functions that draw parts of the page again when the project changes."""
        self._redraws.extend(redraws)

    async def changed(self) -> None:
        """Read the project again and draw everything that depends on it."""
        with self._client:
            await self.frame_changed()
            for redraw in self._redraws:
                await redraw()

    async def take(self, step: Any) -> bool:
        """Take a step; False if it is not possible, or if the user wants to keep the steps that can be redone."""
        if not await self._redo_may_go():
            await self.changed()
            return False
        taken = await attempt(self.bench.journal.apply, self.id, step)
        await self.changed()
        return taken is not None

    def go(self, place: str) -> None:
        """Open another place of the project."""
        with self._client:
            ui.navigate.to(f"/projects/{self.id}/{place}")

    def say(self, text: str) -> None:
        """Show a message, also where the element that was clicked is drawn again."""
        with self._client:
            ui.notify(text)

    def show_address(self, place: str) -> None:
        """Show the address of a place that is drawn already."""
        with self._client:
            ui.navigate.history.replace(f"/projects/{self.id}/{place}")

    async def undo(self) -> None:
        """Undo the last step."""
        await attempt(self.bench.journal.undo, self.id)
        await self.changed()

    async def redo(self) -> None:
        """Redo the step that was undone last."""
        await attempt(self.bench.journal.redo, self.id)
        await self.changed()

    async def _redo_may_go(self) -> bool:
        undone = sum(entry.undone for entry in self.journal)
        if not undone:
            return True
        text = f"You took {undone} step{'s' if undone > 1 else ''} back. A new step deletes what could be redone."
        return await confirm("Delete the steps that could be redone?", text, action="Go on")


LONGEST_WAIT = 600.0  # seconds that a browser on a busy machine may take to connect


@contextmanager
def plain_frame(title: str) -> Iterator[None]:
    """A page outside a project."""
    _add_head(title)
    with element("header", "bar"):
        _brand()
        element("div", "grow")
        _account_link()
        _theme_button()
    with element("div", "plain", id="main"):
        yield


@contextmanager
def project_frame(screen: Screen) -> Iterator[None]:
    """A place of a project."""
    _add_head(f"{PLACES[screen.place]} – {screen.project.name}")
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


async def browser_connected() -> bool:
    """Send the frame now and wait for the browser to connect, before slow parts are drawn; False if it does not."""
    waiting = ui.spinner(size="lg")
    waiting.props["aria-label"] = "Loading"
    try:
        await ui.context.client.connected(timeout=LONGEST_WAIT)
    except TimeoutError:
        return False
    waiting.delete()
    return not ui.context.client.is_deleted


def _add_head(title: str) -> None:
    ui.page_title(f"{title} – anonset")
    ui.add_head_html('<link rel="stylesheet" href="/static/workbench.css"><script src="/static/page.js"></script>')


def _account_link() -> None:
    """The account of the person at the page, which leads to where one signs out; nothing where there are no accounts."""
    name = person()
    if name is not None:
        element("a", "account", name, href="/account", title="Your account; sign out")


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
    Meters().show(_meters(screen))
    _account_link()
    _theme_button()


def _meters(screen: Screen) -> list[Meter]:
    """Today's figure, and those of the run that is looked at or else of the release, which is named."""
    found = [Meter(TERMS["now"].words, TERMS["now"].hint, percent(screen.project.found_before))]
    run = screen.subject
    if run is None:
        return [*found, Meter("release", "The run that is handed out is chosen under Try.", "none chosen yet", "soft")]
    name = "the release" if run.id == screen.release else "run looked at"
    found.append(Meter(name, "All figures at the right are those of this run.", run.label))
    found += [
        Meter(TERMS[f.term].words, f"{TERMS[f.term].hint}{f' ({f.remark})' if f.remark else ''}", f.short)
        for f in headline_of(run.measures)
    ]
    return [*found, Meter(TERMS["verified"].words, TERMS["verified"].hint, *_verdict(run))]


def _verdict(run: Run) -> tuple[str, str]:
    if run.state in ("waiting", "running"):
        return "under way", "soft"
    if run.holds is None:
        return "no release", "soft"
    return ("✓ verified", "good") if run.holds else ("✕ does not hold", "bad")


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
    """A dialog with every step and its time; undone steps are marked."""
    with ui.dialog(value=True), ui.card().classes("history"):
        element("h2", "", "All decisions")
        element("p", "soft", "Undo takes back the last step. You can redo it until you take another step.")
        rows = [
            (e.number, e.at.replace("T", " ")[:16], f"{e.text}{' (taken back)' if e.undone else ''}")
            for e in reversed(screen.journal)
        ]
        if rows:
            table(("step", "when", "what"), rows, "The steps of this project", right=(0,))
        else:
            element("p", "", "Nothing yet.")


def _show_rail(screen: Screen, rail: ProjectRail) -> None:
    def address(place: str) -> str:
        run = f"?run={screen.looked_at}" if screen.looked_at and place in ("try", "inspect") else ""
        return f"/projects/{screen.id}/{place}{run}"

    rail.show(
        [
            RailStep(PLACES[step.place], address(step.place), step.sentence, step.done, step.place == screen.place)
            for step in screen.project.rail
        ]
    )
