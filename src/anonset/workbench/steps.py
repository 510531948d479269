"""What a person decides, one declarative step each: a project's state is nothing but its steps, one after the other."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from anonset.errors import ParameterError

ColumnRole = Literal["quasi", "sensitive", "identifier", "other", "items", "none"]
Count = Annotated[int, Field(ge=1, le=1_000_000)]


@dataclass(frozen=True, slots=True)
class SetRoles:
    """What columns mean; a column that is not named keeps its role."""

    roles: Mapping[str, ColumnRole]
    kind: Literal["set_roles"] = "set_roles"


@dataclass(frozen=True, slots=True)
class SetItems:
    """How the set-valued column is read, and which items must not be learnt.

    `person` is the column that ties the rows of one person, where each row has one of the items. `drop` are patterns of
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
    """A hierarchy made from the values: `how` is as in `balanced:5`; `column` is `items` for the items."""

    column: str
    how: str
    kind: Literal["build_hierarchy"] = "build_hierarchy"


@dataclass(frozen=True, slots=True)
class UseHierarchy:
    """A hierarchy that was uploaded, by the id of the upload."""

    column: str
    upload: str
    kind: Literal["use_hierarchy"] = "use_hierarchy"


@dataclass(frozen=True, slots=True)
class RemoveHierarchy:
    """No hierarchy for a column."""

    column: str
    kind: Literal["remove_hierarchy"] = "remove_hierarchy"


@dataclass(frozen=True, slots=True)
class AddNode:
    """A new group with a label, below a node."""

    parent: int
    label: str
    op: Literal["add"] = "add"


@dataclass(frozen=True, slots=True)
class RenameNode:
    """Another label for a group."""

    node: int
    label: str
    op: Literal["rename"] = "rename"


@dataclass(frozen=True, slots=True)
class MoveNode:
    """A node, with all below it, below another one."""

    node: int
    to: int
    op: Literal["move"] = "move"


@dataclass(frozen=True, slots=True)
class MergeNodes:
    """Several groups become one, with the label of the first or another; or values get a group of their own."""

    nodes: tuple[int, ...]
    label: str = ""
    op: Literal["merge"] = "merge"


@dataclass(frozen=True, slots=True)
class DeleteNode:
    """A group goes, and what was below it moves up; or a value goes that the data do not have."""

    node: int
    op: Literal["delete"] = "delete"


TreeEdit = Annotated[AddNode | RenameNode | MoveNode | MergeNodes | DeleteNode, Field(discriminator="op")]


@dataclass(frozen=True, slots=True)
class EditHierarchy:
    """Changes to the tree of a column, one after the other; nodes are named by their ids in `tree_rows`."""

    column: str
    edits: tuple[TreeEdit, ...]
    kind: Literal["edit_hierarchy"] = "edit_hierarchy"


@dataclass(frozen=True, slots=True)
class SetPromise:
    """What is promised: someone who knows the quasi columns and m items finds at least k people.

    `privacy` are sets of items that must be shared by k people or by nobody, `utility` groups of items that may be shown as
    one. `guarantee` is its id where a certain one is wanted, else what fits the data.
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
class Accept:
    """What is published although it is refused otherwise: columns that nothing covers, and a loss of nearly everything.

    `repeats`: records are counted although several are one person's.
    """

    exposure: tuple[str, ...] = ()
    loss: bool = False
    repeats: bool = False
    kind: Literal["accept"] = "accept"


@dataclass(frozen=True, slots=True)
class ChooseRelease:
    """The run whose release is to be handed out; none takes the choice back."""

    run: str | None = None
    kind: Literal["choose_release"] = "choose_release"


Step = Annotated[
    SetRoles | SetItems | BuildHierarchy | UseHierarchy | RemoveHierarchy | EditHierarchy | SetPromise | Accept | ChooseRelease,
    Field(discriminator="kind"),
]
STEP: TypeAdapter[Any] = TypeAdapter(Step)


@dataclass(frozen=True, slots=True)
class Entry:
    """A step as the journal has it: its number, when it was taken, a sentence about it, and whether it is undone."""

    number: int
    at: str
    text: str
    undone: bool
    step: Step
    problems: tuple[str, ...] = field(default=())


def step_from(plain: Mapping[str, Any]) -> Any:
    """The step that plain data describe."""
    try:
        return STEP.validate_python(plain)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"] if not isinstance(part, int))
        raise ParameterError(f"this is no step: {place or 'step'}: {first['msg']}") from None


def plain(step: Any) -> dict[str, Any]:
    """A step as plain data."""
    found: dict[str, Any] = STEP.dump_python(step, mode="json")
    return found


def sentence(step: Any) -> str:
    """What a step did, in words; values of the data stay out of it."""
    match step:
        case SetRoles(roles):
            return f"roles of {len(roles)} column{'s' if len(roles) != 1 else ''}"
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
        case Accept(exposure, loss, repeats):
            what = [*exposure, *(["any loss"] if loss else []), *(["several rows a person"] if repeats else [])]
            return f"accepted: {', '.join(what) or 'nothing'}"
        case _:
            return "the release was chosen" if step.run else "no release is chosen"
