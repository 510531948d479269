"""The Python interface: functions and classes that `import anonset` offers."""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from html import escape
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from anonset.errors import InputError, ParameterError
from anonset.measure.usefulness import Usefulness, usefulness
from anonset.model.cover import Cover
from anonset.model.dataset import Dataset
from anonset.model.guarantees import Guarantee
from anonset.model.hierarchy import Hierarchy
from anonset.model.progress import Progress, silent
from anonset.model.release import Accepted
from anonset.model.release import Release as PlainRelease
from anonset.model.schema import Schema
from anonset.model.verdict import Verdict
from anonset.releases.margins import with_margins
from anonset.tasks import anonymize as anonymizing
from anonset.tasks import attack as attacking
from anonset.tasks import compare as comparing
from anonset.tasks import explain as explaining
from anonset.tasks import hierarchy as hierarchies
from anonset.tasks import inputs, views
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
    from anonset.measure.workload import QueryCounts, Workload
    from anonset.model.builders import Material
    from anonset.releases.publish import Published
    from anonset.report.svg import Drawing
    from anonset.study.recommendation import Recommendation


Dataset._arrow_stream = views.dataset_stream
Hierarchy._drawing = views.of_hierarchy

Listener = Progress | Literal["bar"] | bool  # a function of the share done, or whether to show a progress bar


@contextmanager
def listening(listener: Listener, title: str) -> Iterator[Progress]:
    """Yield a progress callback: the given function, a progress bar, or a function that does nothing."""
    if callable(listener):
        yield listener
    elif not listener:
        yield silent
    else:
        with _notebook_bar(title) if in_notebook() else _terminal_bar(title) as bar:
            yield bar


def in_notebook() -> bool:
    """Return whether the code runs in a Jupyter kernel."""
    module: Any = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None else None
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


@contextmanager
def _notebook_bar(title: str) -> Iterator[Progress]:
    display: Any = import_module("IPython.display")

    handle = display.display(display.HTML(bar_html(title, 0)), display_id=True)
    percent = 0

    def update(done: float) -> None:
        nonlocal percent
        if int(100 * done) != percent:
            percent = int(100 * done)
            handle.update(display.HTML(bar_html(title, percent)))

    try:
        yield update
    finally:
        handle.update(display.HTML(""))


