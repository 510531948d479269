"""Try counting: a condition, and what the recipient can tell of it from the published files, beside the truth."""

import re
from collections.abc import Sequence
from typing import Any

from nicegui import ui

from anonset.web.elements import button, card, element, in_thread, note, table
from anonset.web.screen import Screen, attempt
from anonset.workbench.values import ColumnChoices, CountBeside

MOST_SHOWN = 8
PLAIN = re.compile(r"[^\s\"'`()<>=!,\[\]]+")
WORDS = {"and", "or", "not", "in", "is", "between", "contains", "all", "any", "of"}
HEAD = ("truth", "estimate", "standard error", "at least", "at most", "exact values alone")
LEGEND = {
    "count-bounds": "from at least to at most",
    "count-estimate": "estimate",
    "count-truth": "truth, which only you have",
    "count-exact": "exact values alone, as by a filter that knows nothing of labels",
}


def quoted(text: str) -> str:
    """A name or a value as it stands in a condition."""
    if PLAIN.fullmatch(text) and text.lower() not in WORDS:
        return text
    mark = next((mark for mark in "'\"" if mark not in text), "`")
    return f"{mark}{text}{mark}"


def range_test(column: str, low: float, high: float) -> str:
    """The test whether a number is in a range."""
    return f"{quoted(column)} between {low:g} and {high:g}" if low < high else f"{quoted(column)} = {low:g}"


def values_test(column: str, values: Sequence[str], *, items: bool) -> str:
    """The test whether a record has one of the values, or all of the items."""
    several = f"({', '.join(map(quoted, values))})" if len(values) > 1 else quoted(values[0])
    how = "contains" if items else "in" if len(values) > 1 else "="
    return f"{quoted(column)} {how} {several}"


class CountingPanel:
    """A condition, typed or put together from lists, and the counts of the last conditions."""

    def __init__(self, screen: Screen, run: str) -> None:
        self._screen, self._run = screen, run
        self._found: list[CountBeside] = []
        self._choices: dict[str, ColumnChoices] = {}
        self._items = ""
        self._condition: Any = None
        self._column: Any = None
        self._picked: list[Any] = []
        self._values = ui.refreshable(self._draw_values)
        self._answers = ui.refreshable(self._draw_answers)

    async def draw(self) -> None:
        """Draw the form and the answers."""
        found = await attempt(self._screen.bench.inspection.known_values, self._screen.id) or ()
        self._choices = {choice.column: choice for choice in found}
        columns = await in_thread(self._screen.bench.data.columns, self._screen.id)
        quasi = {column.name for column in columns if column.role == "quasi"}
        self._items = next((name for name in self._choices if name not in quasi), "")
        lead = "How many records meet a condition? What the recipient can tell from the published files, beside the truth."
        with card("Try counting", lead=lead):
            self._condition = ui.input("Condition").props("outlined dense clearable").classes("full-width")
            self._condition.on("keydown.enter", self._count)
            if self._choices:
                with element("div", "line"):
                    options = list(self._choices)
                    self._column = ui.select(options, value=options[0], label="Column", on_change=self._values.refresh)
                    self._column.props("outlined dense options-dense").style("min-width: 180px")
                    self._values()
                    button("Add to the condition", self._add, kind="quiet", icon="add")
            button("Count", self._count, icon="functions")
            with element("div", "stack", aria_live="polite"):
                self._answers()

    def _draw_values(self) -> None:
        choice = self._choices[self._column.value]
        if choice.low is not None and choice.high is not None:
            ends = {"from": choice.low, "to": choice.high}
            self._picked = [ui.number(name, value=end).props("outlined dense") for name, end in ends.items()]
            return
        label = "items, all of them" if choice.column == self._items else "values, one of them"
        field = ui.select(list(choice.values), value=[], label=label, with_input=True, multiple=True)
        self._picked = [field.props("outlined dense options-dense use-chips").style("min-width: 280px")]

    def _add(self) -> None:
        values = [field.value for field in self._picked]
        name = self._column.value
        if len(values) == 2 and None not in values:
            test = range_test(name, *values)
        elif len(values) == 1 and values[0]:
            test = values_test(name, values[0], items=name == self._items)
        else:
            return
        before = (self._condition.value or "").strip()
        self._condition.value = f"{before} and {test}" if before else test

    async def _count(self) -> None:
        asked = (self._condition.value or "").strip()
        found = await attempt(self._screen.bench.inspection.count, self._screen.id, self._run, asked)
        if found is not None:
            others = [one for one in self._found if one.condition != asked and not one.refused]
            self._found = [found, *others][:MOST_SHOWN]
            self._answers.refresh()

    def _draw_answers(self) -> None:
        for found in self._found:
            if found.refused:
                note(f"{found.refused}.", "warn", role="alert")
            else:
                draw_count(found)
        if any(not found.refused for found in self._found):
            with element("div", "line soft small"):
                for kind, words in LEGEND.items():
                    with element("span", "line"):
                        element("span", f"count-key {kind}")
                        element("span", "", words)


def draw_count(found: CountBeside) -> None:
    """One condition: a bar from low to high with estimate, truth and exact values on it, and the figures below."""
    end = max(found.high, found.exact, found.truth or 0, 1)
    places = {"count-estimate": found.estimate, "count-exact": found.exact, "count-truth": found.truth}
    with element("div", "count"):
        element("h3", "", found.condition or "all records")
        with element("div", "count-bar", aria_hidden="true"):
            width = 100 * (found.high - found.low) / end
            element("span", "count-bounds").style(f"left: {100 * found.low / end:.2f}%; width: {width:.2f}%")
            for kind, value in places.items():
                if value is not None:
                    element("span", kind).style(f"left: {100 * value / end:.2f}%")
        row = (
            "" if found.truth is None else f"{found.truth:,}",
            f"{found.estimate:,.1f}",
            f"± {found.standard_error:,.1f}",
            f"{found.low:,}",
            f"{found.high:,}",
            f"{found.exact:,}",
        )
        table(HEAD, [row], found.condition or "all records", right=range(len(HEAD)))
        for remark in found.notes:
            element("p", "soft small", remark)
