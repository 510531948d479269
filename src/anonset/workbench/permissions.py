"""What each role may do: one table for pages, sockets and the REST API, applied where they call a service.

A person is set for each request; a method that the table does not list is refused.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any, TypeVar, cast

from anonset.errors import InputError
from anonset.workbench.accounts import AccountRole, Accounts
from anonset.workbench.audit import AuditLog
from anonset.workbench.journal import ChooseRelease, Journal, sentence

Service = TypeVar("Service")
ROLE_WORDS: Mapping[AccountRole, str] = {"look": "look", "run": "change projects and start runs", "release": "release"}


class NotPermitted(InputError):
    """The role of the account does not allow this."""


@dataclass(frozen=True, slots=True)
class Permission:
    """The role that a method takes, and what the audit log calls it where it is logged."""

    role: AccountRole
    action: str = ""


LOOK, RUN = Permission("look"), Permission("run")
PERMISSIONS: Mapping[str, Mapping[str, Permission]] = {
    "projects": {
        "samples": LOOK,
        "count": LOOK,
        "page": LOOK,
        "get": LOOK,
        "create": Permission("run", "create project"),
        "create_from_sample": Permission("run", "create project"),
        "rename": Permission("run", "rename project"),
        "delete": Permission("run", "delete project"),
    },
    "data": {
        "upload": Permission("run", "upload data"),
        "upload_population": Permission("run", "upload population"),
        "take_sheet": Permission("run", "choose sheet"),
        "rows": LOOK,
        "columns": LOOK,
        "profile": LOOK,
        "cached_profile": LOOK,
        "exposure": LOOK,
    },
    "journal": {
        "entries": LOOK,
        "state": LOOK,
        "apply": Permission("run", "decide"),
        "undo": Permission("run", "undo"),
        "redo": Permission("run", "redo"),
    },
    "hierarchies": {
        "builders": LOOK,
        "tree": LOOK,
        "whole_tree": LOOK,
        "find": LOOK,
        "upload": RUN,
        "upload_several": RUN,
        "preview": LOOK,
        "export": LOOK,
    },
    "promise": {
        "remarks": LOOK,
        "supports": LOOK,
        "find_items": LOOK,
        "describe_rules": LOOK,
        "make_rules": LOOK,
        "read_rules": LOOK,
    },
    "runs": {
        "algorithms": LOOK,
        "start": Permission("run", "start run"),
        "recommend": Permission("run", "start search"),
        "ladder": Permission("run", "start runs"),
        "all": LOOK,
        "get": LOOK,
        "cancel": Permission("run", "cancel run"),
        "restart": Permission("run", "restart run"),
        "delete": Permission("run", "delete run"),
        "points": LOOK,
        "differences": LOOK,
        "suitable": LOOK,
        "three": Permission("run", "start runs"),
        "presets": LOOK,
        "check_release": LOOK,
    },
    "inspection": {
        "opened": LOOK,
        "known_values": LOOK,
        "compare": LOOK,
        "story": LOOK,
        "worst_queries": LOOK,
        "verdict": LOOK,
        "candidates": LOOK,
        "attack": LOOK,
        "count": LOOK,
        "compare_releases": LOOK,
        "compare_release_records": LOOK,
        "check_file": LOOK,
    },
    "releases": {
        "promise": LOOK,
        "report": LOOK,
        "certificate": LOOK,
        "count": LOOK,
        "bundle": Permission("release", "hand out release"),
        "instructions": LOOK,
        "kit": RUN,
    },
    "databases": {
        "allowed": LOOK,
        "upload": Permission("run", "upload database"),
        "tables": RUN,
        "read_table": Permission("run", "read table"),
        "write_table": Permission("release", "write release to database"),
        "sqlite_file": Permission("release", "hand out release as database"),
    },
    "audit": {"count": Permission("release"), "page": Permission("release"), "all": Permission("release")},
}
_person: ContextVar[str | None] = ContextVar("anonset_person", default=None)


def person() -> str | None:
    """The account that the present request is made with; None where there is none."""
    return _person.get()


@contextmanager
def acting_as(name: str | None) -> Iterator[None]:
    """Make requests with an account."""
    token = _person.set(name)
    try:
        yield
    finally:
        _person.reset(token)


class Gatekeeper:
    """Refuses what a person may not do, and logs who did what; without accounts everybody may do everything."""

    def __init__(self, accounts: Accounts, audit: AuditLog, journal: Journal) -> None:
        self.accounts, self.audit, self._journal = accounts, audit, journal
        self.required = False  # set by a server whose people sign in with accounts

    def may(self, role: AccountRole) -> bool:
        """Whether the person of the present request may do what takes a role."""
        if not self.required:
            return True
        name = person()
        account = None if name is None else self.accounts.get(name)
        return account is not None and account.may(role)

    def guarded(self, name: str, service: Service) -> Service:
        """A service whose methods ask first."""
        return cast(Service, GuardedService(self, name, service))

    def admitted(self, service: str, method: str, arguments: tuple[Any, ...]) -> Permission:
        """The permission of a call; an error where the person may not make it."""
        permission = PERMISSIONS.get(service, {}).get(method)
        if permission is None:
            raise NotPermitted(f"{service}.{method} is open to nobody")
        if permission.role != "release" and service == "journal" and self._releases(method, arguments):
            permission = Permission("release", f"{permission.action} release")
        if not self.may(permission.role):
            self.audit.add(person() or "nobody", f"refused: {permission.action or f'{service}.{method}'}", **_place(arguments))
            raise NotPermitted(f"your account may not {ROLE_WORDS[permission.role]}")
        return permission

    def done(self, permission: Permission, arguments: tuple[Any, ...], result: Any) -> None:
        """Log a call that was made."""
        if permission.action:
            place = _place(arguments) or {"project": getattr(result, "project", getattr(result, "id", ""))}
            self.audit.add(person() or "", permission.action, detail=_detail(arguments), **place)

    def _releases(self, method: str, arguments: tuple[Any, ...]) -> bool:
        """Whether a change of the journal chooses a release, or takes the choice back."""
        if method == "apply":
            return isinstance(arguments[-1], ChooseRelease)
        if method not in ("undo", "redo"):
            return False
        entries = [entry for entry in self._journal.entries(arguments[0]) if entry.undone == (method == "redo")]
        entry = (entries[:1] if method == "redo" else entries[-1:]) or None
        return entry is not None and isinstance(entry[0].step, ChooseRelease)


class GuardedService:
    """A service as a person may use it."""

    def __init__(self, keeper: Gatekeeper, name: str, service: Any) -> None:
        self._keeper, self._name, self._service = keeper, name, service

    def __getattr__(self, name: str) -> Any:
        """An attribute of the service; a method asks first and is logged afterwards."""
        method = getattr(self._service, name)
        if name.startswith("_") or not callable(method):
            return method
        return self._asking(name, method)

    def _asking(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        keeper, service = self._keeper, self._name

        @wraps(method)
        def ask(*args: Any, **options: Any) -> Any:
            permission = keeper.admitted(service, name, args)
            result = method(*args, **options)
            keeper.done(permission, args, result)
            return result

        @wraps(method)
        async def ask_and_wait(*args: Any, **options: Any) -> Any:
            permission = keeper.admitted(service, name, args)
            result = await method(*args, **options)
            keeper.done(permission, args, result)
            return result

        return ask_and_wait if iscoroutinefunction(method) else ask


ID_LENGTH = 16


def _place(arguments: tuple[Any, ...]) -> dict[str, str]:
    """The project and the run that a call is about: they come first, as ids."""
    ids = [a for a in arguments[:2] if isinstance(a, str) and len(a) == ID_LENGTH and set(a) <= set("0123456789abcdef")]
    return dict(zip(("project", "run"), ids, strict=False))


def _detail(arguments: tuple[Any, ...]) -> str:
    """What a step decided; other arguments may be of the data, and are not logged."""
    step = arguments[-1] if arguments else None
    if type(step).__module__ != ChooseRelease.__module__:
        return ""
    return f"{sentence(step)}: {step.run}" if isinstance(step, ChooseRelease) and step.run else sentence(step)
