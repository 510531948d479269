"""What worker processes do for the workbench, grouped by the service that asks for it; `VERBS` is the dispatch table."""

import hashlib
import json
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from math import isfinite
from pathlib import Path
from secrets import randbits
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast

from anonset.errors import AnonsetError, Fix, InputError, render
from anonset.jobs import Reporter, Serve, peak_mb
from anonset.model.builders import Material
from anonset.model.cover import Cover
from anonset.model.dataset import Dataset
from anonset.model.guarantees import promise_words
from anonset.model.hierarchy import Hierarchy
from anonset.model.labels import GeneralizedItems
from anonset.model.policy import ConstraintLines, Itemsets, LineFacts
from anonset.model.progress import Progress, silent
from anonset.model.release import Accepted, ExactCounts, Release
from anonset.model.serialization import to_builtins
from anonset.model.suitability import NamedSetting, Suitability
from anonset.model.verdict import Verdict
from anonset.recipient.published import open_published
from anonset.tasks import (
    algorithms,
    anonymize,
    attack,
    count,
    explain,
    hierarchy,
    inspection,
    intake,
    measure,
    policy,
    profile,
    recommend,
    suitability,
    verify,
    warm,
    workload,
)
from anonset.tasks.algorithms import AlgorithmChoice, choose
from anonset.tasks.earlier import compared_with
from anonset.tasks.earlier_rules import EarlierRules
from anonset.tasks.inputs import Input, load
from anonset.tasks.project import ProjectFile, ProjectPromise, ProjectRoles, ProjectRun, project_toml
from anonset.workbench.databases import TableFacts
from anonset.workbench.hierarchies import EditedTree
from anonset.workbench.instructions import (
    POLICY,
    PROJECT,
    SCHEMA,
    hierarchy_files,
    release_name,
    schema_toml,
    scripts,
    settings_of,
)
from anonset.workbench.journal import SetPromise
from anonset.workbench.values import (
    Candidates,
    ColumnChoices,
    CountBeside,
    Difference,
    Exposure,
    FileFacts,
    HierarchyPreview,
    Move,
    Problem,
    RecordComparison,
    ReleaseRecords,
    Remark,
    Tree,
    UnknownText,
    WorstQuery,
)
from anonset.workbench.worker_requests import ITEMS, Reading, Refused, RunRequest, WorkerRequest
from anonset.workbench.workers import ResultCache

if TYPE_CHECKING:
    from anonset.measure.workload import QueryCounts

CACHED_VALUES = 3  # datasets, trees, releases
MOST_NAMED = 20  # values that an answer lists
MOST_ITEMS = 100  # items that a comparison lists
QUERIES = {"n": 200, "seed": 0}
ESTIMATOR = "uniform"  # as `recommend` counts: one table shows the runs of both
PLAIN_TYPES = (bool, int, float, str)
SEED_BITS = 53  # too many to try, and every language reads such a number exactly
MEMORY_INTERVAL = 0.5  # seconds between two reports of the memory in use
PROJECT_ROLES = ("identifier", "quasi", "sensitive", "other", "items")


