"""Plug-ins: what other distributions add to anonset through entry points.

A distribution registers what it adds under an id in its ``pyproject.toml``::

    [project.entry-points."anonset.algorithms"]
    my-method = "my_package.my_method:MyMethod"

The groups are ``anonset.algorithms`` (classes, see `anonset.algorithms.base`), ``anonset.guarantees`` (classes with a check,
see `anonset.model.guarantees`), ``anonset.measures`` (values of `anonset.measure.Measure`), ``anonset.formats`` (values of
`anonset.data.formats.base.Format`) and ``anonset.commands`` (Click commands). Once the distribution is installed, the id works
wherever ids of that kind are accepted: in Python, on the command line, in project files, in the REST API and in the workbench.
The checks in `anonset.testing` show that a plug-in keeps its promises. Entry points are read when an id is not built in or when
all ids are listed, never by ``import anonset``.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any, TypeVar

from anonset.errors import AnonsetError, ParameterError, PluginError, unknown

__all__ = [
    "ALGORITHM_GROUP",
    "COMMAND_GROUP",
    "FORMAT_GROUP",
    "GUARANTEE_GROUP",
    "MEASURE_GROUP",
    "Plugin",
    "PluginWarning",
    "Registry",
    "plugins",
]

ALGORITHM_GROUP = "anonset.algorithms"
GUARANTEE_GROUP = "anonset.guarantees"
MEASURE_GROUP = "anonset.measures"
FORMAT_GROUP = "anonset.formats"
COMMAND_GROUP = "anonset.commands"

Entry = TypeVar("Entry")


class PluginWarning(UserWarning):
    """An installed plug-in cannot be used; everything else works without it."""


@dataclass(frozen=True, slots=True, order=True)
class Plugin:
    """An entry point of another distribution.

    Parameters
    ----------
    group : str
        The group of the entry point, e.g. ``"anonset.algorithms"``.
    id : str
        The id that users type.
    distribution, version : str
        The distribution that registers the id, as ``pip`` names it, and its version.
    target : str
        The module and the name in it, e.g. ``"my_package.my_method:MyMethod"``.
    """

    group: str
    id: str
    distribution: str
    version: str
    target: str

    def __str__(self) -> str:
        return f"{self.distribution} {self.version}".strip()

    def load(self) -> Any:
        """Import the module and return what the entry point names.

        Returns
        -------
        object
            Usually a class.

        Raises
        ------
        Exception
            Whatever the import of the module raises; `AttributeError` if the module has no such name.
        """
        module, _, names = self.target.partition(":")
        value: Any = import_module(module)
        for name in filter(None, names.split(".")):
            value = getattr(value, name)
        return value


@cache
def plugins(group: str) -> tuple[Plugin, ...]:
    """List the entry points that installed distributions register.

    Parameters
    ----------
    group : str
        The group of the entry points, e.g. ``"anonset.algorithms"``.

    Returns
    -------
    tuple of Plugin
        Sorted by id. Nothing is imported.

    Examples
    --------
    >>> from anonset.plugins import plugins
    >>> plugins("anonset.no-such-group")
    ()
    """
    from importlib.metadata import entry_points  # slow to import

    points = entry_points(group=group)
    found = {(p.name, p.value, "" if p.dist is None else p.dist.name, "" if p.dist is None else p.dist.version) for p in points}
    return tuple(sorted(Plugin(group, id, name, version, target) for id, target, name, version in found))


class Registry(Mapping[str, Entry]):
    """Everything of one kind by its id: what is built in, then the usable plug-ins. Each is imported when it is first needed.

    An id cannot be registered twice: a plug-in never replaces what is built in, and of two plug-ins with one id none is used.
    A plug-in that cannot be used is named by a `PluginWarning` when the ids are listed, and by an error when its id is used.

    Parameters
    ----------
    kind : str
        What the entries are, for error messages, e.g. ``"algorithm"``.
    group : str
        The group of the entry points.
    built_in : mapping of str to str or Entry
        What is built in by its id: the entry itself, or its target, written like that of an entry point.
    faults : callable
        Takes an id and what a plug-in registers under it; returns what is wrong with it, one text a fault.
    extras : mapping of str to str
        The extra of anonset that installs a plug-in with this id, e.g. ``{"oa": "papers"}``.
    """

    def __init__(
        self,
        kind: str,
        group: str,
        built_in: Mapping[str, str] | Mapping[str, Entry],
        faults: Callable[[str, Any], Sequence[str]],
        extras: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.kind, self.group, self.extras = kind, group, extras
        self.built_in: Mapping[str, Any] = built_in
        self._faults = faults
        self._checked: set[Plugin] = set()

    def __getitem__(self, id: str) -> Entry:
        if id not in self.built_in:
            return self._load(id)
        found = self.built_in[id]
        entry: Entry = Plugin(self.group, id, "anonset", "", found).load() if isinstance(found, str) else found
        return entry

    def __contains__(self, id: object) -> bool:
        return id in self.built_in or any(plugin.id == id for plugin in plugins(self.group))

    def __iter__(self) -> Iterator[str]:
        yield from self.built_in
        for id in dict.fromkeys(plugin.id for plugin in plugins(self.group)):
            try:
                self._load(id)
            except ParameterError as error:
                _warn(str(error))
            else:
                yield id

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def find(self, id: object) -> Entry:
        """Return the entry of an id that a person typed.

        Parameters
        ----------
        id : str
            A built-in id or that of a plug-in.

        Returns
        -------
        Entry
            What is registered under the id.

        Raises
        ------
        ParameterError
            If nobody registers the id, or if the plug-in that does cannot be used.
        """
        if isinstance(id, str) and id in self:
            return self[id]
        if isinstance(id, str) and id in self.extras:
            extra = f"anonset[{self.extras[id]}]"
            raise ParameterError(f"{self.kind} {id!r} comes with {extra}, which is not installed: pip install '{extra}'")
        raise ParameterError(unknown(self.kind, id, self))

    @contextmanager
    def blamed(self, id: str) -> Iterator[None]:
        """Name the plug-in of an id if its code fails.

        Only the class of the exception is named, since its text may contain data.

        Parameters
        ----------
        id : str
            The id whose code runs.

        Raises
        ------
        PluginError
            Instead of any exception that anonset does not raise on purpose, if the id is a plug-in's, or of a function or
            object that was handed over.
        """
        try:
            yield
        except AnonsetError:
            raise
        except Exception as error:
            if id in self.built_in:
                raise
            owner = next((f"the plug-in {p} failed in its" for p in plugins(self.group) if p.id == id), "failed: the")
            raise PluginError(f"{owner} {self.kind} {id!r}: {type(error).__name__}") from error

    def _load(self, id: str) -> Entry:
        """What a plug-in registers under an id; KeyError if none does."""
        plugin = self._require_single(id)
        try:
            value: Entry = plugin.load()
        except Exception as error:
            raise ParameterError(
                f"{self.kind} {id!r} of the plug-in {plugin} cannot be loaded: {type(error).__name__}: {error}"
            ) from error
        if plugin not in self._checked:
            if faults := self._faults(id, value):
                raise ParameterError(f"{self.kind} {id!r} of the plug-in {plugin} is not valid: {', '.join(faults)}")
            self._checked.add(plugin)
        return value

    def _require_single(self, id: str) -> Plugin:
        """The only plug-in of an id; KeyError if there is none, ParameterError if the id is taken twice."""
        owners = [plugin for plugin in plugins(self.group) if plugin.id == id]
        if not owners:
            raise KeyError(id)
        names = (["anonset"] if id in self.built_in else []) + [str(plugin) for plugin in owners]
        if len(names) > 1:
            raise ParameterError(f"{self.kind} {id!r} is registered twice, by {' and by '.join(names)}: uninstall one of them")
        return owners[0]


@cache
def _warn(problem: str) -> None:
    """Name a plug-in that cannot be used, once, in one line."""
    warnings.warn_explicit(problem.replace("\n", " "), PluginWarning, "anonset", 0)
