"""What travels between the server and its workers: requests, the settings behind them, and refusals."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from anonset.model.ends import Ends
from anonset.model.release import Accepted
from anonset.workbench.journal import HierarchyChoice, SetPromise

ITEMS = "items"


class WorkerRequest(NamedTuple):
    """A verb of `worker.VERBS` with its arguments; error messages may quote `names` and nothing else of the data."""

    verb: str
    arguments: Mapping[str, Any]
    names: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Refused:
    """A deliberate error, as it travels between processes: the name of its class, and its text for a page."""

    error: str
    text: str


@dataclass(frozen=True, slots=True)
class Reading:
    """A file, how it is read, its hierarchies (an upload's file by its id), the project's folder, and the file's hash."""

    file: Path
    folder: Path
    settings: Mapping[str, Any] = field(default_factory=dict)
    hierarchies: Mapping[str, HierarchyChoice] = field(default_factory=dict)
    sha256: str = ""

    @property
    def key(self) -> str:
        """A hash that differs wherever two readings differ."""
        facts = (self.file, self.sha256, sorted(self.settings.items()), sorted(self.hierarchies.items()))
        return hashlib.sha256(repr(facts).encode()).hexdigest()

    def bare(self) -> "Reading":
        """The same without hierarchies."""
        return replace(self, hierarchies={})


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A run as the workbench asks for it; the worker makes an `AnonymizeRequest` of it, with the files of the project."""

    reading: Reading
    output: Path
    algorithm: str | None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    promise: SetPromise = field(default_factory=SetPromise)
    accepted: Accepted = field(default_factory=Accepted)
    format: str = "csv"
    margins: bool = False
    ends: Ends = "auto"
    report: bool = False
    seconds: float = 60.0  # for a recommendation
    max_risk: float = 0.2
    cover: Mapping[str, str] = field(default_factory=dict)  # what report and certificate say, by the field of `Cover`
    origin: Mapping[str, Any] = field(default_factory=dict)  # the address and the tables that the file is a copy of
    earlier: tuple[Path, ...] = ()  # releases that somebody may hold too
    like: Path | None = None  # an earlier release whose rules are taken over
