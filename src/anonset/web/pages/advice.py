"""Advice: try what fits in the time, and take the best within the risk."""

from collections.abc import Awaitable, Callable

from nicegui import ui

from anonset.web.parts import button, card, element
from anonset.web.screen import Screen, attempted

BUDGETS = {15: "15 seconds", 60: "1 minute", 300: "5 minutes", 1800: "half an hour"}
RISKS = {0.33: "1 in 3", 0.2: "1 in 5", 0.09: "1 in 11", 0.05: "1 in 20"}


def draw_advice(screen: Screen, started: Callable[[], Awaitable[None]]) -> None:
    """How long may be tried, which chance is accepted, and the button."""

    async def advise() -> None:
        begun = await attempted(screen.bench.recommend, screen.id, seconds=float(budget.value), max_risk=float(risk.value))
        if begun is not None:
            await started()

    with card("Find the best for me", lead="Tries the algorithms that fit, and keeps the release that answers questions best."):
        with element("div", "line"):
            budget = ui.select(BUDGETS, value=60, label="Try for").props("outlined dense").classes("grow")
            risk = ui.select(RISKS, value=0.2, label="Found at most").props("outlined dense").classes("grow")
        button("Recommend", advise, kind="quiet", icon="auto_awesome")
