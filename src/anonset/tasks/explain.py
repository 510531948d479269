"""Explain the generalizations of a release."""

from dataclasses import dataclass
from pathlib import Path

from anonset.algorithms.explanation import explain
from anonset.errors import GuaranteeViolated, ParameterError
from anonset.model.labels import GeneralizedItems
from anonset.model.release import Release
from anonset.releases.folder import read_trace


@dataclass(frozen=True, slots=True)
class ExplainRequest:
    """A release folder with its private half; and an input row, counted from 0, to explain this record alone."""

    release: Path
    row: int | None = None


def run(request: ExplainRequest) -> tuple[str, ...]:
    """Return sentences on why each item was generalized and what each cluster lost, or on one record. Private."""
    members, trace = read_trace(request.release)
    try:
        return explain(members, trace, row=request.row)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        reason = f"a step lacks {error}" if isinstance(error, KeyError) else "a step is of another shape"
        raise GuaranteeViolated(f"private/trace.jsonl is damaged: {reason}") from None


def of_release(release: Release, row: int | None = None) -> tuple[str, ...]:
    """Explain a release in memory."""
    last = int(release.rows.max(initial=-1))
    if row is not None and not 0 <= row <= last:
        raise ParameterError(f"row must be from 0 to {last}, the last that is published; got {row}")
    items = release.items
    members = items.labels.named(items.domain) if isinstance(items, GeneralizedItems) else {}
    return explain(members, release.trace, row)
