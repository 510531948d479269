"""A project's state: what its steps add up to."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from anonset.workbench.steps import (
    Accept,
    BuildHierarchy,
    ChooseRelease,
    ColumnRole,
    EditHierarchy,
    RemoveHierarchy,
    SetItems,
    SetPromise,
    SetRoles,
    TreeEdit,
    UseHierarchy,
)


@dataclass(frozen=True, slots=True)
class HierarchyChoice:
    """Where a hierarchy comes from, a builder or an upload, and what was changed in it."""

    how: str | None = None
    upload: str | None = None
    edits: tuple[TreeEdit, ...] = ()


@dataclass(frozen=True, slots=True)
class State:
    """The decisions that hold now."""

    roles: Mapping[str, ColumnRole] = field(default_factory=dict)
    items: SetItems = field(default_factory=SetItems)
    hierarchies: Mapping[str, HierarchyChoice] = field(default_factory=dict)
    promise: SetPromise = field(default_factory=SetPromise)
    promised: bool = False  # somebody said so; else it is the usual promise
    accepted: Accept = field(default_factory=Accept)
    release: str | None = None


def folded(steps: Iterable[Any]) -> State:
    """The state after the steps."""
    state = State()
    for step in steps:
        state = after(state, step)
    return state


def after(state: State, step: Any) -> State:
    """The state after one more step; whatever changes what is published takes the choice of a release back."""
    match step:
        case ChooseRelease(run):
            return replace(state, release=run)
        case SetRoles(roles):
            state = replace(state, roles={**state.roles, **roles})
        case SetItems():
            state = replace(state, items=step)
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
        case Accept():
            state = replace(state, accepted=step)
    return replace(state, release=None)


def _with_hierarchy(state: State, column: str, choice: HierarchyChoice) -> State:
    return replace(state, hierarchies={**state.hierarchies, column: choice})
