"""The results of the services: frozen values that the REST API answers as JSON."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from anonset.model.release import ExactCounts

JobState = Literal["waiting", "running", "done", "failed", "infeasible", "refused", "cancelled", "interrupted"]


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem of the file; with an `error` it cannot be used, with a `warning` it can."""

    level: Literal["error", "warning"]
    text: str
    line: int | None = None
    column: str | None = None


@dataclass(frozen=True, slots=True)
class FileColumn:
    """A column of the file; `field` is its key in rows (c0, c1, ...), `name` its name in the file."""

    field: str
    name: str
    role: str
    kind: str
    given: bool
    reason: str
    values: int | None = None
    missing: int | None = None


@dataclass(frozen=True, slots=True)
class FileFacts:
    """The facts about a data file that the store has as JSON; without columns the file cannot be read.

    `guess` has the role, the kind and the reason of each column, `reading` how the file is read, `file` its name in the
    project's folder, `origin` the database tables that it is a copy of.
    """

    format: str
    sha256: str
    suffix: str
    rows: int
    columns: tuple[str, ...]
    problems: tuple[Problem, ...]
    problem_count: int
    guess: Mapping[str, tuple[str, str, str]]
    reading: Mapping[str, Any]
    sheets: tuple[str, ...] = ()
    name: str = ""
    bytes: int = 0
    file: str = ""
    origin: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class DataFile:
    """The data file of a project."""

    name: str
    format: str
    bytes: int
    sha256: str
    rows: int
    columns: tuple[str, ...]
    problems: tuple[Problem, ...] = ()
    problem_count: int = 0
    sheets: tuple[str, ...] = ()  # of a workbook that has several
    sheet: str | None = None  # the sheet that is read

    @property
    def usable(self) -> bool:
        """Whether it could be read."""
        return not any(problem.level == "error" for problem in self.problems)


@dataclass(frozen=True, slots=True)
class PopulationFile:
    """An uploaded file of the population."""

    upload: str
    name: str


@dataclass(frozen=True, slots=True)
class PlaceState:
    """A place of a project: whether it is done, and its state in a sentence."""

    place: Literal["data", "hierarchies", "promise", "try", "inspect", "release"]
    done: bool
    sentence: str


@dataclass(frozen=True, slots=True)
class Project:
    """A project with the state of its places; shares are None until they are counted."""

    id: str
    name: str
    created: str
    file: DataFile | None
    rail: tuple[PlaceState, ...] = ()
    found_before: float | None = None  # the share of people who are unique in what somebody may know
    found_after: float | None = None  # the highest re-identification risk in the chosen release
    lost: float | None = None  # the information lost in the columns of the chosen release
    lost_items: float | None = None  # the same of its items
    verified: bool | None = None


@dataclass(frozen=True, slots=True)
class RecordPage:
    """A page of records; each maps c0, c1, ... to texts, or to lists of texts for sets; None is a missing value."""

    total: int
    start: int
    columns: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class TreeRow:
    """A visible node: `support` records contain a value below it, `covered` of its `leaves` occur in the data."""

    id: int
    parent: int | None
    label: str
    depth: int
    leaf: bool
    opened: bool
    children: int
    leaves: int
    covered: int
    support: int
    cut: bool = False  # the chosen release shows this node


@dataclass(frozen=True, slots=True)
class Tree:
    """A page of the visible rows of a hierarchy, and values of the data that it lacks."""

    column: str
    nodes: int
    leaves: int
    missing: tuple[str, ...]  # some of the values of the data that are not leaves
    missing_count: int
    total: int
    start: int
    rows: tuple[TreeRow, ...]


@dataclass(frozen=True, slots=True)
class Move:
    """A value that would move from one group to another."""

    value: str
    now: str
    then: str


@dataclass(frozen=True, slots=True)
class HierarchyPreview:
    """What an uploaded hierarchy would change; with problems it cannot be used."""

    upload: str
    name: str
    leaves: int
    nodes: int
    problems: tuple[str, ...]
    missing: tuple[str, ...]
    missing_count: int
    moves: tuple[Move, ...]  # some of the values that would move to another group
    moved_count: int

    @property
    def usable(self) -> bool:
        """Whether it can be used."""
        return not self.problems and not self.missing_count


@dataclass(frozen=True, slots=True)
class NamedPreview:
    """A hierarchy file of several: its column by its name, and what it would change; neither where no column is named so."""

    file: str
    column: str | None = None
    preview: HierarchyPreview | None = None


@dataclass(frozen=True, slots=True)
class Exposure:
    """The shares of people who are unique by their quasi values, by 1, 2 or 3 items, and by both."""

    records: int
    quasi: float | None
    items: tuple[float, ...] | None
    both: tuple[float, ...] | None

    def unique(self, m: int) -> float:
        """The share of people who are unique to somebody who knows the columns and the most telling m of their items."""
        known = self.both or self.items
        return known[min(m, len(known)) - 1] if known else self.quasi or 0.0


