"""Counts with bounds from the published half of a nonreciprocal release alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from anonset.measure.uncertain import Answer, ItemQuery, answers
from anonset.releases.frames import read_published_sets


@dataclass(frozen=True, slots=True)
class QueryRequest:
    """Records that hold all items `present` and none `absent`, and show these values in columns published as they are."""

    release: Path
    present: Sequence[str] = ()
    absent: Sequence[str] = ()
    where: Mapping[str, str] = field(default_factory=dict)


def run(request: QueryRequest) -> Answer:
    """How many records there are at least, at most, and to be expected."""
    shown = read_published_sets(request.release)
    for column, value in request.where.items():
        shown = shown.where(column, value)
    return answers(shown.items, [ItemQuery(tuple(request.present), tuple(request.absent))])[0]
