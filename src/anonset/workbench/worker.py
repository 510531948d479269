"""What worker processes do for the workbench: read data, look at them, run, inspect, compare; the server itself
computes nothing.
"""

import hashlib
import json
import os
import re
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from math import isfinite
from pathlib import Path
from secrets import randbits
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast

from anonset.errors import AnonsetError, Fix, InputError, render
from anonset.jobs import Reporter, Serve, peak_mb
from anonset.model.accepted import Accepted
from anonset.model.builders import Material
from anonset.model.dataset import Dataset
from anonset.model.guarantees import promise_words
from anonset.model.hierarchy import Hierarchy
from anonset.model.labels import GeneralizedItems
from anonset.model.policy import Itemsets
from anonset.model.progress import Progress, silent
from anonset.model.release import Release
from anonset.tasks import (
    algorithms,
    anonymize,
    attack,
    explain,
    hierarchy,
    intake,
    measure,
    policy,
    profile,
    recommend,
    risk_map,
    side_by_side,
    verify,
    warm,
    workload,
)
from anonset.tasks.algorithms import AlgorithmChoice, choose
from anonset.tasks.inputs import Input, load
from anonset.tasks.project import ProjectFile, ProjectPromise, ProjectRoles, ProjectRun, project_toml
from anonset.workbench.bundles import POLICY, PROJECT, SCHEMA, hierarchy_files, schema_toml, script, settings_of
from anonset.workbench.databases import TableFacts
from anonset.workbench.hierarchies import EditedTree
from anonset.workbench.journal import SetPromise
from anonset.workbench.values import (
    Beside,
    Candidates,
    Difference,
    Exposure,
    Finding,
    Kept,
    Move,
    Point,
    Preview,
    Problem,
    Remark,
    RuleFacts,
    Rules,
    Threefold,
    Tree,
    Verdict,
    WorstQuery,
)
from anonset.workbench.worker_requests import ITEMS, Order, Reading

if TYPE_CHECKING:
    from anonset.measure.workload import QueryCounts


KEPT = 3


class RecentValues:
    """The last few values that took long to make."""

    def __init__(self, most: int = KEPT) -> None:
        self._most, self._values = most, OrderedDict[str, Any]()

    def get(self, key: str, make: Callable[[], Any]) -> Any:
        """The value of a key, made where it is not at hand."""
        if key not in self._values:
            self._values[key] = make()
        self._values.move_to_end(key)
        while len(self._values) > self._most:
            self._values.popitem(last=False)
        return self._values[key]


class WorkerCaches:
    """Everything a worker keeps at hand."""

    def __init__(self) -> None:
        self._data, self._trees, self._releases = RecentValues(), RecentValues(), RecentValues()

    def data(self, reading: Reading, progress: Progress = silent) -> Dataset:
        """The dataset, with its hierarchies."""
        found: Dataset = self._data.get(reading.key, lambda: self.source(reading).read(progress))
        return found

    def source(self, reading: Reading) -> Input:
        """The input of tasks: hierarchies that were changed are written to files of the project."""
        given = {column: self._given(reading, column) for column in reading.hierarchies}
        settings = dict(reading.settings) | ({"hierarchies": given} if given else {})
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
        """What a hierarchy of a column is built from."""
        return hierarchy.material(self.data(reading.bare()), None if column == ITEMS else column)

    def tree(self, reading: Reading, column: str) -> EditedTree:
        """The tree of a column as it was changed."""
        choice = reading.hierarchies[column]
        key = repr((reading.bare().key, column, choice))

        def make() -> EditedTree:
            found = self.material(reading, column)
            return EditedTree(self._begun(reading, column, found), found, choice.edits)

        made: EditedTree = self._trees.get(key, make)
        return made

    def _begun(self, reading: Reading, column: str, found: Material) -> Hierarchy:
        choice = reading.hierarchies[column]
        if choice.upload is not None:
            return hierarchy.run_show(upload_path(reading.folder, choice.upload))
        return hierarchy.of_values(choice.how or "balanced:5", found)

    def release(self, reading: Reading, folder: Path) -> tuple[Dataset, Release]:
        """The original and the release in a folder of this project."""
        data = self.data(reading)
        made: Release = self._releases.get(str(folder), lambda: load(folder, data).require_rows().release)
        return data, made