class WorkerCaches:
    """The datasets, trees and releases that a worker used last."""

    def __init__(self) -> None:
        self._data, self._trees, self._releases = (ResultCache(CACHED_VALUES) for _ in range(3))

    def data(self, reading: Reading, progress: Progress = silent) -> Dataset:
        """The dataset, with its hierarchies."""
        found: Dataset = self._data.get(reading.key, lambda: self.source(reading).read(progress))
        return found

    def source(self, reading: Reading) -> Input:
        """The input of tasks; edited hierarchies are written to files of the project."""
        given = {column: self._given(reading, column) for column in reading.hierarchies}
        settings = dict(reading.settings) | ({"hierarchies": given} if given else {})
        if "population" in settings:
            settings["population"] = upload_path(reading.folder, settings["population"])
        return Input(reading.file, settings)

    def _given(self, reading: Reading, column: str) -> str:
        choice = reading.hierarchies[column]
        if not choice.edits and choice.how is not None:
            return choice.how
        if not choice.edits:
            return str(upload_path(reading.folder, choice.upload))
        name = hashlib.sha256(json.dumps([reading.bare().key, column, repr(choice)]).encode()).hexdigest()[:16]
        file = reading.folder / "trees" / f"{name}.csv"
        if not file.exists():
            file.parent.mkdir(exist_ok=True, mode=0o700)
            draft = file.with_suffix(f".{os.getpid()}.csv")
            hierarchy.write(self.tree(reading, column).hierarchy(derived=choice.upload is None), draft)
            draft.replace(file)
        return str(file) if choice.upload is not None else f"derived:{file}"

    def material(self, reading: Reading, column: str) -> Material:
        """The values of a column that a hierarchy is built from."""
        return hierarchy.material(self.data(reading.bare()), None if column == ITEMS else column)

    def tree(self, reading: Reading, column: str) -> EditedTree:
        """The edited tree of a column."""
        choice = reading.hierarchies[column]
        key = repr((reading.bare().key, column, choice))

        def make() -> EditedTree:
            found = self.material(reading, column)
            return EditedTree(self._unedited(reading, column, found), found, choice.edits)

        made: EditedTree = self._trees.get(key, make)
        return made

    def _unedited(self, reading: Reading, column: str, found: Material) -> Hierarchy:
        choice = reading.hierarchies[column]
        if choice.upload is not None:
            return hierarchy.run_show(upload_path(reading.folder, choice.upload))
        return hierarchy.of_values(choice.how or "balanced:5", found)

    def release(self, reading: Reading, folder: Path) -> tuple[Dataset, Release]:
        """The original and the release in a folder of this project."""
        made = self._releases.get(str(folder), lambda: load(folder, self.data(reading)).require_rows())
        return made.original, made.release


def upload_path(folder: Path, upload: str | None) -> Path:
    """The path of an upload by its id; users' names never reach the file system."""
    found = sorted((folder / "uploads").glob(f"{upload}.*"))
    return found[0] if upload and upload.isalnum() and found else folder / "uploads" / "missing.csv"


# data


def take_in(caches: WorkerCaches, report: Any, *, file: Path, name: str, copy: Path, sheet: str | None = None) -> FileFacts:
    """The facts about an uploaded file, with all its problems."""
    found = intake.run(intake.IntakeRequest(file, name, copy, sheet), report)
    problems = tuple(
        Problem("error" if complaint.stops else "warning", complaint.text, complaint.line, complaint.column)
        for complaint in found.complaints
    )
    return FileFacts(
        found.format,
        found.sha256,
        found.suffix,
        found.rows,
        found.columns,
        problems[: intake.LISTED],
        len(problems),
        {fate.column: (fate.role, fate.kind, fate.reason) for fate in found.fates},
        dict(found.reading),
        found.sheets,
    )


def profile_data(caches: WorkerCaches, report: Any, *, reading: Reading) -> dict[str, Any]:
    """The profile of the data under the roles of the reading."""
    data = caches.data(reading, report("Reading"))
    found = profile.run(data, report)
    unique = found.unique
    exposure = Exposure(found.records, unique.quasi, unique.items, unique.both)
    columns = [dict(column) for column in found.columns]
    pictures = {column.name: profile.spread_of(column) for column in data.columns}
    pictures |= {"": profile.item_spread(data)}  # no column has an empty name
    return {
        "columns": columns,
        "items": found.items,
        "exposure": asdict(exposure),
        "gathered": found.gathered,
        "pictures": pictures,
        "naming": profile.naming(data),
    }


# hierarchies


def tree(
    caches: WorkerCaches,
    report: Any,
    *,
    reading: Reading,
    column: str,
    opened: list[int],
    start: int,
    count: int,
    cut: list[str],
) -> Tree:
    """The visible rows of a hierarchy."""
    found = caches.tree(reading, column)
    total, rows = found.rows(opened or [found.root], start, count, frozenset(cut))
    missing, nodes = found.missing(), found.nodes()
    leaves = sum(found.is_leaf(node) for node in nodes)
    return Tree(column, len(nodes), leaves, tuple(missing[:MOST_NAMED]), len(missing), total, start, rows)


def find(caches: WorkerCaches, report: Any, *, reading: Reading, column: str, text: str) -> list[list[int]]:
    """The paths from the root to nodes whose label contains a text."""
    return caches.tree(reading, column).find(text, MOST_NAMED)


