"""The page Try: a slider for k, a form from the algorithms' declarations, the map of runs, their table, and advice."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any

from nicegui import ui

from anonset.errors import InputError
from anonset.web.components import Dot, RuMap
from anonset.web.elements import button, card, cells, element, hinted, icon_button, in_thread, link, page_head, term
from anonset.web.screen import Screen, attempt, show_error
from anonset.web.words import STATES, TERMS, one_in, percent, short_time
from anonset.workbench.journal import ChooseRelease, SetPromise
from anonset.workbench.runs import LADDER
from anonset.workbench.values import Run, RunPoint

FITTING = "what fits the data"
MOST_AT_ONCE = 20
PROMISED = {"k", "m", "l"}  # they come from the promise and the slider


class RunForm:
    """The form of a run."""

    def __init__(self, screen: Screen, started: Callable[[], Awaitable[None]]) -> None:
        self._screen, self._started = screen, started
        self._algorithm: str | None = None
        self._fields: dict[str, Any] = {}
        self._declared: Mapping[str, Any] = {}

    async def draw(self) -> None:
        """Draw the choice of an algorithm, its parameters, and the button."""
        self._declared = await in_thread(self._screen.bench.runs.algorithms)
        options = {"": FITTING} | {id: f"{id}: {facts['title']}" for id, facts in self._declared.items()}
        with card("Run"):
            choice = ui.select(options, value="", label="Algorithm", with_input=True).props("outlined options-dense")
            choice.classes("full-width").on_value_change(lambda event: self._chosen(event.value))
            self._form = ui.refreshable(self._draw_form)
            self._form()
            promised = (await in_thread(self._screen.bench.journal.state, self._screen.id)).promise.k
            self._ks = ui.input("People who look alike: one number, or several with commas", value=str(promised))
            self._ks.props("outlined dense").classes("full-width").on("keydown.enter", self._run)
            button("Run", self._run, icon="play_arrow")

    def settings(self) -> tuple[str | None, dict[str, Any]]:
        """The algorithm, and the parameters that differ from its defaults."""
        given = {name: field.value for name, field in self._fields.items()}
        usual = {p["name"]: p.get("default") for p in self._parameters()}
        return self._algorithm, {name: value for name, value in given.items() if value not in (None, "", usual[name])}

    def _parameters(self) -> list[Mapping[str, Any]]:
        declared = self._declared[self._algorithm]["parameters"] if self._algorithm else []
        return [p for p in declared if p["name"] not in PROMISED and p["type"] != "policy"]

    def _chosen(self, id: str) -> None:
        self._algorithm = id or None
        self._fields = {}
        self._form.refresh()

    def _draw_form(self) -> None:
        if self._algorithm is None:
            element("p", "soft small", "Takes the algorithm that is recommended for these columns and items, and says why.")
            return
        facts = self._declared[self._algorithm]
        element("p", "soft small", f"Promises {facts['guarantee']}; covers {', '.join(facts['covers']) or 'nothing'}.")
        if not self._parameters():
            return
        with ui.expansion("Parameters").classes("full-width"), element("div", "stack"):
            for parameter in self._parameters():
                self._fields[parameter["name"]] = _field(parameter)

    async def _run(self) -> None:
        """One run for each number of people, or just one where the algorithm takes no such number."""
        algorithm, parameters = self.settings()
        takes = [p["name"] for p in self._declared[algorithm]["parameters"]] if algorithm else ["k"]
        given = [part.strip() for part in str(self._ks.value or "").split(",") if part.strip()]
        if "k" in takes and (not given or not all(part.isdigit() for part in given)):
            show_error("say how many people look alike: a number such as 5, or several such as 3, 5, 10")
            return
        several = [{"k": int(part)} for part in dict.fromkeys(given[:MOST_AT_ONCE])] if "k" in takes else [{}]
        for more in several:
            if await attempt(self._screen.bench.runs.start, self._screen.id, algorithm, {**parameters, **more}) is None:
                return
        await self._started()


def _field(parameter: Mapping[str, Any]) -> Any:
    """A field for one declared parameter, with its help as a hint."""
    name, kind, default = parameter["name"], parameter["type"], parameter.get("default")
    if kind == "true|false":
        field: Any = ui.switch(name, value=bool(default))
    elif kind.split(" ")[0] in {"integer", "number"}:
        field = ui.number(name, value=default).props("outlined dense").classes("full-width")
        if kind.startswith("integer"):
            field.props["step"] = 1
    elif "|" in kind:
        field = ui.select(kind.split("|"), value=default, label=name).props("outlined dense").classes("full-width")
    else:
        field = ui.input(name, value=default or "").props("outlined dense").classes("full-width")
    hinted("what is this?", f"{name}: {parameter['help'] or 'see the page of the algorithm'}", "soft small")
    return field


OPEN = {"waiting", "running"}
FIGURES = ("found", "detail lost", "wrong counts", "time")


class RunList:
    """The queue and the table of runs; `pick` is called with the id of the chosen run."""

    def __init__(self, screen: Screen, pick: Callable[[str | None], Any]) -> None:
        self._screen, self._pick = screen, pick
        self._runs: tuple[Run, ...] = ()
        self._chosen: str | None = None
        self._released: str | None = None
        self._only_differences = True
        self._progress: dict[str, tuple[ui.linear_progress, ui.label]] = {}
        self._queue, self._table = ui.refreshable(self._draw_queue), ui.refreshable(self._draw_table)

    def draw_queue(self) -> None:
        """Draw the runs at work."""
        self._queue()

    def draw(self) -> None:
        """Draw the runs that ended."""
        self._table()

    def show(self, runs: tuple[Run, ...], chosen: str | None, released: str | None) -> None:
        """Draw what changed; runs that only progressed keep their elements, so that buttons can be clicked."""
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
                stop = button("Cancel", lambda: attempt(self._screen.bench.runs.cancel, self._screen.id, run.id), kind="bare")
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
                icon_button("replay", f"Run {run.label} again", lambda: attempt(screen.bench.runs.restart, screen.id, run.id))
            icon_button("delete_outline", f"Delete {run.label}", lambda: self._forget(run))

    async def _forget(self, run: Run) -> None:
        await attempt(self._screen.bench.runs.delete, self._screen.id, run.id)
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
    """The loss in the bar: of the columns, or of the items where there are no columns."""
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


SLIDER_FIGURES: dict[str, Callable[[Run], str]] = {
    "after": lambda run: one_in(run.measures.get("risk")),
    "lost": lambda run: percent(lost(run)),
    "error": lambda run: percent(run.measures.get("are")),
}
DONE = {"done"}
SLIDER_SECONDS = 0.15  # without another value before one counts


class KSlider:
    """A slider for k, with the result at its value and the result before."""

    def __init__(self, screen: Screen, form: RunForm, pick: Callable[[str | None], Any]) -> None:
        self._screen, self._run_form, self._pick = screen, form, pick
        self.promise = SetPromise()  # whose values runs get by default
        self._runs: tuple[Run, ...] = ()
        self._run: Run | None = None
        self._ghost: Run | None = None
        self._k: int | None = None
        self._waiting: str | None = None  # the run that the slider started last
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
        """Show these runs; the one that the slider waits for is chosen as soon as it is measured."""
        self._runs = runs
        arrived = next((r for r in runs if r.id == self._waiting and r.measures), None)
        if arrived is not None:
            self._waiting = None
            self._pick(arrived.id)
            return
        run = next((r for r in runs if r.id == chosen), None)
        before, self._run = self._run, run
        if _visible(before) != _visible(run):
            self._ghost = before if before and run and before.id != run.id else self._ghost
            self._result.refresh()

    async def _slid(self, k: int) -> None:
        self._k = k
        algorithm, parameters = self._run_form.settings()
        values = {**parameters, "k": k}
        if not self._known(algorithm, values, DONE):
            await asyncio.sleep(SLIDER_SECONDS)
        if self._k != k:
            return
        known = self._known(algorithm, values, {*OPEN, *DONE})
        if self._waiting is not None and (known is None or known.id != self._waiting):
            await attempt(self._screen.bench.runs.cancel, self._screen.id, self._waiting)
            self._waiting = None
        if known is not None and known.measures:
            self._pick(known.id)
            return
        begun = known or await attempt(
            self._screen.bench.runs.start, self._screen.id, algorithm, values, ladder=True, pages=False
        )
        self._waiting = begun.id if begun else None

    def _known(self, algorithm: str | None, values: Mapping[str, Any], states: Collection[str]) -> Run | None:
        """The run in one of these states with these values."""
        alike = (r for r in self._runs if r.current and r.ladder and r.state in states and algorithm in {None, r.algorithm})
        usual = {"m": self.promise.m, "l": self.promise.l}
        return next((r for r in alike if {**usual, **r.parameters} == {**usual, **values}), None)

    async def _fill(self) -> None:
        algorithm, parameters = self._run_form.settings()
        await attempt(self._screen.bench.runs.ladder, self._screen.id, algorithm, parameters)

    def _draw_result(self) -> None:
        run, ghost = self._run, self._ghost
        with element("div", "figures", aria_live="polite"):
            for name, show in SLIDER_FIGURES.items():
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
        """The links of the chosen run."""
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


def _visible(run: Run | None) -> Any:
    """The facts of a run that the slider shows."""
    return run and (run.id, run.state, run.measures)


BUDGETS = {15: "15 seconds", 60: "1 minute", 300: "5 minutes", 1800: "half an hour"}
RISKS = {0.33: "1 in 3", 0.2: "1 in 5", 0.09: "1 in 11", 0.05: "1 in 20"}


def draw_advice(screen: Screen, started: Callable[[], Awaitable[None]]) -> None:
    """The form of a recommendation: its time and its highest risk."""

    async def advise() -> None:
        begun = await attempt(screen.bench.runs.recommend, screen.id, seconds=float(budget.value), max_risk=float(risk.value))
        if begun is not None:
            await started()

    with card("Find the best for me", lead="Tries the algorithms that fit, and keeps the release that answers questions best."):
        with element("div", "line"):
            budget = ui.select(BUDGETS, value=60, label="Try for").props("outlined dense").classes("grow")
            risk = ui.select(RISKS, value=0.2, label="Found at most").props("outlined dense").classes("grow")
        button("Recommend", advise, kind="quiet", icon="auto_awesome")


TICK = 0.1  # seconds between two checks for changes
PROGRESS_INTERVAL = 0.5  # seconds between two readings of the progress of runs
LOSSES = {"ncp": "detail lost in the columns", "ncp-items": "detail lost in the items", "are": "error of counts"}


async def try_page(screen: Screen, chosen: str | None) -> None:
    """Runs, made by the slider, by the form or by recommendation."""
    page_head("Try", "Every run is a whole release, checked as written. Look for few who could be found and little lost.")
    view = TryView(screen, chosen)
    await view.read()
    view.chosen = chosen or view.released or next((r.id for r in view.runs if r.current and r.state == "done"), None)
    k = next((r.parameters.get("k") for r in view.runs if r.id == view.chosen), None)
    with element("div", "wide-left"):
        with element("div", "stack"):
            view.slider.draw(k or view.k)
            view.draw_map()
        with element("div", "stack"):
            forms = element("div", "stack")
            view.table.draw_queue()
    view.table.draw()
    view.show()
    ui.timer(TICK, view.tick)
    screen.on_change(view.load_and_show)
    await view.load_map()
    view.show()
    with forms:
        await view.form.draw()
        draw_advice(screen, view.update)


class TryView:
    """The runs as they were last read, and the parts of the page."""

    def __init__(self, screen: Screen, chosen: str | None) -> None:
        self.screen, self.chosen = screen, chosen
        self.runs: tuple[Run, ...] = ()
        self.points: tuple[RunPoint, ...] | None = None  # None until the map was read
        self.loss = ""
        self._version, self._read_at, self._reading = screen.bench.version, 0.0, asyncio.Lock()
        self.form = RunForm(screen, self.update)
        self.slider = KSlider(screen, self.form, self.pick)
        self.table = RunList(screen, self.pick)

    async def read(self) -> None:
        """Read the runs and the promise."""
        bench, id = self.screen.bench, self.screen.id
        self.runs = await self._newest()
        state = await in_thread(bench.journal.state, id)
        self.k, self.released, self.slider.promise = state.promise.k, state.release, state.promise
        known = {name for r in self.runs if r.current for name in r.measures}
        self.losses = {name: words for name, words in LOSSES.items() if name in known} or LOSSES
        self.loss = self.loss if self.loss in self.losses else next(iter(self.losses))

    async def _newest(self) -> tuple[Run, ...]:
        """The runs; readings do not overlap, so that an older one never replaces a newer one."""
        async with self._reading:
            return await in_thread(self.screen.bench.runs.all, self.screen.id)

    async def load(self) -> None:
        """Read runs and map."""
        await self.read()
        await self.load_map()

    async def load_map(self) -> None:
        """Read the points of the map."""
        self.points = await in_thread(self.screen.bench.runs.points, self.screen.id, self.loss, 1 / self.k)

    async def load_and_show(self) -> None:
        """Read everything and draw it."""
        await self.load()
        self.show()

    async def tick(self) -> None:
        """Read the runs when something changed, and regularly while one is at work, if the browser is connected."""
        if not ui.context.client.has_socket_connection:
            return
        at_work = any(r.state in OPEN for r in self.runs) and time.monotonic() - self._read_at > PROGRESS_INTERVAL
        if at_work or self.screen.bench.version != self._version:
            try:
                await self.update()
            except InputError:  # the project was deleted elsewhere
                ui.navigate.reload()

    async def update(self) -> None:
        """Read the runs and draw what changed; a run that ended changes the bar and the rail too."""
        self._version, self._read_at = self.screen.bench.version, time.monotonic()
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
        """Choose a run, also in the address of the page."""
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
                choice.style("min-width: 220px").on_value_change(lambda event: self._set_loss(str(event.value)))
            self.map = RuMap("Map of risk and loss; the table of runs below says the same", self.pick)
            with element("p", "soft small line"):
                element("span", "", "● filled and on the line:")
                term("frontier")
                element("span", "", "· named:")
                term("knee")

    async def _set_loss(self, loss: str) -> None:
        self.loss = loss
        await self.load_and_show()


def _ended(runs: tuple[Run, ...]) -> set[tuple[str, str]]:
    return {(r.id, r.state) for r in runs if r.state not in OPEN}


def _measured(runs: tuple[Run, ...]) -> set[str]:
    """The runs that are on the map; a run is there before its files are written and checked."""
    return {r.id for r in runs if r.current and r.measures}
