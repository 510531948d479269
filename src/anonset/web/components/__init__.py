"""The elements with scripts of their own; users' texts reach the scripts as values, never as keys or markup."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from nicegui.element import Element
from nicegui.elements.aggrid import AgGrid
from nicegui.elements.echart import EChart

from anonset.workbench.values import TreeRow

assert AgGrid.VERSION and EChart.component  # noqa: PT018 - importing them makes their scripts known to the page


@dataclass(frozen=True, slots=True)
class RailStep:
    """A place of the rail: its link and its state in a sentence."""

    name: str
    href: str
    state: str
    done: bool
    current: bool


@dataclass(frozen=True, slots=True)
class Meter:
    """A figure in the colour of its kind, with its name and a hint."""

    name: str
    hint: str
    value: str
    kind: str = ""


class ProjectRail(Element, component="rail.js"):
    """The rail: the places of a project."""

    def show(self, steps: Sequence[RailStep]) -> None:
        """Show these places."""
        self.props["steps"] = [asdict(step) for step in steps]


class Meters(Element, component="meters.js"):
    """The figures in the bar."""

    def show(self, meters: Sequence[Meter]) -> None:
        """Show these figures."""
        self.props["meters"] = [asdict(meter) for meter in meters]


class RoleSelect(Element, component="role_select.js"):
    """A list to choose the role or the kind of a column from; `roles` are ids with their words and hints."""

    def __init__(
        self, label: str, roles: Sequence[tuple[str, str, str]], value: str, key: str, on_pick: Callable[[str], Any]
    ) -> None:
        super().__init__()
        self.props["label"] = label
        self.props["roles"] = [list(role) for role in roles]
        self.props["value"] = value
        self.props["focus-key"] = key
        self.on("pick", lambda event: on_pick(str(event.args)))


class ColumnPicture(Element, component="column_picture.js"):
    """Bars of how often the values of a column occur, in ranges or one by one; `label` says the same in words."""

    def __init__(self, bars: Sequence[tuple[str, int]], label: str) -> None:
        super().__init__()
        self.props["bars"] = [list(bar) for bar in bars]
        self.props["label"] = label


@dataclass(frozen=True, slots=True)
class GridColumn:
    """A column of a grid: its title, its role and the letter of the role; hidden, or kept in sight at the left or right."""

    title: str
    role: str = "none"
    letter: str = ""
    hidden: bool = False
    pinned: Literal["", "left", "right"] = ""


class DataGrid(Element, component="data_grid.js"):
    """A grid of the rows that `url` answers page by page; clicks call `on_pick` with a column, `on_row` with a row.

    `side` is `both` for before over after in one cell, or `before`, `a` or `b` for two releases.
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
        """Scroll these grids together."""
        grids = (self, *others)
        for grid in grids:
            grid.props["mirror"] = " ".join(other.html_id for other in grids if other is not grid)

    def show(self, columns: Sequence[GridColumn]) -> None:
        """Show these titles and roles."""
        self.props["columns"] = [asdict(column) for column in columns]

    def show_only_changed(self, only: bool) -> None:
        """Show the values that changed and no others, or all of them."""
        self.props["only-changed"] = only


class DropZone(Element, component="drop_zone.js"):
    """Streams a dropped or chosen file to `url`; `on_done` gets the answer, `on_failed` the reason.

    Of `several` files each is sent, one after the other.
    """

    def __init__(
        self,
        url: str,
        prompt: str,
        *,
        method: str,
        on_done: Callable[[Any], Any],
        on_failed: Callable[[str], Any],
        accept: str = "",
        several: bool = False,
    ) -> None:
        super().__init__()
        self.props["url"] = url
        self.props["several"] = several
        self.props["prompt"] = prompt
        self.props["method"] = method
        self.props["accept"] = accept
        self.on("done", lambda event: on_done(event.args))
        self.on("failed", lambda event: on_failed(str(event.args)))


class TreeView(Element, component="tree_view.js"):
    """A tree of any size, of which only the visible rows are drawn; nodes are identified by their ids."""

    def __init__(
        self,
        label: str,
        *,
        on_select: Callable[[Sequence[int]], Any],
        on_move: Callable[[Sequence[int], int], Any],
        on_key: Callable[[str], Any],
    ) -> None:
        super().__init__()
        self.props["label"] = label
        self.on("select", lambda event: on_select([int(id) for id in event.args]))
        self.on("move", lambda event: on_move([int(id) for id in event.args["nodes"]], int(event.args["to"])))
        self.on("key", lambda event: on_key(str(event.args)))

    def show(self, rows: Iterable[TreeRow]) -> None:
        """Show this tree, all nodes in reading order; open nodes stay open."""
        self.run_method("take", [[r.id, r.depth, r.label, r.support, r.leaf, r.leaves, r.covered, r.cut] for r in rows])

    def open_all(self) -> None:
        """Show every node."""
        self.run_method("openAll")

    def close_all(self) -> None:
        """Show only the children of the root."""
        self.run_method("closeAll")

    def reveal(self, node: int) -> None:
        """Open the nodes above a node and scroll to it."""
        self.run_method("reveal", node)


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
    """The map of risk and loss, one dot a run; a click calls `on_pick` with the id of the run."""

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
        """Show these dots, or that they are being loaded; `lost` names the measure of loss."""
        self.props["lost"] = lost
        self.props["waiting"] = waiting
        self.props["points"] = [
            {"id": d.id, "label": d.label, "risk": d.risk, "loss": d.loss, "best": d.best, "knee": d.knee} for d in dots
        ]
        self.props["limit"] = limit
        self.props["chosen"] = chosen