def preview(caches: WorkerCaches, report: Any, *, reading: Reading, column: str, upload: str, name: str) -> HierarchyPreview:
    """What an uploaded hierarchy would change."""
    file = upload_path(reading.folder, upload)
    problems = tuple(
        problem.replace(f"{file}", "the file") for problem in hierarchy.run_check(hierarchy.HierarchyCheckRequest(file))
    )
    if problems:
        return HierarchyPreview(upload, name, 0, 0, problems[:MOST_NAMED], (), 0, (), 0)
    new, found = hierarchy.run_show(file), caches.material(reading, column)
    leaves = set(new.leaves)
    missing = [value for value, n in zip(found.domain, found.supports.tolist(), strict=True) if n and value not in leaves]
    moves: list[Move] = []
    if column in reading.hierarchies:
        old = caches.tree(reading, column).hierarchy(derived=True)
        above_now = {label: old.labels[old.parent[v]] for v, label in enumerate(old.leaves) if old.parent[v] >= 0}
        above_then = {label: new.labels[new.parent[v]] for v, label in enumerate(new.leaves) if new.parent[v] >= 0}
        both = ((label, above_now[label], group) for label, group in above_then.items() if label in above_now)
        moves = [Move(*move) for move in both if move[1] != move[2]]
    parts = (tuple(missing[:MOST_NAMED]), len(missing), tuple(moves[:MOST_NAMED]), len(moves))
    return HierarchyPreview(upload, name, new.n_leaves, len(new), (), *parts)


def export(caches: WorkerCaches, report: Any, *, reading: Reading, column: str, file: Path) -> None:
    """Write the tree of a column to a file."""
    hierarchy.write(caches.tree(reading, column).hierarchy(derived=False), file)


def check_tree(caches: WorkerCaches, report: Any, *, reading: Reading, column: str) -> int:
    """Raise where the edits of a tree are not possible; the number of its nodes."""
    return len(caches.tree(reading, column).hierarchy(derived=True))


def cut(caches: WorkerCaches, report: Any, *, reading: Reading, folder: Path, column: str) -> list[str]:
    """The labels of a hierarchy that the release shows."""
    _, release = caches.release(reading, folder)
    if column == "items":
        texts = release.items.labels.texts if isinstance(release.items, GeneralizedItems) else ()
    else:
        texts = next((c.labels.texts for c in release.columns if c.name == column and hasattr(c.labels, "texts")), ())
    return list(texts)


# promise


def remarks(
    caches: WorkerCaches,
    report: Any,
    *,
    reading: Reading,
    promise: SetPromise,
    accepted: Accepted,
) -> tuple[Remark, ...]:
    """The remarks about a promise on these data."""
    data = caches.data(reading)
    found = []
    there = len(data) if data.population is None else len(data.population)
    if promise.k > there:
        found.append(Remark("infeasible", f"there are {there:,} {data.unit}, and k is {promise.k:,}"))
    impossible, refused = policy.foreseen(data, promise.k, promise.l, accepted.exposure)
    found += [Remark("infeasible", text) for text in impossible]
    found += [Remark("warning", f"{text}; leave it out under Data, or accept it below") for text in refused]
    if tied := policy.repeats(data, accepted):
        found.append(Remark("warning", f"would be refused: {tied}; gather one record a person under Data, or accept it below"))
    found += _sensible(data, promise)
    if data.transactions is not None and (promise.privacy or promise.utility):
        privacy = Itemsets(promise.privacy) if promise.privacy else None
        utility = policy.utility_policy(data, promise.utility, promise.suppression)
        remarks = policy.of_dataset(data, privacy, utility, k=promise.k, m=promise.m)
        found += [Remark(remark.level, in_words(remark.text)) for remark in remarks]
    return tuple(found)


def _sensible(data: Dataset, promise: SetPromise) -> list[Remark]:
    if not data.with_role("quasi") and data.transactions is None:
        return [Remark("warning", "no column could be known, so nothing is protected; see Data")]
    names = [column.name for column in data.with_role("sensitive")]
    if names and promise.l is None:
        text = f"people who look alike may all have the same {names[0]}; say above how many different answers there must be"
        return [Remark("note", text)]
    return []


def supports(caches: WorkerCaches, report: Any, *, reading: Reading, itemsets: list[list[str]]) -> list[int]:
    """How many people hold all items of each set."""
    return inspection.holders(caches.data(reading.bare()), itemsets)


