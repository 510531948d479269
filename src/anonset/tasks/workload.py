"""Queries to measure a release with, drawn from the data and saved as JSON."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anonset.data.files import require_free, write_text
from anonset.errors import Fix, ParameterError, Set
from anonset.measure.workload import Workload
from anonset.model.dataset import Dataset
from anonset.model.release import Release
from anonset.study.plan import WORKLOADS
from anonset.study.runner import workload
from anonset.tasks.inputs import Input, load

KINDS = tuple(kind for kind in WORKLOADS if kind != "file")


@dataclass(frozen=True, slots=True)
class WorkloadRequest:
    """What is counted, which kind of queries with which settings, and where they go."""

    source: Input
    output: Path
    kind: str = "random"
    settings: Mapping[str, Any] = field(default_factory=dict)
    release: Path | None = None
    overwrite: bool = False


def run(request: WorkloadRequest) -> Workload:
    """Draw counting queries and write them."""
    if request.kind not in KINDS:
        raise ParameterError(f"the kind of a workload must be one of {', '.join(KINDS)}; got {request.kind!r}")
    if (request.kind == "generalized") != (request.release is not None):
        both = Fix("pass both {} and {}, or neither", Set("kind", "generalized"), Set("release"))
        raise ParameterError("generalized queries are drawn from a release, and no others", fix=[both])
    require_free(request.output, overwrite=request.overwrite)
    if request.release is not None:
        original, release, _ = load(request.release, request.source)
        drawn = draw(original, request.kind, request.settings, release)
    else:
        drawn = draw(request.source.read(), request.kind, request.settings)
    write_text(request.output, drawn.to_json())
    return drawn


def draw(data: Dataset, kind: str, settings: Mapping[str, Any], release: Release | None = None) -> Workload:
    """Queries of a kind: random, frequent, generalized or presence."""
    return workload(data, release, {"kind": kind, **settings})