def upload_path(folder: Path, upload: str | None) -> Path:
    """Where an uploaded hierarchy lies: ids are ours, and no name of a user reaches the file system."""
    found = sorted((folder / "uploads").glob(f"{upload}.*"))
    return found[0] if upload and upload.isalnum() and found else folder / "uploads" / "missing.csv"


NAMED = 20  # values that are named where many are meant


def take_in(desk: WorkerCaches, report: Any, *, file: Path, name: str, copy: Path, sheet: str | None = None) -> dict[str, Any]:
    """What an upload is, with all its problems."""
    found = intake.run(intake.IntakeRequest(file, name, copy, sheet), report)
    problems = [
        Problem("error" if complaint.stops else "warning", complaint.text, complaint.line, complaint.column)
        for complaint in found.complaints
    ]
    return {
        "format": found.format,
        "sha256": found.sha256,
        "suffix": found.suffix,
        "rows": found.rows,
        "columns": list(found.columns),
        "problems": [asdict(problem) for problem in problems[: intake.LISTED]],
        "problem_count": len(problems),
        "guess": {fate.column: [fate.role, fate.kind, fate.reason] for fate in found.fates},
        "reading": dict(found.reading),
        "sheets": list(found.sheets),
    }


def look(desk: WorkerCaches, report: Any, *, reading: Reading) -> dict[str, Any]:
    """The profile of the data under their roles."""
    found = profile.run(desk.data(reading, report("Reading")), report)
    unique = found.unique
    exposure = Exposure(found.records, unique.quasi, unique.items, unique.both)
    columns = [dict(column) for column in found.columns]
    return {"columns": columns, "items": found.items, "exposure": asdict(exposure), "gathered": found.gathered}


def tree(
    desk: WorkerCaches, report: Any, *, reading: Reading, column: str, opened: list[int], start: int, count: int, cut: list[str]
) -> Tree:
    """The visible rows of a hierarchy."""
    found = desk.tree(reading, column)
    total, rows = found.rows(opened or [found.root], start, count, frozenset(cut))
    missing = found.missing()
    leaves = sum(1 for v in range(found.first_leaves) if found.parent[v] != -2)
    nodes = sum(1 for p in found.parent if p != -2)
    return Tree(column, nodes, leaves, tuple(missing[:NAMED]), len(missing), total, start, rows)


def find(desk: WorkerCaches, report: Any, *, reading: Reading, column: str, text: str) -> list[list[int]]:
    """The ways from the root to nodes whose label holds a text."""
    found = desk.tree(reading, column)
    wanted, ways = text.casefold(), []
    for node, label in enumerate(found.labels):
        if found.parent[node] != -2 and wanted in label.casefold():
            way = [node]
            while found.parent[way[-1]] >= 0:
                way.append(found.parent[way[-1]])
            ways.append(way[::-1])
            if len(ways) == NAMED:
                break
    return ways


def preview(desk: WorkerCaches, report: Any, *, reading: Reading, column: str, upload: str, name: str) -> Preview:
    """What an uploaded hierarchy would change."""
    file = upload_path(reading.folder, upload)
    problems = tuple(
        problem.replace(f"{file}", "the file") for problem in hierarchy.run_check(hierarchy.HierarchyCheckRequest(file))
    )
    if problems:
        return Preview(upload, name, 0, 0, problems[:NAMED], (), 0, (), 0)
    new, found = hierarchy.run_show(file), desk.material(reading, column)
    leaves = set(new.leaves)
    missing = [value for value, n in zip(found.domain, found.supports.tolist(), strict=True) if n and value not in leaves]
    moves: list[Move] = []
    if column in reading.hierarchies:
        old = desk.tree(reading, column).hierarchy(derived=True)
        above_now = {label: old.labels[old.parent[v]] for v, label in enumerate(old.leaves) if old.parent[v] >= 0}
        above_then = {label: new.labels[new.parent[v]] for v, label in enumerate(new.leaves) if new.parent[v] >= 0}
        both = ((label, above_now[label], group) for label, group in above_then.items() if label in above_now)
        moves = [Move(*move) for move in both if move[1] != move[2]]
    parts = (tuple(missing[:NAMED]), len(missing), tuple(moves[:NAMED]), len(moves))
    return Preview(upload, name, new.n_leaves, len(new), (), *parts)


