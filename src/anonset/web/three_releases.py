"""One button makes three releases that keep different things; each is a card with its headline and ten real records."""

from collections.abc import Awaitable, Callable, Sequence

from nicegui import ui

from anonset.web.elements import button, card, cells, element, in_thread, link, note
from anonset.web.headline import headline_of
from anonset.web.k_slider import OPEN
from anonset.web.screen import Screen, attempt
from anonset.web.words import STATES, TERMS
from anonset.workbench.values import RecordComparison, Run

PRESETS = {
    "columns": ("Columns kept", "Values of the columns stay as exact as possible; items lose more."),
    "balanced": ("Balanced", "Counts over columns and items together stay as right as possible."),
    "items": ("Items kept", "Items stay as exact as possible; the columns lose more."),
    "exact": ("Exact values", "As many values as possible stay exact."),
    "counts": ("Counts", "Counts stay as right as possible."),
    "detail": ("Small groups", "Values become groups that are as small as possible."),
    "uniform": (
        "Same groups everywhere",
        "Each value is shown the same way in all records; up to 5 % of the records are left out.",
    ),
}
SHOWN = 10  # records in a card
RELEASES = 3


class ThreeReleases:
    """The button and the cards of the three releases."""

    def __init__(
        self, screen: Screen, choose: Callable[[str | None], Awaitable[None]], started: Callable[[], Awaitable[None]]
    ) -> None:
        self._screen, self._choose, self._started = screen, choose, started
        self._runs: tuple[Run, ...] = ()
        self._chosen: str | None = None
        self._records: dict[str, RecordComparison] = {}
        self._body = ui.refreshable(self._draw)

    def draw(self) -> None:
        """Draw the button, or the cards."""
        self._body()

    async def show(self, chosen: str | None) -> None:
        """Draw what changed."""
        runs = await in_thread(self._screen.bench.runs.presets, self._screen.id)
        done = [run for run in runs if run.state == "done" and run.id not in self._records]
        for run in done:
            page = await attempt(self._screen.bench.inspection.compare, self._screen.id, run.id, 0, SHOWN)
            if page is not None:
                self._records[run.id] = page
        facts = [(run.id, run.state, run.measures) for run in runs]
        if done or chosen != self._chosen or facts != [(run.id, run.state, run.measures) for run in self._runs]:
            self._runs, self._chosen = runs, chosen
            self._body.refresh()

    async def _make(self) -> None:
        if await attempt(self._screen.bench.runs.three, self._screen.id) is not None:
            await self._started()

    def _draw(self) -> None:
        runs = sorted(self._runs, key=lambda run: list(PRESETS).index(str(run.settings["preset"])))
        lead = "Three whole releases with your promise, which keep different things. Compare them, then choose one."
        with card("Make releases", lead=lead):
            if len(self._runs) < RELEASES:
                button("Make releases", self._make, icon="auto_awesome")
            if runs:
                with element("div", "three"):
                    for run in runs:
                        self._card(run)
                _records([(_title(run), self._records[run.id]) for run in runs if run.id in self._records])

    def _card(self, run: Run) -> None:
        title, words = PRESETS[str(run.settings["preset"])]
        with element("article", f"preset-card {'on' if run.id == self._chosen else ''}", aria_label=title):
            element("h3", "", title)
            element("p", "soft small", words)
            if run.state in OPEN:
                with element("div", "line soft"):
                    ui.spinner()
                    element("span", "", run.phase or STATES[run.state])
                return
            if run.state != "done":
                note(f"{STATES[run.state]}: {run.reason}", "warn")
                return
            with element("dl", "facts small"):
                for figure in headline_of(run.measures):
                    element("dt", "", TERMS[figure.term].words)
                    element("dd", "num", figure.short)
                    if figure.remark:
                        element("dt", "", "")
                        element("dd", "soft", figure.remark)
            with element("div", "line"):
                chosen = run.id == self._chosen
                choice = button("Looked at" if chosen else "Choose", lambda: self._choose(run.id), kind="quiet")
                choice.props["data-key"] = f"preset-{run.id}"
                choice.props["aria-label"] = f"{'Looked at' if chosen else 'Choose'}: {title}"
                link(
                    "Release …", f"/projects/{self._screen.id}/release?run={run.id}", kind="bare", aria_label=f"Release {title}"
                )


def _title(run: Run) -> str:
    return PRESETS[str(run.settings["preset"])][0]


def _records(found: Sequence[tuple[str, RecordComparison]]) -> None:
    """The first records: the original, and what each release shows of it."""
    if not found:
        return
    original = found[0][1]
    element("h3", "", f"The first {len(original.before)} records in each")
    with element("div", "scroller", tabindex="0"), element("table", "plain-table compact"):
        element("caption", "unseen", "Records in the original and in each release")
        with element("thead"), element("tr"):
            for title in ("original", *(title for title, _ in found)):
                element("th", "", title, scope="col")
        with element("tbody"):
            for place in range(len(original.before)):
                with element("tr"):
                    pages = (None, *(page for _, page in found))
                    cells([lambda p=place, r=page: _record(original, p, r) for page in pages])


def _record(original: RecordComparison, place: int, release: RecordComparison | None) -> None:
    """A record in a line; of a release, with what changed marked by a sign and by weight."""
    shown = original.before[place] if release is None else release.after[place]
    changed = () if release is None else release.changed[place]
    if shown is None:
        element("span", "bad", "✕ left out")
        return
    for number in range(len(original.columns)):
        field = f"c{number}"
        text = _text(shown.get(field)) or "–"
        element("span", "value changed" if field in changed else "value", f"≈ {text}" if field in changed else text)


def _text(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else "" if value is None else str(value)
