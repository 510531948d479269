"""The Python interface: read, look, anonymize, ask, hand out."""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from html import escape
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from anonset.errors import InputError, ParameterError
from anonset.model.dataset import Dataset
from anonset.model.guarantees import Guarantee
from anonset.model.hierarchy import Hierarchy
from anonset.model.progress import Progress, silent
from anonset.model.release import Accepted, Cover
from anonset.model.release import Release as PlainRelease
from anonset.model.schema import Schema
from anonset.model.verdict import Verdict
from anonset.tasks import anonymize as anonymizing
from anonset.tasks import anonymize_large, frames, inputs, views
from anonset.tasks import attack as attacking
from anonset.tasks import compare as comparing
from anonset.tasks import explain as explaining
from anonset.tasks import hierarchy as hierarchies
from anonset.tasks import measure as measuring
from anonset.tasks import profile as profiling
from anonset.tasks import query as querying
from anonset.tasks import recommend as recommending
from anonset.tasks import report as reporting
from anonset.tasks import verify as verifying
from anonset.tasks import workload as drawing
from anonset.tasks.algorithms import AlgorithmChoice
from anonset.tasks.inputs import Input, Pieces
from anonset.tasks.project import ProjectRequest, ProjectResult, run

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from anonset.attacks import AttackResult
    from anonset.measure.uncertain import Answer
    from anonset.measure.usefulness import Usefulness
    from anonset.measure.workload import QueryCounts, Workload
    from anonset.model.builders import Material
    from anonset.releases.publish import Published
    from anonset.report.svg import Drawing
    from anonset.study.recommendation import Recommendation


Listener = Progress | Literal["bar"] | bool  # who hears of progress: a function of the share done, or a bar


@contextmanager
def listening(listener: Listener, title: str) -> Iterator[Progress]:
    """The listener as a function: what was given, a bar where one is asked for, or nobody."""
    if callable(listener):
        yield listener
    elif not listener:
        yield silent
    else:
        with _notebook_bar(title) if in_notebook() else _terminal_bar(title) as bar:
            yield bar


def in_notebook() -> bool:
    """Whether this runs in a kernel whose output is HTML."""
    module: Any = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None else None
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


@contextmanager
def _notebook_bar(title: str) -> Iterator[Progress]:
    shown_by: Any = import_module("IPython.display")

    handle = shown_by.display(shown_by.HTML(bar_html(title, 0)), display_id=True)
    shown = 0

    def update(done: float) -> None:
        nonlocal shown
        if int(100 * done) != shown:
            shown = int(100 * done)
            handle.update(shown_by.HTML(bar_html(title, shown)))

    try:
        yield update
    finally:
        handle.update(shown_by.HTML(""))


def bar_html(title: str, percent: int) -> str:
    """A bar as HTML has it."""
    name = escape(title)
    return f'<label>{name} <progress max="100" value="{percent}" aria-label="{name}">{percent} %</progress> {percent} %</label>'


