"""The measures of a release in parts: losses as sums over batches, and risks from counts of groups and of sets of labels."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from anonset.engine._kernels.coreset import add_counts, count_sets, rarest_sets
from anonset.engine.capacity import MB
from anonset.engine.coreset import DENSE
from anonset.engine.domains import Answer, Coder
from anonset.engine.journal import Driver
from anonset.engine.planning import BASE, Resources
from anonset.engine.questions import Context, Summed
from anonset.engine.record_pairs import (
    RecordPairs,
    SortBack,
    bounds_of,
    copies_of,
    part_release,
    published_guide,
    release_session,
)
from anonset.engine.source import BatchRef, BatchSource
from anonset.errors import InfeasibleError, ParameterError, unknown
from anonset.measure import MEASURES, applies
from anonset.measure.coded_release import generalized, groups, label_counts, linkable_records
from anonset.measure.information_loss import (
    LOST,
    ValueShares,
    column_loss,
    expected_supports,
    frequency_error,
    is_exact,
    levels_up,
    middle_size,
    ncp_items,
    record_shares,
    sizes_said,
    times_by_size,
    ul_log2,
)
from anonset.measure.risk import LIMIT, constraint_supports, known_items, record_risks, smallest_protected
from anonset.measure.uncertain import actual_counts, base_counts, draw_queries, er
from anonset.measure.usefulness import SizedError, Usefulness
from anonset.measure.workload import Estimator, QueryCounts, Workload, check_workload, count_queries
from anonset.model.arrays import Ids, Offsets, Reals, Rows
from anonset.model.dataset import Dataset
from anonset.model.guarantees import Constraints, Guarantee, KmAnonymity
from anonset.model.labels import GeneralizedItems, UncertainItems
from anonset.model.progress import Phases
from anonset.model.release import Provenance, Release
from anonset.model.schema import Schema
from anonset.releases.gates import lost_values
from anonset.verify.reading.parts import token_numbers, tokens_of
from anonset.verify.reading.promises import promised


@dataclass(eq=False)
class LabelSetCounts:
    """The number of records with each set of at most m of d labels, in an array, or in a hash table if there are many sets."""

    m: int
    d: int
    places: int

    def __post_init__(self) -> None:
        n_sets = self.d * (self.d - 1) // 2 * (self.m > 1) + self.d * (self.d - 1) * (self.d - 2) // 6 * (self.m > 2)
        self.single = np.zeros(self.d, np.uint32)
        self.keys = np.full(0 if n_sets <= DENSE else self.places, -1, np.int64)
        self.counts = np.zeros(n_sets if n_sets <= DENSE else self.places, np.uint32)
        self.used = 0

    def require_room(self) -> None:
        """Raise InfeasibleError if the hash table is full, so that sets may be missing."""
        if len(self.keys) and 4 * self.used >= 3 * len(self.keys):
            raise InfeasibleError("the release shows more different sets of labels than memory has room for; allow more")


@dataclass(frozen=True, eq=False)
class SetCounts:
    """Counts over all parts the records with each set of at most m labels."""

    m: int
    places: int
    name: ClassVar[str] = "counting sets of labels"

    def fold(self, state: LabelSetCounts | None, unit: int, context: Context) -> LabelSetCounts:
        """Add the counts of one more part."""
        offsets, labels, d = numbered_labels(part_release(unit, context), context)
        state = state or LabelSetCounts(self.m, d, self.places)
        state.used = count_sets(offsets, labels, self.m, state.single, state.keys, state.counts, state.used)
        state.require_room()
        return state

    def answer(self, state: LabelSetCounts) -> Answer:
        """Return the numbers of the sets that occur, and their counts."""
        there = np.flatnonzero(state.counts)
        numbers = state.keys[there] if len(state.keys) else there
        return {"single": state.single, "numbers": numbers.astype(np.int64), "counts": state.counts[there]}

    def merge(self, state: LabelSetCounts | None, answer: Answer) -> LabelSetCounts:
        """Add the counts of another worker."""
        state = state or LabelSetCounts(self.m, len(answer["single"]), self.places)
        state.single += answer["single"]
        state.used = add_counts(answer["numbers"], answer["counts"], state.keys, state.counts, state.used)
        state.require_room()
        return state


@dataclass(frozen=True)
class Rarest(Summed):
    """A histogram of the records by the count of their rarest set of at most m labels; the counts of sets are in a file."""

    m: int
    places: int
    records: int
    file: str
    name: ClassVar[str] = "looking at each record"

    def ask(self, unit: int, context: Context) -> Answer:
        """Return the histogram of a part."""
        offsets, labels, _ = numbered_labels(part_release(unit, context), context)
        table = _table(str(context.work / self.file), self.m, self.places)
        found = rarest_sets(offsets, labels, self.m, table.single, table.keys, table.counts, self.records)
        return histogram(found)


def histogram(values: Rows) -> Answer:
    """Return the distinct values, and how often each occurs."""
    sizes, times = np.unique(values, return_counts=True)
    return {"sizes": sizes.astype(np.int64), "times": times.astype(np.int64)}


@lru_cache(maxsize=1)
def _table(path: str, m: int, places: int) -> LabelSetCounts:
    """Read the counts of sets from a file."""
    with np.load(Path(path), allow_pickle=False) as found:
        return SetCounts(m, places).merge(None, dict(found))


def numbered_labels(release: Release, context: Context) -> tuple[Offsets, Ids, int]:
    """Return the linkable labels of a part, ascending in each record, by numbers that all parts share; and how many exist."""
    roster, guide = context.roster, published_guide(context)["attributes"][-1]
    assert roster.transactions is not None
    tokens = tokens_of(guide, roster.transactions.domain)
    number = token_numbers(generalized(release).labels.texts, tokens).astype(np.int32)
    offsets, linkable = linkable_records(roster, release)
    labels = number[linkable]
    if (np.diff(number) < 0).any():
        labels = labels[np.lexsort((labels, np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))))]
    return offsets, labels, len(tokens)


QUASI = "quasi "  # prefix of the name of a column
WRONG_COUNTS = "wrong counts"  # the errors of the queries of `qe`
SPECIAL = 2  # number of negative codes of levels_up


def losses_of(batch: Dataset, release: Release, roster: Dataset) -> Answer:
    """Return the loss sums of a batch; ranges are measured against the spans of the roster."""
    found: dict[str, Any] = {"records": [len(batch)]}
    for column in release.quasi:
        whole = roster.column(column.name)
        loss, exact = column_loss(whole, column), is_exact(column)
        worthless = lost_values(whole, column) * len(release)
        found[QUASI + column.name] = [loss.sum(), exact.sum(), ((loss >= 1.0) & ~exact).sum(), worthless]
    if isinstance(release.items, GeneralizedItems):
        found |= _item_losses(batch, release)
    elif isinstance(release.items, UncertainItems):
        found["wrong items"] = [er(batch, release) * len(batch)]
    return {name: np.array(sums, np.float64) for name, sums in found.items()}


def _item_losses(batch: Dataset, release: Release) -> dict[str, Any]:
    """Return the loss sums of the items of a batch."""
    times, n, shares = label_counts(batch, release), len(batch), record_shares(batch, release)
    sizes = sizes_said(batch, release)
    assert batch.transactions is not None
    every, d = int(times.all.sum()), len(batch.transactions.domain)
    worthless = np.append(release.items.labels.sizes >= d, [True, True]) if d > 1 else sizes == LOST  # type: ignore[union-attr]
    found: dict[str, Any] = {
        "items": [every, ncp_items(batch, release, times=times) * every, times.all[worthless].sum()],
        "linkable items": [times.linkable.sum(), times.linkable[sizes == 1].sum(), times.linkable[sizes == LOST].sum()],
        "ul of records": [sum(shares) * n, shares[0] * n],
        "log2 of ul": [ul_log2(batch, release) + np.log2(max(1, n))],
        "expected": expected_supports(batch, release),
        "sizes": times_by_size(batch, release, times),
    }
    if batch.item_hierarchy is not None:
        steps = levels_up(batch, release) + SPECIAL
        found["levels"] = np.bincount(steps, minlength=batch.item_hierarchy.height + 1 + SPECIAL)
    return found


def both_losses(first: Answer, second: Answer) -> Answer:
    """Add the loss sums of two batches."""
    return {name: _plus(name)(first[name], second[name]) for name in first}


def _plus(name: str) -> "np.ufunc":
    """Return the addition for a sum: of logarithms where the name says so."""
    return np.logaddexp2 if name.startswith("log2") else np.add


def measures_of(sums: Answer, coder: Coder) -> dict[str, float]:
    """Return the measures that follow from loss sums, by id."""
    n, found = max(1.0, float(sums["records"][0])), dict[str, float]()
    if columns := [sums[name] / n for name in sums if name.startswith(QUASI)]:
        shares = np.mean(columns, axis=0)
        found |= {"ncp": shares[0], "exact-values": shares[1], "lost-values": shares[2]}
    if "items" in sums:
        every, loss, _ = sums["items"]
        linkable, exact, lost = sums["linkable items"]
        log_ul = float(sums["log2 of ul"][0] - np.log2(n))
        found |= {
            "ncp-items": loss / max(1.0, every),
            "ul": float(np.exp2(log_ul)),
            "ul-log2": log_ul,
            "ul-record": sums["ul of records"][0] / n,
            "ul-record-exact0": sums["ul of records"][1] / n,
            "item-error": frequency_error(coder.supports, sums["expected"]),
            "exact-items": exact / linkable if linkable else 1.0,
            "lost-items": lost / linkable if linkable else 0.0,
        }
    if "wrong items" in sums:
        found["er"] = sums["wrong items"][0] / n
    if WRONG_COUNTS in sums:
        found["qe"] = np.abs(sums[WRONG_COUNTS]).mean() / n
    return {id: float(value) for id, value in found.items()}


def worthless_shares(sums: Answer, coder: Coder) -> dict[str, float]:
    """Return for each attribute the share of values without information, which the gates limit."""
    found = {name.removeprefix(QUASI): float(sums[name][3] / coder.records) for name in sums if name.startswith(QUASI)}
    if "items" in sums:
        found[coder.roster.item_column] = float(sums["items"][2] / max(1.0, sums["items"][0]))
    return found


def kept_columns(sums: Answer) -> dict[str, ValueShares]:
    """Return the shares of exact and of lost values of each quasi column."""
    n = max(1.0, float(sums["records"][0]))
    return {
        name.removeprefix(QUASI): ValueShares(float(sums[name][1] / n), float(sums[name][2] / n))
        for name in sums
        if name.startswith(QUASI)
    }


def one_of(sums: Answer) -> int | None:
    """Return the median label size of the items that are neither exact nor lost."""
    return middle_size(sums["sizes"].astype(np.int64)) if "sizes" in sums else None


def levels_of(sums: Answer) -> tuple[tuple[float, ...], float] | None:
    """Return the shares of item occurrences by levels of generalization, and the share without a node; None if no hierarchy."""
    if "levels" not in sums:
        return None
    shares: NDArray[np.float64] = sums["levels"] / max(1.0, float(sums["levels"].sum()))
    levels = shares[SPECIAL:]
    return tuple(levels[: np.max(np.flatnonzero(levels), initial=0) + 1].tolist()), float(shares[0])


def usefulness_of(coder: Coder, sums: Answer, counts: tuple[SizedError, ...] = ()) -> Usefulness:
    """Return the usefulness that follows from loss sums; `counts` are the errors of counts of items, if they were measured."""
    found, roster = measures_of(sums, coder), coder.roster
    levels, elsewhere = levels_of(sums) or (None, None)
    exact, lost = found.get("exact-items"), found.get("lost-items")
    kept = kept_columns(sums) or None
    return Usefulness(
        roster.item_column, coder.records, 0, "uniform", exact, lost, levels, elsewhere, one_of(sums), kept, counts
    )


COUNTS = "counts.npz"


@dataclass(frozen=True, eq=False)
class Look(SortBack):
    """Sorts the parts back, and counts what one part has on risk: records with equal quasi values are in the same part."""

    name: ClassVar[str] = "reading the parts"

    def ask(self, unit: int, context: Context) -> Answer:
        """Return histograms of group sizes and of indistinguishable records, and the supports of what is protected."""
        answer, release = super().ask(unit, context), part_release(unit, context)
        if isinstance(release.items, UncertainItems):
            return answer  # matches cannot be counted within one part
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
    """Return the smallest support in a part of what each guarantee protects; 0 if only all parts together give it."""
    whole = (KmAnonymity, Constraints)
    return [0 if isinstance(g, whole) else smallest_protected(context.roster, release, g) for g in release.guarantees]


@dataclass(frozen=True, eq=False)
class Losses(RecordPairs):
    """The loss sums over all batches."""

    name: ClassVar[str] = "measuring"

    def ask(self, unit: tuple[int, BatchRef], context: Context) -> Answer:
        """Return the sums of a batch."""
        batch, release = self.pair(unit, context)
        found = losses_of(batch, release, context.roster)
        if isinstance(release.items, UncertainItems):
            queries = draw_queries(context.roster)
            actual = np.array(actual_counts(batch, release, queries), np.float64)
            found[WRONG_COUNTS] = actual - base_counts(release.items, queries)
        return found

    def both(self, first: Answer, second: Answer) -> Answer:
        """Add the sums of two batches."""
        return both_losses(first, second)


@dataclass(frozen=True, eq=False)
class Queries(RecordPairs):
    """The counts of a workload on the original and on the release."""

    workload: Workload
    estimator: Estimator
    name: ClassVar[str] = "counting queries"

    def ask(self, unit: tuple[int, BatchRef], context: Context) -> Answer:
        """Return the counts of a batch."""
        found = count_queries(*self.pair(unit, context), self.workload, estimator=self.estimator)
        return {"actual": found.actual, "estimate": found.estimate}

    def both(self, first: Answer, second: Answer) -> Answer:
        """Add the counts of two batches."""
        return {name: first[name] + second[name] for name in first}


@dataclass(frozen=True, eq=False)
class Looked:
    """The answer of `Look`, and access to the published records of each batch for further questions."""

    driver: Driver
    source: BatchSource
    answer: Answer
    alike: Answer  # histogram of the records by the number of records that are indistinguishable from them
    guarantees: tuple[Guarantee, ...]

    @property
    def copies(self) -> tuple[str, ...]:
        """Return the files with the published records of the batches."""
        return copies_of(self.answer)

    @property
    def first(self) -> int:
        """Return the number of the first part."""
        return int(self.answer["part"].min())

    @property
    def units(self) -> list[tuple[int, BatchRef]]:
        """Return the batches with their numbers."""
        return list(enumerate(self.source.batches))


def look(driver: Driver, source: BatchSource, parts: list[int], memory: int) -> Looked:
    """Read the parts, and count sets of labels over all of them if a guarantee or the lack of quasi columns requires it."""
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
        counts = np.concatenate([counted["single"], counted["counts"]])
        smallest = int(counts[counts > 0].min(initial=source.rows)) if counts.any() else 0
        for g, guarantee in enumerate(guarantees):
            if isinstance(guarantee, KmAnonymity):
                answer["protected"][:, g] = smallest
        alike = alike or driver.ask(Rarest(m, places, source.rows, COUNTS), parts, m)
    return Looked(driver, source, answer, alike, guarantees)


@contextmanager
def looked_at(folder: Path, data: Any, schema: Schema, limits: Resources, phases: Phases) -> Iterator[Looked]:
    """Open a release in parts and read its parts once; yield it for questions about batches."""
    with release_session(folder, data, schema, limits, phases) as (driver, source, parts):
        yield look(driver, source, parts, max(64 * MB, (limits.memory or 4 * BASE) - BASE))


def losses(looked: Looked) -> Answer:
    """Return the loss sums of all batches."""
    return looked.driver.ask(Losses(looked.copies), looked.units)


def measure_parts(looked: Looked, sums: Answer) -> dict[str, float]:
    """Return all measures that apply."""
    coder = looked.driver.context.coder
    assert coder is not None
    found = measures_of(sums, coder) | _grouped(looked) | _risks(looked)
    return {id: found[id] for id in MEASURES if id in found}


def chosen(found: dict[str, float], ids: Sequence[str] | None, applicable: Collection[str]) -> dict[str, float]:
    """Return the named measures that were found; raise ParameterError for an unknown one or one that does not apply."""
    for id in ids or ():
        if id not in MEASURES:
            raise ParameterError(unknown("measure", id, MEASURES))
        if id not in applicable:
            raise ParameterError(f"{id} does not apply to this release: it has no {MEASURES[id].needs} part")
    return found if ids is None else {id: found[id] for id in ids if id in found}


def applicable(looked: Looked) -> tuple[str, ...]:
    """Return the measures that apply to a release, measured or not."""
    release = part_release(looked.first, looked.driver.context)
    return tuple(id for id, wanted in MEASURES.items() if applies(id, release) and not wanted.must_have)


def count_workload(looked: Looked, workload: Workload, estimator: Estimator = "subsets") -> QueryCounts:
    """Return the counts of a workload on the original and on the release, summed over the batches."""
    check_workload(looked.driver.context.roster, workload)
    answer = looked.driver.ask(Queries(looked.copies, workload, estimator), looked.units, hash(workload.to_json()), estimator)
    return QueryCounts(workload, answer["actual"], answer["estimate"])


def _grouped(looked: Looked) -> dict[str, float]:
    """Return the measures of group sizes."""
    if "group sizes" not in looked.answer:
        return {}
    sizes, times = looked.answer["group sizes"].astype(np.float64), looked.answer["group times"]
    k = max((getattr(guarantee, "k", 1) for guarantee in looked.guarantees), default=1)
    return {
        "discernibility": float((sizes**2 * times).sum()),
        "c-avg": looked.source.rows / (max(1, int(times.sum())) * k),
    }


def _risks(looked: Looked) -> dict[str, float]:
    """Return the risk measures."""
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
    """Return the smallest support over all parts of what guarantee g protects; 0 if nothing of it is published."""
    supports = looked.answer["protected"][:, g]
    if f"constraint {g}" in looked.answer:
        supports = looked.answer[f"constraint {g}"].sum(axis=0)
    return int(supports[supports > 0].min()) if (supports > 0).any() else 0


def _quantile(ascending: Reals, weights: Reals, share: float) -> float:
    """Return the smallest value that this share of the weight does not exceed."""
    reached = np.cumsum(weights) >= share * weights.sum() - 1e-9
    return float(ascending[np.argmax(reached)])
