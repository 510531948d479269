"""The runs of a project: those at work with their progress, those that ended as a table."""

from collections.abc import Callable, Sequence
from typing import Any

from nicegui import ui

from anonset.web.parts import button, card, cells, element, icon_button
from anonset.web.screen import Screen, attempted
from anonset.web.words import STATES, one_in, percent, short_time
from anonset.workbench.journal import ChooseRelease
from anonset.workbench.values import Run

OPEN = {"waiting", "running"}
FIGURES = ("found", "detail lost", "wrong counts", "time")


class RunList:
    """The queue and the table; `pick` is called with the id of the run that a person looks at."""

    def __init__(self, screen: Screen, pick: Callable[[str | None], Any]) -> None:
        self._screen, self._pick = screen, pick
        self._runs: tuple[Run, ...] = ()
        self._chosen: str | None = None
        self._released: str | None = None
        self._only_differences = True
        self._progress: dict[str, tuple[ui.linear_progress, ui.label]] = {}
        self._queue, self._table = ui.refreshable(self._draw_queue), ui.refreshable(self._draw_table)

    def draw_queue(self) -> None:
        """The runs at work."""
        self._queue()

    def draw(self) -> None:
        """The runs that ended."""
        self._table()

    def show(self, runs: tuple[Run, ...], chosen: str | None, released: str | None) -> None:
        """Draw again what changed; runs that only went on keep their button, so that it can be hit."""
        open_before, open_now = _open(self._runs), _open(runs)
        ended = [r for r in runs if r.state not in OPEN]
        before = [r for r in self._runs if r.state not in OPEN]
        changed = (ended, chosen, released) != (before, self._chosen, self._released)
        self._runs, self._chosen, self._released = runs, chosen, released
        if [r.id for r in open_before] != [r.id for r in open_now]:
            self._queue.refresh()
        for run in open_now:
            if run.id in self._progress:
                bar, words = self._progress[run.id]
                bar.set_value(run.share)
                words.set_text(_progress_words(run))
        if changed:
            self._table.refresh()

    def _draw_queue(self) -> None:
        self._progress = {}
        open_runs = _open(self._runs)
        if not open_runs:
            return
        with card("At work", classes="queue"):
            for run in reversed(open_runs):
                self._draw_open(run)

    def _draw_open(self, run: Run) -> None:
        with element("div", "", role="group", aria_label=run.label):
            with element("div", "line between"):
                element("strong", "", run.label)
                stop = button("Cancel", lambda: attempted(self._screen.bench.cancel, self._screen.id, run.id), kind="bare")
                stop.props["data-key"] = f"cancel-{run.id}"
            bar = ui.linear_progress(value=run.share, show_value=False)
            bar.props["aria-label"] = f"Progress of {run.label}"
            words = ui.label(_progress_words(run)).classes("soft small num")
        self._progress[run.id] = bar, words

    def _draw_table(self) -> None:
        ended = [r for r in self._runs if r.state not in OPEN]
        if not ended:
            return
        with card("Runs"):
            with element("div", "line between"):
                element("p", "soft", "The newest first. Choose one to see it on the map, inspect it or release it.")
                ui.switch("only differences", value=self._only_differences, on_change=self._differences)
            self._draw_rows(ended)

    def _differences(self, event: Any) -> None:
        self._only_differences = bool(event.value)
        self._table.refresh()

    def _draw_rows(self, ended: Sequence[Run]) -> None:
        names = self._parameters(ended)
        right = range(1 + len(names), 1 + len(names) + len(FIGURES))
        with element("div", "scroller"), element("table", "plain-table"):
            element("caption", "unseen", "Runs that ended")
            with element("thead"), element("tr"):
                for place, title in enumerate(("algorithm", *names, *FIGURES, "state", "actions")):
                    element("th", "right" if place in right else "", title, scope="col")
            with element("tbody"):
                for run in ended:
                    with element("tr", "chosen" if run.id == self._chosen else ""):
                        cells([lambda r=run: self._name(r), *self._values(run, names), *_figures(run)], right)
                        cells([lambda r=run: _state(r, r.id == self._released), lambda r=run: self._actions(r)])

    def _parameters(self, ended: Sequence[Run]) -> list[str]:
        """The parameters that get a column: all of them, or those in which the runs differ."""
        names = list(dict.fromkeys(name for r in ended for name in r.parameters))
        if not self._only_differences or len(ended) == 1:
            return names
        return [name for name in names if len({str(r.parameters.get(name)) for r in ended}) > 1]

    def _values(self, run: Run, names: Sequence[str]) -> list[str]:
        return [str(run.parameters.get(name, "")) for name in names]

    def _name(self, run: Run) -> None:
        made = element("button", "link-button", run.algorithm or run.kind, type="button")
        made.props["aria-pressed"] = str(run.id == self._chosen).lower()
        made.props["data-key"] = f"run-{run.id}"
        made.on("click", lambda: self._pick(None if run.id == self._chosen else run.id))

    def _actions(self, run: Run) -> None:
        screen = self._screen
        with element("div", "line"):
            if run.state == "done":
                use = icon_button("inventory_2", f"Release {run.label}", lambda: screen.take(ChooseRelease(run.id)))
                use.props["data-key"] = f"use-{run.id}"
                icon_button(
                    "search", f"Inspect {run.label}", lambda: ui.navigate.to(f"/projects/{screen.id}/inspect?run={run.id}")
                )
                if self._chosen not in (None, run.id):
                    address = f"/projects/{screen.id}/inspect?run={self._chosen}&tab=versus&other={run.id}"
                    icon_button("compare", f"Compare {run.label} with the one looked at", lambda: ui.navigate.to(address))
            else:
                icon_button("replay", f"Run {run.label} again", lambda: attempted(screen.bench.restart, screen.id, run.id))
            icon_button("delete_outline", f"Delete {run.label}", lambda: self._forget(run))

    async def _forget(self, run: Run) -> None:
        await attempted(self._screen.bench.forget, self._screen.id, run.id)
        await self._screen.changed()


def _open(runs: Sequence[Run]) -> list[Run]:
    return [run for run in runs if run.state in OPEN]


def _progress_words(run: Run) -> str:
    left = f"about {short_time(run.seconds_left)} left" if run.seconds_left is not None else ""
    memory = f"{run.memory_mb:,.0f} MB" if run.memory_mb else ""
    return " · ".join(part for part in (run.phase or STATES[run.state], left, memory) if part)


def _figures(run: Run) -> list[str]:
    if run.state != "done":
        return ["", "", "", short_time(run.seconds)]
    measures = run.measures
    return [one_in(measures.get("risk")), percent(lost(run)), percent(measures.get("are")), short_time(run.seconds)]


def lost(run: Run) -> float | None:
    """The detail lost, as the bar has it: of the columns, or of the items where there are no columns."""
    return next((run.measures[name] for name in ("ncp", "ncp-items") if name in run.measures), None)


def _state(run: Run, released: bool) -> None:
    with element("div", "line"):
        if released:
            element("span", "chip", "★ the release")
        if run.state == "done":
            element("span", "chip good" if run.holds else "chip bad", "✓ verified" if run.holds else "✕ does not hold")
        else:
            element("span", "chip warn", STATES[run.state])
        if not run.current:
            old = element("span", "chip", "earlier decisions")
            with old:
                ui.tooltip("made before the data, the hierarchies or the promise were changed")
    if run.reason:
        element("div", "soft small", run.reason)