def bar_html(title: str, percent: int) -> str:
    """Return a progress bar as HTML."""
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
    """A release together with the original it was made from.

    `anonymize` and `load` return it. It can be verified, measured, explained, converted to tables and written.

    Attributes
    ----------
    original : Dataset
        The data the release was made from.
    aligned : bool
        Whether the original row behind each published record is known. If not, truthfulness cannot be checked.

    Examples
    --------
    >>> import polars as pl
    >>> import anonset
    >>> people = pl.DataFrame({"age": [21, 22, 25, 40, 41, 60], "town": ["Bonn", "Bonn", "Ulm", "Lyon", "Nice", "Lyon"]})
    >>> data = anonset.read(people, quasi=["age", "town"])
    >>> release = anonset.anonymize(data, "mondrian", k=3)
    >>> release.verify().holds
    True
    >>> release.measure("risk")
    {'risk': 0.3333333333333333}
    """

    original: Dataset
    aligned: bool = True
    _own: dict[str, Verdict] = field(default_factory=dict, init=False)  # the verdict on itself, once it is known

    @classmethod
    def of(cls, original: Dataset, release: PlainRelease, *, aligned: bool = True) -> "Release":
        """Return a release together with its original."""
        parts = {f.name: getattr(release, f.name) for f in fields(PlainRelease)}
        return cls(**parts, original=original, aligned=aligned)

    def verify(
        self, guarantees: Sequence[Guarantee] | None = None, *, accept_repeats: bool = False, progress: Listener = silent
    ) -> Verdict:
        """Check the guarantees of the release with the independent verifier.

        Parameters
        ----------
        guarantees : sequence of Guarantee, optional
            The guarantees to check; by default those that the release promises.
        accept_repeats : bool, optional
            Count records even if a column shows that several of them belong to one person. By default people are counted.
        progress : callable, "bar" or bool, optional
            A function of the share done (0 to 1), which may raise `Cancelled`; "bar" or True shows a progress bar.

        Returns
        -------
        Verdict
            What holds and what does not, with witnesses.

        Examples
        --------
        >>> import polars as pl
        >>> import anonset
        >>> people = pl.DataFrame({"age": [21, 22, 25, 40, 41, 60], "town": ["Bonn", "Bonn", "Ulm", "Lyon", "Nice", "Lyon"]})
        >>> data = anonset.read(people, quasi=["age", "town"])
        >>> anonset.anonymize(data, "mondrian", k=3).verify()
        <Verdict: k-anonymity holds, truthful holds>
        """
        name = "records" if accept_repeats else "verdict"
        if guarantees is None and name in self._own:
            return self._own[name]
        how: dict[str, bool] = {"truthful": self.aligned, "accept_repeats": accept_repeats}
        with listening(progress, "Checking") as callback:
            verdict = verifying.of_release(self.original, self, guarantees, progress=callback, **how)
        if guarantees is None:
            self._own[name] = verdict
        return verdict

    def measure(self, ids: Sequence[str] | str | None = None) -> dict[str, float]:
        """Measure information loss and risk.

        Parameters
        ----------
        ids : str or sequence of str, optional
            Ids of measures (see `MEASURES`); by default all that apply to the release.

        Returns
        -------
        dict of str to float
            The value of each measure.

        Raises
        ------
        ParameterError
            If an id is unknown; the message suggests the nearest one.
        InputError
            If the original row behind each record is not known.

        Examples
        --------
        >>> import polars as pl
        >>> import anonset
        >>> sets = [["beer", "bread"], ["beer", "bread"], ["beer", "milk"], ["bread", "milk"], ["beer", "bread", "milk"]]
        >>> data = anonset.read(pl.DataFrame({"basket": sets}), items="basket")
        >>> anonset.anonymize(data, "lift", k=2, m=2).measure(["exact-items", "lost-items"])
        {'exact-items': 1.0, 'lost-items': 0.0}
        """
        return measuring.of_release(*self.with_rows(), ids)

    def error_of(self, workload: "str | Path | Workload") -> float:
        """Return the mean relative error of a workload of queries.

        Parameters
        ----------
        workload : Workload, str or Path
            The queries, or a JSON file of queries.

        Returns
        -------
        float
            The mean of |actual - estimate| / max(actual, 1); 0 means that every count is exact.

        Examples
        --------
        >>> import polars as pl
        >>> import anonset
        >>> sets = [["beer", "bread"], ["beer", "bread"], ["beer", "milk"], ["bread", "milk"], ["beer", "bread", "milk"]]
        >>> data = anonset.read(pl.DataFrame({"basket": sets}), items="basket")
        >>> release = anonset.anonymize(data, "lift", k=2, m=2)
        >>> release.error_of(anonset.workload(data, n=5, seed=1))
        0.0
        """
        return float(self.counts_of(workload).relative_errors().mean())

    def counts_of(self, workload: "str | Path | Workload") -> "QueryCounts":
        """Count each query of a workload on the original and on the release.

        Parameters
        ----------
        workload : Workload, str or Path
            The queries, or a JSON file of queries.

        Returns
        -------
        QueryCounts
            Actual and estimated counts, with `relative_errors`, `worst` and `errors_by_size`.
        """
        return measuring.count_answers(*self.with_rows(), workload)

    def with_margins(self) -> "Release":
        """Return the same release with margins: how often items occur in the whole data, rounded down to multiples of k.

        Returns
        -------
        Release
            The release with margins; they are published in `about.json` and verified.
        """
        return Release.of(self.original, with_margins(self.original, self), aligned=self.aligned)

    def usefulness(self, column: str | None = None) -> Usefulness:
        """Describe what the release is still good for.

        Parameters
        ----------
        column : str, optional
            A column that a simple model is trained to predict, on the release and on the original.

        Returns
        -------
        Usefulness
            Figures about exact and lost data, errors of counts, itemsets and prediction; `sentences` says the same in words.

        Examples
        --------
        >>> import polars as pl
        >>> import anonset
        >>> sets = [["beer", "bread"], ["beer", "bread"], ["beer", "milk"], ["bread", "milk"], ["beer", "bread", "milk"]]
        >>> data = anonset.read(pl.DataFrame({"basket": sets}), items="basket")
        >>> result = anonset.anonymize(data, "lift", k=2, m=2).usefulness()
        >>> len(result.sentences) > 0
        True
        """
        return usefulness(*self.with_rows(), column=column)

    def explain(self, row: int | None = None) -> tuple[str, ...]:
        """Explain why items are shown as they are and what each cluster lost.

        The explanation names original values: do not publish it.

        Parameters
        ----------
        row : int, optional
            A row of the input, counted from 0, to explain how that record was recoded.

        Returns
        -------
        tuple of str
            Sentences.

        Examples
        --------
        >>> import polars as pl
        >>> import anonset
        >>> sets = [["beer", "bread"], ["beer", "bread"], ["beer", "milk"], ["bread", "milk"], ["beer", "bread", "milk"]]
        >>> data = anonset.read(pl.DataFrame({"basket": sets}), items="basket")
        >>> len(anonset.anonymize(data, "pcta", k=3, m=2).explain())
        2
        """
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
        """Write a release folder; it is verified as written before it gets its name.

        Parameters
        ----------
        out : str or Path
            The folder to write.
        format : str, optional
            The format of the published records: "csv", "parquet", "feather", "jsonl", "xlsx" or "fimi".
        overwrite : bool, optional
            Replace an existing release.
        report : bool, optional
            Write `report.html` and the certificate `published/about.html`, if the extra `report` is installed.
        accept_exposure : str or sequence of str, optional
            Columns that may be published although no guarantee covers them or they nearly name people.
        accept_loss : bool, optional
            Publish a release that contains hardly any information.
        accept_repeats : bool, optional
            Publish although people have several rows.
        into : str, optional
            A new database table for the records; filled, read back and verified in one transaction.
        database : str, optional
            The address of the database, such as "postgresql://host/db"; by default the one that the data come from.
        title, by, language : str, optional
            The title of the data, who publishes them, and the language ("en" or "de") of the report and the certificate.
        progress : callable, "bar" or bool, optional
            A function of the share done (0 to 1), which may raise `Cancelled`; "bar" or True shows a progress bar.

        Returns
        -------
        Published
            The folder, the verdict and the measures.

        Raises
        ------
        GuaranteeViolated
            If the written files do not satisfy a guarantee; nothing is left behind.
        ExposureError, UncoveredError, WorthlessError
            If a gate refuses the release.

        Examples
        --------
        >>> import polars as pl
        >>> import anonset
        >>> sets = [["beer", "bread"], ["beer", "bread"], ["beer", "milk"], ["bread", "milk"], ["beer", "bread", "milk"]]
        >>> data = anonset.read(pl.DataFrame({"basket": sets}), items="basket")
        >>> release = anonset.anonymize(data, "lift", k=2, m=2)
        >>> release.write("out", report=False).verdict.holds
        True
        """
        with listening(progress, "Writing and checking") as callback:
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
                progress=callback,
            )

    def to_polars(
        self,
        *,
        structured: bool = False,
        accept_exposure: Names = (),
        accept_loss: bool = False,
        accept_repeats: bool = False,
    ) -> "pl.DataFrame":
        """Return the published records as a polars DataFrame that may be handed out.

        The release is verified and must pass the same gates as in `write`. The order of the rows is that of the written files;
        it reveals nothing about the order of the input.

        Parameters
        ----------
        structured : bool, optional
            Return ranges as {lo, hi}, other values as lists of the values they may stand for, and items as lists of such
            lists; by default values are texts and items are lists of texts.
        accept_exposure, accept_loss, accept_repeats
            As for `write`.

        Returns
        -------
        polars.DataFrame
            The published records.

        Raises
        ------
        GuaranteeViolated, ExposureError, UncoveredError, WorthlessError
            If the release would not be published.

        Examples
        --------
        >>> import polars as pl
        >>> import anonset
        >>> people = pl.DataFrame({"age": [21, 22, 25, 40, 41, 60], "town": ["Bonn", "Bonn", "Ulm", "Lyon", "Nice", "Lyon"]})
        >>> data = anonset.read(people, quasi=["age", "town"])
        >>> table = anonset.anonymize(data, "mondrian", k=3).to_polars()
        >>> table["age"].to_list()
        ['[21:25]', '[21:25]', '[21:25]', '[40:60]', '[40:60]', '[40:60]']
        """
        original, plain = self.with_rows()
        accepted = _accepted(accept_exposure, accept_loss, accept_repeats)

        def verdict() -> Verdict:
            return self.verify(accept_repeats=accepted.takes_repeats(original.tied))

        return views.release_table(original, plain, verdict, accepted=accepted, structured=structured)

    def to_pandas(
        self,
        *,
        structured: bool = False,
        accept_exposure: Names = (),
        accept_loss: bool = False,
        accept_repeats: bool = False,
    ) -> "pd.DataFrame":
        """Return the published records as a pandas DataFrame that may be handed out; see `to_polars`.

        Parameters
        ----------
        structured : bool, optional
            Return ranges as {lo, hi}, other values as lists of the values they may stand for, and items as lists of such
            lists; by default values are texts and items are lists of texts.
        accept_exposure, accept_loss, accept_repeats
            As for `write`.

        Returns
        -------
        pandas.DataFrame
            The published records, with lists and dicts for structured values.
        """
        taken = {"accept_loss": accept_loss, "accept_repeats": accept_repeats}
        return views.to_library(self.to_polars(structured=structured, accept_exposure=accept_exposure, **taken), "pandas")

    def to_arrow(
        self,
        *,
        structured: bool = False,
        accept_exposure: Names = (),
        accept_loss: bool = False,
        accept_repeats: bool = False,
    ) -> "pa.Table":
        """Return the published records as an Arrow table that may be handed out; see `to_polars`.

        Parameters
        ----------
        structured : bool, optional
            Return ranges as {lo, hi}, other values as lists of the values they may stand for, and items as lists of such
            lists; by default values are texts and items are lists of texts.
        accept_exposure, accept_loss, accept_repeats
            As for `write`.

        Returns
        -------
        pyarrow.Table
            The published records.
        """
        taken = {"accept_loss": accept_loss, "accept_repeats": accept_repeats}
        return views.to_library(self.to_polars(structured=structured, accept_exposure=accept_exposure, **taken), "arrow")

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return views.stream(self.to_polars(), requested_schema)

    def plot(self) -> "Drawing":
        """Draw what each attribute lost, and the most common values before and after. For the data owner only.

        Returns
        -------
        Drawing
            An SVG drawing; `save` writes it to a file.
        """
        return views.of_release(*self.with_rows())

    def _repr_html_(self) -> str:
        small = len(self.original) <= views.AT_ONCE
        verdict = self.verify() if small else self._own.get("verdict")
        return views.card_of_release(self.original, self, verdict, aligned=self.aligned)

    def with_rows(self) -> tuple[Dataset, PlainRelease]:
        """Return the original and the release, if the original row behind each record is known.

        Raises
        ------
        InputError
            If it is not known.
        """
        loaded = inputs.Loaded(self.original, self, self.aligned).require_rows()
        return loaded.original, loaded.release


