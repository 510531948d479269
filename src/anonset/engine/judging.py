"""The verdict on parts before they are published: each part counted, and every published record compared with its original.

What is compared was sorted back to the order of the input by the verifier itself; measures are sums over the same comparison.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from anonset.engine.beside import RecordPairs, SortBack, part_release, published_guide
from anonset.engine.coding import Answer
from anonset.engine.losses import both_losses, losses_of
from anonset.engine.questions import Context
from anonset.engine.source import Piece
from anonset.engine.writing import asjson, unjson
from anonset.model.dataset import Dataset
from anonset.model.guarantees import Guarantee, PartialItems
from anonset.model.labels import GeneralizedItems
from anonset.model.verdict import Finding
from anonset.releases.about import Exactness
from anonset.verify.parts import ADDED, MATCHED, added, check_alone, explained, part_counts, together, whole_finding
from anonset.verify.reading.promises import promised
from anonset.verify.truthfulness import check_truthful, left_out


@dataclass(frozen=True, eq=False)
class PartJudge(SortBack):
    """What each published part says, and its records sorted back to the input's order; `bounds` are the pieces' first rows."""

    name: ClassVar[str] = "counting what is published"

    def ask(self, unit: int, context: Context) -> Answer:
        """The counts and findings of one part, beside a copy of it for the pieces."""
        about, release = published_guide(context), part_release(unit, context)
        alone = [asdict(check_alone(release, context.roster, g)) for g in _alone(promised(about, None))]
        answer: Answer = super().ask(unit, context) | {
            "records": np.array([len(release)], np.int64),
            "exact": Exactness.of(release).counts[None],
            "said": asjson({"findings": [alone], "seen": explained(release, about)}),
        }
        return answer | part_counts(release, context.roster, promised(about, None), about["attributes"][-1])

    def both(self, first: Answer, second: Answer) -> Answer:
        """The findings of both, and their counts added."""
        one, two = unjson(first["said"]), unjson(second["said"])
        seen = {name: sorted({*one["seen"][name], *two["seen"][name]}) for name in one["seen"]}
        rest = {key: np.concatenate([first[key], second[key]]) for key in ("part", "records", "exact")}
        said = asjson({"findings": one["findings"] + two["findings"], "seen": seen})
        return rest | added(first, second) | {"said": said}


def findings_of(
    about: dict[str, Any], answer: Answer, original: Dataset, matched: Mapping[int, Finding], gone: int, of: int
) -> list[Finding]:
    """The verdict of all parts on each guarantee, those of matches by number; `gone` of `of` items are not shown."""
    guarantees = promised(about, None)
    alone = [[Finding(**f | {"witnesses": tuple(f["witnesses"])}) for f in part] for part in unjson(answer["said"])["findings"]]
    by_group = dict(zip(map(id, _alone(guarantees)), zip(*alone, strict=True), strict=True))
    found = []
    for number, guarantee in enumerate(guarantees):
        if number in matched:
            found.append(matched[number])
        elif isinstance(guarantee, PartialItems):
            holds = gone <= guarantee.share * of
            worst = f"{gone} of {of} items are not shown in their records; at most {guarantee.share:.2%} is promised"
            found.append(Finding(guarantee.id, holds, 0 if holds else gone, worst, None, () if holds else (worst,)))
        elif isinstance(guarantee, ADDED):
            found.append(whole_finding(guarantee, number, answer, about["attributes"][-1], original))
        else:
            found.append(together(list(by_group[id(guarantee)])))
    return found


def _alone(guarantees: tuple[Guarantee, ...]) -> list[Guarantee]:
    return [g for g in guarantees if not isinstance(g, (*ADDED, *MATCHED))]


@dataclass(frozen=True, eq=False)
class Compare(RecordPairs):
    """Every record beside its original: whether it is true, and what is lost."""

    name: ClassVar[str] = "comparing with the original"

    def ask(self, unit: tuple[int, Piece], context: Context) -> Answer:
        """Breaches, and sums for the measures."""
        batch, release = self.pair(unit, context)
        partial = any(isinstance(guarantee, PartialItems) for guarantee in release.guarantees)
        generalized = isinstance(release.items, GeneralizedItems)
        gone = left_out(batch, release.items, release.rows) if partial and generalized else (0, 0)  # type: ignore[arg-type]
        said = asjson([asdict(check_truthful(batch, release))])
        return {"said": said, "not shown": np.array(gone, np.int64)} | losses_of(batch, release, context.roster)

    def both(self, first: Answer, second: Answer) -> Answer:
        """The findings of both, and the sums of both."""
        bad = [finding for a in (first, second) for finding in unjson(a["said"]) if not finding["holds"]]
        sums = [{name: array for name, array in a.items() if name != "said"} for a in (first, second)]
        return {"said": asjson(bad or unjson(first["said"])), **both_losses(*sums)}


def truth_of(answer: Answer) -> Finding:
    """The findings of all pieces about truth as one."""
    return together([Finding(**finding | {"witnesses": tuple(finding["witnesses"])}) for finding in unjson(answer["said"])])