def find_items(caches: WorkerCaches, report: Any, *, reading: Reading, text: str, count: int) -> list[list[Any]]:
    """Items whose name contains a text, the most frequent first, with their supports."""
    found = caches.material(reading, "items")
    part = text.casefold()
    pairs = [(n, name) for name, n in zip(found.domain, found.supports.tolist(), strict=True) if part in name.casefold()]
    return [[name, n] for n, name in sorted(pairs, key=lambda pair: (-pair[0], pair[1]))[:count]]


def describe_rules(
    caches: WorkerCaches, report: Any, *, reading: Reading, lines: list[tuple[str, ...]]
) -> tuple[LineFacts, ...]:
    """The facts about each line of items."""
    return tuple(policy.look(caches.data(reading), lines))


def make_rules(
    caches: WorkerCaches, report: Any, *, reading: Reading, privacy: str | None, utility: str | None, seed: int
) -> ConstraintLines:
    """Constraints made from the data."""
    return policy.make(caches.data(reading), privacy, utility, seed=seed)


def read_rules(caches: WorkerCaches, report: Any, *, file: Path, holds: str) -> ConstraintLines:
    """The constraints in a file."""
    return policy.read(file, holds)


# runs


def describe_algorithms(caches: WorkerCaches, report: Any) -> dict[str, Any]:
    """The algorithms with everything that they declare."""
    return algorithms.run()


def suitable_algorithms(caches: WorkerCaches, report: Any, *, reading: Reading, k: int, m: int) -> tuple[Suitability, ...]:
    """What each algorithm is for, and why it is not for these data."""
    return suitability.suitabilities(caches.data(reading), k, m)


def three_settings(caches: WorkerCaches, report: Any, *, reading: Reading) -> tuple[NamedSetting, ...]:
    """Three settings for these data that are worth comparing."""
    return suitability.three_settings(caches.data(reading))


def warm_up(caches: WorkerCaches, report: Any) -> float:
    """Compile the kernels, once per installation; the seconds it took."""
    return warm.run(report).seconds


class RunReporter:
    """Reports the progress of a run by phase, and regularly the memory in use."""

    def __init__(self, report: Any) -> None:
        self._report, self._last = report, 0.0

    def __call__(self, phase: str) -> Progress:
        """The progress listener of a phase."""
        listen = self._report(phase)

        def report_progress(done: float) -> None:
            listen(done)
            if time.monotonic() - self._last > MEMORY_INTERVAL:
                self._last = time.monotonic()
                self.send(memory_mb=peak_mb())

        report_progress(0.0)
        return report_progress

    def send(self, **facts: Any) -> None:
        """Send facts about the run."""
        self._report.send(facts)


def make_release(caches: WorkerCaches, report: Any, *, request: RunRequest) -> dict[str, Any]:
    """Make a release, write it, verify the written files, and measure it."""
    phases = RunReporter(report)
    data = caches.data(request.reading, phases("Reading"))
    return _make(caches, phases, data, request, request.algorithm, request.parameters)


def recommend_release(caches: WorkerCaches, report: Any, *, request: RunRequest) -> dict[str, Any]:
    """Find the best algorithm and parameters within a time, make that release, and give the reasons."""
    phases = RunReporter(report)
    data = caches.data(request.reading, phases("Reading"))
    found = recommend.of_dataset(
        data,
        max_risk=request.max_risk,
        m=request.promise.m,
        seconds=request.seconds,
        progress=phases("Trying"),
        ends=request.ends,
    )
    result = _make(caches, phases, data, request, found.best.algorithm, dict(found.best.parameters))
    return result | {"remarks": [*found.reasons, *result["remarks"]], "parameters": dict(found.best.parameters)}


