"""The page Promise: a sentence to fill in, remarks about it, exceptions, and constraints on items."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from nicegui import ui

from anonset.model.policy import LineFacts
from anonset.web.components import DropZone
from anonset.web.elements import button, card, element, hinted, in_thread, note, page_head
from anonset.web.screen import Screen, attempt, show_error
from anonset.web.words import TERMS, sentence
from anonset.workbench.journal import Accept, SetItems, SetPopulation, SetPromise
from anonset.workbench.values import FileColumn

Lines = tuple[tuple[str, ...], ...]
MOST_DESCRIBED = 200  # lines that are described while they are typed
MOST_LISTED = 12
SIGNS = {"bad": "✕ ", "warn": "! ", "": ""}
MAKE_PRIVACY = {
    "pairs:0.02": "all pairs among 2 % of the items",
    "pairs:0.1": "all pairs among 10 % of the items",
    "PR6": "1,000 combinations that occur, of one to three items",
    "PR8": "1,000 combinations that occur, of one to four items",
}
MAKE_UTILITY = {
    "level:1": "groups one level up in the hierarchy",
    "level:2": "groups two levels up in the hierarchy",
    "neighbours:5": "groups of five neighbours",
    "neighbours:25": "groups of twenty-five neighbours",
}


class LiveLines:
    """A text of lines of items; below it, how many people each line is about."""

    def __init__(self, screen: Screen, label: str, lines: Lines, words: Callable[[LineFacts], tuple[str, str]]) -> None:
        self._screen, self._words, self._requests = screen, words, 0
        self._field = ui.textarea(label, value=text_of(lines)).props("outlined autogrow debounce=500")
        self._field.classes("full-width rule-lines").on_value_change(self._typed)
        self._found = ui.refreshable(self._draw)
        self._found((), ())

    @property
    def lines(self) -> Lines:
        """The lines that are typed in."""
        return lines_of(self._field.value)

    def fill(self, lines: Sequence[Sequence[str]]) -> None:
        """Replace the lines."""
        self._field.value = text_of(tuple(tuple(line) for line in lines))

    async def describe(self) -> None:
        """Describe the lines again."""
        self._requests += 1
        number, lines = self._requests, self.lines
        described = lines[:MOST_DESCRIBED]
        facts = await attempt(self._screen.bench.promise.describe_rules, self._screen.id, described) if described else ()
        if number == self._requests and facts is not None:
            self._found.refresh(lines, facts)

    async def _typed(self) -> None:
        await self.describe()

    def _draw(self, lines: Lines, facts: Sequence[LineFacts]) -> None:
        facts_of_lines = [(line, *self._words(fact)) for line, fact in zip(lines, facts, strict=False)]
        worst = sorted(facts_of_lines, key=lambda entry: ("bad", "warn", "").index(entry[1]))  # problems first
        with element("ul", "rule-facts", aria_live="polite"):
            for line, kind, words in worst[:MOST_LISTED]:
                element("li", kind, f"{SIGNS[kind]}{', '.join(line[:6])}: {words}")
        if len(lines) > MOST_LISTED:
            bad = sum(kind == "bad" for _, kind, _ in facts_of_lines)
            more = f"; {bad:,} of the first {len(facts_of_lines):,} name something that does not occur" if bad else ""
            element("p", "soft small", f"{len(lines):,} lines in all{more}")


def draw_sensitive_items(screen: Screen, items: SetItems) -> None:
    """The sensitive items."""

    async def save() -> None:
        await screen.take(replace(items, sensitive=tuple(line[0] for line in field.lines)))

    with card("Sensitive items", lead="Items that nobody may learn about a person, such as HIV infection; one per line."):
        field = LiveLines(screen, "Items", tuple((name,) for name in items.sensitive), _holders)
        button("Save sensitive items", save, kind="quiet")


def draw_rules(screen: Screen, promise: SetPromise) -> None:
    """Privacy and utility constraints, and how to make or read them."""

    def fill(found: Any) -> None:
        given = found if isinstance(found, dict) else {n: getattr(found, n) for n in ("privacy", "utility", "suppression", "m")}
        if given["privacy"]:
            privacy.fill(given["privacy"])
        if given["utility"]:
            utility.fill(given["utility"])
            left_out.value = 100 * given["suppression"]
        if given["m"]:
            ui.notify(f"This file protects all combinations of up to {given['m']} items, as the sentence above does.")

    async def check() -> None:
        changed = replace(promise, privacy=privacy.lines, utility=utility.lines, suppression=float(left_out.value or 0) / 100)
        found = await attempt(screen.bench.promise.remarks, screen.id, changed)
        if found is not None:
            remarks.refresh(found)

    async def save() -> None:
        changed = replace(promise, privacy=privacy.lines, utility=utility.lines, suppression=float(left_out.value or 0) / 100)
        await screen.take(changed)

    with card(
        "Your own rules", lead="Instead of protecting all combinations of items: one per line, items separated by commas."
    ):
        hinted("combinations to protect", "privacy constraints: each set is shared by k people or shown by nobody", "bold")
        privacy = LiveLines(
            screen, "Combinations that at least k people share, or nobody", promise.privacy, lambda fact: _open(fact, promise.k)
        )
        hinted("groups that may be merged", "utility constraints: items are merged inside a group only", "bold")
        utility = LiveLines(screen, "Items are merged inside these groups only", promise.utility, _group)
        left_out = ui.number("Items that may be left out, at most (%)", value=100 * promise.suppression, min=0, max=100)
        left_out.props("outlined dense").classes("full-width")
        _sources(screen, fill)
        remarks = ui.refreshable(_remarks)
        remarks(())
        with element("div", "line"):
            button("Save rules", save, kind="quiet", icon="check")
            button("Check the rules", check, kind="bare")


def _sources(screen: Screen, fill: Callable[[Any], None]) -> None:
    async def make() -> None:
        found = await attempt(screen.bench.promise.make_rules, screen.id, which.value or None, groups.value or None)
        if found is not None:
            fill(found)

    with ui.expansion("Generate them from the data, or upload a file").classes("full-width"), element("div", "stack"):
        which = ui.select({"": "none", **MAKE_PRIVACY}, value="", label="Combinations").props("outlined dense")
        groups = ui.select({"": "none", **MAKE_UTILITY}, value="", label="Groups").props("outlined dense")
        button("Generate", make, kind="quiet")
        DropZone(
            f"/api/projects/{screen.id}/rules/read",
            "Drop a policy file (TOML, JSON, or CSV with one set a line) here",
            method="POST",
            on_done=fill,
            on_failed=show_error,
        )


def _remarks(found: Sequence[Any]) -> None:
    kinds = {"error": "bad", "infeasible": "bad", "warning": "warn", "note": ""}
    for remark in found:
        note(sentence(remark.text), kinds[remark.level])


def _unknown(fact: LineFacts) -> tuple[str, str] | None:
    if not fact.unknown:
        return None
    close = f"; did you mean {fact.close[0]}?" if fact.close else ""
    return "bad", f"{fact.unknown[0]} does not occur in the data{close}"


def _people(count: int) -> str:
    return f"{count:,} {'person' if count == 1 else 'people'}"


def _holders(fact: LineFacts) -> tuple[str, str]:
    return _unknown(fact) or ("", f"occurs in {_people(fact.all_of)}")


def _open(fact: LineFacts, k: int) -> tuple[str, str]:
    held = f"{_people(fact.all_of)} {'has' if fact.all_of == 1 else 'have'} all of them"
    return _unknown(fact) or (("warn", f"{held}, fewer than {k}") if 0 < fact.all_of < k else ("", held))


def _group(fact: LineFacts) -> tuple[str, str]:
    return _unknown(fact) or ("", f"{_people(fact.any_of)} {'has' if fact.any_of == 1 else 'have'} at least one of them")


def lines_of(text: str | None) -> Lines:
    """The lines of a text, split at commas."""
    cut = ([part.strip() for part in line.split(",")] for line in (text or "").splitlines())
    return tuple(line for parts in cut if (line := tuple(dict.fromkeys(part for part in parts if part))))


def text_of(lines: Lines) -> str:
    """Lines as text."""
    return "\n".join(", ".join(line) for line in lines)


@dataclass(frozen=True, slots=True)
class Preset:
    """A usual promise and its source."""

    title: str
    k: int
    m: int
    source: str


PRESETS = (
    Preset("Inside the organisation", 3, 1, "at least three in a cell, a common rule of statistical offices"),
    Preset("For researchers", 5, 2, "risk 1 in 5, usual where a contract forbids re-identification"),
    Preset("For the public", 11, 2, "risk below 0.09: EMA policy 0070, Health Canada; CMS shows no cell below 11"),
    Preset("For the public, cautious", 20, 3, "risk 1 in 20 even for somebody who knows three items"),
)


async def promise_page(screen: Screen) -> None:
    """The promise to the people in the data."""
    page_head("Promise", "What might somebody know about a person, and how many people must then look alike?")
    body = ui.refreshable(lambda: _body(screen))
    await body()
    screen.on_change(body.refresh)


async def _body(screen: Screen) -> None:
    state = await in_thread(screen.bench.journal.state, screen.id)
    columns = await in_thread(screen.bench.data.columns, screen.id)
    counted = state.population != SetPopulation()
    unit = "people of the population" if counted else "people" if state.items.person else "records"
    _sentence(screen, state.promise, columns, unit)
    if not state.items.person:
        note(
            "Each record counts as one person. If people have several records, say under Data which column identifies them.", ""
        )
    await _gates(screen, state.promised)
    has_items = bool(_of_role(columns, "items"))
    _presets(screen, state.promise, has_items)
    with element("div", "two"):
        with element("div", "stack"):
            if has_items:
                draw_sensitive_items(screen, state.items)
            _population(screen, state.population)
            _exceptions(screen, state.accepted, columns)
        if has_items:
            draw_rules(screen, state.promise)


COUNTED = (
    "Records are counted: that protects from somebody who knows that a person is in the file, too. "
    "Only if nobody who may see the release knows who is in it, count the people it was taken from instead."
)

MEMBERS = "Somebody who knows that a person is in the file may find fewer."


def _population(screen: Screen, population: SetPopulation) -> None:
    """Whose people are counted: those of the file, or those that it was taken from."""
    with card("Who is counted"):
        if population.upload is not None:
            note(f"The people of the population are counted. {MEMBERS}", "warn")
        elif population.sampling is not None:
            note(f"Estimated, not counted: a share of {population.sampling:g} was drawn at random. {MEMBERS}", "warn")
        else:
            note(COUNTED, "")

        async def uploaded(answer: dict[str, Any]) -> None:
            await screen.take(SetPopulation(upload=str(answer["upload"])))

        async def estimate() -> None:
            await screen.take(SetPopulation(sampling=None if share.value is None else float(share.value) / 100))

        url = f"/api/projects/{screen.id}/populations"
        with ui.expansion("Nobody knows who is in the file", icon="groups").classes("full-width"):
            prompt = "Drop a file of the whole population here"
            DropZone(url, prompt, method="POST", on_done=uploaded, on_failed=show_error)
            with element("div", "line"):
                share = ui.number("or: drawn at random, in % of the population", min=0.0001, max=99.99).props("outlined dense")
                share.classes("grow")
                button("Estimate", estimate, kind="quiet").props["data-key"] = "sampling"
        if population != SetPopulation():
            button("Count the records", lambda: screen.take(SetPopulation()), kind="quiet", icon="undo")


def _of_role(columns: tuple[FileColumn, ...], role: str) -> list[str]:
    return [column.name for column in columns if column.role == role]


def _sentence(screen: Screen, promise: SetPromise, columns: tuple[FileColumn, ...], unit: str) -> None:
    quasi, items, sensitive = (_of_role(columns, role) for role in ("quasi", "items", "sensitive"))
    with card(), element("div", "sentence"):
        element("span", "", "Someone who knows ")
        if quasi:
            hinted(", ".join(quasi), "the columns that could be known, see Data: quasi-identifiers", "bold")
        if items:
            element("span", "", " and up to " if quasi else " up to ")
            _number(screen, promise, "m", 1, 10)
            hinted("items", TERMS["m"].hint)
        element("span", "", " of a person finds at least ")
        _number(screen, promise, "k", 1, 1_000_000)
        hinted(unit, TERMS["k"].hint)
        element("span", "", " that look alike")
        if sensitive:
            element("span", "", ", with at least ")
            _number(screen, promise, "l", 2, 1000)
            hinted(TERMS["l"].words, TERMS["l"].hint)
            element("span", "", f" for {', '.join(sensitive)}")
        element("span", "", ".")


def _number(screen: Screen, promise: SetPromise, name: str, low: int, high: int) -> None:
    async def change(event: Any) -> None:
        value = int(field.value) if field.value else None
        if value != getattr(promise, name) and (value is not None or name == "l"):
            changed: dict[str, Any] = {name: value}
            await screen.take(replace(promise, **changed))

    field = ui.number(value=getattr(promise, name), min=low, max=high, step=1, format="%d").props("outlined dense")
    field.props["aria-label"] = TERMS[name].words
    field.props["data-key"] = name
    field.style("width: 92px").on("change", change)


async def _gates(screen: Screen, promised: bool) -> None:
    remarks = await in_thread(screen.bench.promise.remarks, screen.id)
    kinds = {"error": "bad", "infeasible": "bad", "warning": "warn", "note": ""}
    for remark in remarks:
        words = f"{TERMS['infeasible'].words}: {remark.text}" if remark.level == "infeasible" else remark.text
        note(sentence(words), kinds[remark.level])
    if any(remark.level in {"error", "infeasible"} for remark in remarks):
        return
    if promised and any(remark.level == "warning" for remark in remarks):
        note("Everything that could be known is covered. A run would be refused for what is marked above.", "")
    elif promised:
        note("Everything that could be known is covered. No problem was found.", "good")
    else:
        with element("div", "line"):
            note("This is the default. Change it, choose one below, or confirm it.", "")
            button("Confirm this promise", lambda: _keep(screen), icon="check")


async def _keep(screen: Screen) -> None:
    state = await in_thread(screen.bench.journal.state, screen.id)
    await screen.take(state.promise)


def _presets(screen: Screen, promise: SetPromise, has_items: bool) -> None:
    element("h2", "", "Usual promises")
    with element("div", "cards narrow"):
        for preset in PRESETS:
            on = (promise.k, promise.m) == (preset.k, preset.m)
            made = element("button", "card preset", type="button", aria_pressed=str(on).lower())
            made.props["data-key"] = preset.title
            made.on("click", lambda p=preset: screen.take(replace(promise, k=p.k, m=p.m)))
            with made:
                element("h3", "", preset.title)
                known = f", {preset.m} item{'s' if preset.m > 1 else ''} known" if has_items else ""
                element("div", "num", f"{preset.k} look alike{known}")
                element("div", "soft small", preset.source)


def _exceptions(screen: Screen, accepted: Accept, columns: tuple[FileColumn, ...]) -> None:
    async def save() -> None:
        await screen.take(Accept(tuple(exposed.value or ()), bool(loss.value), bool(repeats.value)))

    names = [column.name for column in columns if column.role not in {"identifier", "none"}]
    with card("Exceptions", lead="Allow what is normally refused. Report and certificate list each exception."):
        exposed = ui.select(names, value=[n for n in accepted.exposure if n in names], multiple=True)
        exposed.props("outlined use-chips").classes("full-width").props["label"] = (
            "Columns to publish although nothing protects them"
        )
        loss = ui.switch("Publish although almost no information is left", value=accepted.loss)
        repeats = ui.switch("Count rows although people have several rows", value=accepted.repeats)
        button("Save exceptions", save, kind="quiet")