def export(desk: WorkerCaches, report: Any, *, reading: Reading, column: str, file: Path) -> None:
    """Write the tree of a column to a file."""
    hierarchy.write(desk.tree(reading, column).hierarchy(derived=False), file)


def check_edit(desk: WorkerCaches, report: Any, *, reading: Reading, column: str) -> int:
    """Raise where the changes to a tree cannot be made; how many nodes it has."""
    return len(desk.tree(reading, column).hierarchy(derived=True))


def supports(desk: WorkerCaches, report: Any, *, reading: Reading, itemsets: list[list[str]]) -> list[int]:
    """How many people hold all items of each set."""
    from anonset.tasks import side_by_side

    return side_by_side.holders(desk.data(reading.bare()), itemsets)


def items(desk: WorkerCaches, report: Any, *, reading: Reading, text: str, count: int) -> list[list[Any]]:
    """Items whose name holds a text, the most frequent first, with their numbers of people."""
    found = desk.material(reading, "items")
    wanted = text.casefold()
    pairs = [(n, name) for name, n in zip(found.domain, found.supports.tolist(), strict=True) if wanted in name.casefold()]
    return [[name, n] for n, name in sorted(pairs, key=lambda pair: (-pair[0], pair[1]))[:count]]


def described(desk: WorkerCaches, report: Any) -> dict[str, Any]:
    """What every algorithm declares."""
    return algorithms.run()


def tables(desk: WorkerCaches, report: Any, *, address: str) -> tuple[TableFacts, ...]:
    """The tables of a database, with their columns."""
    with _without(address):
        return tuple(TableFacts(name, tuple(columns)) for name, columns in intake.tables(address).items())


def fetch(desk: WorkerCaches, report: Any, *, address: str, settings: Mapping[str, Any], file: Path) -> None:
    """Copy a table, with its items, to a file."""
    with _without(address):
        intake.fetch(address, settings, file, report("Reading"))


def write_table(desk: WorkerCaches, report: Any, *, reading: Reading, folder: Path, address: str, table: str) -> TableFacts:
    """Write a release into a new table; its name and columns."""
    data, release = desk.release(reading, folder)
    with _without(address):
        intake.write(data, release, folder, address, table)
        return TableFacts(table, tuple(intake.tables(address)[table]))


@contextmanager
def _without(address: str) -> Iterator[None]:
    """Errors without the address in them."""
    try:
        yield
    except InputError as error:
        raise intake.without_address(error, address) from None


QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
PATHS = re.compile(r"(/[^\s:,;]+)+/([^\s:,;/]+)")

PLACES = {  # the fix that the workbench offers, by the setting it is about
    "key": "gather one record a person under Data",
    "accept_repeats": "insist on counting rows under Promise, Exceptions",
    "accept_exposure": "accept it under Promise, Exceptions",
    "accept_loss": "accept it under Promise, Exceptions",
    "identifier": "leave it out under Data",
    "other": "see Data",
    "quasi": "see Data",
    "item_hierarchy": "see Hierarchies",
    "sheet": "save the one you mean as a file of its own",
    "query": "read a view that casts it to text",
    "UtilityPolicy.completed": "let each be a group of its own",
    "Itemsets.among": "drop what cannot occur",
}


@dataclass(frozen=True, slots=True)
class Refused:
    """A deliberate error, as it travels between processes."""

    error: str
    text: str


def make(less: int = 0) -> Serve:
    """A worker's server: a verb with its arguments in, a value or a refusal out. What it needs is loaded in the worker only.

    Its process takes less of the machine than others, by so many steps of `nice`.
    """
    if less and hasattr(os, "nice"):
        os.nice(less)

    desk = WorkerCaches()

    def serve(request: tuple[str, dict[str, Any], frozenset[str]], report: Reporter) -> Any:
        verb, arguments, names = request
        try:
            return VERBS[verb](desk, report, **arguments)
        except AnonsetError as error:
            return Refused(type(error).__name__, told(in_words(error), names))

    return serve


def told(text: str, names: frozenset[str]) -> str:
    """What an error says without our paths, and without values of the data: only known names stay in quotation marks."""
    plain = PATHS.sub(r"\2", text)
    return QUOTED.sub(lambda found: found[0] if found[0][1:-1] in names else "…", plain)


def in_words(text: str | AnonsetError) -> str:
    """A sentence or an error with the places of the workbench instead of settings."""
    return render(text, _place)


