"""Try: a slider, a map that fills up, and the runs behind it."""

import asyncio
import time

from nicegui import ui

from anonset.errors import InputError
from anonset.web.components import RuMap
from anonset.web.components.ru_map import Dot
from anonset.web.pages.advice import draw_advice
from anonset.web.pages.choices import Choices
from anonset.web.pages.k_slider import KSlider
from anonset.web.pages.runs import OPEN, RunList
from anonset.web.parts import card, element, page_head, term
from anonset.web.screen import Screen
from anonset.web.waiting import answered
from anonset.workbench.values import Point, Run

TICK = 0.1  # seconds between two questions for news
LOOK = 0.5  # seconds between two looks at how far runs are
LOSSES = {"ncp": "detail lost in the columns", "ncp-items": "detail lost in the items", "are": "error of counts"}


async def try_page(screen: Screen, chosen: str | None) -> None:
    """Runs under the promise, made by the slider, by choice or by advice."""
    page_head("Try", "Every run is a whole release, checked as written. Look for few who could be found and little lost.")
    trying = Trying(screen, chosen)
    await trying.read()
    trying.chosen = chosen or trying.released or next((r.id for r in trying.runs if r.current and r.state == "done"), None)
    shown = next((r.parameters.get("k") for r in trying.runs if r.id == trying.chosen), None)
    with element("div", "wide-left"):
        with element("div", "stack"):
            trying.slider.draw(shown or trying.k)
            trying.draw_map()
        with element("div", "stack"):
            forms = element("div", "stack")
            trying.table.draw_queue()
    trying.table.draw()
    trying.show()
    ui.timer(TICK, trying.tick)
    screen.on_change(trying.load_and_show)
    await trying.load_map()
    trying.show()
    with forms:
        await trying.choices.draw()
        draw_advice(screen, trying.look)


class Trying:
    """The runs as they were last read, and the parts of the page that show them."""

    def __init__(self, screen: Screen, chosen: str | None) -> None:
        self.screen, self.chosen = screen, chosen
        self.runs: tuple[Run, ...] = ()
        self.points: tuple[Point, ...] | None = None  # until the map was read
        self.loss = ""
        self._beat, self._looked, self._reading = screen.bench.beat, 0.0, asyncio.Lock()
        self.choices = Choices(screen, self.look)
        self.slider = KSlider(screen, self.choices, self.pick)
        self.table = RunList(screen, self.pick)

    async def read(self) -> None:
        """Read the runs, which takes no time."""
        bench, id = self.screen.bench, self.screen.id
        self.runs = await self._newest()
        state = await answered(bench.state, id)
        self.k, self.released, self.slider.promise = state.promise.k, state.release, state.promise
        known = {name for r in self.runs if r.current for name in r.measures}
        self.losses = {name: words for name, words in LOSSES.items() if name in known} or LOSSES
        self.loss = self.loss if self.loss in self.losses else next(iter(self.losses))

    async def _newest(self) -> tuple[Run, ...]:
        """The runs, read one time after the other: what was read before never comes in after."""
        async with self._reading:
            return await answered(self.screen.bench.runs, self.screen.id)

    async def load(self) -> None:
        """Read runs and map."""
        await self.read()
        await self.load_map()

    async def load_map(self) -> None:
        """Read the map, for which a worker may have to be waited for."""
        self.points = await answered(self.screen.bench.points, self.screen.id, self.loss, 1 / self.k)

    async def load_and_show(self) -> None:
        """Read everything again and draw it."""
        await self.load()
        self.show()

    async def tick(self) -> None:
        """Look at the runs when there is news, and now and then while one is at work; a page that was left does not."""
        if not ui.context.client.has_socket_connection:
            return
        at_work = any(r.state in OPEN for r in self.runs) and time.monotonic() - self._looked > LOOK
        if at_work or self.screen.bench.beat != self._beat:
            try:
                await self.look()
            except InputError:  # the project was deleted elsewhere
                ui.navigate.reload()

    async def look(self) -> None:
        """Read the runs, and draw again what changed; a run that ended changes the bar and the rail too."""
        self._beat, self._looked = self.screen.bench.beat, time.monotonic()
        runs = await self._newest()
        if runs == self.runs:
            return
        ended, measured = _ended(runs) - _ended(self.runs), _measured(runs) != _measured(self.runs)
        self.runs = runs
        fresh = next((r.id for r in runs if (r.id, "done") in ended and not r.ladder), None)
        if fresh is not None:
            self.pick(fresh)
        if measured:
            await self.load_and_show()
        else:
            self.show()
        if ended:
            await self.screen.frame_changed()

    def show(self) -> None:
        """Draw what depends on the runs."""
        dots = [Dot(p.run, p.label, p.risk, p.loss, best=p.on_frontier, knee=p.knee) for p in self.points or ()]
        waiting = self.points is None
        self.map.show(dots, lost=self.losses[self.loss], limit=1 / self.k, chosen=self.chosen, waiting=waiting)
        self.slider.show(self.runs, self.chosen)
        self.table.show(self.runs, self.chosen, self.released)

    def pick(self, id: str | None) -> None:
        """Look at a run; the address of the page says so."""
        self.chosen = id
        base = f"/projects/{self.screen.id}/try"
        ui.navigate.history.replace(f"{base}?run={id}" if id else base)
        self.show()

    def draw_map(self) -> None:
        """The map of risk and loss."""
        with card(classes="map-card"):
            with element("div", "line between"):
                with element("h2"):
                    term("map")
                choice = ui.select(LOSSES, value=self.loss, label="What is lost").props("outlined dense options-dense")
                choice.style("min-width: 220px").on_value_change(lambda event: self._measured_by(str(event.value)))
            self.map = RuMap("Map of risk and loss; the table of runs below says the same", self.pick)
            with element("p", "soft small line"):
                element("span", "", "● filled and on the line:")
                term("frontier")
                element("span", "", "· named:")
                term("knee")

    async def _measured_by(self, loss: str) -> None:
        self.loss = loss
        await self.load_and_show()


def _ended(runs: tuple[Run, ...]) -> set[tuple[str, str]]:
    return {(r.id, r.state) for r in runs if r.state not in OPEN}


def _measured(runs: tuple[Run, ...]) -> set[str]:
    """The runs that are on the map: those at work are on it before their files are written and checked."""
    return {r.id for r in runs if r.current and r.measures}
