"""The journal of a project: its steps, taken, undone and redone, and the state that they add up to."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError
from sqlalchemy import select

from anonset.errors import InputError, ParameterError
from anonset.model.serialization import to_builtins
from anonset.workbench.store import STEPS, Store, now

ColumnRole = Literal["quasi", "sensitive", "identifier", "other", "items", "none"]
ColumnKind = Literal["numeric", "ordered", "categorical"]
Count = Annotated[int, Field(ge=1, le=1_000_000)]


@dataclass(frozen=True, slots=True)
class SetRoles:
    """The roles of columns; a column that is not named keeps its role."""

    roles: Mapping[str, ColumnRole]
    kind: Literal["set_roles"] = "set_roles"


@dataclass(frozen=True, slots=True)
class SetKinds:
    """The kinds of columns: numbers, words in order, or other words; a column that is not named keeps its kind."""

    kinds: Mapping[str, ColumnKind]
    kind: Literal["set_kinds"] = "set_kinds"


@dataclass(frozen=True, slots=True)
class SetItems:
    """How the set-valued column is read, and which items are sensitive.

    `person` is the column that identifies the rows of one person, where each row has one of the items. `drop` are patterns of
    items that are removed on reading, such as mrn:*.
    """

    separator: str | None = None
    multiset: bool = False
    person: str | None = None
    sensitive: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    kind: Literal["set_items"] = "set_items"


@dataclass(frozen=True, slots=True)
class BuildHierarchy:
    """Build a hierarchy from the values, with `how` as in `balanced:5`; `column` is `items` for the items."""

    column: str
    how: str
    kind: Literal["build_hierarchy"] = "build_hierarchy"


@dataclass(frozen=True, slots=True)
class UseHierarchy:
    """Use an uploaded hierarchy, by the id of the upload."""

    column: str
    upload: str
    kind: Literal["use_hierarchy"] = "use_hierarchy"


@dataclass(frozen=True, slots=True)
class RemoveHierarchy:
    """Remove the hierarchy of a column."""

    column: str
    kind: Literal["remove_hierarchy"] = "remove_hierarchy"


@dataclass(frozen=True, slots=True)
class AddNode:
    """Add a group with a label below a node."""

    parent: int
    label: str
    op: Literal["add"] = "add"


@dataclass(frozen=True, slots=True)
class RenameNode:
    """Rename a group."""

    node: int
    label: str
    op: Literal["rename"] = "rename"


@dataclass(frozen=True, slots=True)
class MoveNode:
    """Move a node, with everything below it, below another node."""

    node: int
    to: int
    op: Literal["move"] = "move"


@dataclass(frozen=True, slots=True)
class MergeNodes:
    """Merge groups, with the label of the first or another one; or put values into a new group."""

    nodes: tuple[int, ...]
    label: str = ""
    op: Literal["merge"] = "merge"


@dataclass(frozen=True, slots=True)
class DeleteNode:
    """Delete a group, whose children move up; or a value that does not occur in the data."""

    node: int
    op: Literal["delete"] = "delete"


TreeEdit = Annotated[AddNode | RenameNode | MoveNode | MergeNodes | DeleteNode, Field(discriminator="op")]


@dataclass(frozen=True, slots=True)
class EditHierarchy:
    """Edit the hierarchy of a column, one edit after the other; nodes are given by their ids."""

    column: str
    edits: tuple[TreeEdit, ...]
    kind: Literal["edit_hierarchy"] = "edit_hierarchy"


@dataclass(frozen=True, slots=True)
class SetPromise:
    """The promise: someone who knows the quasi columns and m items finds at least k people.

    `privacy` are sets of items that k people or nobody must share, `utility` groups of items that may be generalized together.
    `guarantee` is the id of a guarantee; without it, the one that fits the data is used.
    """

    k: Count = 5
    m: Annotated[int, Field(ge=1, le=10)] = 2
    l: Annotated[int, Field(ge=2, le=1_000)] | None = None  # noqa: E741
    guarantee: str | None = None
    privacy: tuple[tuple[str, ...], ...] = ()
    utility: tuple[tuple[str, ...], ...] = ()
    suppression: Annotated[float, Field(ge=0, le=1)] = 0.0
    kind: Literal["set_promise"] = "set_promise"


@dataclass(frozen=True, slots=True)
class SetPopulation:
    """Whose people are counted: those of an uploaded population, or of one of which the records are a share; else the records.

    Either is for data of which nobody knows who is in them.
    """

    upload: str | None = None
    sampling: Annotated[float, Field(gt=0, lt=1)] | None = None
    kind: Literal["set_population"] = "set_population"


@dataclass(frozen=True, slots=True)
class Accept:
    """Exceptions that the publisher accepts: columns that no guarantee covers, and a loss of nearly all information.

    `repeats`: records are counted although several belong to one person.
    """

    exposure: tuple[str, ...] = ()
    loss: bool = False
    repeats: bool = False
    kind: Literal["accept"] = "accept"


@dataclass(frozen=True, slots=True)
class ChooseRelease:
    """Choose the run whose release is handed out, or none."""

    run: str | None = None
    kind: Literal["choose_release"] = "choose_release"


CoverName = Annotated[str, Field(max_length=40)]
CoverText = Annotated[str, Field(max_length=2_000)]


@dataclass(frozen=True, slots=True)
class SetCover:
    """What report and certificate say about the release: title, author and so on, by the field of `Cover`."""

    texts: Annotated[Mapping[CoverName, CoverText], Field(max_length=20)] = field(default_factory=dict)
    kind: Literal["set_cover"] = "set_cover"


Step = Annotated[
    SetCover
    | SetRoles
    | SetKinds
    | SetItems
    | BuildHierarchy
    | UseHierarchy
    | RemoveHierarchy
    | EditHierarchy
    | SetPromise
    | SetPopulation
    | Accept
    | ChooseRelease,
    Field(discriminator="kind"),
]
STEP: TypeAdapter[Any] = TypeAdapter(Step)


@dataclass(frozen=True, slots=True)
class Entry:
    """A step in the journal, with its number, its time, a sentence about it, and whether it is undone."""

    number: int
    at: str
    text: str
    undone: bool
    step: Step
    problems: tuple[str, ...] = field(default=())


def step_from(data: Mapping[str, Any]) -> Any:
    """The step of plain data; an error where they are none."""
    try:
        return STEP.validate_python(data)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"] if not isinstance(part, int))
        raise ParameterError(f"this is no step: {place or 'step'}: {first['msg']}") from None


def sentence(step: Any) -> str:
    """A step in words, without values of the data."""
    match step:
        case SetRoles(named) | SetKinds(named):
            return f"{step.kind.removeprefix('set_')} of {len(named)} column{'s' if len(named) != 1 else ''}"
        case SetItems(sensitive=sensitive):
            return f"the items' options{f', {len(sensitive)} must not be learnt' if sensitive else ''}"
        case BuildHierarchy(column, how):
            return f"hierarchy of {column}: {how}"
        case UseHierarchy(column):
            return f"hierarchy of {column}: from a file"
        case RemoveHierarchy(column):
            return f"no hierarchy of {column}"
        case EditHierarchy(column, edits):
            return f"hierarchy of {column}: {', '.join(edit.op for edit in edits[:3])}{' ...' if len(edits) > 3 else ''}"
        case SetPromise(k, m):
            return f"promise: k = {k}, m = {m}"
        case SetPopulation(upload, sampling):
            if upload is not None:
                return "counted: people of a population"
            return "counted: records" if sampling is None else f"estimated: people of whom a share of {sampling:g} was drawn"
        case SetCover():
            return "title, author and recipient of the release"
        case Accept(exposure, loss, repeats):
            what = [*exposure, *(["any loss"] if loss else []), *(["several rows a person"] if repeats else [])]
            return f"accepted: {', '.join(what) or 'nothing'}"
        case _:
            return "the release was chosen" if step.run else "no release is chosen"


@dataclass(frozen=True, slots=True)
class HierarchyChoice:
    """The source of a hierarchy, a builder or an upload, and its edits."""

    how: str | None = None
    upload: str | None = None
    edits: tuple[TreeEdit, ...] = ()


@dataclass(frozen=True, slots=True)
class State:
    """The current decisions."""

    roles: Mapping[str, ColumnRole] = field(default_factory=dict)
    kinds: Mapping[str, ColumnKind] = field(default_factory=dict)
    items: SetItems = field(default_factory=SetItems)
    hierarchies: Mapping[str, HierarchyChoice] = field(default_factory=dict)
    promise: SetPromise = field(default_factory=SetPromise)
    promised: bool = False  # confirmed by the user; else it is the default promise
    population: SetPopulation = field(default_factory=SetPopulation)
    accepted: Accept = field(default_factory=Accept)
    release: str | None = None
    cover: SetCover = field(default_factory=SetCover)


DECIDED_BY: Mapping[type, str] = {SetItems: "items", SetPopulation: "population", Accept: "accepted"}  # fields of the state


def state_after(steps: Iterable[Any]) -> State:
    """The state after the steps."""
    state = State()
    for step in steps:
        state = after(state, step)
    return state


def after(state: State, step: Any) -> State:
    """The state after one more step; a step that changes what is published undoes the choice of a release."""
    match step:
        case ChooseRelease(run):
            return replace(state, release=run)
        case SetCover():
            return replace(state, cover=step)
        case SetRoles(roles):
            state = replace(state, roles={**state.roles, **roles})
        case SetKinds(kinds):
            state = replace(state, kinds={**state.kinds, **kinds})
        case BuildHierarchy(column, how):
            state = _with_hierarchy(state, column, HierarchyChoice(how=how))
        case UseHierarchy(column, upload):
            state = _with_hierarchy(state, column, HierarchyChoice(upload=upload))
        case EditHierarchy(column, edits):
            choice = state.hierarchies.get(column, HierarchyChoice())
            state = _with_hierarchy(state, column, replace(choice, edits=(*choice.edits, *edits)))
        case RemoveHierarchy(column):
            state = replace(state, hierarchies={c: h for c, h in state.hierarchies.items() if c != column})
        case SetPromise():
            state = replace(state, promise=step, promised=True)
        case SetItems() | SetPopulation() | Accept():
            decided: dict[str, Any] = {DECIDED_BY[type(step)]: step}
            state = replace(state, **decided)
    return replace(state, release=None)


def _with_hierarchy(state: State, column: str, choice: HierarchyChoice) -> State:
    return replace(state, hierarchies={**state.hierarchies, column: choice})


Check = Callable[[str, Any], None]  # raises where a step is not possible in a project


class Journal:
    """The steps of projects in a store; a step is taken only where the check of its kind passes."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._checks: dict[type, Check] = {}

    def add_check(self, check: Check, *kinds: type) -> None:
        """Call `check` before a step of these kinds is taken."""
        self._checks |= dict.fromkeys(kinds, check)

    def entries(self, project: str) -> tuple[Entry, ...]:
        """All steps; undone ones are at the end, and the next new step deletes them."""
        rows = self._store.rows(select(STEPS).where(STEPS.c.project == project).order_by(STEPS.c.number))
        if not rows:
            self._store.project(project)  # which raises where there is none
        steps = [step_from(row["body"]) for row in rows]
        return tuple(
            Entry(row["number"], row["at"], sentence(step), row["undone"], step) for row, step in zip(rows, steps, strict=True)
        )

    def state(self, project: str) -> State:
        """The state after all steps that are not undone."""
        return state_after(entry.step for entry in self.entries(project) if not entry.undone)

    def apply(self, project: str, step: Any) -> State:
        """Take a step if it is possible, delete undone ones, and return the state; an error changes nothing."""
        self._store.project(project)
        if (check := self._checks.get(type(step))) is not None:
            check(project, step)
        number = max((entry.number for entry in self.entries(project) if not entry.undone), default=0) + 1
        self._store.change(
            STEPS.delete().where(STEPS.c.project == project, STEPS.c.undone),
            STEPS.insert().values(project=project, number=number, at=now(), undone=False, body=to_builtins(step)),
        )
        return self.state(project)

    def undo(self, project: str) -> State:
        """Undo the last step."""
        return self._mark([entry.number for entry in self.entries(project) if not entry.undone][-1:], project, undone=True)

    def redo(self, project: str) -> State:
        """Redo the first undone step."""
        return self._mark([entry.number for entry in self.entries(project) if entry.undone][:1], project, undone=False)

    def _mark(self, numbers: list[int], project: str, *, undone: bool) -> State:
        if not numbers:
            raise InputError("there is nothing to undo" if undone else "there is nothing to do again")
        here = (STEPS.c.project == project, STEPS.c.number == numbers[0])
        self._store.change(STEPS.update().where(*here).values(undone=undone))
        return self.state(project)