def _place(fix: Fix) -> str:
    """What to do in the workbench."""
    known = (PLACES[setting.name] for setting in fix.settings if setting.name in PLACES)
    return next(known, str(fix))


def remarks(
    desk: WorkerCaches,
    report: Any,
    *,
    reading: Reading,
    promise: SetPromise,
    accepted: tuple[str, ...] = (),
    repeats: bool = False,
) -> tuple[Remark, ...]:
    """What speaks against the promise on these data, before a run finds out."""
    data = desk.data(reading)
    found = []
    if promise.k > len(data):
        found.append(Remark("infeasible", f"there are {len(data):,} {data.unit}, and k is {promise.k:,}"))
    impossible, refused = policy.foreseen(data, promise.k, promise.l, accepted)
    found += [Remark("infeasible", text) for text in impossible]
    found += [Remark("warning", f"{text}; leave it out under Data, or accept it below") for text in refused]
    if tied := policy.repeats(data, Accepted(accepted, repeats=repeats)):
        found.append(Remark("warning", f"would be refused: {tied}; gather one record a person under Data, or accept it below"))
    found += _sensible(data, promise)
    if data.transactions is not None and (promise.privacy or promise.utility):
        privacy = Itemsets(promise.privacy) if promise.privacy else None
        utility = policy.utility_policy(data, promise.utility, promise.suppression)
        told = policy.of_dataset(data, privacy, utility, k=promise.k, m=promise.m)
        found += [Remark(remark.level, in_words(remark.text)) for remark in told]
    return tuple(found)


def _sensible(data: Dataset, promise: SetPromise) -> list[Remark]:
    if not data.with_role("quasi") and data.transactions is None:
        return [Remark("warning", "no column could be known, so nothing is protected; see Data")]
    names = [column.name for column in data.with_role("sensitive")]
    if names and promise.l is None:
        text = f"people who look alike may all have the same {names[0]}; say above how many different answers there must be"
        return [Remark("note", text)]
    return []


def look_at_rules(desk: WorkerCaches, report: Any, *, reading: Reading, lines: list[tuple[str, ...]]) -> tuple[RuleFacts, ...]:
    """What each line of items is about."""
    return tuple(RuleFacts(**asdict(facts)) for facts in policy.look(desk.data(reading), lines))


def make_rules(
    desk: WorkerCaches, report: Any, *, reading: Reading, privacy: str | None, utility: str | None, seed: int
) -> Rules:
    """Constraints made from the data."""
    return Rules(**asdict(policy.make(desk.data(reading), privacy, utility, seed=seed)))


def read_rules(desk: WorkerCaches, report: Any, *, file: Path, holds: str) -> Rules:
    """The constraints in a file."""
    return Rules(**asdict(policy.read(file, holds)))


QUERIES = {"n": 200, "seed": 0}
ESTIMATOR = "uniform"  # as `recommend` counts: one table shows the runs of both
PLAIN = (bool, int, float, str)
SEED_BITS = 53  # nobody tries them all, and every language reads them as they are
TELL_MEMORY = 0.5  # seconds


class Watched:
    """Phases that also say, now and then, how much memory is in use."""

    def __init__(self, report: Any) -> None:
        self._report, self._last = report, 0.0

    def __call__(self, phase: str) -> Progress:
        """The listener of a phase."""
        listen = self._report(phase)

        def heard(done: float) -> None:
            listen(done)
            if time.monotonic() - self._last > TELL_MEMORY:
                self._last = time.monotonic()
                self.say(memory_mb=peak_mb())

        heard(0.0)
        return heard

    def say(self, **facts: Any) -> None:
        """Tell facts about a run that is at work."""
        self._report.say(facts)


def make_release(desk: WorkerCaches, report: Any, *, order: Order) -> dict[str, Any]:
    """Make a release, write it, check what was written, and measure it."""
    phases = Watched(report)
    data = desk.data(order.reading, phases("Reading"))
    return _made(desk, phases, data, order, order.algorithm, order.parameters)