@dataclass(frozen=True, slots=True)
class Remark:
    """A remark about the promise; `error` and `infeasible` stop a run, `warning` and `note` do not."""

    level: Literal["error", "infeasible", "warning", "note"]
    text: str


@dataclass(frozen=True, slots=True)
class Run:
    """A run: its settings, its progress and its result."""

    id: str
    project: str
    kind: Literal["anonymize", "recommend"]
    algorithm: str | None
    parameters: Mapping[str, Any]
    state: JobState
    created: str
    phase: str = ""
    share: float = 0.0
    seconds: float = 0.0
    seconds_left: float | None = None
    memory_mb: float = 0.0
    measures: Mapping[str, float] = field(default_factory=dict)
    guarantees: tuple[str, ...] = ()
    holds: bool | None = None
    records: int = 0
    digest: str = ""
    reason: str = ""
    remarks: tuple[str, ...] = ()
    usefulness: tuple[str, ...] = ()
    current: bool = True  # made under the current decisions
    ladder: bool = False  # made in the background for the slider
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The label of a run: aa k=5 m=2."""
        name = self.algorithm or {"recommend": "the best in the time"}.get(self.kind, "what fits")
        return " ".join([name, *(f"{name}={value}" for name, value in self.parameters.items())])


@dataclass(frozen=True, slots=True)
class RunPoint:
    """A run on the map of risk and utility."""

    run: str
    series: str
    label: str
    utility: float
    risk: float
    loss: float
    on_frontier: bool
    knee: bool = False
    best: bool = False


@dataclass(frozen=True, slots=True)
class RecordComparison:
    """Records before and after, with the same fields; `after` is None where a record was left out."""

    total: int
    start: int
    columns: tuple[str, ...]
    before: tuple[Mapping[str, Any], ...]
    after: tuple[Mapping[str, Any] | None, ...]
    changed: tuple[tuple[str, ...], ...]  # the fields that differ, by row


@dataclass(frozen=True, slots=True)
class WorstQuery:
    """A query whose count in the release is wrong."""

    query: str
    actual: float
    estimate: float
    error: float


@dataclass(frozen=True, slots=True)
class UnknownText:
    """A value that does not occur in a column, or among the items, and values that look like it."""

    column: str
    value: str
    close: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ColumnChoices:
    """What a form offers for a column, or for the items: values, or the range of its numbers."""

    column: str
    values: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Candidates:
    """The number of records that fit what somebody knows, before and after, and some of the published ones."""

    before: int
    after: int
    columns: tuple[str, ...]
    shown: tuple[Mapping[str, Any], ...]
    unknown: tuple[UnknownText, ...] = ()  # where there are some, nothing was counted


@dataclass(frozen=True, slots=True)
class CountBeside:
    """The records that meet a condition: as the recipient can tell, by exact values alone, and in truth for the owner.

    Where the condition was `refused`, the reason is there and nothing was counted.
    """

    condition: str
    records: int = 0
    low: int = 0
    high: int = 0
    estimate: float = 0.0
    standard_error: float = 0.0
    exact: int = 0
    truth: int | None = None
    notes: tuple[str, ...] = ()
    refused: str = ""


@dataclass(frozen=True, slots=True)
class ReleasePromise:
    """What a release promises, and what that does not cover, in sentences."""

    promises: tuple[str, ...]
    limits: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RepeatInstructions:
    """How to make a release again elsewhere, ready to copy."""

    command: str
    python: str
    notebook: str
    rest: str
    project_file: str


@dataclass(frozen=True, slots=True)
class Difference:
    """A setting or a measure of two releases; `better` is the better one by this measure, if one is."""

    name: str
    a: Any
    b: Any
    better: Literal["a", "b"] | None = None
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class ReleaseComparison:
    """Two releases of the same data: settings, measures, and what is exact in one and not in the other.

    `items` are those in which the releases differ most, of `item_count` that differ; none where a release has uncertain items
    instead of groups of items.
    """

    a: Run
    b: Run
    settings: tuple[Difference, ...]
    measures: tuple[Difference, ...]
    columns: tuple[ExactCounts, ...]
    items: tuple[ExactCounts, ...]
    item_count: int


@dataclass(frozen=True, slots=True)
class ReleaseRecords:
    """Records before and in two releases, with the same fields; `changed` are the fields that differ, by row."""

    total: int
    start: int
    columns: tuple[str, ...]
    before: tuple[Mapping[str, Any], ...]
    a: tuple[Mapping[str, Any] | None, ...]
    b: tuple[Mapping[str, Any] | None, ...]
    changed: tuple[tuple[str, ...], ...]