def _make(
    caches: WorkerCaches,
    phases: RunReporter,
    data: Dataset,
    run: RunRequest,
    algorithm: str | None,
    parameters: Mapping[str, Any],
) -> dict[str, Any]:
    constraints = write_policy(run, data, run.output.with_name("policy.toml"))
    choice = AlgorithmChoice(algorithm, parameters, constraints)
    if run.like is not None:
        choice = EarlierRules.read(run.like).choice(choice)
    request = anonymize.AnonymizeRequest(
        caches.source(run.reading),
        run.output,
        _with_seed(data, choice),
        format=run.format,
        overwrite=True,
        report=run.report,
        margins=run.margins,
        ends=run.ends,
        accepted=run.accepted,
        cover=Cover(**run.cover),
        earlier=run.earlier,
        like=run.like,
    )
    found = anonymize.run_on(data, request, phases, made=lambda *made: phases.send(**_first_measures(*made)))
    data, release, _ = load(run.output, data)
    measures = {id: value for id, value in found.measures.items() if isfinite(value)}
    measures |= _query_error(data, release)
    return {
        "algorithm": found.algorithm,
        "records": found.records,
        "holds": found.verdict.holds,
        "measures": measures,
        "guarantees": [promise_words(guarantee) for guarantee in release.guarantees],
        "remarks": [in_words(remark) for remark in found.remarks],
        "usefulness": [] if found.usefulness is None else list(found.usefulness.sentences),
        "digest": digest_of(run.output),
        "settled": {name: value for name, value in release.provenance.parameters.items() if isinstance(value, PLAIN_TYPES)},
    }


def _with_seed(data: Dataset, choice: AlgorithmChoice) -> AlgorithmChoice:
    """The same choice with a seed where the algorithm is random, so that every run can be made again."""
    draws = getattr(choose(data, choice).algorithm, "seed", 0) is None
    return replace(choice, parameters={**choice.parameters, "seed": randbits(SEED_BITS)}) if draws else choice


def _first_measures(data: Dataset, release: Release) -> dict[str, Any]:
    """Risk and loss of a release, for the map, before its files are written and checked."""
    losses = (["ncp"] if release.quasi else []) + (["ncp-items"] if release.items is not None else [])
    measures = measure.of_release(data, release, ["risk", *losses]) | _query_error(data, release)
    return {"measures": measures, "algorithm": release.provenance.algorithm}


def _query_error(data: Dataset, release: Release) -> dict[str, float]:
    error = float(counts_of(data, release).relative_errors().mean())
    return {"are": error} if isfinite(error) else {}


def counts_of(data: Dataset, release: Release) -> "QueryCounts":
    """The answers to random queries, the same for all runs of these data: in the original and in the release."""
    return measure.count_answers(data, release, workload.draw(data, "random", QUERIES), ESTIMATOR)


def write_policy(request: RunRequest, data: Dataset, file: Path) -> Path | None:
    """Write the constraints of the promise, if there are any; items in no group get a group of their own."""
    promise = request.promise
    if not promise.privacy and not promise.utility:
        return None
    privacy = Itemsets(promise.privacy) if promise.privacy else None
    policy.write(file, privacy, policy.utility_policy(data, promise.utility, promise.suppression))
    return file


def digest_of(folder: Path) -> str:
    """The hash of the published records."""
    records = next(path for path in sorted((folder / "published").iterdir()) if path.stem == "records")
    return hashlib.sha256(records.read_bytes()).hexdigest()


# inspection


def compare(caches: WorkerCaches, report: Any, *, reading: Reading, folder: Path, start: int, count: int) -> RecordComparison:
    """Records before and after, in the order of the input."""
    data, release = caches.release(reading, folder)
    found = inspection.pairs(data, release, range(start, min(start + count, len(data))))
    names = tuple(found[0].before) if found else ()
    before = tuple(fields(names, pair.before) for pair in found)
    after = tuple(None if pair.after is None else fields(names, pair.after) for pair in found)
    changed = tuple(
        () if right is None else tuple(f for f in left if right.get(f) != left[f])
        for left, right in zip(before, after, strict=True)
    )
    return RecordComparison(len(data), start, names, before, after, changed)


def fields(names: tuple[str, ...], record: Mapping[str, Any]) -> dict[str, Any]:
    """A record by the fields c0, c1, ..."""
    return {f"c{place}": record[name] for place, name in enumerate(names) if name in record}


def story(caches: WorkerCaches, report: Any, *, folder: Path, row: int | None) -> tuple[str, ...]:
    """How the release came about, or what happened to one record."""
    return explain.run(explain.ExplainRequest(folder, row))


