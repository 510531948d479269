"""The Python interface: functions and classes that `import anonset` offers."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from html import escape
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from anonset.errors import InputError, ParameterError, Set
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
from anonset.releases.folder import is_in_parts
from anonset.releases.margins import with_margins
from anonset.tasks import anonymize as anonymizing
from anonset.tasks import attack as attacking
from anonset.tasks import compare as comparing
from anonset.tasks import earlier as comparing_earlier
from anonset.tasks import earlier_rules, inputs, views
from anonset.tasks import explain as explaining
from anonset.tasks import hierarchy as hierarchies
from anonset.tasks import measure as measuring
from anonset.tasks import profile as profiling
from anonset.tasks import query as querying
from anonset.tasks import recommend as recommending
from anonset.tasks import report as reporting
from anonset.tasks import verify as verifying
from anonset.tasks import workload as drawing
from anonset.tasks.algorithms import AlgorithmChoice, require_typed
from anonset.tasks.inputs import Input, Limits
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
Dataset._to_library = views.dataset_table
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
        Of a release in parts: where they are and how they are read.
    aligned : bool
        Whether the original row behind each published record is known. If not, truthfulness cannot be checked.
    folder : Path or None
        The folder that the release was loaded from or written to.
    limits : Limits or None
        Of a release in parts: what reading it in batches may use. Its records stay in their files: `columns` and `items`
        describe them without values. Every method reads them in batches; those that need all records at once (`to_polars` and
        the like, `plot`, `write`, `with_margins`) read them into memory.
    outcome : Anonymized or None
        What the run that wrote the folder reported.

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

    original: Dataset | Input
    aligned: bool = True
    folder: Path | None = None
    limits: Limits | None = None
    outcome: anonymizing.Anonymized | None = None
    _records: int | None = None  # of a release in parts
    _own: dict[str, Verdict] = field(default_factory=dict, init=False)  # the verdict on itself, once it is known

    @classmethod
    def of(cls, original: Dataset, release: PlainRelease, *, aligned: bool = True) -> "Release":
        """Return a release together with its original."""
        return cls(**_values(release), original=original, aligned=aligned)

    def __len__(self) -> int:
        return len(self.rows) if self._records is None else self._records

    def _stored(self) -> "tuple[Path, Input, Limits] | None":
        """Return where a release in parts is, how its original is read, and within which limits; None for one in memory."""
        if self.limits is None or self.folder is None or isinstance(self.original, Dataset):
            return None
        return self.folder, self.original, self.limits

    def in_memory(self) -> "Release":
        """Return the release with its records and its original in memory.

        Returns
        -------
        Release
            Itself, unless it is a release in parts.
        """
        if isinstance(self.original, Dataset):
            return self
        assert self.folder is not None
        loaded = inputs.load(self.folder, self.original)
        return Release(**_values(loaded.release), original=loaded.original, aligned=loaded.aligned, folder=self.folder)

    def _data(self) -> tuple[Dataset, PlainRelease]:
        """Return the original and the release in memory."""
        whole = self.in_memory()
        assert isinstance(whole.original, Dataset)
        return whole.original, whole

    def verify(
        self,
        guarantees: Sequence[Guarantee] | None = None,
        *,
        accept_repeats: bool = False,
        earlier: Sequence[str | Path] = (),
        progress: Listener = silent,
    ) -> Verdict:
        """Check the guarantees of the release with the independent verifier.

        Parameters
        ----------
        guarantees : sequence of Guarantee, optional
            The guarantees to check; by default those that the release promises.
        accept_repeats : bool, optional
            Count records even if a column shows that several of them belong to one person. By default people are counted.
        earlier : sequence of str or Path, optional
            Folders of earlier releases of the same people: who holds one too must be left with k candidates.
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
        if guarantees is not None and not isinstance(guarantees, Iterable):
            raise ParameterError(f"a list of guarantees is expected; got {type(guarantees).__name__}")
        name = "records" if accept_repeats else "verdict"
        if earlier:
            if self._stored() is not None:
                comparing_earlier.require_whole([Path(folder) for folder in earlier])
            return self._verified_with(earlier, self.verify(guarantees, accept_repeats=accept_repeats), progress)
        if guarantees is None and name in self._own:
            return self._own[name]
        with listening(progress, "Checking") as callback:
            if (stored := self._stored()) is not None:
                asked = None if guarantees is None else lambda roster: guarantees
                verdict = verifying.of_parts(*stored, asked, lambda _: callback)
            else:
                verdict = verifying.of_release(
                    *self._data(), guarantees, truthful=self.aligned, accept_repeats=accept_repeats, progress=callback
                )
        if guarantees is None:
            self._own[name] = verdict
        return verdict

    def _verified_with(self, earlier: Sequence[str | Path], verdict: Verdict, progress: Listener) -> Verdict:
        with listening(progress, "Comparing with earlier releases") as callback:
            found = comparing_earlier.compared_with(
                *self.with_rows(), [Path(folder) for folder in earlier], seed=0, progress=callback
            )
        return Verdict((*verdict.findings, *(one.finding() for one in found)))

    def measure(
        self,
        ids: "Sequence[str | Callable[..., float]] | str | Callable[..., float] | None" = None,
        *,
        progress: Listener = silent,
    ) -> dict[str, float]:
        """Measure information loss and risk.

        Parameters
        ----------
        ids : str or function, or sequence of these, optional
            Ids of measures (see `MEASURES`), or functions of (original, release); by default all measures that apply.
        progress : callable, "bar" or bool, optional
            A function of the share done (0 to 1), which may raise `Cancelled`; "bar" or True shows a progress bar.

        Returns
        -------
        dict of str to float
            The value of each measure. What needs all records at once is not measured on a release in parts, and left out.

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
        listed = measuring.listed(ids)
        named = None if listed is None else [id for id in listed if isinstance(id, str)]
        with listening(progress, "Measuring") as callback:
            if (measured := self._measured(callback, ids=named)) is not None:
                return dict(measured.values)
            return measuring.of_release(*self.with_rows(), listed, callback)

    def _measured(self, progress: Progress = silent, **asked: Any) -> "measuring.Measured | None":
        """Return what is measured of a release in parts; None for one in memory."""
        if (stored := self._stored()) is None:
            return None
        folder, original, limits = stored
        return measuring.run(measuring.MeasureRequest(folder, original, limits=limits, **asked), lambda _: progress)

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
        if (measured := self._measured(ids=(), workload=workload)) is not None:
            assert measured.counts is not None
            return measured.counts
        return measuring.count_answers(*self.with_rows(), workload)

    def with_margins(self) -> "Release":
        """Return the same release with margins: how often items occur in the whole data, rounded down to multiples of k.

        Returns
        -------
        Release
            The release with margins; they are published in `about.json` and verified.
        """
        original, release = self._data()
        return Release.of(original, with_margins(original, release), aligned=self.aligned)

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
        if (measured := self._measured(predict=column)) is not None:
            return measured.usefulness
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
        if (stored := self._stored()) is not None:
            return explaining.run(explaining.ExplainRequest(stored[0], row))
        return explaining.of_release(self, row)

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
        return attack(self, m=m, attackers=attackers, seed=seed, progress=progress)

    def report(self, *, attackers: int = 1000, seed: int | None = None, progress: Listener = silent, **cover: str) -> Path:
        """Write `report.html` and `report.json` again into the folder that the release was loaded from, for the data owner.

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
        if self.folder is None:
            raise ParameterError("the release is in no folder yet: write makes one, with its report")
        with listening(progress, "Reporting") as callback:
            request = reporting.ReportRequest(
                self.folder, self.original, attackers=attackers, seed=seed, cover=cover, limits=self.limits
            )
            return reporting.run(request, lambda _: callback)

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
        earlier: Sequence[str | Path] = (),
        accept_earlier: bool = False,
        into: str | None = None,
        database: str | None = None,
        title: str = "",
        by: str = "",
        language: str = "en",
        contact: str = "",
        licence: str = "",
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
        earlier : sequence of str or Path, optional
            Folders of earlier releases of the same people, with their private half; publishing is refused if somebody who
            holds one of them too is left with fewer than k candidates.
        accept_earlier : bool, optional
            Publish even so.
        into : str, optional
            A new database table for the records; filled, read back and verified in one transaction.
        database : str, optional
            The address of the database, such as "postgresql://host/db"; by default the one that the data come from.
        title, by, language : str, optional
            The title of the data, who publishes them, and the language ("en" or "de") of the report and the certificate.
        contact, licence : str, optional
            Whom to ask about the release, and under which terms it is handed out; stated in about.json too.
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
        accepted = replace(_accepted(accept_exposure, accept_loss, accept_repeats), earlier=accept_earlier)
        with listening(progress, "Writing and checking") as callback:
            return anonymizing.written(
                *self._data(),
                Path(out),
                format=format,
                overwrite=overwrite,
                report=report,
                accepted=accepted,
                earlier=comparing_earlier.admitted(*self._data(), [Path(folder) for folder in earlier], accepted),
                target=anonymizing.target(into, database),
                cover=Cover(title, by, language, contact=contact, licence=licence),
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
        if not isinstance(self.original, Dataset):
            return f"<pre>{escape(repr(self))}</pre>"
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
        loaded = inputs.Loaded(*self._data(), self.aligned).require_rows()
        return loaded.original, loaded.release


def _values(release: PlainRelease) -> dict[str, Any]:
    return {f.name: getattr(release, f.name) for f in fields(PlainRelease)}


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
        A file, an address, any object with the Arrow interface (pandas, polars, pyarrow), or a polars LazyFrame.
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


def load(
    folder: str | Path,
    original: Any,
    schema: "Schema | None" = None,
    *,
    memory: str | int | None = None,
    jobs: int | None = None,
    scheduler: str | None = None,
) -> Release:
    """Load a release from its folder, together with its original.

    A release in parts stays in its files, and its methods read it in batches, unless the original is a dataset in memory.

    Parameters
    ----------
    folder : str or Path
        A release folder, or its `published` folder alone.
    original : Dataset, str, Path or DataFrame
        The data the release was made from.
    schema : Schema, optional
        How to read the original; by default as it was read for the release.
    memory, jobs, scheduler
        Limits for reading a release in parts, as for `anonymize`.

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
    source = original if isinstance(original, Dataset) else Input(original, {}, schema)
    return _loaded(Path(folder), source, Limits(memory, jobs, scheduler))


def _loaded(place: Path, source: Dataset | Input, limits: Limits) -> Release:
    if isinstance(source, Input) and is_in_parts(place):
        plain, records = inputs.sketch_of_folder(place)
        return Release(**_values(plain), original=source, folder=place, limits=limits, _records=records)
    loaded = inputs.load(place, source)
    return Release(**_values(loaded.release), original=loaded.original, aligned=loaded.aligned, folder=place)


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


def anonymize(
    data: Any,
    algorithm: str | None = None,
    *,
    output: str | Path | None = None,
    format: str | None = None,
    margins: bool = False,
    memory: str | int | None = None,
    jobs: int | None = None,
    scheduler: str | None = None,
    into: str | None = None,
    database: str | None = None,
    overwrite: bool = False,
    accept_exposure: Names = (),
    accept_loss: bool = False,
    accept_repeats: bool = False,
    title: str = "",
    by: str = "",
    language: str = "en",
    contact: str = "",
    licence: str = "",
    ends: str = "auto",
    like: str | Path | None = None,
    parameters: Mapping[str, Any] | None = None,
    progress: Listener = silent,
    **settings: Any,
) -> Release:
    """Anonymize data.

    Without `output` the release is made in memory. With `output` it is written there and verified as written; with `memory`,
    `jobs` or `scheduler` too, the data are read in batches, and the release is in parts.

    Parameters
    ----------
    data : Dataset, str, Path or DataFrame
        The data: a dataset from `read`; or a file, several ("big/*.parquet"), a folder, a database address, or any object with
        the Arrow interface.
    algorithm : str, optional
        The id of an algorithm (see `ALGORITHMS`); by default the one that fits the data: "lift" for items, "peel" for columns,
        "rt-search" for both.
    output : str or Path, optional
        The release folder to write. The other arguments up to `licence` are about it, as for `Release.write`.
    format : str, optional
        The format of the published records: "csv" by default, "parquet" for data read in batches.
    margins : bool, optional
        Publish how often items occur in the whole data, rounded to k.
    memory : str or int, optional
        The memory limit of each process, such as "2GB".
    jobs : int, optional
        The number of threads, or of workers with a scheduler.
    scheduler : str, optional
        "local" for a Dask cluster on this machine, or the address of a scheduler.
    into, database, overwrite, accept_exposure, accept_loss, accept_repeats, title, by, language, contact, licence
        As for `Release.write`.
    ends : {"auto", "rounded", "exact"}, optional
        How ends of numeric ranges are published: rounded in columns with numbers of four digits or more, in all, or in none.
    like : str or Path, optional
        The folder of an earlier release, with its private half: its settings, hierarchies and global rules are taken over, so
        that labels stay the same from year to year. Parameters that are given replace those of the release.
    parameters : mapping, optional
        Parameters of the algorithm; needed for those whose names are also fields of `Schema`, such as {"items": "pcta"}.
    progress : callable, "bar" or bool, optional
        A function of the share done (0 to 1), which may raise `Cancelled`; "bar" or True shows a progress bar.
    **settings
        Parameters of the algorithm, such as k=5, m=2; if `data` is no dataset, also fields of `Schema`.

    Returns
    -------
    Release
        The release; call `verify`, `measure` and, where there is no `output`, `write` on it.

    Raises
    ------
    ParameterError
        If the algorithm or a parameter is unknown or out of range.
    InfeasibleError
        If the guarantee cannot be reached on these data, or memory is too small.
    GuaranteeViolated
        If written files do not satisfy a guarantee; nothing is left behind.

    Examples
    --------
    >>> import polars as pl
    >>> import anonset
    >>> people = pl.DataFrame({"age": [21, 22, 25, 40, 41, 60], "town": ["Bonn", "Bonn", "Ulm", "Lyon", "Nice", "Lyon"]})
    >>> data = anonset.read(people, quasi=["age", "town"])
    >>> release = anonset.anonymize(data, "mondrian", k=3)
    >>> release.verify().holds
    True
    >>> anonset.anonymize(people, "mondrian", k=3, quasi=["age", "town"], output="made").verify().holds
    True
    """
    if isinstance(algorithm, int | float):
        raise ParameterError(f"the second argument is the algorithm; parameters go by their names: k={algorithm}")
    data = views.collected(data)
    if not isinstance(data, str | Path) and not hasattr(data, "__arrow_c_stream__"):
        expect_dataset(data)
    schema, values = ({}, settings) if isinstance(data, Dataset) else _split(settings)
    chosen, limits = values | dict(parameters or {}), Limits(memory, jobs, scheduler)
    require_typed(algorithm, chosen)
    accepted = _accepted(accept_exposure, accept_loss, accept_repeats)
    cover = Cover(title, by, language, contact=contact, licence=licence)
    if output is None:
        if (format, margins, into, overwrite, limits) != (None, False, None, False, Limits()):
            raise ParameterError("a folder to write is missing:", fix=[Set("output", "release")])
        with listening(progress, "Anonymizing") as callback:
            source = Input(data, schema)
            if like is not None:
                original = data if isinstance(data, Dataset) else earlier_rules.input_like(Path(like), source).read()
                made = anonymizing.of_dataset_like(Path(like), original, algorithm, chosen, callback, ends=ends)
                return Release.of(*made)
            original = data if isinstance(data, Dataset) else source.read()
            return Release.of(original, anonymizing.of_dataset(original, algorithm, chosen, callback, ends=ends))
    if isinstance(data, Dataset) and limits != Limits():
        raise ParameterError("a dataset is in memory already: give the file, or leave out memory, jobs and scheduler")
    request = anonymizing.AnonymizeRequest(
        Input(data, schema),
        Path(output),
        AlgorithmChoice(algorithm, chosen),
        format=format,
        overwrite=overwrite,
        margins=margins,
        accepted=accepted,
        into=into,
        database=database,
        cover=cover,
        ends=ends,
        limits=None if limits == Limits() else limits,
        like=None if like is None else Path(like),
    )
    return _written(request, progress)


def _split(settings: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the settings that are fields of a schema, and the others."""
    known = {"key", *(f.name for f in fields(Schema))}
    schema = {name: value for name, value in settings.items() if name in known}
    return schema, {name: value for name, value in settings.items() if name not in known}


def _written(request: anonymizing.AnonymizeRequest, progress: Listener) -> Release:
    """Run a request; return the release as it was written, with the outcome of the run."""
    with listening(progress, "Anonymizing") as callback:
        data, phases = request.source.data, lambda _: callback
        if isinstance(data, Dataset):
            outcome = anonymizing.run_on(data, request, phases)
        else:
            outcome = anonymizing.run(request, phases)
    limits = request.limits or Limits()
    given = data if isinstance(data, Dataset) else replace(request.source, data=data)
    release = _loaded(request.output, given, limits)
    return replace(release, outcome=outcome)


Frame = TypeVar("Frame")


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
        A table of pandas, polars or pyarrow. A polars LazyFrame is collected, and a DataFrame returned.
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
    collected = views.collected(frame)
    if not hasattr(collected, "__arrow_c_stream__"):
        raise InputError(f"a DataFrame is expected (pandas, polars, Arrow); got {type(frame).__name__}")
    schema, values = _split(settings)
    data, given = Input(collected, schema).read(), values | dict(parameters or {})
    release = anonymize(data, algorithm, ends=ends, progress=progress, parameters=given)
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
    risk: str | None = None,
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
    risk : {"risk", "risk-protected", "risk-p95", "risk-p99", "risk-mean"}, optional
        The measure of risk on the map; by default `risk`, or `risk-protected` where settings protect listed itemsets.
    max_risk : float or str, optional
        The risk limit on the map: 0.2 or "k=5". 0.09 means 1/11.
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
            risk=risk,
            max_risk=max_risk,
            seconds=seconds,
            ends=ends,
            progress=callback,
        )