def advise(desk: WorkerCaches, report: Any, *, order: Order) -> dict[str, Any]:
    """Try what fits in the time, make the best of it, and say why."""
    phases = Watched(report)
    data = desk.data(order.reading, phases("Reading"))
    found = recommend.of_dataset(
        data,
        max_risk=order.max_risk,
        m=order.promise.m,
        seconds=order.seconds,
        progress=phases("Trying"),
        ends=order.ends,
    )
    result = _made(desk, phases, data, order, found.best.algorithm, dict(found.best.parameters))
    return result | {"remarks": [*found.reasons, *result["remarks"]], "parameters": dict(found.best.parameters)}


def _made(
    desk: WorkerCaches, phases: Watched, data: Dataset, order: Order, algorithm: str | None, parameters: Mapping[str, Any]
) -> dict[str, Any]:
    request = anonymize.AnonymizeRequest(
        desk.source(order.reading),
        order.output,
        _repeatable(
            data, AlgorithmChoice(algorithm, parameters, write_policy(order, data, order.output.with_name("policy.toml")))
        ),
        format=order.format,
        overwrite=True,
        report=order.report,
        margins=order.margins,
        ends=order.ends,
        accepted=Accepted(order.exposure, order.loss, order.repeats),
        command=order.command,
    )
    found = anonymize.run_on(data, request, phases, made=lambda release: phases.say(**_at_once(data, release)))
    release = load(order.output, data).release
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
        "digest": digest_of(order.output),
        "settled": {name: value for name, value in release.provenance.parameters.items() if isinstance(value, PLAIN)},
    }


def _repeatable(data: Dataset, wanted: AlgorithmChoice) -> AlgorithmChoice:
    """The same, with a seed where the algorithm draws lots: whatever is made here can be made again."""
    draws = getattr(choose(data, wanted).algorithm, "seed", 0) is None
    return replace(wanted, parameters={**wanted.parameters, "seed": randbits(SEED_BITS)}) if draws else wanted


def _at_once(data: Dataset, release: Release) -> dict[str, Any]:
    """Risk and loss as soon as there is a release, for a map to be drawn before the files are written and checked."""
    losses = (["ncp"] if release.quasi else []) + (["ncp-items"] if release.items is not None else [])
    measures = measure.of_release(data, release, ["risk", *losses]) | _query_error(data, release)
    return {"measures": measures, "algorithm": release.provenance.algorithm}


def _query_error(data: Dataset, release: Release) -> dict[str, float]:
    error = float(counts_of(data, release).relative_errors().mean())
    return {"are": error} if isfinite(error) else {}


def counts_of(data: Dataset, release: Release) -> "QueryCounts":
    """What the same random queries count in every run of these data, really and by the release."""
    return measure.count_answers(data, release, workload.draw(data, "random", QUERIES), ESTIMATOR)


def warm_up(desk: WorkerCaches, report: Any) -> float:
    """Compile what is compiled once an installation; the seconds it took."""
    return warm.run(report).seconds


def write_policy(order: Order, data: Dataset, file: Path) -> Path | None:
    """Write the constraints, where there are some; items in no group of theirs stay on their own."""
    promise = order.promise
    if not promise.privacy and not promise.utility:
        return None
    privacy = Itemsets(promise.privacy) if promise.privacy else None
    policy.write(file, privacy, policy.utility_policy(data, promise.utility, promise.suppression))
    return file


def digest_of(folder: Path) -> str:
    """The hash of the published records."""
    records = next(path for path in sorted((folder / "published").iterdir()) if path.stem == "records")
    return hashlib.sha256(records.read_bytes()).hexdigest()


def points(desk: WorkerCaches, report: Any, *, runs: list[Mapping[str, Any]], loss: str, max_risk: float) -> tuple[Point, ...]:
    """The map of runs."""
    found = risk_map.run(runs, loss, str(max_risk))
    return tuple(
        Point(key, p.series, p.label, p.utility, p.risk, p.loss, p.on_frontier, p == found.knee, p == found.best)
        for key, p in zip(found.keys, found.points, strict=True)
    )


def compare(desk: WorkerCaches, report: Any, *, reading: Reading, folder: Path, start: int, count: int) -> Beside:
    """Records before and after, in the order of the input."""
    data, release = desk.release(reading, folder)
    found = side_by_side.pairs(data, release, range(start, min(start + count, len(data))))
    names = tuple(found[0].before) if found else ()
    before = tuple(fields(names, pair.before) for pair in found)
    after = tuple(None if pair.after is None else fields(names, pair.after) for pair in found)
    changed = tuple(
        () if right is None else tuple(f for f in left if right.get(f) != left[f])
        for left, right in zip(before, after, strict=True)
    )
    return Beside(len(data), start, names, before, after, changed)


