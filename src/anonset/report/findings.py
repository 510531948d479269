"""The results that a page shows about a release."""

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
    """The records and group sizes of a whole release in parts, of which a page shows a sample."""

    records: int
    group_sizes: Rows | None = None  # distinct sizes, and the number of groups of each
    group_times: Rows | None = None


@dataclass(frozen=True, slots=True)
class Findings:
    """The verdict, the measures, and other results."""

    verdict: Verdict
    measures: dict[str, float]
    attacks: AttackResult | None = None
    counts: QueryCounts | None = None
    itemsets: tuple[float, Preservation] | None = None  # at a support
    map: tuple[MapPoint, ...] = ()
    command: str = ""
    inputs: Mapping[str, str] = field(default_factory=dict)  # hashes by name; those of the original, if none
    hashes: Mapping[str, str] = field(default_factory=dict)  # of the published files
    accepted: Admission | None = None  # the exposures that the owner accepted
    useful: Usefulness | None = None
    whole: Whole | None = None
