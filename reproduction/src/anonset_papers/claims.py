"""Claims of a paper, our figures, and the answer that follows from them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from anonset.study.ru_map import MapPoint
from anonset_papers.materials import Materials

Value = str | int | float
Row = Mapping[str, Value]
Rows = Sequence[Row]
Answer = Literal["holds", "does not hold", "cannot be tested here"]


@dataclass(frozen=True, slots=True)
class Experiment:
    """A run that gives rows of figures; several claims may share it."""

    name: str
    data: tuple[str, ...]  # names in `materials.SOURCES`
    run: Callable[[Materials], Iterator[Row]]


@dataclass(frozen=True, slots=True)
class Check:
    """One part of a claim: what the paper says, our figure, and whether it holds (None: it cannot be tested here)."""

    text: str
    rule: str
    ours: str
    holds: bool | None


@dataclass(frozen=True, slots=True)
class Reading:
    """Another reading of a claim or of what the paper leaves open, and the results of its parts."""

    name: str
    checks: tuple[Check, ...]

    @property
    def parts(self) -> str:
        """How many of the parts that can be tested hold, e.g. 4 of 5."""
        return count_parts(self.checks)

    @property
    def failed(self) -> str:
        """The parts that do not hold, with our figures."""
        return "; ".join(f"{check.text}: {check.ours}" for check in self.checks if check.holds is False)


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a plot."""

    name: str
    xs: tuple[Value, ...]
    ys: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Plot:
    """Lines over one axis, both axes named."""

    title: str
    x: str
    y: str
    series: tuple[Series, ...]
    log: bool = False


@dataclass(frozen=True, slots=True)
class RuMap:
    """Points of risk and utility."""

    title: str
    points: tuple[MapPoint, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Named columns and rows of values."""

    header: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]


@dataclass(frozen=True, slots=True)
class Judgement:
    """The judgement of a claim: its parts, and the figures as plots and a table.

    `reading` says how we read what the paper leaves open; `others` has the results of other readings. `stand_in` names an
    algorithm of ours that replaces one of the paper.
    """

    checks: tuple[Check, ...]
    plots: tuple[Plot | RuMap, ...] = ()
    table: Table | None = None
    note: str = ""
    reading: str = ""
    others: tuple[Reading, ...] = ()
    stand_in: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of a paper's experiment section. `judge` takes the rows of each experiment, in order."""

    id: str
    text: str
    setting: str
    experiments: tuple[Experiment, ...]
    judge: Callable[..., Judgement]

    @property
    def paper(self) -> str:
        """The number of the paper."""
        return self.id.partition("-")[0]


@dataclass(frozen=True, slots=True)
class Result:
    """A claim, the answer and its evidence."""

    id: str
    text: str
    setting: str
    answer: Answer
    checks: tuple[Check, ...]
    plots: tuple[Plot | RuMap, ...] = ()
    table: Table | None = None
    note: str = ""
    data: tuple[str, ...] = field(default=())
    reading: str = ""
    others: tuple[Reading, ...] = ()
    stand_in: str = ""

    @property
    def paper(self) -> str:
        """The number of the paper."""
        return self.id.partition("-")[0]

    @property
    def parts(self) -> str:
        """How many of the parts that can be tested hold, e.g. 4 of 5; nothing where none can."""
        return count_parts(self.checks)


def count_parts(checks: Sequence[Check]) -> str:
    """How many of the parts that can be tested hold, e.g. 4 of 5; nothing where none can."""
    tested = [check.holds for check in checks if check.holds is not None]
    return f"{sum(tested)} of {len(tested)}" if tested else ""


def answer_of(checks: Sequence[Check]) -> Answer:
    """A claim holds when every part that can be tested does, and at least one can."""
    tested = [check.holds for check in checks if check.holds is not None]
    if not tested:
        return "cannot be tested here"
    return "holds" if all(tested) else "does not hold"


def untested(claim: Claim, reason: str, data: tuple[str, ...] = ()) -> Result:
    """The result of a claim whose experiments gave no figures."""
    return Result(claim.id, claim.text, claim.setting, "cannot be tested here", (), note=reason, data=data)
