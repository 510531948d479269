"""Count the records of a release that meet a condition, from its published files alone."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonset.model.dataset import Dataset
from anonset.recipient.estimates import CountEstimate
from anonset.recipient.published import PublishedRelease, open_published
from anonset.recipient.weights import EstimatorName

FIGURES = ("low", "high", "estimate", "standard_error")


@dataclass(frozen=True, slots=True)
class CountRequest:
    """A release, a condition such as "age < 40 and diagnoses contains I10" (or none), and a column to count by."""

    release: Path
    condition: str = ""
    by: str | None = None
    estimator: EstimatorName | None = None


@dataclass(frozen=True, slots=True)
class CountResult:
    """Of all records that are counted, or of each group: low, high, estimate and standard error, and the group's value.

    `estimator`: how values behind labels were estimated. `notes`: what makes the bounds wide.
    """

    records: int
    counts: tuple[dict[str, Any], ...]
    estimator: str
    notes: tuple[str, ...]


def run(request: CountRequest) -> CountResult:
    """Return the counts."""
    published = open_published(request.release)
    where = request.condition.strip() or None
    whole = published.count(where, estimator=request.estimator)
    if request.by is None:
        counts: tuple[dict[str, Any], ...] = ({name: getattr(whole, name) for name in FIGURES},)
    else:
        counts = tuple(published.group_by(request.by, where, estimator=request.estimator).to_dicts())
    return CountResult(len(published), counts, whole.estimator, whole.notes)


def beside(published: PublishedRelease, condition: str, original: Dataset | None) -> tuple[CountEstimate, int, int | None]:
    """Count as the recipient can, by exact values alone, and in the original where it is given."""
    where = condition.strip() or None
    found, exact = published.count(where), published.count_in(published.table(), where)
    if original is None:
        return found, exact, None
    from anonset.releases.frames import dataset_frame  # what only reads published files waits for no compiler

    return found, exact, published.count_in(dataset_frame(original), where)
