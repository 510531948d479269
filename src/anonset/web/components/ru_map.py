"""The map of risk and loss."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from nicegui.element import Element
from nicegui.elements.echart import EChart

assert EChart.component  # importing it is what makes the script of the chart known to the page


@dataclass(frozen=True, slots=True)
class Dot:
    """A run on the map."""

    id: str
    label: str
    risk: float
    loss: float
    best: bool = False
    knee: bool = False


class RuMap(Element, component="ru_map.js"):
    """One dot a run; a click calls `on_pick` with the id of the run."""

    def __init__(self, label: str, on_pick: Callable[[str], Any]) -> None:
        super().__init__()
        self.props["label"] = label
        self.show((), waiting=True)
        self.on("pick", lambda event: on_pick(str(event.args)))

    def show(
        self,
        dots: Sequence[Dot],
        *,
        lost: str = "",
        limit: float | None = None,
        chosen: str | None = None,
        waiting: bool = False,
    ) -> None:
        """Draw these dots over what is lost, or that they are waited for."""
        self.props["lost"] = lost
        self.props["waiting"] = waiting
        self.props["points"] = [
            {"id": d.id, "label": d.label, "risk": d.risk, "loss": d.loss, "best": d.best, "knee": d.knee} for d in dots
        ]
        self.props["limit"] = limit
        self.props["chosen"] = chosen
