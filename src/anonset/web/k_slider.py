"""The slider for k on the page Try: it always stands at the k of the figures below it, or says that they are being made."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Any

from nicegui import ui

from anonset.web.elements import button, card, element, link, note
from anonset.web.headline import draw_headline
from anonset.web.screen import Screen, attempt
from anonset.web.words import TERMS, short_time
from anonset.workbench.journal import SetPromise
from anonset.workbench.runs import LADDER
from anonset.workbench.values import Run

OPEN = {"waiting", "running"}
DONE = {"done"}
SLIDER_SECONDS = 0.15  # without another value before one counts

Settings = tuple[str | None, dict[str, Any]]  # an algorithm and its parameters


class KSlider:
    """A slider for k, the figures at its value, and those of the run looked at before.

    A value for which there is no run yet is made; its run is chosen when it is measured, unless the user chose another one
    meanwhile.
    """

    def __init__(self, screen: Screen, settings: Callable[[], Settings], pick: Callable[[str | None], Awaitable[None]]) -> None:
        self._screen, self._settings, self._pick = screen, settings, pick
        self.promise = SetPromise()  # whose values runs get by default
        self._runs: tuple[Run, ...] = ()
        self._run: Run | None = None
        self._ghost: Run | None = None
        self._k: int | None = None  # the value that was asked for and is not there yet
        self._waiting: str | None = None  # the run that the slider started last
        self._steps: tuple[int, ...] = LADDER
        self._moving = False  # by the program, not by the user
        self._result = ui.refreshable(self._draw_result)
        self._fill_button = ui.refreshable(self._draw_fill)

    def draw(self, k: int) -> None:
        """Draw the slider at this k."""
        with card(
            "How many people look alike", lead="Drag it: each value is a whole release, with the same settings otherwise."
        ):
            self._slider = ui.slider(min=0, max=len(LADDER) - 1, step=1, value=0)
            self._slider.on_value_change(self._moved)
            self._slider.props["markers"] = self._slider.props["snap"] = True
            self._slider.props["aria-label"] = TERMS["k"].words
            self._slider.classes("k-slider")
            self._move_to(k)
            self._result()
            self._fill_button()

    def forget(self) -> None:
        """Wait for nothing any more: the user chose a run elsewhere. What was started goes on, and is announced."""
        self._k = self._waiting = None

    async def show(self, runs: tuple[Run, ...], chosen: str | None) -> None:
        """Show these runs, and the chosen one's figures; the run that the user waits for is chosen once it is measured."""
        self._runs = runs
        awaited = next((r for r in runs if r.id == self._waiting), None)
        if awaited is not None and awaited.measures:
            self.forget()
            await self._pick(awaited.id)
            return
        failed = awaited is not None and awaited.state not in OPEN
        if awaited is not None and failed:
            self.forget()
        run = next((r for r in runs if r.id == chosen), None)
        before, self._run = self._run, run
        if _visible(before) != _visible(run) or failed:
            self._ghost = before if before and run and before.id != run.id else self._ghost
            self._redraw()

    def _redraw(self) -> None:
        if self._k is None and self._run is not None and "k" in self._run.parameters:
            self._move_to(int(self._run.parameters["k"]))
        self._result.refresh()
        self._fill_button.refresh()

    def _move_to(self, k: int) -> None:
        """Put the slider at a value, which becomes one of its steps."""
        self._steps = tuple(sorted({*LADDER, k}))
        self._slider.props["max"] = len(self._steps) - 1
        self._slider.props["marker-labels"] = [{"value": i, "label": str(step)} for i, step in enumerate(self._steps)]
        self._moving = True
        try:
            self._slider.value = self._steps.index(k)
        finally:
            self._moving = False
        self._slider.update()

    def _moved(self, event: Any) -> Awaitable[None] | None:
        """Follow the user's hand, and not what the program itself does to the slider."""
        return None if self._moving else self._slid(self._steps[int(event.value)])

    async def _slid(self, k: int) -> None:
        if self._run is not None and self._k is None and k == self._run.parameters.get("k"):
            return
        self._k = k
        self._result.refresh()
        algorithm, parameters = self._same_settings()
        values = {**parameters, "k": k}
        if not self._known(algorithm, values, DONE):
            await asyncio.sleep(SLIDER_SECONDS)
        if self._k == k:
            await self._request(algorithm, values)

    async def _request(self, algorithm: str | None, values: Mapping[str, Any]) -> None:
        """Choose the run with these values, or start it; one that was started before and is not wanted any more ends."""
        known = self._known(algorithm, values, {*OPEN, *DONE})
        if self._waiting is not None and (known is None or known.id != self._waiting):
            await attempt(self._screen.bench.runs.cancel, self._screen.id, self._waiting)
            self._waiting = None
        if known is not None and known.measures:
            self.forget()
            await self._pick(known.id)
            return
        begun = known or await attempt(
            self._screen.bench.runs.start, self._screen.id, algorithm, values, ladder=True, pages=False
        )
        if begun is None:
            self.forget()
            self._redraw()
        else:
            self._waiting = begun.id

    def _same_settings(self) -> Settings:
        """The settings of the run that is looked at, or those of the form."""
        if self._run is None or not self._run.current:
            return self._settings()
        return self._run.algorithm, dict(self._run.parameters)

    def _known(self, algorithm: str | None, values: Mapping[str, Any], states: Collection[str]) -> Run | None:
        """The run in one of these states with these values."""
        alike = (r for r in self._runs if r.current and r.state in states and algorithm in {None, r.algorithm})
        usual = {"m": self.promise.m, "l": self.promise.l}
        return next((r for r in alike if {**usual, **r.parameters} == {**usual, **values}), None)

    def _draw_fill(self) -> None:
        minutes = ""
        if self._run is not None and self._run.seconds:
            minutes = f" (about {short_time(self._run.seconds * (len(LADDER) - 1))})"
        text = f"Run every value in the background{minutes}"
        button(text, self._fill, kind="bare", icon="stacked_line_chart").props["data-key"] = "fill"

    async def _fill(self) -> None:
        await attempt(self._screen.bench.runs.ladder, self._screen.id, *self._same_settings())

    def _draw_result(self) -> None:
        if self._k is not None:
            with element("div", "line soft", role="status"):
                ui.spinner()
                element("span", "", f"k = {self._k}: the release is being made. Its figures appear here when it is measured.")
            return
        run = self._run
        if run is None:
            note("No run is chosen. Drag the slider, or choose a run on the map or in the table.")
            return
        with element("div", "line between"):
            element("strong", "chosen-run", run.label)
            element("span", "chip", _role_of(run, self._screen.release))
        draw_headline(run, self._ghost)
        if run.state == "done":
            self._draw_next(run)
        elif run.state in OPEN:
            element("p", "soft small", "Measured; its files are being written and checked …")

    def _draw_next(self, run: Run) -> None:
        """The links of the chosen run."""
        base = f"/projects/{self._screen.id}"
        with element("div", "line"):
            if run.id != self._screen.release:
                link("Release this run …", f"{base}/release?run={run.id}", kind="main", icon="inventory_2")
            link("Look into it", f"{base}/inspect?run={run.id}", icon="search")
        for remark in run.remarks:
            element("p", "soft small", remark)


def _role_of(run: Run, release: str | None) -> str:
    return "★ the release" if run.id == release else "looked at" if run.current else "looked at; of earlier decisions"


def _visible(run: Run | None) -> Any:
    """The facts of a run that the slider shows."""
    return run and (run.id, run.state, run.measures)
