"""All that a page tells about a release, besides the release itself."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from anonset.attacks import AttackResult
from anonset.measure.information_loss import Preservation
from anonset.measure.usefulness import Usefulness
from anonset.measure.workload import QueryCounts
from anonset.model.arrays import Rows
from anonset.model.verdict import Verdict
from anonset.releases.gates import Admission
from anonset.study.ru_map import MapPoint


@dataclass(frozen=True, slots=True)
class Whole:
    """Of a release in parts: how many records there are, where rows and drawings are of some of them, and sizes of groups."""

    records: int
    group_sizes: Rows | None = None  # different ones, and how many groups have each
    group_times: Rows | None = None


@dataclass(frozen=True, slots=True)
class Findings:
    """The verdict, the measures, and whatever else was looked into."""

    verdict: Verdict
    measures: dict[str, float]
    attacks: AttackResult | None = None
    counts: QueryCounts | None = None
    itemsets: tuple[float, Preservation] | None = None  # at a support
    map: tuple[MapPoint, ...] = ()
    command: str = ""
    inputs: Mapping[str, str] = field(default_factory=dict)  # hashes by name; those of the original, if none
    hashes: Mapping[str, str] = field(default_factory=dict)  # of the published files
    accepted: Admission | None = None  # what was published although it is refused otherwise
    useful: Usefulness | None = None
    whole: Whole | None = None
