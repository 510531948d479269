"""A grid whose rows come from a route, page by page."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from nicegui.element import Element
from nicegui.elements.aggrid import AgGrid

assert AgGrid.VERSION  # importing it is what makes the script of the grid known to the page


@dataclass(frozen=True, slots=True)
class GridColumn:
    """A column as it is shown: its title, its role and the letter for it."""

    title: str
    role: str = "none"
    letter: str = ""


class DataGrid(Element, component="data_grid.js"):
    """The rows behind `url`; a click on a head calls `on_pick` with its place, on a row `on_row` with its number.

    `side` is `before` or `after` where the route tells both, and `a` or `b` where it tells of two releases.
    """

    def __init__(
        self,
        url: str,
        columns: Sequence[GridColumn],
        label: str,
        *,
        on_pick: Callable[[int], Any] | None = None,
        on_row: Callable[[int], Any] | None = None,
        side: str = "",
    ) -> None:
        super().__init__()
        self.props["url"] = url
        self.props["label"] = label
        self.props["side"] = side
        self.props["pickable"] = on_pick is not None
        self.show(columns)
        if on_pick is not None:
            self.on("pick", lambda event: on_pick(int(event.args)))
        if on_row is not None:
            self.on("row", lambda event: on_row(int(event.args)))

    def mirror(self, *others: "DataGrid") -> None:
        """Scroll together."""
        grids = (self, *others)
        for grid in grids:
            grid.props["mirror"] = " ".join(other.html_id for other in grids if other is not grid)

    def show(self, columns: Sequence[GridColumn]) -> None:
        """Other titles or roles."""
        self.props["columns"] = [{"title": c.title, "role": c.role, "letter": c.letter} for c in columns]
