"""What a worker is asked for: how data are read, and what is made of them."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from anonset.model.ends import Ends
from anonset.workbench.journal import HierarchyChoice, SetPromise

ITEMS = "items"


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
        """What tells one reading from another."""
        facts = (self.file, self.sha256, sorted(self.settings.items()), sorted(self.hierarchies.items()))
        return hashlib.sha256(repr(facts).encode()).hexdigest()

    def bare(self) -> "Reading":
        """The same without hierarchies."""
        return replace(self, hierarchies={})


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be made: by which algorithm with which parameters, under which promise, and where it goes."""

    reading: Reading
    output: Path
    algorithm: str | None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    promise: SetPromise = field(default_factory=SetPromise)
    exposure: tuple[str, ...] = ()
    loss: bool = False
    repeats: bool = False
    format: str = "csv"
    margins: bool = False
    ends: Ends = "auto"
    report: bool = False
    seconds: float = 60.0  # for a recommendation
    max_risk: float = 0.2
    command: str = ""
    origin: Mapping[str, Any] = field(default_factory=dict)  # the address and the tables that the file is a copy of
