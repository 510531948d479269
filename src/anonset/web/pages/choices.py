"""Which algorithm, with which parameters: a form made from what algorithms declare."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from nicegui import ui

from anonset.web.parts import button, card, element, hinted
from anonset.web.screen import Screen, attempted, told
from anonset.web.waiting import answered

FITTING = "what fits the data"
MOST_AT_ONCE = 20
PROMISED = {"k", "m", "l"}  # they come from the promise and the slider


class Choices:
    """A form for a run."""

    def __init__(self, screen: Screen, started: Callable[[], Awaitable[None]]) -> None:
        self._screen, self._started = screen, started
        self._algorithm: str | None = None
        self._fields: dict[str, Any] = {}
        self._declared: Mapping[str, Any] = {}

    async def draw(self) -> None:
        """The choice of an algorithm, its parameters behind it, and the button that runs it."""
        self._declared = await answered(self._screen.bench.algorithms)
        options = {"": FITTING} | {id: f"{id}: {facts['title']}" for id, facts in self._declared.items()}
        with card("Run"):
            choice = ui.select(options, value="", label="Algorithm", with_input=True).props("outlined options-dense")
            choice.classes("full-width").on_value_change(lambda event: self._chosen(event.value))
            self._form = ui.refreshable(self._draw_form)
            self._form()
            promised = (await answered(self._screen.bench.state, self._screen.id)).promise.k
            self._ks = ui.input("People who look alike: one number, or several with commas", value=str(promised))
            self._ks.props("outlined dense").classes("full-width").on("keydown.enter", self._run)
            button("Run", self._run, icon="play_arrow")

    def asked(self) -> tuple[str | None, dict[str, Any]]:
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
        algorithm, parameters = self.asked()
        takes = [p["name"] for p in self._declared[algorithm]["parameters"]] if algorithm else ["k"]
        given = [part.strip() for part in str(self._ks.value or "").split(",") if part.strip()]
        if "k" in takes and (not given or not all(part.isdigit() for part in given)):
            told("say how many people look alike: a number such as 5, or several such as 3, 5, 10")
            return
        several = [{"k": int(part)} for part in dict.fromkeys(given[:MOST_AT_ONCE])] if "k" in takes else [{}]
        for more in several:
            if await attempted(self._screen.bench.start, self._screen.id, algorithm, {**parameters, **more}) is None:
                return
        await self._started()


def _field(parameter: Mapping[str, Any]) -> Any:
    """A field for one declared parameter; its meaning is one hover away."""
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