def _accepted(exposure: Names, loss: bool, repeats: bool) -> Accepted:
    return Accepted((exposure,) if isinstance(exposure, str) else tuple(exposure), loss, repeats)


def expect_dataset(value: object) -> None:
    """Raise InputError unless the value is a dataset."""
    if not isinstance(value, Dataset):
        way_out = "anonset.read(table, quasi=[...]) makes one of a table or a file"
        also = "; anonset.anonymize_frame takes a DataFrame as it is" if hasattr(value, "__arrow_c_stream__") else ""
        raise InputError(f"a dataset is expected; got {type(value).__name__}: {way_out}{also}")


def expect_release(value: object) -> None:
    """Raise InputError unless the value is a release with its original."""
    if not isinstance(value, Release):
        way_out = "anonset.anonymize makes one, anonset.load reads one from its folder"
        raise InputError(f"a release is expected; got {type(value).__name__}: {way_out}")


def read(source: Any, schema: "Schema | None" = None, *, progress: Listener = silent, **settings: Any) -> Dataset:
    """Read a dataset from a file, a database or a DataFrame.

    Parameters
    ----------
    source : str, Path or DataFrame
        A file, an address, or any object with the Arrow interface (pandas, polars, pyarrow).
    schema : Schema, optional
        The roles and reading options; fields that are not set are guessed.
    progress : callable, "bar" or bool, optional
        A function of the share done (0 to 1), which may raise `Cancelled`; "bar" or True shows a progress bar.
    **settings
        Fields of `Schema` that override `schema`, such as quasi=["age", "zip"] or items="codes".

    Returns
    -------
    Dataset
        The coded records. Identifiers are removed.

    Raises
    ------
    InputError
        If the input or a setting is not valid; the message names file, line and column.

    Examples
    --------
    >>> import polars as pl
    >>> import anonset
    >>> people = pl.DataFrame({"age": [21, 22, 25, 40, 41, 60], "town": ["Bonn", "Bonn", "Ulm", "Lyon", "Nice", "Lyon"]})
    >>> data = anonset.read(people, quasi=["age", "town"])
    >>> data
    <Dataset of 6 records: quasi age, town>
    """
    with listening(progress, "Reading") as callback:
        return inputs.Input(source, settings, schema).read(callback)