def fields(names: tuple[str, ...], record: Mapping[str, Any]) -> dict[str, Any]:
    """A record by the fields c0, c1, ..."""
    return {f"c{place}": record[name] for place, name in enumerate(names) if name in record}


def story(desk: WorkerCaches, report: Any, *, folder: Path, row: int | None) -> tuple[str, ...]:
    """Why the release is as it is, or the way of one record."""
    return explain.run(explain.ExplainRequest(folder, row))


def worst(desk: WorkerCaches, report: Any, *, reading: Reading, folder: Path, count: int) -> tuple[WorstQuery, ...]:
    """The counts that come out worst."""
    found = counts_of(*desk.release(reading, folder)).worst(count)
    return tuple(WorstQuery(str(query), *(float(x) for x in figures)) for query, *figures in found)


def check(desk: WorkerCaches, report: Any, *, reading: Reading, folder: Path) -> Verdict:
    """What the check of the published files finds, now."""
    request = verify.VerifyRequest(folder, desk.source(reading))
    return told_verdict(verify.run(request, report).verdict)


def told_verdict(found: Any) -> Verdict:
    """A verdict as it is told."""
    return Verdict(
        found.holds,
        tuple(
            Finding(f.guarantee, f.holds and f.checked, f.violations, f.worst or f.state, f.witnesses) for f in found.findings
        ),
    )


def candidates(
    desk: WorkerCaches, report: Any, *, reading: Reading, folder: Path, values: dict[str, str], items: list[str]
) -> Candidates:
    """Who fits what somebody knows, before and after."""
    if not values and not items:
        raise InputError("say something that somebody knows: a value or an item")
    data, release = desk.release(reading, folder)
    found = side_by_side.fitting(data, release, values, items)
    names = tuple(found.shown[0]) if found.shown else ()
    shown = tuple({f"c{i}": row[name] for i, name in enumerate(names)} for row in found.shown)
    return Candidates(found.before, found.after, names, shown)


def lab(
    desk: WorkerCaches, report: Any, *, reading: Reading, folder: Path, m: int, attackers: int, seed: int
) -> dict[str, Any]:
    """What sampled attackers of every kind find."""
    data, release = desk.release(reading, folder)
    found = attack.of_release(data, release, m=m, attackers=attackers, seed=seed, progress=report("Attacking"))
    return found.to_json()


def cut(desk: WorkerCaches, report: Any, *, reading: Reading, folder: Path, column: str) -> list[str]:
    """The labels of a hierarchy that the release shows."""
    _, release = desk.release(reading, folder)
    if column == "items":
        texts = release.items.labels.texts if isinstance(release.items, GeneralizedItems) else ()
    else:
        texts = next((c.labels.texts for c in release.columns if c.name == column and hasattr(c.labels, "texts")), ())
    return list(texts)


def check_file(desk: WorkerCaches, report: Any, *, reading: Reading, file: Path, promise: SetPromise, aligned: bool) -> Verdict:
    """What the check of a file finds, under the promise that fits the data: of their columns, their items, or both."""
    data = desk.data(reading)
    has_items, has_columns = data.transactions is not None, bool(data.with_role("quasi"))
    values = {"k": promise.k} | ({"m": promise.m} if has_items else {})
    fitting = ("k-km" if has_columns else "km-anonymity") if has_items else "k-anonymity"
    wanted = verify.Promise(promise.guarantee or fitting, values)
    return told_verdict(verify.run(verify.VerifyRequest(file, desk.source(reading), wanted, aligned), report).verdict)


MOST_NAMED = 100  # items that are listed


def kept(
    desk: WorkerCaches, report: Any, *, reading: Reading, folder: Path, other: Path
) -> tuple[tuple[Kept, ...], tuple[Kept, ...], int]:
    """What is exact in one release and not in the other: columns, items, and how many items that are."""
    data, a = desk.release(reading, folder)
    _, b = desk.release(reading, other)
    columns, items = side_by_side.columns(data, a, b), side_by_side.items(data, a, b)
    return tuple(Kept(**asdict(c)) for c in columns), tuple(Kept(**asdict(i)) for i in items[:MOST_NAMED]), len(items)