def worst_queries(caches: WorkerCaches, report: Any, *, reading: Reading, folder: Path, count: int) -> tuple[WorstQuery, ...]:
    """The queries with the largest error."""
    found = counts_of(*caches.release(reading, folder)).worst(count)
    return tuple(WorstQuery(str(query), *(float(x) for x in figures)) for query, *figures in found)


def verify_release(caches: WorkerCaches, report: Any, *, reading: Reading, folder: Path) -> Verdict:
    """The verdict on the published files as they are now."""
    return verify.run(verify.VerifyRequest(folder, caches.source(reading)), report).verdict


def candidates(
    caches: WorkerCaches, report: Any, *, reading: Reading, folder: Path, values: dict[str, str], items: list[str]
) -> Candidates:
    """The records that fit what somebody knows, before and after."""
    if not values and not items:
        raise InputError("say something that somebody knows: a value or an item")
    data, release = caches.release(reading, folder)
    found = inspection.fitting(data, release, values, items)
    names = tuple(found.shown[0]) if found.shown else ()
    unknown = tuple(UnknownText(one.column, one.value, one.close) for one in found.unknown)
    return Candidates(found.before, found.after, names, tuple(fields(names, row) for row in found.shown), unknown)


def known_values(caches: WorkerCaches, report: Any, *, reading: Reading) -> tuple[ColumnChoices, ...]:
    """What a form offers for each column that could be known, and for the items."""
    found = inspection.known_values(caches.data(reading))
    return tuple(ColumnChoices(one.column, one.values, one.low, one.high) for one in found)


def attack_release(
    caches: WorkerCaches,
    report: Any,
    *,
    reading: Reading,
    folder: Path,
    m: int,
    attackers: int,
    seed: int,
    earlier: tuple[Path, ...],
    knows_algorithm: bool,
) -> dict[str, Any]:
    """The results of sampled attackers of every kind, with earlier releases and by running the algorithm again if asked."""
    data, release = caches.release(reading, folder)
    found = attack.of_release(data, release, m=m, attackers=attackers, seed=seed, progress=report("Attacking"))
    found = replace(found, earlier=compared_with(data, release, earlier, m=m, people=attackers, seed=seed))
    if knows_algorithm:
        found = replace(found, inversion=attack.of_algorithm(data, release, m=m, people=attackers, seed=seed))
    plain: dict[str, Any] = to_builtins(found)
    return plain


def compare_releases(
    caches: WorkerCaches,
    report: Any,
    *,
    reading: Reading,
    folder: Path,
    other: Path,
    measures: tuple[Mapping[str, float], Mapping[str, float]],
) -> tuple[tuple[Difference, ...], tuple[ExactCounts, ...], tuple[ExactCounts, ...], int]:
    """Of two releases: the measures with the better one, then what is exact in one alone: columns, items, how many items."""
    data, a = caches.release(reading, folder)
    _, b = caches.release(reading, other)
    items = inspection.items(data, a, b)
    differences = _measure_differences(*measures)
    return differences, tuple(inspection.columns(data, a, b)), tuple(items[:MOST_ITEMS]), len(items)


def _measure_differences(a: Mapping[str, float], b: Mapping[str, float]) -> tuple[Difference, ...]:
    both = [id for id in a if id in b]
    meanings = inspection.meanings(both)
    return tuple(
        Difference(id, a[id], b[id], cast(Any, inspection.better(id, a[id], b[id])), meanings.get(id, "")) for id in both
    )


def release_records(
    caches: WorkerCaches, report: Any, *, reading: Reading, folder: Path, other: Path, start: int, count: int
) -> ReleaseRecords:
    """Records before and in both releases, in the order of the input."""
    data, a = caches.release(reading, folder)
    _, b = caches.release(reading, other)
    rows = range(start, min(start + count, len(data)))
    pairs = [inspection.pairs(data, release, rows) for release in (a, b)]
    names = tuple(pairs[0][0].before) if pairs[0] else ()
    before = tuple(fields(names, pair.before) for pair in pairs[0])
    left, right = (tuple(None if p.after is None else fields(names, p.after) for p in side) for side in pairs)
    places = [f"c{place}" for place in range(len(names))]
    changed = tuple(tuple(f for f in places if (x or {}).get(f) != (y or {}).get(f)) for x, y in zip(left, right, strict=True))
    return ReleaseRecords(len(data), start, names, before, left, right, changed)