def load(folder: str | Path, original: Any, schema: "Schema | None" = None) -> Release:
    """Load a release from its folder, together with its original.

    Parameters
    ----------
    folder : str or Path
        A release folder, or its `published` folder alone.
    original : Dataset, str, Path or DataFrame
        The data the release was made from.
    schema : Schema, optional
        How to read the original; by default as it was read for the release.

    Returns
    -------
    Release
        The release as its files describe it.

    Raises
    ------
    GuaranteeViolated
        If the files are damaged.

    Examples
    --------
    >>> import polars as pl
    >>> import anonset
    >>> sets = [["beer", "bread"], ["beer", "bread"], ["beer", "milk"], ["bread", "milk"], ["beer", "bread", "milk"]]
    >>> data = anonset.read(pl.DataFrame({"basket": sets}), items="basket")
    >>> _ = anonset.anonymize(data, "lift", k=2, m=2).write("loaded", report=False)
    >>> anonset.load("loaded", data).verify().holds
    True
    """
    source = original if isinstance(original, Dataset) else inputs.Input(original, {}, schema)
    loaded = inputs.load(folder, source)
    return Release.of(loaded.original, loaded.release, aligned=loaded.aligned)


def profile(source: Any, schema: "Schema | None" = None, *, progress: Listener = silent, **settings: Any) -> profiling.Profile:
    """Describe a dataset: how it is read, what looks wrong, and how many people are unique in it.

    Parameters
    ----------
    source : Dataset, str, Path or DataFrame
        The data.
    schema : Schema, optional
        The roles and reading options, as for `read`.
    progress : callable, "bar" or bool, optional
        A function of the share done (0 to 1), which may raise `Cancelled`; "bar" or True shows a progress bar.
    **settings
        Fields of `Schema`, as for `read`.

    Returns
    -------
    Profile
        The columns, findings and shares of unique people; a notebook shows it as a table.

    Examples
    --------
    >>> import polars as pl
    >>> import anonset
    >>> sets = [["beer", "bread"], ["beer", "bread"], ["beer", "milk"], ["bread", "milk"], ["beer", "bread", "milk"]]
    >>> data = anonset.read(pl.DataFrame({"basket": sets}), items="basket")
    >>> anonset.profile(data)
    <Profile of 5 records...>
    """
    given = source if isinstance(source, Dataset) else inputs.Input(source, settings, schema)
    with listening(progress, "Profiling") as callback:
        return profiling.run(given, lambda phase: callback)


def build_hierarchy(how: str, values: "Dataset | Material | Iterable[str]", column: str | None = None) -> Hierarchy:
    """Build a hierarchy over values.

    Parameters
    ----------
    how : str
        The kind of hierarchy: "balanced:5", "learned", "frequency:3", "ranges:10", "quantiles:10", "prefixes:3,2" or "dates".
    values : Dataset, Material or iterable of str
        The values; or a dataset, for one of its columns or its items.
    column : str, optional
        The column of the dataset; by default its items.

    Returns
    -------
    Hierarchy
        The tree, with the values as leaves.

    Raises
    ------
    ParameterError, InputError
        If `how` is unknown or does not fit the values.

    Examples
    --------
    >>> import anonset
    >>> anonset.build_hierarchy("balanced:2", ["a", "b", "c", "d"]).labels
    ('a', 'b', 'c', 'd', 'a..b', 'c..d', '*')
    """
    return hierarchies.of_values(how, values, column)


