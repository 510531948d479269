"""The measures of a release in parts: losses are sums over pieces, risks are told by the parts, queries are counted on both."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anonset.engine.beside import RecordPairs, SortBack, bounds_of, copies_of, part_release, published_guide
from anonset.engine.coding import Answer
from anonset.engine.driver import Driver
from anonset.engine.losses import WRONG_COUNTS, both_losses, losses_of, measures_of
from anonset.engine.questions import Context
from anonset.engine.source import Piece, PieceSource
from anonset.engine.supports import Rarest, SetCounts, histogram
from anonset.errors import ParameterError, unknown
from anonset.measure import MEASURES
from anonset.measure.coded_release import groups
from anonset.measure.qe import actual_counts, base_counts, draw_queries
from anonset.measure.risk import LIMIT, constraint_supports, known_items, record_risks, smallest_protected
from anonset.measure.workload import Estimator, QueryCounts, Workload, check_workload, count_queries
from anonset.model.arrays import Reals
from anonset.model.guarantees import Constraints, Guarantee, KmAnonymity
from anonset.model.labels import UncertainItems
from anonset.model.release import Provenance, Release
from anonset.verify.reading.promises import promised

COUNTS = "counts.npz"


@dataclass(frozen=True, eq=False)
class Look(SortBack):
    """The parts sorted back, and what each says about risk by itself: records with equal quasi values are in one part."""

    name: ClassVar[str] = "reading the parts"

    def ask(self, unit: int, context: Context) -> Answer:
        """Sizes of groups, the smallest number of records that look alike, and supports of what is protected."""
        answer, release = super().ask(unit, context), part_release(unit, context)
        if isinstance(release.items, UncertainItems):
            return answer  # who matches whom is not known to a part
        answer["protected"] = np.array([_protected(context, release)], np.int64)
        for g, guarantee in enumerate(release.guarantees):
            if isinstance(guarantee, Constraints):
                answer[f"constraint {g}"] = np.array([constraint_supports(release, guarantee)], np.int64)
        if release.quasi:
            group, n = groups(release.quasi, len(release))
            sized = histogram(np.bincount(group, minlength=n).astype(np.int64))
            alike = histogram(np.rint(1.0 / record_risks(context.roster, release)).astype(np.int64))
            answer |= {f"group {name}": array for name, array in sized.items()}
            answer |= alike
        return answer


def _protected(context: Context, release: Release) -> list[int]:
    """The smallest support of what each guarantee protects in a part; 0 where that is told by all parts together."""
    whole = (KmAnonymity, Constraints)
    return [0 if isinstance(g, whole) else smallest_protected(context.roster, release, g) for g in release.guarantees]


@dataclass(frozen=True, eq=False)
class Losses(RecordPairs):
    """What every piece lost."""

    name: ClassVar[str] = "measuring"

    def ask(self, unit: tuple[int, Piece], context: Context) -> Answer:
        """The sums of a piece."""
        batch, release = self.pair(unit, context)
        found = losses_of(batch, release, context.roster)
        if isinstance(release.items, UncertainItems):
            asked = draw_queries(context.roster)
            actual = np.array(actual_counts(batch, release, asked), np.float64)
            found[WRONG_COUNTS] = actual - base_counts(release.items, asked)
        return found

    def both(self, first: Answer, second: Answer) -> Answer:
        """The sums of both."""
        return both_losses(first, second)


@dataclass(frozen=True, eq=False)
class Queries(RecordPairs):
    """The counts of a workload on both sides."""

    workload: Workload
    estimator: Estimator
    name: ClassVar[str] = "counting queries"

    def ask(self, unit: tuple[int, Piece], context: Context) -> Answer:
        """The counts of a piece."""
        found = count_queries(*self.pair(unit, context), self.workload, estimator=self.estimator)
        return {"actual": found.actual, "estimate": found.estimate}

    def both(self, first: Answer, second: Answer) -> Answer:
        """The counts of both."""
        return {name: first[name] + second[name] for name in first}


@dataclass(frozen=True, eq=False)
class Looked:
    """What one reading of the parts found, and how the next questions find what is published of a piece."""

    driver: Driver
    source: PieceSource
    answer: Answer
    alike: Answer  # sizes of what records look alike with, and how many records have each
    guarantees: tuple[Guarantee, ...]

    @property
    def copies(self) -> tuple[str, ...]:
        """Where what is published of each piece is."""
        return copies_of(self.answer)

    @property
    def units(self) -> list[tuple[int, Piece]]:
        """The pieces by number."""
        return list(enumerate(self.source.pieces))


def look(driver: Driver, source: PieceSource, parts: list[int], memory: int) -> Looked:
    """Read the parts, and count sets of labels over all of them where no group hides a record."""
    guide, roster = published_guide(driver.context), driver.context.roster
    guarantees = promised(guide, None)
    answer = driver.ask(Look(bounds_of(source)), parts)
    if "protected" not in answer:
        return Looked(driver, source, answer, {}, guarantees)
    quasi = any(attribute["role"] == "quasi" for attribute in guide["attributes"])
    alike = {name: answer[name] for name in ("sizes", "times")} if quasi else {}
    if any(isinstance(g, KmAnonymity) for g in guarantees) or not quasi:
        m = known_items(Release((), None, guarantees, Provenance(""), np.zeros(0, np.int64)))
        if m is None or m > 3 or roster.transactions is None:
            raise ParameterError("the risk of a release in parts is counted for attackers who know up to 3 items")
        places = 1 << max(10, (memory // 36).bit_length() - 1)
        counted = driver.ask(SetCounts(m, places), parts, m)
        np.savez(driver.context.work / COUNTS, **counted)  # type: ignore[arg-type]
        shown = np.concatenate([counted["single"], counted["counts"]])
        smallest = int(shown[shown > 0].min(initial=source.rows)) if shown.any() else 0
        for g, guarantee in enumerate(guarantees):
            if isinstance(guarantee, KmAnonymity):
                answer["protected"][:, g] = smallest
        alike = alike or driver.ask(Rarest(m, places, source.rows, COUNTS), parts, m)
    return Looked(driver, source, answer, alike, guarantees)


def losses(looked: Looked) -> Answer:
    """The sums of all pieces."""
    return looked.driver.ask(Losses(looked.copies), looked.units)


def measure_parts(looked: Looked, sums: Answer) -> dict[str, float]:
    """All measures that apply."""
    coder = looked.driver.context.coder
    assert coder is not None
    found = measures_of(sums, coder) | _grouped(looked) | _risks(looked)
    return {id: found[id] for id in MEASURES if id in found}


def chosen(found: dict[str, float], ids: Sequence[str] | None) -> dict[str, float]:
    """The named measures; what is not there is an error that says why."""
    for id in ids or ():
        if id not in MEASURES:
            raise ParameterError(unknown("measure", id, MEASURES))
        if id not in found:
            raise ParameterError(f"{id} does not apply to this release, or is not measured in pieces")
    return found if ids is None else {id: found[id] for id in ids}


def count_workload(looked: Looked, workload: Workload, estimator: Estimator = "subsets") -> QueryCounts:
    """The counts of a workload on both sides: sums over the pieces."""
    check_workload(looked.driver.context.roster, workload)
    answer = looked.driver.ask(Queries(looked.copies, workload, estimator), looked.units, hash(workload.to_json()), estimator)
    return QueryCounts(workload, answer["actual"], answer["estimate"])


def _grouped(looked: Looked) -> dict[str, float]:
    if "group sizes" not in looked.answer:
        return {}
    sizes, times = looked.answer["group sizes"].astype(np.float64), looked.answer["group times"]
    k = max((getattr(guarantee, "k", 1) for guarantee in looked.guarantees), default=1)
    return {
        "discernibility": float((sizes**2 * times).sum()),
        "c-avg": looked.source.rows / (max(1, int(times.sum())) * k),
    }


def _risks(looked: Looked) -> dict[str, float]:
    if not looked.alike:
        return {}
    order = np.argsort(-looked.alike["sizes"], kind="stable")
    risks, weights = 1.0 / looked.alike["sizes"][order], looked.alike["times"][order].astype(np.float64)
    smallest = [*filter(None, (smallest_of(looked, g) for g in range(len(looked.guarantees))))]
    return {
        "risk": float(risks.max(initial=0.0)),
        "risk-p95": _quantile(risks, weights, 0.95),
        "risk-p99": _quantile(risks, weights, 0.99),
        "risk-mean": float((risks * weights).sum() / weights.sum()),
        "risk-above": float(weights[risks > LIMIT + 1e-12].sum() / weights.sum()),
        "risk-protected": 1.0 / min(smallest) if smallest else 0.0,
    }


def smallest_of(looked: Looked, g: int) -> int:
    """The smallest support of what guarantee g protects, over all parts; 0 where nothing of it is shown."""
    supports = looked.answer["protected"][:, g]
    if f"constraint {g}" in looked.answer:
        supports = looked.answer[f"constraint {g}"].sum(axis=0)
    return int(supports[supports > 0].min()) if (supports > 0).any() else 0


def _quantile(ascending: Reals, weights: Reals, share: float) -> float:
    """The smallest value that this share of the weight does not exceed."""
    reached = np.cumsum(weights) >= share * weights.sum() - 1e-9
    return float(ascending[np.argmax(reached)])
