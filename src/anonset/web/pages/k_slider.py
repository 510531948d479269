"""The slider for k: it snaps to the usual values, and only the last one counts when it is dragged fast."""

import asyncio
from collections.abc import Callable, Collection, Mapping
from typing import Any

from nicegui import ui

from anonset.web.pages.choices import Choices
from anonset.web.pages.runs import OPEN, lost
from anonset.web.parts import button, card, element, link, term
from anonset.web.screen import Screen, attempted
from anonset.web.words import TERMS, one_in, percent
from anonset.workbench.journal import ChooseRelease, SetPromise
from anonset.workbench.values import Run
from anonset.workbench.workbench import LADDER

FIGURES: dict[str, Callable[[Run], str]] = {
    "after": lambda run: one_in(run.measures.get("risk")),
    "lost": lambda run: percent(lost(run)),
    "error": lambda run: percent(run.measures.get("are")),
}
DONE = {"done"}
SETTLED = 0.15  # seconds without another value before one counts


class KSlider:
    """A slider, and what came out at its value beside what was there before."""

    def __init__(self, screen: Screen, choices: Choices, pick: Callable[[str | None], Any]) -> None:
        self._screen, self._choices, self._pick = screen, choices, pick
        self.promise = SetPromise()  # under which runs are asked for
        self._runs: tuple[Run, ...] = ()
        self._shown: Run | None = None
        self._ghost: Run | None = None
        self._wanted: int | None = None
        self._waiting: str | None = None  # the run that the slider asked for last
        self._result = ui.refreshable(self._draw_result)

    def draw(self, k: int) -> None:
        """The slider with its values, at the one nearest to k."""
        nearest = min(range(len(LADDER)), key=lambda place: abs(LADDER[place] - k))
        with card("How many people look alike", lead="Drag it: each value is a whole release."):
            slider = ui.slider(min=0, max=len(LADDER) - 1, step=1, value=nearest)
            slider.on_value_change(lambda event: self._slid(LADDER[int(event.value)]))
            slider.props["markers"] = slider.props["snap"] = True
            slider.props["marker-labels"] = [{"value": place, "label": str(k)} for place, k in enumerate(LADDER)]
            slider.props["aria-label"] = TERMS["k"].words
            slider.classes("k-slider")
            self._result()
            button("Fill the whole ladder in the background", self._fill, kind="bare", icon="stacked_line_chart")

    def show(self, runs: tuple[Run, ...], chosen: str | None) -> None:
        """Take notice of the runs; one that the slider waits for is looked at as soon as it is measured."""
        self._runs = runs
        arrived = next((r for r in runs if r.id == self._waiting and r.measures), None)
        if arrived is not None:
            self._waiting = None
            self._pick(arrived.id)
            return
        shown = next((r for r in runs if r.id == chosen), None)
        before, self._shown = self._shown, shown
        if _seen(before) != _seen(shown):
            self._ghost = before if before and shown and before.id != shown.id else self._ghost
            self._result.refresh()

    async def _slid(self, k: int) -> None:
        self._wanted = k
        algorithm, parameters = self._choices.asked()
        wanted = {**parameters, "k": k}
        if not self._known(algorithm, wanted, DONE):
            await asyncio.sleep(SETTLED)
        if self._wanted != k:
            return
        known = self._known(algorithm, wanted, {*OPEN, *DONE})
        if self._waiting is not None and (known is None or known.id != self._waiting):
            await attempted(self._screen.bench.cancel, self._screen.id, self._waiting)
            self._waiting = None
        if known is not None and known.measures:
            self._pick(known.id)
            return
        begun = known or await attempted(self._screen.bench.start, self._screen.id, algorithm, wanted, ladder=True, pages=False)
        self._waiting = begun.id if begun else None

    def _known(self, algorithm: str | None, wanted: Mapping[str, Any], states: Collection[str]) -> Run | None:
        """The run in one of these states that the slider would ask for."""
        alike = (r for r in self._runs if r.current and r.ladder and r.state in states and algorithm in {None, r.algorithm})
        usual = {"m": self.promise.m, "l": self.promise.l}
        return next((r for r in alike if {**usual, **r.parameters} == {**usual, **wanted}), None)

    async def _fill(self) -> None:
        algorithm, parameters = self._choices.asked()
        await attempted(self._screen.bench.ladder, self._screen.id, algorithm, parameters)

    def _draw_result(self) -> None:
        run, ghost = self._shown, self._ghost
        with element("div", "figures", aria_live="polite"):
            for name, show in FIGURES.items():
                with element("div"):
                    element("div", "figure", show(run) if run else "–")
                    term(name, "soft small")
                    if ghost:
                        element("div", "soft small", f"before: {show(ghost)}")
        if run is not None and run.state == "done":
            self._draw_next(run)
        elif run is not None and run.state in OPEN:
            element("p", "soft small", f"{run.label}: measured; its files are being written and checked …")

    def _draw_next(self, run: Run) -> None:
        """What can be done with the run that is looked at."""
        base = f"/projects/{self._screen.id}"
        with element("div", "line"):
            element("strong", "", run.label)
            button("Release this run", lambda: self._release(run), icon="inventory_2")
            link("Look into it", f"{base}/inspect?run={run.id}", icon="search")
        for remark in run.remarks:
            element("p", "soft small", remark)

    async def _release(self, run: Run) -> None:
        if await self._screen.take(ChooseRelease(run.id)):
            self._screen.go("release")


def _seen(run: Run | None) -> Any:
    """What is shown of a run."""
    return run and (run.id, run.state, run.measures)