Frame = TypeVar("Frame")


def anonymize(
    dataset: Dataset, algorithm: str | None = None, *, ends: str = "auto", progress: Listener = silent, **parameters: Any
) -> Release:
    """Anonymize a dataset.

    Parameters
    ----------
    dataset : Dataset
        The data, from `read`.
    algorithm : str, optional
        The id of an algorithm (see `ALGORITHMS`); by default the one that fits the data: "lift" for items, "peel" for columns,
        "rt-search" for both.
    ends : {"auto", "rounded", "exact"}, optional
        How ends of numeric ranges are published: rounded in columns with numbers of four digits or more, in all, or in none.
    progress : callable, "bar" or bool, optional
        A function of the share done (0 to 1), which may raise `Cancelled`; "bar" or True shows a progress bar.
    **parameters
        Parameters of the algorithm, such as k=5, m=2.

    Returns
    -------
    Release
        The release in memory; call `verify`, `measure` and `write` on it.

    Raises
    ------
    ParameterError
        If the algorithm or a parameter is unknown or out of range.
    InfeasibleError
        If the guarantee cannot be reached on these data.

    Examples
    --------
    >>> import polars as pl
    >>> import anonset
    >>> people = pl.DataFrame({"age": [21, 22, 25, 40, 41, 60], "town": ["Bonn", "Bonn", "Ulm", "Lyon", "Nice", "Lyon"]})
    >>> data = anonset.read(people, quasi=["age", "town"])
    >>> release = anonset.anonymize(data, "mondrian", k=3)
    >>> release.verify().holds
    True
    """
    expect_dataset(dataset)
    if isinstance(algorithm, int | float):
        raise ParameterError(f"the second argument is the algorithm; parameters go by their names: k={algorithm}")
    with listening(progress, "Anonymizing") as callback:
        return Release.of(dataset, anonymizing.of_dataset(dataset, algorithm, parameters, callback, ends=ends))


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
    """Anonymize a DataFrame and return a DataFrame of the same library that may be handed out.

    The result is verified and must pass the same gates as in `Release.write`. The rows are in an order that reveals nothing
    about the input, under a new index.

    Parameters
    ----------
    frame : DataFrame
        A table of pandas, polars or pyarrow.
    algorithm : str, optional
        As for `anonymize`.
    structured : bool, optional
        As for `Release.to_polars`.
    accept_exposure, accept_loss, accept_repeats
        As for `Release.write`.
    parameters : mapping, optional
        Parameters of the algorithm whose names are also fields of `Schema`, such as {"items": "pcta"}.
    ends : {"auto", "rounded", "exact"}, optional
        As for `anonymize`.
    progress : callable, "bar" or bool, optional
        A function of the share done (0 to 1), which may raise `Cancelled`; "bar" or True shows a progress bar.
    **settings
        Fields of `Schema` (quasi, sensitive, items, ...) and parameters of the algorithm (k, m, ...).

    Returns
    -------
    DataFrame
        The published records.

    Raises
    ------
    GuaranteeViolated, ExposureError, UncoveredError, WorthlessError, InfeasibleError
        If the result would not be published.

    Examples
    --------
    >>> import polars as pl
    >>> import anonset
    >>> people = pl.DataFrame({"age": [21, 22, 25, 40, 41, 60], "town": ["Bonn", "Bonn", "Ulm", "Lyon", "Nice", "Lyon"]})
    >>> anonset.anonymize_frame(people, "mondrian", quasi=["age", "town"], k=3)["town"].to_list()[:3]
    ['{Bonn,Ulm}', '{Bonn,Ulm}', '{Bonn,Ulm}']
    """
    if not hasattr(frame, "__arrow_c_stream__"):
        raise InputError(f"a DataFrame is expected (pandas, polars, Arrow); got {type(frame).__name__}")
    known = {"key", *(f.name for f in fields(Schema))}
    data = inputs.Input(frame, {name: value for name, value in settings.items() if name in known}).read()
    given = {name: value for name, value in settings.items() if name not in known} | dict(parameters or {})
    release = anonymize(data, algorithm, ends=ends, progress=progress, **given)
    taken = {"accept_loss": accept_loss, "accept_repeats": accept_repeats}
    table = release.to_polars(structured=structured, accept_exposure=accept_exposure, **taken)
    handed: Frame = views.to_library(table, views.library_of(frame))
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
    """Run several settings and draw them on a map of risk against utility.

    The settings run in this process, one after the other; the command `anonset compare` runs a plan in several processes and
    resumes after a crash.

    Parameters
    ----------
    dataset : Dataset
        The data.
    runs : mapping
        For each algorithm its parameters, with lists of values to combine: {"rmerge-rt": {"k": [2, 5, 10], "m": 2}}.
    workload : Workload or mapping, optional
        Queries, or how to draw them: {"kind": "random", "n": 200}.
    measures : sequence of str, optional
        Ids of measures; by default all that apply.
    seeds : sequence of int, optional
        Seeds for randomized algorithms.
    loss : str, optional
        The measure behind utility.
    max_risk : float or str, optional
        The risk limit on the map: 0.2 or "k=5".
    seconds : float, optional
        Start no more trials after this time.
    ends : {"auto", "rounded", "exact"}, optional
        As for `anonymize`.
    progress : callable, "bar" or bool, optional
        A function of the share done (0 to 1), which may raise `Cancelled`; "bar" or True shows a progress bar.

    Returns
    -------
    Compared
        The trials, the map, and the best setting within the risk limit.

    References
    ----------
    G. Loukides, A. Gkoulalas-Divanis, J. Shao: Assessing Disclosure Risk and Data Utility Trade-off in Transaction Data
    Anonymization, sections 3 and 4.

    Examples
    --------
    >>> import polars as pl
    >>> import anonset
    >>> sets = [["beer", "bread"], ["beer", "bread"], ["beer", "milk"], ["bread", "milk"], ["beer", "bread", "milk"]]
    >>> data = anonset.read(pl.DataFrame({"basket": sets}), items="basket")
    >>> study = anonset.compare(data, {"pcta": {"k": [2, 3], "m": 2}}, measures=["ncp-items", "risk"], loss="ncp-items")
    >>> len(study.trials)
    2
    """
    expect_dataset(dataset)
    with listening(progress, "Trials") as callback:
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
            progress=callback,
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
    """Try the algorithms that fit the data and recommend a setting within a risk limit.

    Parameters
    ----------
    dataset : Dataset
        The data.
    max_risk : float or str, optional
        The highest acceptable risk: 0.2 or "k=5".
    m : int, optional
        The number of items that an attacker may know.
    workload : Workload, str or Path, optional
        The queries that the release should answer; by default random ones.
    seconds : float, optional
        The time for all trials.
    ends : {"auto", "rounded", "exact"}, optional
        As for `anonymize`.
    progress : callable, "bar" or bool, optional
        A function of the share done (0 to 1), which may raise `Cancelled`; "bar" or True shows a progress bar.

    Returns
    -------
    Recommendation
        `best.algorithm` and `best.parameters` reproduce the release: anonymize(dataset, best.algorithm, **best.parameters).

    Raises
    ------
    InfeasibleError
        If no setting stays within the limit.
    """
    expect_dataset(dataset)
    with listening(progress, "Trying") as callback:
        return recommending.of_dataset(
            dataset, max_risk=max_risk, m=m, workload=workload, seconds=seconds, progress=callback, ends=ends
        )