def count_beside(caches: WorkerCaches, report: Any, *, reading: Reading, folder: Path, condition: str) -> CountBeside:
    """How many records meet a condition: as the recipient can tell, and in truth."""
    return _counted(folder, condition, caches.data(reading))


def _counted(folder: Path, condition: str, original: Dataset | None = None) -> CountBeside:
    """The counts, or what is wrong with the condition: only who asked it is told, since it may quote values."""
    published = open_published(folder)
    try:
        found, exact, truth = count.beside(published, condition, original)
    except InputError as error:
        return CountBeside(condition, refused=str(error))
    figures = (len(published), found.low, found.high, found.estimate, found.standard_error, exact, truth)
    return CountBeside(condition, *figures, found.notes)


def check_file(
    caches: WorkerCaches, report: Any, *, reading: Reading, file: Path, promise: SetPromise, aligned: bool
) -> Verdict:
    """The verdict on a file of another tool, under the guarantee that fits the data."""
    data = caches.data(reading)
    has_items, has_columns = data.transactions is not None, bool(data.with_role("quasi"))
    values = {"k": promise.k} | ({"m": promise.m} if has_items else {})
    fitting = ("k-km" if has_columns else "km-anonymity") if has_items else "k-anonymity"
    guarantee = verify.Promise(promise.guarantee or fitting, values)
    return verify.run(verify.VerifyRequest(file, caches.source(reading), guarantee, aligned), report).verdict


# releases


def count_published(caches: WorkerCaches, report: Any, *, folder: Path, condition: str) -> CountBeside:
    """How many records meet a condition, from the published files alone."""
    return _counted(folder, condition)


def kit(caches: WorkerCaches, report: Any, *, request: RunRequest, name: str) -> dict[str, str]:
    """The files of a kit by name: the project file, the schema, scripts, constraints and hierarchies, but no data."""
    files = {PROJECT: project_file(request, name), SCHEMA: schema_toml(request), **scripts(request, name)}
    with TemporaryDirectory() as folder:
        if (policy := write_policy(request, caches.data(request.reading), Path(folder) / POLICY)) is not None:
            files[POLICY] = policy.read_text(encoding="utf-8")
        for column, name in hierarchy_files(request).items():
            file = Path(folder) / "tree.csv"
            hierarchy.write(caches.tree(request.reading, column).hierarchy(derived=False), file)
            files[name] = file.read_text(encoding="utf-8")
    return files


def project_file(request: RunRequest, name: str) -> str:
    """The decisions as a project file for `anonset run`."""
    settings = settings_of(request)
    roles = {role: settings.pop(role) for role in PROJECT_ROLES if role in settings}
    trees = settings.pop("hierarchies", {})
    sensitive = settings.pop("sensitive_items", ())
    made = ProjectFile(
        data={"path": name, **settings},
        roles=ProjectRoles(**roles, sensitive_items=sensitive),
        hierarchies=trees,
        promise=_project_promise(request, roles),
        run=(
            ProjectRun(
                output="release",
                algorithm=request.algorithm,
                parameters={n: v for n, v in request.parameters.items() if n not in ("k", "m")},
                policy=POLICY if request.promise.privacy or request.promise.utility else None,
                format=request.format,
                margins=request.margins,
                ends=request.ends,
                accept_exposure=request.accepted.exposure,
                accept_loss=request.accepted.loss,
                accept_repeats=request.accepted.repeats,
                accept_earlier=request.accepted.earlier,
                like=None if request.like is None else release_name(request.like),
            ),
        ),
    )
    return project_toml(made)


def _project_promise(request: RunRequest, roles: dict[str, Any]) -> ProjectPromise:
    given = dict(request.parameters)
    k, m = given.get("k", request.promise.k), given.get("m", request.promise.m)
    return ProjectPromise(k=int(k), m=int(m) if roles.get("items") else None)


# databases


def list_tables(caches: WorkerCaches, report: Any, *, address: str) -> tuple[TableFacts, ...]:
    """The tables of a database, with their columns."""
    with _hide_address(address):
        return tuple(TableFacts(name, tuple(columns)) for name, columns in intake.tables(address).items())


