"""The page Try: a slider for k, a form from the algorithms' declarations, the map of runs, their table, and advice."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from nicegui import ui

from anonset.errors import InputError
from anonset.model.suitability import Suitability
from anonset.web.components import Dot, RuMap
from anonset.web.elements import button, card, cells, element, hinted, icon_button, in_thread, page_head, term
from anonset.web.headline import kept
from anonset.web.k_slider import OPEN, KSlider
from anonset.web.screen import Screen, attempt, show_error
from anonset.web.three_releases import ThreeReleases
from anonset.web.words import STATES, TERMS, one_in, percent, short_time
from anonset.workbench.values import Run, RunPoint

PURPOSES = {
    "both": "For columns and items together",
    "items": "For items alone",
    "rules": "For items, by your own rules",
    "columns": "For columns alone",
    "doubt": "Single items, some of which are only possible (nonreciprocal)",
}
MOST_AT_ONCE = 20
PROMISED = {"k", "m", "l"}  # they come from the promise and the slider


class RunForm:
    """The form of a run."""

    def __init__(self, screen: Screen, started: Callable[[], Awaitable[None]]) -> None:
        self._screen, self._started = screen, started
        self._algorithm: str | None = None
        self._fields: dict[str, Any] = {}
        self._declared: Mapping[str, Any] = {}
        self._suitable: Sequence[Suitability] = ()

    async def draw(self) -> None:
        """Draw the choice of an algorithm, its parameters, and the button."""
        self._declared = await in_thread(self._screen.bench.runs.algorithms)
        self._suitable = await attempt(self._screen.bench.runs.suitable, self._screen.id) or ()
        with card("One run, set by you"):
            with ui.expansion().classes("full-width choice") as self._choice:
                self._options = ui.refreshable(self._draw_options)
                self._options()
            self._choice.text = self._title()
            self._form = ui.refreshable(self._draw_form)
            self._form()
            promised = (await in_thread(self._screen.bench.journal.state, self._screen.id)).promise.k
            self._ks = ui.input("People who look alike: one number, or several separated by commas", value=str(promised))
            self._ks.props("outlined dense").classes("full-width").on("keydown.enter", self._run)
            button("Run", self._run, icon="play_arrow")

    def _title(self) -> str:
        chosen = next((one for one in self._suitable if one.id == self._algorithm), None)
        best = next((one for one in self._suitable if one.recommended), None)
        if chosen is not None:
            return f"Algorithm: {chosen.title}"
        return f"Algorithm: recommended ({best.title})" if best else "Algorithm: recommended"

    def _draw_options(self) -> None:
        """The algorithms by purpose; those that do not fit are greyed, with the reason."""
        with element("div", "options", role="radiogroup", aria_label="Algorithm"):
            self._option("", "Recommended for these data", "")
            for purpose, words in PURPOSES.items():
                group = [one for one in self._suitable if one.purpose == purpose]
                if group:
                    element("div", "soft small option-group", words)
                for one in group:
                    self._option(one.id, one.title, one.reason)

    def _option(self, id: str, title: str, reason: str) -> None:
        chosen = str((self._algorithm or "") == id).lower()
        disabled = {"aria_disabled": "true"} if reason else {}
        made = element("button", "option", type="button", role="radio", aria_checked=chosen, **disabled)
        made.props["data-key"] = f"algorithm-{id}"
        with made:
            element("span", "", title)
            if id:
                element("span", "soft small mono", id)
            if reason:
                element("span", "small option-reason", f"not for these data: {reason}")
        if not reason:
            made.on("click", lambda: self._chosen(id))

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
        self._choice.text = self._title()
        self._choice.value = False
        self._options.refresh()
        self._form.refresh()

    def _draw_form(self) -> None:
        if self._algorithm is None:
            return
        facts = self._declared[self._algorithm]
        element("p", "soft small", f"Its guarantee: {facts['guarantee']}.")
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


FIGURES = ("after", "columns", "items", "error")


class RunList:
    """The queue and the table of runs; `pick` is called with the id of the run that the user chooses."""

    def __init__(self, screen: Screen, pick: Callable[[str | None], Awaitable[None]]) -> None:
        self._screen, self._pick = screen, pick
        self._runs: tuple[Run, ...] = ()
        self._chosen: str | None = None
        self._released: str | None = None
        self._fresh: frozenset[str] = frozenset()
        self._only_differences = True
        self._progress: dict[str, tuple[ui.linear_progress, ui.label]] = {}
        self._queue, self._table = ui.refreshable(self._draw_queue), ui.refreshable(self._draw_table)

    def draw_queue(self) -> None:
        """Draw the runs at work."""
        self._queue()

    def draw(self) -> None:
        """Draw the runs that ended."""
        self._table()

    def show(self, runs: tuple[Run, ...], chosen: str | None, released: str | None, fresh: frozenset[str]) -> None:
        """Draw what changed; runs that only progressed keep their elements, so that buttons can be clicked.

        `fresh` are runs that ended and were not chosen yet; they get a mark.
        """
        open_before, open_now = _open(self._runs), _open(runs)
        ended = [r for r in runs if r.state not in OPEN]
        before = [r for r in self._runs if r.state not in OPEN]
        changed = (ended, chosen, released, fresh) != (before, self._chosen, self._released, self._fresh)
        self._runs, self._chosen, self._released, self._fresh = runs, chosen, released, fresh
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
                element("p", "soft", "The newest first. Click a run to choose it: slider, figures and map then show that run.")
                ui.switch("only settings that differ", value=self._only_differences, on_change=self._differences)
            self._draw_rows(ended)

    def _differences(self, event: Any) -> None:
        self._only_differences = bool(event.value)
        self._table.refresh()

    def _draw_rows(self, ended: Sequence[Run]) -> None:
        names = self._parameters(ended)
        right = range(1 + len(names), 2 + len(names) + len(FIGURES))
        with element("div", "scroller"), element("table", "plain-table"):
            element("caption", "unseen", "Runs that ended")
            with element("thead"), element("tr"):
                figures = [TERMS[name].words for name in FIGURES]
                for place, title in enumerate(("algorithm", *names, *figures, "time", "state", "actions")):
                    element("th", "right" if place in right else "", title, scope="col")
            with element("tbody"):
                for run in ended:
                    with element("tr", "chosen" if run.id == self._chosen else ""):
                        cells([lambda r=run: self._name(r), *self._values(run, names), *_figures(run)], right)
                        cells([lambda r=run: self._state(r), lambda r=run: self._actions(r)])

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
                if run.id != self._released:
                    address = f"/projects/{screen.id}/release?run={run.id}"
                    icon_button("inventory_2", f"Release {run.label} …", lambda a=address: ui.navigate.to(a))
                icon_button(
                    "search", f"Inspect {run.label}", lambda: ui.navigate.to(f"/projects/{screen.id}/inspect?run={run.id}")
                )
                if self._chosen not in (None, run.id):
                    versus = f"/projects/{screen.id}/inspect?run={self._chosen}&tab=versus&other={run.id}"
                    icon_button("compare", f"Compare {run.label} with the one looked at", lambda: ui.navigate.to(versus))
            else:
                icon_button("replay", f"Run {run.label} again", lambda: attempt(screen.bench.runs.restart, screen.id, run.id))
            icon_button("delete_outline", f"Delete {run.label}", lambda: self._forget(run))

    def _state(self, run: Run) -> None:
        with element("div", "line"):
            if run.id == self._released:
                element("span", "chip", "★ the release")
            if run.id in self._fresh:
                element("span", "chip warn", "new")
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
        return ["", "", "", "", short_time(run.seconds)]
    measures = run.measures
    columns, items = (kept(measures.get(name)) for name in ("ncp", "ncp-items"))
    return [one_in(measures.get("risk")), columns, items, percent(measures.get("are")), short_time(run.seconds)]


BUDGETS = {15: "15 seconds", 60: "1 minute", 300: "5 minutes", 1800: "half an hour"}
RISKS = {0.33: "1 in 3", 0.2: "1 in 5", 0.09: "1 in 11", 0.05: "1 in 20"}


async def draw_advice(screen: Screen, started: Callable[[], Awaitable[None]]) -> None:
    """The form of a recommendation: its time and its highest risk, which is that of the promise unless changed."""
    k = (await in_thread(screen.bench.journal.state, screen.id)).promise.k

    async def advise() -> None:
        begun = await attempt(screen.bench.runs.recommend, screen.id, seconds=float(budget.value), max_risk=float(risk.value))
        if begun is not None:
            await started()

    lead = "Tries the algorithms that fit within a time, and keeps the release that answers random counts best."
    with card("Search for the best", lead=lead):
        with element("div", "line"):
            budget = ui.select(BUDGETS, value=60, label="Search for").props("outlined dense").classes("grow")
            limits = {1 / k: f"1 in {k:,} (the promise)"} | {risk: text for risk, text in RISKS.items() if round(1 / risk) != k}
            risk = ui.select(limits, value=1 / k, label="Highest risk").props("outlined dense").classes("grow")
        button("Search", advise, kind="quiet", icon="auto_awesome")


TICK = 0.1  # seconds between two checks for changes
PROGRESS_INTERVAL = 0.5  # seconds between two readings of the progress of runs
LOSSES = {"ncp": "lost in columns", "ncp-items": "lost in items", "are": "average error in counts"}


async def try_page(screen: Screen) -> None:
    """Runs, made by the slider, by the form or by recommendation."""
    page_head("Try", "Each run is a whole release, checked as it was written. Compare risk with what is kept.")
    view = TryView(screen)
    await view.read()
    view.chosen = screen.looked_at or screen.release
    k = next((r.parameters.get("k") for r in view.runs if r.id == view.chosen), None)
    view.three.draw()
    element("h2", "", "Other numbers and settings")
    with element("div", "wide-left"):
        with element("div", "stack"):
            view.slider.draw(k or view.k)
            view.draw_map()
        with element("div", "stack"):
            forms = element("div", "stack")
            view.table.draw_queue()
    view.table.draw()
    await view.show()
    ui.timer(TICK, view.tick)
    screen.on_change(view.load_and_show)
    await view.load_map()
    await view.show()
    with forms:
        await view.form.draw()
        await draw_advice(screen, view.update)


class TryView:
    """The runs as they were last read, and the parts of the page, which all show the run that the user chose.

    A run that ends is announced and marked; it is never chosen by itself.
    """

    def __init__(self, screen: Screen) -> None:
        self.screen = screen
        self.chosen: str | None = None
        self.runs: tuple[Run, ...] = ()
        self.fresh: frozenset[str] = frozenset()  # runs that ended while the page was open, and were not chosen yet
        self.points: tuple[RunPoint, ...] | None = None  # None until the map was read
        self.loss = ""
        self._version, self._read_at, self._reading = screen.bench.version, 0.0, asyncio.Lock()
        self.form = RunForm(screen, self.update)
        self.slider = KSlider(screen, self.form.settings, self.pick)
        self.table = RunList(screen, self.choose)
        self.three = ThreeReleases(screen, self.choose, self.update)

    async def read(self) -> None:
        """Read the runs and the promise."""
        bench, id = self.screen.bench, self.screen.id
        self.runs = await self._newest()
        state = await in_thread(bench.journal.state, id)
        self.k, self.slider.promise = state.promise.k, state.promise
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
        await self.show()

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
        """Read the runs and draw what changed; a run that ended is announced, and changes the bar and the rail."""
        self._version, self._read_at = self.screen.bench.version, time.monotonic()
        runs = await self._newest()
        if runs == self.runs:
            return
        ended, measured = _ended(runs) - _ended(self.runs), _measured(runs) != _measured(self.runs)
        self.runs = runs
        self._announce([r for r in runs if (r.id, r.state) in ended])
        if measured:
            await self.load_and_show()
        else:
            await self.show()
        if ended:
            await self.screen.frame_changed()

    def _announce(self, ended: Sequence[Run]) -> None:
        """Say which runs ended, and mark those that are not looked at."""
        for run in ended:
            if run.id == self.chosen:
                continue
            self.fresh |= {run.id}
            if run.state == "done" and not run.ladder:
                ui.notify(f"{run.label} is done. It is marked as new in the table of runs.", position="top", timeout=8_000)
            elif run.state != "done":
                reason = f": {run.reason}" if run.reason else ""
                ui.notify(f"{run.label}: {STATES[run.state]}{reason}", position="top", type="warning", timeout=8_000)

    async def show(self) -> None:
        """Draw what depends on the runs."""
        dots = [Dot(p.run, p.label, p.risk, p.loss, best=p.on_frontier, knee=p.knee) for p in self.points or ()]
        waiting = self.points is None
        self.map.show(dots, lost=self.losses[self.loss], limit=1 / self.k, chosen=self.chosen, waiting=waiting)
        await self.slider.show(self.runs, self.chosen)
        self.table.show(self.runs, self.chosen, self.screen.release, self.fresh)
        await self.three.show(self.chosen)

    async def choose(self, id: str | None) -> None:
        """Choose a run on the map or in the table; the slider waits for nothing then."""
        self.slider.forget()
        await self.pick(id)

    async def pick(self, id: str | None) -> None:
        """Choose a run, also in the address of the page and for the other places."""
        self.chosen = id
        self.fresh -= {id}
        base = f"/projects/{self.screen.id}/try"
        ui.navigate.history.replace(f"{base}?run={id}" if id else base)
        await self.show()
        await self.screen.look_at(id)

    def draw_map(self) -> None:
        """The map of risk and loss."""
        with card(classes="map-card"):
            with element("div", "line between"):
                with element("h2"):
                    term("map")
                choice = ui.select(LOSSES, value=self.loss, label="What is lost").props("outlined dense options-dense")
                choice.style("min-width: 220px").on_value_change(lambda event: self._set_loss(str(event.value)))
            self.map = RuMap("Map of risk and loss; the table of runs below says the same", self.choose)
            with element("p", "soft small line"):
                element("span", "", "● filled, on the line:")
                term("frontier")
                element("span", "", "· with its name:")
                term("knee")

    async def _set_loss(self, loss: str) -> None:
        self.loss = loss
        await self.load_and_show()


def _ended(runs: tuple[Run, ...]) -> set[tuple[str, str]]:
    return {(r.id, r.state) for r in runs if r.state not in OPEN}


def _measured(runs: tuple[Run, ...]) -> set[str]:
    """The runs that are on the map; a run is there before its files are written and checked."""
    return {r.id for r in runs if r.current and r.measures}
