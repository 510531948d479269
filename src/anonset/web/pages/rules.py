"""Rules of your own: sets and groups of items, typed, made or handed in; each line is looked at while it is written."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from nicegui import ui

from anonset.web.components import DropZone
from anonset.web.parts import button, card, element, hinted, note
from anonset.web.screen import Screen, attempted, told
from anonset.web.words import sentence
from anonset.workbench.journal import SetItems, SetPromise
from anonset.workbench.values import RuleFacts

Lines = tuple[tuple[str, ...], ...]
LOOKED_AT = 200  # lines of a text that are told about while it is typed
SHOWN = 12
SIGNS = {"bad": "✕ ", "warn": "! ", "": ""}
MAKE_PRIVACY = {
    "pairs:0.02": "all pairs of 2 % of the items",
    "pairs:0.1": "all pairs of 10 % of the items",
    "PR6": "1,000 sets that occur, of one to three items",
    "PR8": "1,000 sets that occur, of one to four items",
}
MAKE_UTILITY = {
    "level:1": "groups one level up in the hierarchy",
    "level:2": "groups two levels up in the hierarchy",
    "neighbours:5": "five neighbours each",
    "neighbours:25": "twenty-five neighbours each",
}


class LiveLines:
    """A text of lines of items; below it stands what each line is about, as it is now."""

    def __init__(self, screen: Screen, label: str, lines: Lines, words: Callable[[RuleFacts], tuple[str, str]]) -> None:
        self._screen, self._words, self._asked = screen, words, 0
        self._field = ui.textarea(label, value=text_of(lines)).props("outlined autogrow debounce=500")
        self._field.classes("full-width rule-lines").on_value_change(self._typed)
        self._found = ui.refreshable(self._draw)
        self._found((), ())

    @property
    def lines(self) -> Lines:
        """What is typed."""
        return lines_of(self._field.value)

    def fill(self, lines: Sequence[Sequence[str]]) -> None:
        """Other lines."""
        self._field.value = text_of(tuple(tuple(line) for line in lines))

    async def look(self) -> None:
        """Count again."""
        self._asked += 1
        number, lines = self._asked, self.lines
        looked = lines[:LOOKED_AT]
        facts = await attempted(self._screen.bench.look_at_rules, self._screen.id, looked) if looked else ()
        if number == self._asked and facts is not None:
            self._found.refresh(lines, facts)

    async def _typed(self) -> None:
        await self.look()

    def _draw(self, lines: Lines, facts: Sequence[RuleFacts]) -> None:
        told_of = [(line, *self._words(fact)) for line, fact in zip(lines, facts, strict=False)]
        worst = sorted(told_of, key=lambda told: ("bad", "warn", "").index(told[1]))  # what needs a look comes first
        with element("ul", "rule-facts", aria_live="polite"):
            for line, kind, words in worst[:SHOWN]:
                element("li", kind, f"{SIGNS[kind]}{', '.join(line[:6])}: {words}")
        if len(lines) > SHOWN:
            bad = sum(kind == "bad" for _, kind, _ in told_of)
            more = f"; {bad:,} of the first {len(told_of):,} name something that does not occur" if bad else ""
            element("p", "soft small", f"{len(lines):,} lines in all{more}")


def draw_sensitive_items(screen: Screen, items: SetItems) -> None:
    """Items that must not be learnt."""

    async def save() -> None:
        await screen.take(replace(items, sensitive=tuple(line[0] for line in field.lines)))

    with card("Items that must not be learnt", lead="One in a line. They are published, but never tied to a person."):
        field = LiveLines(screen, "Items", tuple((name,) for name in items.sensitive), _holders)
        button("Save items", save, kind="quiet")


def draw_rules(screen: Screen, promise: SetPromise) -> None:
    """Sets that need protection, groups that may be shown as one, and the ways to get them."""

    def fill(found: Any) -> None:
        given = found if isinstance(found, dict) else {n: getattr(found, n) for n in ("privacy", "utility", "suppression", "m")}
        if given["privacy"]:
            privacy.fill(given["privacy"])
        if given["utility"]:
            utility.fill(given["utility"])
            left_out.value = 100 * given["suppression"]
        if given["m"]:
            ui.notify(f"all sets of up to {given['m']} items: that is the sentence above")

    async def check() -> None:
        wanted = replace(promise, privacy=privacy.lines, utility=utility.lines, suppression=float(left_out.value or 0) / 100)
        found = await attempted(screen.bench.remarks, screen.id, wanted)
        if found is not None:
            remarks.refresh(found)

    async def save() -> None:
        wanted = replace(promise, privacy=privacy.lines, utility=utility.lines, suppression=float(left_out.value or 0) / 100)
        await screen.take(wanted)

    with card("Rules of your own", lead="Instead of all sets of items: one set or group in a line, with commas between items."):
        hinted("sets that are never alone", "privacy constraints: each set is shared by k people or shown by nobody", "bold")
        privacy = LiveLines(screen, "Shared by k people or by nobody", promise.privacy, lambda fact: _open(fact, promise.k))
        hinted("groups that may be shown as one", "utility constraints: items are merged inside a group only", "bold")
        utility = LiveLines(screen, "These items and no others; the rest stay as they are", promise.utility, _together)
        left_out = ui.number("Items that may be left out, at most (%)", value=100 * promise.suppression, min=0, max=100)
        left_out.props("outlined dense").classes("full-width")
        _sources(screen, fill)
        remarks = ui.refreshable(_remarks)
        remarks(())
        with element("div", "line"):
            button("Save rules", save, kind="quiet", icon="check")
            button("Can they be kept?", check, kind="bare")


def _sources(screen: Screen, fill: Callable[[Any], None]) -> None:
    async def make() -> None:
        found = await attempted(screen.bench.make_rules, screen.id, which.value or None, groups.value or None)
        if found is not None:
            fill(found)

    with ui.expansion("Make them from the data, or hand in a file").classes("full-width"), element("div", "stack"):
        which = ui.select({"": "no sets", **MAKE_PRIVACY}, value="", label="Sets").props("outlined dense")
        groups = ui.select({"": "no groups", **MAKE_UTILITY}, value="", label="Groups").props("outlined dense")
        button("Write them above", make, kind="quiet")
        DropZone(
            f"/api/projects/{screen.id}/rules/read",
            "Drop a policy file (TOML, JSON, or CSV with one set a line) here",
            method="POST",
            on_done=fill,
            on_failed=told,
        )


def _remarks(found: Sequence[Any]) -> None:
    kinds = {"error": "bad", "infeasible": "bad", "warning": "warn", "note": ""}
    for remark in found:
        note(sentence(remark.text), kinds[remark.level])


def _unknown(fact: RuleFacts) -> tuple[str, str] | None:
    if not fact.unknown:
        return None
    close = f"; did you mean {fact.close[0]}?" if fact.close else ""
    return "bad", f"{fact.unknown[0]} does not occur in the data{close}"


def _people(count: int) -> str:
    return f"{count:,} {'person' if count == 1 else 'people'}"


def _holders(fact: RuleFacts) -> tuple[str, str]:
    return _unknown(fact) or ("", f"held by {_people(fact.all_of)}")


def _open(fact: RuleFacts, k: int) -> tuple[str, str]:
    held = f"{_people(fact.all_of)} hold{'s' if fact.all_of == 1 else ''} all of them"
    return _unknown(fact) or (("warn", f"{held}, fewer than {k}") if 0 < fact.all_of < k else ("", held))


def _together(fact: RuleFacts) -> tuple[str, str]:
    return _unknown(fact) or ("", f"{_people(fact.any_of)} hold{'s' if fact.any_of == 1 else ''} one of them")


def lines_of(text: str | None) -> Lines:
    """The lines of a text, their items between commas."""
    cut = ([part.strip() for part in line.split(",")] for line in (text or "").splitlines())
    return tuple(line for parts in cut if (line := tuple(dict.fromkeys(part for part in parts if part))))


def text_of(lines: Lines) -> str:
    """Lines as text."""
    return "\n".join(", ".join(line) for line in lines)