def recommend(
    dataset: Dataset,
    *,
    risk: str | None = None,
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
    risk : {"risk", "risk-protected", "risk-p95", "risk-p99", "risk-mean"}, optional
        The measure of risk that is limited; by default `risk`.
    max_risk : float or str, optional
        The highest acceptable risk: 0.2 or "k=5". 0.09 means 1/11.
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
            dataset, risk=risk, max_risk=max_risk, m=m, workload=workload, seconds=seconds, progress=callback, ends=ends
        )


QueryKind = Literal["random", "held", "frequent", "generalized", "presence"]


def attack(
    release: Release,
    *,
    m: int = 2,
    attackers: int = 1000,
    seed: int | None = None,
    earlier: Sequence[str | Path] = (),
    knows_algorithm: bool = False,
    progress: Listener = silent,
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
    earlier : sequence of str or Path, optional
        Folders of earlier releases of the same people, with their private half: what somebody learns who holds one too.
    knows_algorithm : bool, optional
        Also run the algorithm again on datasets in which a candidate is the person, for at most 20 people.
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
    with listening(progress, "Attacking") as callback:
        folders = tuple(Path(folder) for folder in earlier)
        if (stored := release._stored()) is not None:
            folder, source, limits = stored
            how: dict[str, Any] = {"limits": limits, "earlier": folders, "knows_algorithm": knows_algorithm}
            request = attacking.AttackRequest(folder, source, m, attackers, seed, **how)
            return attacking.run(request, lambda _: callback)
        original, plain = release.with_rows()
        found = attacking.of_release(original, plain, m=m, attackers=attackers, seed=seed, progress=callback)
        both = comparing_earlier.compared_with(original, plain, folders, m=m, people=attackers, seed=seed, progress=callback)
        known = attacking.of_algorithm(original, plain, m=m, people=attackers, seed=seed) if knows_algorithm else None
        return replace(found, earlier=both, inversion=known)


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
        return drawing.draw(data._data()[0], kind, given | settings, data if kind == "generalized" else None)
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


def anonymize_files(data: Any, output: str | Path, algorithm: str | None = None, **settings: Any) -> anonymizing.Anonymized:
    """Anonymize data in batches, and return the outcome: an older name for `anonymize` with `output` and `jobs=1`.

    Parameters
    ----------
    data, output, algorithm, **settings
        As for `anonymize`.

    Returns
    -------
    Anonymized
        The folder, the verdict and what was done.
    """
    limited = any(settings.get(name) is not None for name in ("memory", "jobs", "scheduler"))
    made = anonymize(data, algorithm, output=output, **(settings if limited else settings | {"jobs": 1}))
    assert made.outcome is not None
    return made.outcome


def load_files(folder: str | Path, original: Any, schema: Schema | None = None, **limits: Any) -> Release:
    """Open a release in parts together with its original: an older name for `load`.

    Parameters
    ----------
    folder, original, schema, **limits
        As for `load`.

    Returns
    -------
    Release
        The release; each of its methods reads it in batches.
    """
    return load(folder, original, schema, **limits)


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
