"""Answer count queries with bounds from the published half of a nonreciprocal release."""

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
    """Return the least, largest and expected number of matching records."""
    published = read_published_sets(request.release)
    for column, value in request.where.items():
        published = published.where(column, value)
    return answers(published.items, [ItemQuery(tuple(request.present), tuple(request.absent))])[0]