@contextmanager
def _terminal_bar(title: str) -> Iterator[Progress]:
    if not sys.stderr.isatty():
        yield silent
        return
    from rich.console import Console
    from rich.progress import Progress as Bars

    with Bars(console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task(title, total=1.0)
        yield lambda done: bars.update(bar, completed=done)


Names = Sequence[str] | str


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class Release(PlainRelease):
    """A release beside the original it was made of: it can be verified, measured, looked at, written and handed out.

    `aligned` tells whether the rows behind its records are known; without them nobody can tell whether its values are true.
    """

    original: Dataset
    aligned: bool = True
    _own: dict[str, Verdict] = field(default_factory=dict, init=False)  # the verdict on itself, once it is known

    @classmethod
    def of(cls, original: Dataset, release: PlainRelease, *, aligned: bool = True) -> "Release":
        """A release together with its original."""
        parts = {f.name: getattr(release, f.name) for f in fields(PlainRelease)}
        return cls(**parts, original=original, aligned=aligned)

    def verify(
        self, guarantees: Sequence[Guarantee] | None = None, *, accept_repeats: bool = False, progress: Listener = silent
    ) -> Verdict:
        """What the independent check finds: of the release's own guarantees, or of the given ones.

        People are counted where a column tells whose record is whose; `accept_repeats` counts records all the same.
        """
        name = "records" if accept_repeats else "verdict"
        if guarantees is None and name in self._own:
            return self._own[name]
        how: dict[str, bool] = {"truthful": self.aligned, "accept_repeats": accept_repeats}
        with listening(progress, "Checking") as heard:
            verdict = verifying.of_release(self.original, self, guarantees, progress=heard, **how)
        if guarantees is None:
            self._own[name] = verdict
        return verdict

    def measure(self, ids: Sequence[str] | str | None = None) -> dict[str, float]:
        """The named measures, or all that apply: measure("risk"), measure(["risk", "ncp"])."""
        return measuring.of_release(*self.with_rows(), ids)

    def error_of(self, workload: "str | Path | Workload") -> float:
        """The average relative error of a workload of queries, given or in a file."""
        return float(self.counts_of(workload).relative_errors().mean())

    def counts_of(self, workload: "str | Path | Workload") -> "QueryCounts":
        """What each query of a workload counts on the original and on the release, with the worst and the error by size."""
        return measuring.count_answers(*self.with_rows(), workload)

    def with_margins(self) -> "Release":
        """The same release that also says how often items occur in the whole data, rounded so that nobody stands out."""
        return Release.of(self.original, anonymizing.margined(self.original, self), aligned=self.aligned)

    def usefulness(self, column: str | None = None) -> "Usefulness":
        """What the release is still good for, as figures and in sentences; `column` is what a model is trained to predict."""
        return measuring.usefulness_of(*self.with_rows(), column)

    def explain(self, row: int | None = None) -> tuple[str, ...]:
        """Why items are shown as they are, what each cluster lost, or the way of one input row, in sentences. Private."""
        return explaining.of_release(self, row)

    def write(
        self,
        out: str | Path,
        *,
        format: str = "csv",
        overwrite: bool = False,
        report: bool = True,
        accept_exposure: Names = (),
        accept_loss: bool = False,
        accept_repeats: bool = False,
        into: str | None = None,
        database: str | None = None,
        title: str = "",
        by: str = "",
        language: str = "en",
        progress: Listener = silent,
    ) -> "Published":
        """Write a release folder, whole and verified as written, or raise and leave nothing.

        What is linkable and not covered, or nearly names people, is refused unless `accept_exposure` names the column; what
        says next to nothing unless `accept_loss`; and data in which people have several rows unless `accept_repeats`. With the
        `report` extra installed the folder gets a report.html, and a
        published/about.html that may be handed out, in a `language`, with the `title` of the data and `by` whom it is. `into`
        is a new table that gets the records too, in the `database` of that address, e.g. "postgresql://host/db": in one
        transaction, read back and verified.
        """
        with listening(progress, "Writing and checking") as heard:
            return anonymizing.written(
                self.original,
                self,
                Path(out),
                format=format,
                overwrite=overwrite,
                report=report,
                accepted=_accepted(accept_exposure, accept_loss, accept_repeats),
                target=anonymizing.target(into, database),
                cover=Cover(title, by, language),
                progress=heard,
            )

    def to_polars(
        self,
        *,
        structured: bool = False,
        accept_exposure: Names = (),
        accept_loss: bool = False,
        accept_repeats: bool = False,
    ) -> "pl.DataFrame":
        """The published records as a table that may be handed out: verified, and through the gates that `write` has.

        They are in the order of the files, which says nothing about the input's. Values are texts and items lists of texts;
        `structured`, ranges are {lo, hi}, other values lists of what they may stand for, and items lists of such lists.
        """
        original, plain = self.with_rows()
        accepted = _accepted(accept_exposure, accept_loss, accept_repeats)

        def verdict() -> Verdict:
            return self.verify(accept_repeats=accepted.takes_repeats(original.tied))

        return frames.of_release(original, plain, verdict, accepted=accepted, structured=structured)

    def to_pandas(
        self,
        *,
        structured: bool = False,
        accept_exposure: Names = (),
        accept_loss: bool = False,
        accept_repeats: bool = False,
    ) -> "pd.DataFrame":
        """The same as a pandas DataFrame, with lists and dicts for what is structured."""
        taken = {"accept_loss": accept_loss, "accept_repeats": accept_repeats}
        return frames.handed_out(self.to_polars(structured=structured, accept_exposure=accept_exposure, **taken), "pandas")

    def to_arrow(
        self,
        *,
        structured: bool = False,
        accept_exposure: Names = (),
        accept_loss: bool = False,
        accept_repeats: bool = False,
    ) -> "pa.Table":
        """The same as an Arrow table."""
        taken = {"accept_loss": accept_loss, "accept_repeats": accept_repeats}
        return frames.handed_out(self.to_polars(structured=structured, accept_exposure=accept_exposure, **taken), "arrow")

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return frames.stream(self.to_polars(), requested_schema)

    def plot(self) -> "Drawing":
        """What each attribute lost, and what is commonest before and after; `save` writes SVG. For the owner."""
        return views.of_release(*self.with_rows())

    def _repr_html_(self) -> str:
        small = len(self.original) <= views.AT_ONCE
        verdict = self.verify() if small else self._own.get("verdict")
        return views.card_of_release(self.original, self, verdict, aligned=self.aligned)

    def with_rows(self) -> tuple[Dataset, PlainRelease]:
        """The original and the release, or an error where nobody knows which row is behind which record."""
        loaded = inputs.Loaded(self.original, self, self.aligned).require_rows()
        return loaded.original, loaded.release


def _accepted(exposure: Names, loss: bool, repeats: bool) -> Accepted:
    return Accepted((exposure,) if isinstance(exposure, str) else tuple(exposure), loss, repeats)


def expect_dataset(value: object) -> None:
    """Raise unless it is a dataset."""
    if not isinstance(value, Dataset):
        way_out = "anonset.read(table, quasi=[...]) makes one of a table or a file"
        also = "; anonset.anonymize_frame takes a DataFrame as it is" if hasattr(value, "__arrow_c_stream__") else ""
        raise InputError(f"a dataset is expected; got {type(value).__name__}: {way_out}{also}")


def expect_release(value: object) -> None:
    """Raise unless it is a release beside its original."""
    if not isinstance(value, Release):
        way_out = "anonset.anonymize makes one, anonset.load reads one from its folder"
        raise InputError(f"a release is expected; got {type(value).__name__}: {way_out}")


def read(source: Any, schema: "Schema | None" = None, *, progress: Listener = silent, **settings: Any) -> Dataset:
    """The dataset in a file or a DataFrame; `settings` are fields of Schema, e.g. quasi=["age", "zip"], items="codes".

    `progress` is "bar" (or True) for a bar, or a function that hears the share done and may raise `Cancelled`.
    """
    with listening(progress, "Reading") as heard:
        return inputs.Input(source, settings, schema).read(heard)


def load(folder: str | Path, original: Any, schema: "Schema | None" = None) -> Release:
    """The release in a folder as its files have it, beside its original: a dataset, a file or a DataFrame."""
    source = original if isinstance(original, Dataset) else inputs.Input(original, {}, schema)
    loaded = inputs.load(folder, source)
    return Release.of(loaded.original, loaded.release, aligned=loaded.aligned)


def profile(source: Any, schema: "Schema | None" = None, *, progress: Listener = silent, **settings: Any) -> profiling.Profile:
    """What is in a file, a DataFrame or a dataset, how it is read, and who is unique in it as it stands.

    `settings` are fields of Schema, as for `read`.
    """
    given = source if isinstance(source, Dataset) else inputs.Input(source, settings, schema)
    with listening(progress, "Profiling") as heard:
        return profiling.run(given, lambda phase: heard)


def build_hierarchy(how: str, values: "Dataset | Material | Iterable[str]", column: str | None = None) -> Hierarchy:
    """A hierarchy made as `how` says (`balanced:5`, `learned`, `ranges:10`, `dates`, `prefixes:2,3`, ...).

    Over the given values, or over the `column` of a dataset, or over its items where none is named.
    """
    return hierarchies.of_values(how, values, column)


Frame = TypeVar("Frame")


def anonymize(
    dataset: Dataset, algorithm: str | None = None, *, ends: str = "auto", progress: Listener = silent, **parameters: Any
) -> Release:
    """A release of the dataset by the algorithm of that id (see ALGORITHMS) with these parameters, e.g. k=5, m=2.

    Without an id, by the one that fits the data. `ends` of numeric ranges are values of people unless they are rounded: "auto"
    rounds them in columns with numbers of four digits or more, "rounded" in all, "exact" in none. `progress` is "bar" (or
    True) for a bar, or a function that hears the share done and may raise `Cancelled`.
    """
    expect_dataset(dataset)
    if isinstance(algorithm, int | float):
        raise ParameterError(f"the second argument is the algorithm; parameters go by their names: k={algorithm}")
    with listening(progress, "Anonymizing") as heard:
        return Release.of(dataset, anonymizing.of_dataset(dataset, algorithm, parameters, heard, ends=ends))


def anonymize_frame(
    frame: Frame,
    algorithm: str | None = None,
    *,
    structured: bool = False,
    accept_exposure: Sequence[str] | str = (),
    accept_loss: bool = False,
    accept_repeats: bool = False,
    parameters: Mapping[str, Any] | None = None,
    ends: str = "auto",
    progress: Listener = silent,
    **settings: Any,
) -> Frame:
    """A DataFrame that may be handed out, of the library of the one given: df.pipe(anonymize_frame, quasi=["age"], k=5).

    `settings` are fields of Schema (quasi, sensitive, items, ...) and parameters of the algorithm (k, m, ...); a parameter
    that is called like a field goes into `parameters`. `ends` as for `anonymize`. Verified, and refused where `release.write`
    would refuse it. The rows are in an order that says nothing about those given, and under a new index.
    """
    if not hasattr(frame, "__arrow_c_stream__"):
        raise InputError(f"a DataFrame is expected (pandas, polars, Arrow); got {type(frame).__name__}")
    known = {"key", *(f.name for f in fields(Schema))}
    data = inputs.Input(frame, {name: value for name, value in settings.items() if name in known}).read()
    given = {name: value for name, value in settings.items() if name not in known} | dict(parameters or {})
    release = anonymize(data, algorithm, ends=ends, progress=progress, **given)
    taken = {"accept_loss": accept_loss, "accept_repeats": accept_repeats}
    table = release.to_polars(structured=structured, accept_exposure=accept_exposure, **taken)
    handed: Frame = frames.handed_out(table, frames.library_of(frame))
    return handed


def compare(
    dataset: Dataset,
    runs: comparing.Runs,
    *,
    workload: "Workload | Mapping[str, Any] | None" = None,
    measures: Sequence[str] | None = None,
    seeds: Sequence[int] = (),
    loss: str = "are",
    max_risk: str | float = 0.2,
    seconds: float = float("inf"),
    ends: str = "auto",
    progress: Listener = silent,
) -> comparing.Compared:
    """Try algorithms with every combination of listed values, e.g. {"rmerge-rt": {"k": [2, 5, 10], "m": 2}}; a map of them.

    `workload`: queries, or how to draw them ({"kind": "random", "n": 200}). `measures`: all that apply, if none are named.
    `loss`: the measure behind utility. `max_risk`: the limit on the map, 0.2 or "k=5". After `seconds` no more is tried.
    `ends`: as for `anonymize`.
    Everything runs here, one after the other; `anonset compare` runs plans in processes, and goes on after a crash.
    """
    expect_dataset(dataset)
    with listening(progress, "Trials") as heard:
        return comparing.of_dataset(
            dataset,
            runs,
            workload=workload,
            measures=measures,
            seeds=seeds,
            loss=loss,
            max_risk=max_risk,
            seconds=seconds,
            ends=ends,
            progress=heard,
        )


def recommend(
    dataset: Dataset,
    *,
    max_risk: str | float = 0.2,
    m: int = 2,
    workload: "str | Path | Workload | None" = None,
    seconds: float = 120.0,
    ends: str = "auto",
    progress: Listener = silent,
) -> "Recommendation":
    """What to take within a risk (0.2, or "k=5") against attackers who know m items, tried for so many seconds, and why.

    `best.algorithm` and `best.parameters` make the release: anonymize(dataset, best.algorithm, **best.parameters). `ends`: as
    for `anonymize`.
    """
    expect_dataset(dataset)
    with listening(progress, "Trying") as heard:
        return recommending.of_dataset(
            dataset, max_risk=max_risk, m=m, workload=workload, seconds=seconds, progress=heard, ends=ends
        )


QueryKind = Literal["random", "held", "frequent", "generalized", "presence"]


def attack(
    release: Release, *, m: int = 2, attackers: int = 1000, seed: int | None = None, progress: Listener = silent
) -> "AttackResult":
    """Play attackers on a release and on its original: each kind knows quasi values, up to m items, or both, of a person.

    `attackers` persons are drawn for each kind; with a `seed` the same ones again.
    """
    expect_release(release)
    original, plain = release.with_rows()
    with listening(progress, "Attacking") as heard:
        return attacking.of_release(original, plain, m=m, attackers=attackers, seed=seed, progress=heard)


def explain(release: Release | str | Path, row: int | None = None) -> tuple[str, ...]:
    """Why a release, in memory or in a folder, is as it is, in sentences; or the way of one input row, from 0. Private."""
    if isinstance(release, Release):
        return release.explain(row)
    return explaining.run(explaining.ExplainRequest(Path(release), row))


def workload(
    data: Dataset | Release,
    kind: QueryKind = "random",
    *,
    n: int | None = None,
    seed: int | None = None,
    **settings: Any,
) -> "Workload":
    """Counting queries drawn from a dataset; those of kind "generalized" from a release.

    `n` says how many, a `seed` makes the draw repeatable; `settings` are those of the kind, e.g. items=2, columns=("age",).
    """
    given = {name: value for name, value in (("n", n), ("seed", seed)) if value is not None}
    if isinstance(data, Release):
        return drawing.draw(data.original, kind, given | settings, data if kind == "generalized" else None)
    expect_dataset(data)
    return drawing.draw(data, kind, given | settings)


def query(
    folder: str | Path, present: Sequence[str] = (), absent: Sequence[str] = (), *, where: Mapping[str, str] | None = None
) -> "Answer":
    """How many records of a nonreciprocal release hold all items `present` and none `absent`, from published/ alone.

    `where` keeps the records that show these values in columns published as they are, e.g. {"illness": "flu"}.
    """
    return querying.run(querying.QueryRequest(Path(folder), tuple(present), tuple(absent), where or {}))


def anonymize_files(
    data: Any,
    output: str | Path,
    algorithm: str | None = None,
    *,
    memory: str | int | None = None,
    jobs: int | None = None,
    scheduler: str | None = None,
    into: str | None = None,
    database: str | None = None,
    overwrite: bool = False,
    accept_exposure: Sequence[str] = (),
    accept_loss: bool = False,
    accept_repeats: bool = False,
    title: str = "",
    by: str = "",
    language: str = "en",
    ends: str = "auto",
    parameters: Mapping[str, Any] | None = None,
    progress: Listener = silent,
    **settings: Any,
) -> anonymize_large.LargeAnonymized:
    """A verified release in parts, of data that are read in pieces: 'big/*.parquet', a folder, CSV, or an Arrow stream.

    `memory`: what a process may take, "2GB". `jobs`: threads or, with a scheduler, workers. `scheduler`: "local" for a Dask
    cluster on this machine, or the address of one. `into`: a new table for the records too, in the `database` of that
    address, or in the one that the data come from. `title`, `by` and `language` are those of published/about.html.
    `ends`: of numeric ranges, as for `anonymize`. `settings` are fields of Schema and parameters of the algorithm.
    """
    known = {"key", *(f.name for f in fields(Schema))}
    schema = {name: value for name, value in settings.items() if name in known}
    values = {name: value for name, value in settings.items() if name not in known} | dict(parameters or {})
    request = anonymize_large.LargeRequest(
        Input(data, schema),
        Path(output),
        AlgorithmChoice(algorithm, values),
        memory,
        jobs,
        scheduler,
        overwrite,
        Accepted(tuple(accept_exposure), accept_loss, accept_repeats),
        into=into,
        database=database,
        cover=Cover(title, by, language),
        ends=ends,
    )
    with listening(progress, "Anonymizing") as heard:
        return anonymize_large.run(request, lambda _: heard)


def load_files(
    folder: str | Path,
    original: Any,
    schema: Schema | None = None,
    *,
    memory: str | int | None = None,
    jobs: int | None = None,
    scheduler: str | None = None,
) -> "ReleaseInParts":
    """A release in parts beside its original, to be asked while both are read in pieces; limits as for `anonymize_files`."""
    return ReleaseInParts(Path(folder), Input(original, {}, schema), Pieces(memory, jobs, scheduler))


@dataclass(frozen=True, slots=True)
class ReleaseInParts:
    """A release in parts and its original, neither of which is read into memory: every question reads them in pieces."""

    folder: Path
    original: Input
    pieces: Pieces

    def verify(self, *, progress: Listener = silent) -> Verdict:
        """What the independent check finds of the release's own guarantees."""
        with listening(progress, "Checking") as heard:
            request = verifying.VerifyRequest(self.folder, self.original, pieces=self.pieces)
            return verifying.run(request, lambda _: heard).verdict

    def measure(self, ids: Sequence[str] | str | None = None, *, progress: Listener = silent) -> dict[str, float]:
        """The named measures, or all that apply."""
        return dict(self._measured(progress, ids=[ids] if isinstance(ids, str) else ids).values)

    def error_of(self, workload: "str | Path | Workload", *, progress: Listener = silent) -> float:
        """The average relative error of a workload of queries, given or in a file."""
        return self._measured(progress, ids=(), workload=workload).values["are"]

    def usefulness(self, *, progress: Listener = silent) -> "Usefulness":
        """What the release is still good for, as figures and in sentences."""
        return self._measured(progress).usefulness

    def attack(
        self, *, m: int = 2, attackers: int = 1000, seed: int | None = None, progress: Listener = silent
    ) -> "AttackResult":
        """Play attackers on the release and on its original, as `anonset.attack` does."""
        with listening(progress, "Attacking") as heard:
            request = attacking.AttackRequest(self.folder, self.original, m, attackers, seed, pieces=self.pieces)
            return attacking.run(request, lambda _: heard)

    def report(self, *, attackers: int = 1000, seed: int | None = None, progress: Listener = silent, **cover: str) -> Path:
        """Write report.html and report.json beside the release, for its owner; `cover` is its title, by and language."""
        with listening(progress, "Reporting") as heard:
            request = reporting.ReportRequest(
                self.folder, self.original, attackers=attackers, seed=seed, cover=cover, pieces=self.pieces
            )
            return reporting.run(request, lambda _: heard)

    def _measured(self, progress: Listener, **asked: Any) -> measuring.Measured:
        with listening(progress, "Measuring") as heard:
            request = measuring.MeasureRequest(self.folder, self.original, pieces=self.pieces, **asked)
            return measuring.run(request, lambda _: heard)


def run_project(
    file: str | Path = "anonset.toml",
    *,
    data: str | Path | None = None,
    again: bool = False,
    add_values: bool = False,
    title: str | None = None,
    by: str | None = None,
    language: str | None = None,
    progress: Listener = silent,
) -> ProjectResult:
    """Make the releases that a project file asks for where data or decisions changed; what became of each, and what is new.

    `data`: other data of the same columns. `again`: also make what is up to date. `add_values`: put values that a hierarchy
    file does not cover below its root, in the file. `title`, `by` and `language` go before what the file says of the cover.
    """
    given = {"title": title, "by": by, "language": language}
    cover = {name: value for name, value in given.items() if value is not None}
    with listening(progress, "Project") as heard:
        return run(ProjectRequest(Path(file), data, again, add_values, cover=cover), lambda phase: heard)