QueryKind = Literal["random", "held", "frequent", "generalized", "presence"]


def attack(
    release: Release, *, m: int = 2, attackers: int = 1000, seed: int | None = None, progress: Listener = silent
) -> "AttackResult":
    """Simulate attackers on a release and on its original.

    Each kind of attacker knows the quasi values, up to m items, or both, of one person.

    Parameters
    ----------
    release : Release
        The release, with its original.
    m : int, optional
        The number of items that an attacker knows at most.
    attackers : int, optional
        The number of persons drawn for each kind.
    seed : int, optional
        Makes the draw repeatable.
    progress : callable, "bar" or bool, optional
        A function of the share done (0 to 1), which may raise `Cancelled`; "bar" or True shows a progress bar.

    Returns
    -------
    AttackResult
        Success rates before and after, under singling out, linkability and inference.

    Examples
    --------
    >>> import polars as pl
    >>> import anonset
    >>> sets = [["beer", "bread"], ["beer", "bread"], ["beer", "milk"], ["bread", "milk"], ["beer", "bread", "milk"]]
    >>> data = anonset.read(pl.DataFrame({"basket": sets}), items="basket")
    >>> release = anonset.anonymize(data, "pcta", k=3, m=2)
    >>> anonset.attack(release, attackers=10, seed=1)
    <AttackResult: ...>
    """
    expect_release(release)
    original, plain = release.with_rows()
    with listening(progress, "Attacking") as callback:
        return attacking.of_release(original, plain, m=m, attackers=attackers, seed=seed, progress=callback)


def explain(release: Release | str | Path, row: int | None = None) -> tuple[str, ...]:
    """Explain a release, in memory or in a folder; see `Release.explain`.

    Parameters
    ----------
    release : Release, str or Path
        The release, or its folder with the private half.
    row : int, optional
        A row of the input, counted from 0, to explain how that record was recoded.

    Returns
    -------
    tuple of str
        Sentences. They name original values: do not publish them.
    """
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
    """Draw counting queries from a dataset or a release.

    Parameters
    ----------
    data : Dataset or Release
        What to draw from; kind "generalized" needs a release.
    kind : {"random", "held", "frequent", "generalized", "presence"}, optional
        The kind of queries.
    n : int, optional
        The number of queries.
    seed : int, optional
        Makes the draw repeatable.
    **settings
        Settings of the kind, such as items=2 or columns=("age",).

    Returns
    -------
    Workload
        The queries.

    Raises
    ------
    ParameterError
        If the kind or a setting is unknown, or more is requested than the data have.

    Examples
    --------
    >>> import polars as pl
    >>> import anonset
    >>> sets = [["beer", "bread"], ["beer", "bread"], ["beer", "milk"], ["bread", "milk"], ["beer", "bread", "milk"]]
    >>> data = anonset.read(pl.DataFrame({"basket": sets}), items="basket")
    >>> len(anonset.workload(data, n=5, seed=1).queries)
    5
    """
    given = {name: value for name, value in (("n", n), ("seed", seed)) if value is not None}
    if isinstance(data, Release):
        return drawing.draw(data.original, kind, given | settings, data if kind == "generalized" else None)
    expect_dataset(data)
    return drawing.draw(data, kind, given | settings)


