"""Where a project stands, as every page tells it: a rail of steps and a few figures, each one element however long it is."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from nicegui.element import Element


@dataclass(frozen=True, slots=True)
class RailStep:
    """A step, where it leads, and a sentence about it."""

    name: str
    href: str
    state: str
    done: bool
    current: bool


@dataclass(frozen=True, slots=True)
class Meter:
    """A figure in the colour of its kind, its name, and what is told of it on hover."""

    name: str
    hint: str
    value: str
    kind: str = ""


class ProjectRail(Element, component="rail.js"):
    """The steps of a project."""

    def show(self, steps: Sequence[RailStep]) -> None:
        """Other steps, or the same in another state."""
        self.props["steps"] = [asdict(step) for step in steps]


class Meters(Element, component="meters.js"):
    """Figures in a row."""

    def show(self, meters: Sequence[Meter]) -> None:
        """Other figures."""
        self.props["shown"] = [asdict(meter) for meter in meters]