def fetch_table(caches: WorkerCaches, report: Any, *, address: str, settings: Mapping[str, Any], file: Path) -> None:
    """Copy a table, with its items, to a file."""
    with _hide_address(address):
        intake.fetch(address, settings, file, report("Reading"))


def write_table(caches: WorkerCaches, report: Any, *, reading: Reading, folder: Path, address: str, table: str) -> TableFacts:
    """Write a release into a new table; the table."""
    data, release = caches.release(reading, folder)
    with _hide_address(address):
        intake.write(data, release, folder, address, table)
        return TableFacts(table, tuple(intake.tables(address)[table]))


@contextmanager
def _hide_address(address: str) -> Iterator[None]:
    """Remove the address from errors."""
    try:
        yield
    except InputError as error:
        raise intake.without_address(error, address) from None


# dispatch


QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
PATHS = re.compile(r"(/[^\s:,;]+)+/([^\s:,;/]+)")

PLACES = {  # the fix that the workbench offers, by the setting it is about
    "key": "gather one record a person under Data",
    "accept_repeats": "insist on counting rows under Promise, Exceptions",
    "accept_exposure": "accept it under Promise, Exceptions",
    "accept_loss": "accept it under Promise, Exceptions",
    "identifier": "leave it out under Data",
    "population": "count the records under Promise",
    "sampling": "count the records under Promise",
    "other": "see Data",
    "quasi": "see Data",
    "item_hierarchy": "see Hierarchies",
    "sheet": "save the one you mean as a file of its own",
    "query": "read a view that casts it to text",
    "UtilityPolicy.completed": "let each be a group of its own",
    "Itemsets.among": "drop what cannot occur",
}


def create_server(niceness: int = 0) -> Serve:
    """The server of a worker process: a request in, a value or a refusal out; `niceness` lowers the process's priority.

    What it writes, only the owner of the store may open.
    """
    os.umask(0o077)
    if niceness and hasattr(os, "nice"):
        os.nice(niceness)

    caches = WorkerCaches()

    def serve(request: WorkerRequest, report: Reporter) -> Any:
        try:
            return VERBS[request.verb](caches, report, **request.arguments)
        except AnonsetError as error:
            return Refused(type(error).__name__, without_data(in_words(error), request.names))

    return serve


def without_data(text: str, names: frozenset[str]) -> str:
    """The text of an error without paths and without values of the data: quotation marks keep known names only."""
    plain = PATHS.sub(r"\2", text)
    return QUOTED.sub(lambda found: found[0] if found[0][1:-1] in names else "…", plain)


def in_words(text: str | AnonsetError) -> str:
    """A sentence or an error with the places of the workbench instead of settings."""
    return render(text, _place)


def _place(fix: Fix) -> str:
    """The place of a fix in the workbench, or the fix itself."""
    known = (PLACES[setting.name] for setting in fix.settings if setting.name in PLACES)
    return next(known, str(fix))


VERBS: dict[str, Callable[..., Any]] = {
    "data.take_in": take_in,
    "data.profile": profile_data,
    "hierarchies.tree": tree,
    "hierarchies.find": find,
    "hierarchies.preview": preview,
    "hierarchies.export": export,
    "hierarchies.check": check_tree,
    "hierarchies.cut": cut,
    "promise.remarks": remarks,
    "promise.supports": supports,
    "promise.find_items": find_items,
    "promise.describe_rules": describe_rules,
    "promise.make_rules": make_rules,
    "promise.read_rules": read_rules,
    "runs.algorithms": describe_algorithms,
    "runs.warm_up": warm_up,
    "runs.suitable": suitable_algorithms,
    "runs.three": three_settings,
    "runs.make": make_release,
    "runs.recommend": recommend_release,
    "inspection.compare": compare,
    "inspection.story": story,
    "inspection.worst_queries": worst_queries,
    "inspection.verify": verify_release,
    "inspection.candidates": candidates,
    "inspection.known_values": known_values,
    "inspection.attack": attack_release,
    "inspection.compare_releases": compare_releases,
    "inspection.release_records": release_records,
    "inspection.count": count_beside,
    "inspection.check_file": check_file,
    "releases.count": count_published,
    "releases.kit": kit,
    "databases.tables": list_tables,
    "databases.fetch": fetch_table,
    "databases.write": write_table,
}