def query(
    folder: str | Path, present: Sequence[str] = (), absent: Sequence[str] = (), *, where: Mapping[str, str] | None = None
) -> "Answer":
    """Count records of a nonreciprocal release with bounds, from its published files alone.

    Parameters
    ----------
    folder : str or Path
        The `published` folder.
    present : sequence of str, optional
        Items that a record must contain.
    absent : sequence of str, optional
        Items that a record must not contain.
    where : mapping of str to str, optional
        Values that unchanged columns must have, such as {"illness": "flu"}.

    Returns
    -------
    Answer
        `certain`, `possible`, `base` and `expected` counts; the true count lies between `certain` and `possible`.

    References
    ----------
    M. Xue, P. Karras, C. Raïssi, J. Vaidya, K.-L. Tan: Anonymizing Set-Valued Data by Nonreciprocal Recoding. KDD, 2012,
    section 5.2.

    Examples
    --------
    >>> import polars as pl
    >>> import anonset
    >>> sets = [["beer", "bread"], ["beer", "bread"], ["beer", "milk"], ["bread", "milk"], ["beer", "bread", "milk"]]
    >>> data = anonset.read(pl.DataFrame({"basket": sets}), items="basket")
    >>> _ = anonset.anonymize(data, "nr-k", k=2, seed=1).write("uncertain", report=False)
    >>> answer = anonset.query("uncertain/published", present=["beer"])
    >>> answer.certain <= 4 <= answer.possible
    True
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
) -> anonymizing.Anonymized:
    """Anonymize data larger than memory: read them in batches and write a verified release in parts.

    Parameters
    ----------
    data : str, Path or Arrow stream
        Files ("big/*.parquet"), a folder, CSV, a database address, or any object with the Arrow interface.
    output : str or Path
        The release folder to write.
    algorithm : str, optional
        As for `anonymize`.
    memory : str or int, optional
        The memory limit of each process, such as "2GB".
    jobs : int, optional
        The number of threads, or of workers with a scheduler.
    scheduler : str, optional
        "local" for a Dask cluster on this machine, or the address of a scheduler.
    into, database : str, optional
        A new table for the records, as for `Release.write`.
    overwrite : bool, optional
        Replace an existing release.
    accept_exposure, accept_loss, accept_repeats
        As for `Release.write`.
    title, by, language : str, optional
        For the certificate, as for `Release.write`.
    ends : {"auto", "rounded", "exact"}, optional
        As for `anonymize`.
    parameters : mapping, optional
        Parameters of the algorithm whose names are also fields of `Schema`.
    progress : callable, "bar" or bool, optional
        A function of the share done (0 to 1), which may raise `Cancelled`; "bar" or True shows a progress bar.
    **settings
        Fields of `Schema` and parameters of the algorithm.

    Returns
    -------
    Anonymized
        The folder, the verdict and what was done.

    Raises
    ------
    InfeasibleError
        If the algorithm cannot work in batches, or memory is too small.
    GuaranteeViolated
        If the written parts do not satisfy a guarantee; nothing is left behind.
    """
    known = {"key", *(f.name for f in fields(Schema))}
    schema = {name: value for name, value in settings.items() if name in known}
    values = {name: value for name, value in settings.items() if name not in known} | dict(parameters or {})
    request = anonymizing.AnonymizeRequest(
        Input(data, schema),
        Path(output),
        AlgorithmChoice(algorithm, values),
        overwrite=overwrite,
        accepted=Accepted(tuple(accept_exposure), accept_loss, accept_repeats),
        pieces=Pieces(memory, jobs, scheduler),
        into=into,
        database=database,
        cover=Cover(title, by, language),
        ends=ends,
    )
    with listening(progress, "Anonymizing") as callback:
        return anonymizing.run(request, lambda _: callback)


def load_files(
    folder: str | Path,
    original: Any,
    schema: Schema | None = None,
    *,
    memory: str | int | None = None,
    jobs: int | None = None,
    scheduler: str | None = None,
) -> "ReleaseInParts":
    """Open a release in parts together with its original, without reading them into memory.

    Parameters
    ----------
    folder : str or Path
        The release folder.
    original : str, Path or Arrow stream
        The data the release was made from.
    schema : Schema, optional
        How to read the original.
    memory, jobs, scheduler
        Limits, as for `anonymize_files`.

    Returns
    -------
    ReleaseInParts
        The release; each of its methods reads it in batches.
    """
    return ReleaseInParts(Path(folder), Input(original, {}, schema), Pieces(memory, jobs, scheduler))


@dataclass(frozen=True, slots=True)
class ReleaseInParts:
    """A release in parts and its original; every method reads both in batches.

    `load_files` returns it.

    Attributes
    ----------
    folder : Path
        The release folder.
    original : Input
        The data the release was made from.
    """

    folder: Path
    original: Input
    pieces: Pieces

    def verify(self, *, progress: Listener = silent) -> Verdict:
        """Check the guarantees of the release with the independent verifier.

        Parameters
        ----------
        progress : callable, "bar" or bool, optional
            A function of the share done (0 to 1), which may raise `Cancelled`; "bar" or True shows a progress bar.

        Returns
        -------
        Verdict
            What holds and what does not, with witnesses.
        """
        with listening(progress, "Checking") as callback:
            request = verifying.VerifyRequest(self.folder, self.original, pieces=self.pieces)
            return verifying.run(request, lambda _: callback).verdict

    def measure(self, ids: Sequence[str] | str | None = None, *, progress: Listener = silent) -> dict[str, float]:
        """Measure information loss and risk; see `Release.measure`.

        Parameters
        ----------
        ids : str or sequence of str, optional
            Ids of measures; by default all that apply.
        progress : callable, "bar" or bool, optional
            A function of the share done (0 to 1), which may raise `Cancelled`; "bar" or True shows a progress bar.

        Returns
        -------
        dict of str to float
            The value of each measure.
        """
        return dict(self._measured(progress, ids=[ids] if isinstance(ids, str) else ids).values)

    def error_of(self, workload: "str | Path | Workload", *, progress: Listener = silent) -> float:
        """Return the mean relative error of a workload of queries.

        Parameters
        ----------
        workload : Workload, str or Path
            The queries, or a JSON file of queries.
        progress : callable, "bar" or bool, optional
            A function of the share done (0 to 1), which may raise `Cancelled`; "bar" or True shows a progress bar.

        Returns
        -------
        float
            The mean relative error; 0 means that every count is exact.
        """
        return self._measured(progress, ids=(), workload=workload).values["are"]

    def usefulness(self, *, progress: Listener = silent) -> Usefulness:
        """Describe what the release is still good for; see `Release.usefulness`.

        Parameters
        ----------
        progress : callable, "bar" or bool, optional
            A function of the share done (0 to 1), which may raise `Cancelled`; "bar" or True shows a progress bar.

        Returns
        -------
        Usefulness
            Figures and sentences.
        """
        return self._measured(progress).usefulness

    def attack(
        self, *, m: int = 2, attackers: int = 1000, seed: int | None = None, progress: Listener = silent
    ) -> "AttackResult":
        """Simulate attackers on the release and on its original; see `anonset.attack`.

        Parameters
        ----------
        m, attackers, seed
            As for `anonset.attack`.
        progress : callable, "bar" or bool, optional
            A function of the share done (0 to 1), which may raise `Cancelled`; "bar" or True shows a progress bar.

        Returns
        -------
        AttackResult
            Success rates before and after.
        """
        with listening(progress, "Attacking") as callback:
            request = attacking.AttackRequest(self.folder, self.original, m, attackers, seed, pieces=self.pieces)
            return attacking.run(request, lambda _: callback)

    def report(self, *, attackers: int = 1000, seed: int | None = None, progress: Listener = silent, **cover: str) -> Path:
        """Write `report.html` and `report.json` into the release folder, for the data owner.

        Parameters
        ----------
        attackers, seed
            As for `anonset.attack`.
        progress : callable, "bar" or bool, optional
            A function of the share done (0 to 1), which may raise `Cancelled`; "bar" or True shows a progress bar.
        **cover
            `title`, `by` and `language` of the report.

        Returns
        -------
        Path
            The report.
        """
        with listening(progress, "Reporting") as callback:
            request = reporting.ReportRequest(
                self.folder, self.original, attackers=attackers, seed=seed, cover=cover, pieces=self.pieces
            )
            return reporting.run(request, lambda _: callback)

    def _measured(self, progress: Listener, **settings: Any) -> measuring.Measured:
        with listening(progress, "Measuring") as callback:
            request = measuring.MeasureRequest(self.folder, self.original, pieces=self.pieces, **settings)
            return measuring.run(request, lambda _: callback)


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
    """Make the releases of a project file whose data or decisions changed.

    Parameters
    ----------
    file : str or Path, optional
        The project file.
    data : str or Path, optional
        Other data with the same columns.
    again : bool, optional
        Make releases again that are up to date.
    add_values : bool, optional
        Add values that a hierarchy file does not cover below its root, in the file.
    title, by, language : str, optional
        Override the `[cover]` of the file.
    progress : callable, "bar" or bool, optional
        A function of the share done (0 to 1), which may raise `Cancelled`; "bar" or True shows a progress bar.

    Returns
    -------
    ProjectResult
        For each release of the file what was made, and what is new.

    Raises
    ------
    InputError
        If the file is not valid or the data do not match it.
    """
    given = {"title": title, "by": by, "language": language}
    cover = {name: value for name, value in given.items() if value is not None}
    with listening(progress, "Project") as callback:
        return run(ProjectRequest(Path(file), data, again, add_values, cover=cover), lambda phase: callback)
