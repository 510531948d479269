"""A release as a user has it: beside its original."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING

from anonset.api.bars import Listener, listening
from anonset.model.accepted import Accepted
from anonset.model.cover import Cover
from anonset.model.dataset import Dataset
from anonset.model.guarantees import Guarantee
from anonset.model.progress import silent
from anonset.model.release import Release as PlainRelease
from anonset.model.verdict import Verdict
from anonset.tasks import anonymize as anonymizing
from anonset.tasks import explain as explaining
from anonset.tasks import frames, inputs, views
from anonset.tasks import measure as measuring
from anonset.tasks import verify as verifying

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from anonset.measure.usefulness import Usefulness
    from anonset.measure.workload import QueryCounts, Workload
    from anonset.releases.publish import Published
    from anonset.report.svg import Drawing

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
