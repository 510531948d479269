"""One setting from data to figures: anonymize, verify, measure."""

import hashlib
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from anonset.algorithms import make
from anonset.algorithms.base import Algorithm
from anonset.data.files import text
from anonset.errors import AnonsetError, Cancelled, GuaranteeViolated, InfeasibleError
from anonset.measure import MEASURES, applies, measure
from anonset.measure.workload import Workload, draw_workload
from anonset.model.dataset import Dataset
from anonset.model.ends import with_ends
from anonset.model.guarantees import guarantee_data
from anonset.model.labels import GeneralizedItems, Labels, Ranges, UncertainItems
from anonset.model.progress import Progress, silent
from anonset.model.release import Release
from anonset.releases.gates import refusal
from anonset.study.plan import Plan, Setting
from anonset.study.trial import Outcome, Trial
from anonset.verify import verify


def evaluate(original: Dataset, plan: Plan, setting: Setting, key: str, progress: Progress = silent) -> Trial:
    """The trial of one setting; what the algorithm or the check refuses is an outcome, not an error."""
    about: dict[str, Any] = {
        "key": key,
        "data": plan.data[setting.data].name,
        "algorithm": setting.algorithm,
        "parameters": dict(setting.parameters),
    }
    began = time.perf_counter()
    try:
        algorithm = make(setting.algorithm, {**setting.parameters, **setting.policies})
        release = with_ends(original, algorithm.anonymize(original, progress=progress), plan.ends)
        seconds = time.perf_counter() - began
        about["parameters"] |= _settled(algorithm, release)
        verify(original, release).require()
        return Trial(
            **about,
            outcome="done",
            measures=measured(original, release, plan),
            guarantees=tuple(guarantee_data(guarantee) for guarantee in release.guarantees),
            records=len(release),
            digest=digest(release),
            refusal=refusal(original, release),
            seconds=seconds,
        )
    except Cancelled:
        raise
    except AnonsetError as error:
        return Trial(**about, outcome=_outcome(error), reason=str(error), seconds=time.perf_counter() - began)


def _settled(algorithm: Algorithm, release: Release) -> dict[str, Any]:
    """The parameters that an algorithm settled as it went, e.g. by the clock: with them the release can be made again."""
    made = release.provenance.parameters
    return {name: value for name, value in made.items() if value != getattr(algorithm, name, value)}


def measured(original: Dataset, release: Release, plan: Plan) -> dict[str, float]:
    """The plan's measures, or all that apply; `are` where the plan has a workload and the release can answer it."""
    ids = None if plan.measures is None else [id for id in plan.measures if applies(id, release)]
    if not plan.workload or isinstance(release.items, UncertainItems):
        return measure(original, release, None if ids is None else [id for id in ids if not MEASURES[id].must_have])
    estimator = plan.workload.get("estimator", "subsets")
    queries = workload(original, release, plan.workload)
    return measure(original, release, ids, workload=queries, estimator=estimator)


def workload(original: Dataset, release: Release | None, wanted: Mapping[str, Any]) -> Workload:
    """The queries a plan asks for."""
    values = {name: value for name, value in wanted.items() if name not in {"kind", "file", "estimator"}}
    if wanted["kind"] == "given":
        given: Workload = wanted["queries"]
        return given
    if wanted["kind"] == "file":
        path = Path(wanted["file"])
        return Workload.from_json(text(path), file=path.name)
    if wanted["kind"] == "random":
        values = {"kind": values.pop("draw", _parts(original)), **values}
    return draw_workload(wanted["kind"], original, release, **values)


def digest(release: Release) -> str:
    """A hash of all that is published: two releases have one digest only where they show the same and mean the same."""
    total = hashlib.sha256()
    for part in _published(release):
        content = np.ascontiguousarray(part).tobytes() if isinstance(part, np.ndarray) else repr(part).encode()
        total.update(f"{len(content)}:".encode() + content)
    return total.hexdigest()[:16]


def _published(release: Release) -> Iterator[object]:
    """Every name, text and array that a release publishes, in a fixed order."""
    for column in release.columns:
        yield from (column.name, column.role, column.codes, column.labels.texts)
        yield from _meanings(column.labels)
    if release.margins is not None:
        yield from (release.margins.k, sorted(release.margins.counts.items()), sorted(release.margins.withheld))
    items = release.items
    if isinstance(items, GeneralizedItems):
        yield from (items.domain, items.offsets, items.shown, items.suppressed, items.labels.texts)
        yield from _meanings(items.labels)
    elif isinstance(items, UncertainItems):
        yield from (items.domain, items.base_offsets, items.base, items.distance_offsets, items.distance, items.threshold)


def _meanings(labels: Labels | Ranges) -> Iterator[object]:
    yield from (labels.low, labels.high) if isinstance(labels, Ranges) else (labels.offsets, labels.members)


def _parts(original: Dataset) -> str:
    if original.transactions is None:
        return "relational"
    return "both" if original.quasi else "items"


def _outcome(error: AnonsetError) -> Outcome:
    if isinstance(error, InfeasibleError):
        return "infeasible"
    return "violated" if isinstance(error, GuaranteeViolated) else "failed"