def records(
    desk: WorkerCaches, report: Any, *, reading: Reading, folder: Path, other: Path, start: int, count: int
) -> Threefold:
    """Records before and in both releases, in the order of the input."""
    data, a = desk.release(reading, folder)
    _, b = desk.release(reading, other)
    rows = range(start, min(start + count, len(data)))
    pairs = [side_by_side.pairs(data, release, rows) for release in (a, b)]
    names = tuple(pairs[0][0].before) if pairs[0] else ()
    before = tuple(fields(names, pair.before) for pair in pairs[0])
    left, right = (tuple(None if p.after is None else fields(names, p.after) for p in side) for side in pairs)
    places = [f"c{place}" for place in range(len(names))]
    changed = tuple(tuple(f for f in places if (x or {}).get(f) != (y or {}).get(f)) for x, y in zip(left, right, strict=True))
    return Threefold(len(data), start, names, before, left, right, changed)


def measures(desk: WorkerCaches, report: Any, *, a: Mapping[str, float], b: Mapping[str, float]) -> tuple[Difference, ...]:
    """The measures of both, with the better one."""
    both = [id for id in a if id in b]
    meanings = side_by_side.meanings(both)
    return tuple(
        Difference(id, a[id], b[id], cast(Any, side_by_side.better(id, a[id], b[id])), meanings.get(id, "")) for id in both
    )


ROLES = ("identifier", "quasi", "sensitive", "other", "items")


def kit(desk: WorkerCaches, report: Any, *, order: Order, name: str) -> dict[str, str]:
    """The files of a kit, by name: the project file, the schema, scripts, constraints and hierarchies. No data are in it."""
    files = {PROJECT: project_file(order, name), SCHEMA: schema_toml(order), **script(order, name)}
    with TemporaryDirectory() as folder:
        if (policy := write_policy(order, desk.data(order.reading), Path(folder) / POLICY)) is not None:
            files[POLICY] = policy.read_text(encoding="utf-8")
        for column, name in hierarchy_files(order).items():
            file = Path(folder) / "tree.csv"
            hierarchy.write(desk.tree(order.reading, column).hierarchy(derived=False), file)
            files[name] = file.read_text(encoding="utf-8")
    return files


def project_file(order: Order, name: str) -> str:
    """The decisions as the file that `anonset run` does."""
    settings = settings_of(order)
    roles = {role: settings.pop(role) for role in ROLES if role in settings}
    trees = settings.pop("hierarchies", {})
    sensitive = settings.pop("sensitive_items", ())
    made = ProjectFile(
        data={"path": name, **settings},
        roles=ProjectRoles(**roles, sensitive_items=sensitive),
        hierarchies=trees,
        promise=_promised(order, roles),
        run=(
            ProjectRun(
                output="release",
                algorithm=order.algorithm,
                parameters={n: v for n, v in order.parameters.items() if n not in ("k", "m")},
                policy=POLICY if order.promise.privacy or order.promise.utility else None,
                format=order.format,
                margins=order.margins,
                ends=order.ends,
                accept_exposure=order.exposure,
                accept_loss=order.loss,
                accept_repeats=order.repeats,
            ),
        ),
    )
    return project_toml(made)


def _promised(order: Order, roles: dict[str, Any]) -> ProjectPromise:
    given = dict(order.parameters)
    k, m = given.get("k", order.promise.k), given.get("m", order.promise.m)
    return ProjectPromise(k=int(k), m=int(m) if roles.get("items") else None)


VERBS: dict[str, Callable[..., Any]] = {
    "take_in": take_in,
    "look": look,
    "tree": tree,
    "find": find,
    "preview": preview,
    "export": export,
    "check_edit": check_edit,
    "remarks": remarks,
    "look_at_rules": look_at_rules,
    "make_rules": make_rules,
    "read_rules": read_rules,
    "supports": supports,
    "items": items,
    "described": described,
    "warm_up": warm_up,
    "make": make_release,
    "advise": advise,
    "points": points,
    "compare": compare,
    "story": story,
    "worst": worst,
    "check": check,
    "check_file": check_file,
    "candidates": candidates,
    "lab": lab,
    "cut": cut,
    "tables": tables,
    "fetch": fetch,
    "write_table": write_table,
    "kept": kept,
    "records": records,
    "measures": measures,
    "kit": kit,
}
