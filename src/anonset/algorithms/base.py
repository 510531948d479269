"""The protocol that every algorithm follows, built in or from a plug-in, and what helps to implement one."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import wraps
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from anonset import __version__
from anonset.model.arrays import Rows
from anonset.model.dataset import Dataset
from anonset.model.guarantees import Part
from anonset.model.parameters import check_parameters, parameters
from anonset.model.progress import Progress, silent
from anonset.model.release import Provenance, Release
from anonset.model.sets import set_ranks
from anonset.plugins import ALGORITHM_GROUP, plugins

Inversion = Literal["none found", "possible"]


@runtime_checkable
class Algorithm(Protocol):
    """A frozen dataclass whose fields are its parameters, with the facts below and one method.

    Each field is annotated with its type, its bounds and its meaning, e.g. ``k: K`` or
    ``Annotated[int, Bounds(1, 100), "rounds of local search"]``; flags, forms, checks and documentation are made from that.

    Attributes
    ----------
    name : str
        The id, the same as that of the entry point.
    title : str
        What it does, in a few words.
    paper : str
        Where it is published.
    guarantee : str
        The ids of the guarantees that a release carries, e.g. ``"km-anonymity"``.
    needs : frozenset of str
        What the data must have: ``"items"``, ``"quasi"``, ``"item-hierarchy"``, ``"sensitive-column"``.
    covers : frozenset of str
        What an attacker may know and still be misled by the guarantees: ``"quasi"`` columns, ``"items"``.
    randomized : bool
        Whether two runs may differ; such an algorithm has a parameter ``seed``.
    comparator : bool
        Whether it is there for comparisons only: `recommend` does not try it, and error messages do not suggest it.
    inversion : str
        Whether somebody who knows the algorithm can be left with fewer than k candidates: ``"possible"``, or ``"none found"``
        on all small datasets (`tests/inversion`, docs/attack.md).
    """

    name: ClassVar[str]
    title: ClassVar[str]
    paper: ClassVar[str]
    guarantee: ClassVar[str]
    needs: ClassVar[frozenset[str]]
    randomized: ClassVar[bool]
    covers: ClassVar[frozenset[Part]]
    comparator: ClassVar[bool]
    inversion: ClassVar[Inversion]

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """Return a release of the data that carries the guarantee.

        Parameters
        ----------
        data : Dataset
            Is not changed.
        progress : callable
            Is called with a share from 0.0 to 1.0 between outer steps, and may raise `Cancelled`.

        Returns
        -------
        Release
            With `provenance(self)` as its provenance.

        Raises
        ------
        InfeasibleError
            If no release of these data carries the guarantee.
        """
        ...


@dataclass(frozen=True, slots=True)
class BaseAlgorithm(ABC):
    """Base class of algorithms: the usual facts, and a check of all parameters against their declarations."""

    name: ClassVar[str]
    title: ClassVar[str]
    paper: ClassVar[str]
    guarantee: ClassVar[str]
    needs: ClassVar[frozenset[str]]
    covers: ClassVar[frozenset[Part]]
    randomized: ClassVar[bool] = False
    comparator: ClassVar[bool] = False
    inversion: ClassVar[Inversion] = "possible"
    counts_population: ClassVar[bool] = False  # whether it may run on a population of which only some records are published

    def __post_init__(self) -> None:
        check_parameters(self)

    @abstractmethod
    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """Return a release of the data that carries the guarantee; see `Algorithm`."""


def order_independent(anonymize: Callable[..., Release]) -> Callable[..., Release]:
    """Run the decorated `anonymize` on records sorted by content: the same records in any order give the same release."""

    @wraps(anonymize)
    def run(self: Any, data: Dataset, *, progress: Progress = silent) -> Release:
        order = record_order(data)
        release = anonymize(self, data.take(order), progress=progress)
        release = replace(release, rows=order[release.rows])
        return release.take(np.argsort(release.rows))

    return run


def record_order(data: Dataset) -> Rows:
    """The rows sorted by all their values and items; equal rows keep their order."""
    keys: list[NDArray[np.int32] | Rows] = [column.codes for column in data.columns]
    if data.transactions is not None:
        keys.append(set_ranks(data.transactions.offsets, data.transactions.items, len(data.transactions.domain)))
    return np.lexsort(keys[::-1]).astype(np.int64)


def provenance(algorithm: Any) -> Provenance:
    """Which algorithm with which parameters made a release, and the plug-in that it comes from.

    Parameters
    ----------
    algorithm : Algorithm
        The algorithm that runs.

    Returns
    -------
    Provenance
        Enough to run it again.
    """
    values = {f.name: getattr(algorithm, f.name) for f in fields(algorithm)}
    return Provenance(algorithm.name, values, __version__, plugin=_plugin(algorithm))


def _plugin(algorithm: Any) -> str:
    """Distribution and version of a plug-in's algorithm; empty for a built-in one."""
    if type(algorithm).__module__.startswith("anonset."):
        return ""
    return next((str(plugin) for plugin in plugins(ALGORITHM_GROUP) if plugin.id == algorithm.name), "")


def faults(id: str, value: Any) -> list[str]:
    """What keeps an object from being the algorithm of that id."""
    if not isinstance(value, type):
        return ["it is not a class"]
    found = [f"it declares no {fact}" for fact in Algorithm.__annotations__ if not hasattr(value, fact)]
    if not callable(getattr(value, "anonymize", None)):
        found.append("it has no method anonymize")
    if getattr(value, "name", id) != id:
        found.append(f"its name is {value.name!r}")  # type: ignore[attr-defined]
    if not is_dataclass(value) or not value.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        return [*found, "it is not a frozen dataclass"]
    try:
        parameters(value)
    except Exception as error:
        found.append(f"its parameters cannot be read ({error})")
    return found
