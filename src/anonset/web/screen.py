"""One open page of a project: what it shows comes from the workbench, and every change goes there."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, ParamSpec, TypeVar

from nicegui import ui

from anonset.errors import AnonsetError, InputError
from anonset.web.parts import confirmed
from anonset.web.waiting import answered
from anonset.web.words import PLACES
from anonset.workbench import Workbench
from anonset.workbench.journal import Entry
from anonset.workbench.values import Project

P = ParamSpec("P")
T = TypeVar("T")
SOON = 0.8  # seconds after which a person is told that something is at work


async def attempted(call: Callable[P, T], *args: P.args, **options: P.kwargs) -> T | None:
    """The answer of a call that may take its time; what goes wrong is said in a message, and the answer is None."""
    client = ui.context.client  # what was clicked may have been drawn anew by the time of the answer
    work = asyncio.ensure_future(answered(call, *args, **options))
    await asyncio.wait({work}, timeout=SOON)
    with client:
        busy = None if work.done() else ui.notification("Working …", spinner=True, timeout=None, position="bottom")
    try:
        return await work
    except AnonsetError as error:
        with client:
            told(str(error))
        return None
    finally:
        if busy is not None:
            busy.dismiss()


def told(reason: str) -> None:
    """Say what went wrong, long enough to be read."""
    ui.notify(reason, type="negative", position="top", multi_line=True, close_button="Close", timeout=15_000)


class Screen:
    """The project as it was last read, and what is drawn again when it changes."""

    project: Project
    journal: tuple[Entry, ...]

    def __init__(self, bench: Workbench, id: str, place: str) -> None:
        self.bench, self.id, self.place = bench, id, place
        self._client = ui.context.client
        self._redraws: list[Callable[[], Awaitable[Any]]] = []
        self._frame: tuple[Callable[[], Awaitable[Any]], ...] = ()

    async def opened(self) -> bool:
        """Whether there is such a place in such a project; reads it if so."""
        if self.place not in PLACES:
            return False
        try:
            await self.load()
        except InputError:
            return False
        return True

    async def load(self) -> None:
        """Read the project and its journal."""
        self.project, self.journal = await answered(lambda: (self.bench.project(self.id), self.bench.history(self.id)))

    def framed_by(self, *redraws: Callable[[], Awaitable[Any]]) -> None:
        """What draws the bar and the rail."""
        self._frame = redraws

    async def frame_changed(self) -> None:
        """Read the project again, and draw bar and rail where they tell something else now."""
        before = self.project, self.journal
        await self.load()
        for redraw in self._frame if before != (self.project, self.journal) else ():
            await redraw()

    def on_change(self, *redraws: Callable[[], Awaitable[Any]]) -> None:
        """What is to be drawn again when the project changes."""
        self._redraws.extend(redraws)

    async def changed(self) -> None:
        """Read the project again and draw what depends on it; what was clicked may be gone by then, the page is not."""
        with self._client:
            await self.frame_changed()
            for redraw in self._redraws:
                await redraw()

    async def take(self, step: Any) -> bool:
        """Take one more step, unless it cannot be taken or the person would rather keep what can be redone."""
        if not await self._redo_may_go():
            await self.changed()
            return False
        taken = await attempted(self.bench.apply, self.id, step)
        await self.changed()
        return taken is not None

    def go(self, place: str) -> None:
        """Open another place of the project, whatever was drawn anew since somebody asked for it."""
        with self._client:
            ui.navigate.to(f"/projects/{self.id}/{place}")

    async def undo(self) -> None:
        """Take the last step back."""
        await attempted(self.bench.undo, self.id)
        await self.changed()

    async def redo(self) -> None:
        """Take the step again that was taken back."""
        await attempted(self.bench.redo, self.id)
        await self.changed()

    async def _redo_may_go(self) -> bool:
        undone = sum(entry.undone for entry in self.journal)
        if not undone:
            return True
        text = f"You took {undone} step{'s' if undone > 1 else ''} back. A new one makes it impossible to redo them."
        return await confirmed("This ends what could be redone", text, action="Go on")
