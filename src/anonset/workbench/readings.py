"""From a project's file and state to how its data are read."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anonset.workbench.orders import ITEMS, Reading
from anonset.workbench.state import State
from anonset.workbench.values import Column

Facts = Mapping[str, Any]
PUBLISHED_ROLES = ("quasi", "sensitive", "identifier", "other")


def roles_of(facts: Facts, state: State) -> dict[str, str]:
    """The role of each column: as decided, else as guessed."""
    return {name: state.roles.get(name, guess[0]) for name, guess in facts["guess"].items()}


def columns_of(facts: Facts, state: State) -> tuple[Column, ...]:
    """The columns of the file with their roles."""
    found, names = [], facts["columns"]
    for name, role in roles_of(facts, state).items():
        _, kind, reason = facts["guess"][name]
        given = name in state.roles
        place = names.index(name) if name in names else len(names)
        found.append(Column(f"c{place}", name, role, kind, given, "decided" if given else reason))
    return tuple(found)


def unconfirmed(facts: Facts, state: State) -> tuple[str, ...]:
    """The columns whose role is only guessed; a file of nothing but item sets leaves nothing to guess."""
    if len(facts["guess"]) == 1:
        return ()
    return tuple(name for name in facts["guess"] if name not in state.roles)


def reading_of(file: Path, folder: Path, facts: Facts, state: State) -> Reading:
    """How the file is read under a state."""
    roles = roles_of(facts, state)
    items = tuple(name for name, role in roles.items() if role == ITEMS)
    guessed = {name: value for name, value in facts["reading"].items() if value}
    settings: dict[str, Any] = {role: tuple(n for n, r in roles.items() if r == role) for role in PUBLISHED_ROLES}
    settings |= {"format": facts["format"], "items": items}
    settings |= {"sheet": guessed["sheet"]} if "sheet" in guessed else {}
    if person := state.items.person or (guessed.get("repeated") and guessed["id"]):
        settings |= {role: tuple(name for name in settings[role] if name != person) for role in PUBLISHED_ROLES}
        settings |= {"repeated": True, "id": person}
    if items:
        separator = state.items.separator or guessed.get("item_separator")
        settings |= {"item_separator": separator} if separator else {}
        settings |= {"multiset": True} if state.items.multiset else {}
        settings |= {"drop_items": state.items.drop} if state.items.drop else {}
        settings |= {"sensitive_items": state.items.sensitive} if state.items.sensitive else {}
    linkable = {*settings["quasi"], *((ITEMS,) if items else ())}
    chosen = {column: choice for column, choice in state.hierarchies.items() if column in linkable}
    return Reading(file, folder, settings, chosen, facts["sha256"])
