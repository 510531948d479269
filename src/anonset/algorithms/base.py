"""The protocol every algorithm follows."""

from dataclasses import fields
from typing import Any, ClassVar, Protocol, runtime_checkable

from anonset import __version__
from anonset.model.dataset import Dataset
from anonset.model.guarantees import Part
from anonset.model.progress import Progress, silent
from anonset.model.release import Provenance, Release


@runtime_checkable
class Algorithm(Protocol):
    """A frozen dataclass whose fields are its parameters.

    `anonymize` calls progress(0.0..1.0) between outer steps; the listener may raise `Cancelled`.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    paper: ClassVar[str]
    guarantee: ClassVar[str]  # ids of the guarantees a release carries, e.g. "km-anonymity"
    needs: ClassVar[frozenset[str]]  # facts: "items", "quasi", "item-hierarchy", "sensitive-column"
    randomized: ClassVar[bool]
    covers: ClassVar[frozenset[Part]]  # what its guarantees cover: linking on quasi columns, on items
    comparator: ClassVar[bool]  # there to be compared with: a baseline, or too slow for a recommendation

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """A release of the data that carries the guarantee; InfeasibleError where there is none."""
        ...


def provenance(algorithm: Any) -> Provenance:
    """Which algorithm, with which parameters: enough to run it again."""
    return Provenance(algorithm.name, {f.name: getattr(algorithm, f.name) for f in fields(algorithm)}, __version__)
