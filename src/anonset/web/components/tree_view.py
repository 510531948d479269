"""A tree of any size, of which only the rows in sight are drawn."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from nicegui.element import Element

from anonset.workbench.values import TreeRow


class TreeView(Element, component="tree_view.js"):
    """A tree that is told all its nodes at once, in reading order; nodes are named by their ids."""

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
        """Draw this tree; what is open stays open."""
        self.run_method("take", [[r.id, r.depth, r.label, r.support, r.leaf, r.leaves, r.covered, r.cut] for r in rows])

    def open_all(self) -> None:
        """Show every node."""
        self.run_method("openAll")

    def close_all(self) -> None:
        """Show only what is below the root."""
        self.run_method("closeAll")

    def reveal(self, node: int) -> None:
        """Open what is above a node and go to it."""
        self.run_method("reveal", node)
