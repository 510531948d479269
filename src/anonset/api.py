"""The Python interface: read, anonymize, look, write."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonset.model.accepted import Accepted
from anonset.model.dataset import Dataset
from anonset.model.guarantees import Guarantee
from anonset.model.progress import Progress, silent
from anonset.model.release import Release as PlainRelease
from anonset.model.verdict import Verdict
from anonset.tasks import anonymize as anonymizing
from anonset.tasks import explain as explaining
from anonset.tasks import inputs
from anonset.tasks import measure as measuring
from anonset.tasks import query as querying
from anonset.tasks import verify as verifying

if TYPE_CHECKING:
    from anonset.measure.qe import Answer
    from anonset.measure.usefulness import Usefulness
    from anonset.measure.workload import QueryCounts, Workload
    from anonset.model.schema import Schema
    from anonset.releases.publish import Published


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Release(PlainRelease):
    """A release beside the original it was made of: it can be verified, measured and written.

    `aligned` tells whether the rows behind its records are known; without them nobody can tell whether its values are true.
    """

    original: Dataset
    aligned: bool = True

    @classmethod
    def of(cls, original: Dataset, release: PlainRelease, *, aligned: bool = True) -> "Release":
        """A release together with its original."""
        parts = {f.name: getattr(release, f.name) for f in fields(PlainRelease)}
        return cls(**parts, original=original, aligned=aligned)

    def verify(self, guarantees: Sequence[Guarantee] | None = None) -> Verdict:
        """What the independent check finds: of the release's own guarantees, or of the given ones."""
        return verifying.of_release(self.original, self, guarantees, truthful=self.aligned)

    def measure(self, ids: Sequence[str] | str | None = None) -> dict[str, float]:
        """The named measures, or all that apply."""
        return measuring.of_release(*self._with_rows(), ids)

    def error_of(self, workload: "str | Path | Workload") -> float:
        """The average relative error of a workload of queries, given or in a file."""
        return float(self.counts_of(workload).relative_errors().mean())

    def counts_of(self, workload: "str | Path | Workload") -> "QueryCounts":
        """What each query of a workload counts on the original and on the release, with the worst and the error by size."""
        return measuring.count_answers(*self._with_rows(), workload)

    def with_margins(self) -> "Release":
        """The same release that also says how often items occur in the whole data, rounded so that nobody stands out."""
        return Release.of(self.original, anonymizing.margined(self.original, self), aligned=self.aligned)

    def usefulness(self, column: str | None = None) -> "Usefulness":
        """What the release is still good for, as figures and in sentences; `column` is what a model is trained to predict."""
        return measuring.usefulness_of(*self._with_rows(), column)

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
        accept_exposure: Sequence[str] = (),
        accept_loss: bool = False,
        progress: Progress = silent,
    ) -> "Published":
        """Write a release folder, whole and verified as written, or raise and leave nothing.

        What is linkable and not covered, or nearly names people, is refused unless `accept_exposure` names the column; what
        says next to nothing unless `accept_loss`. With the `report` extra installed the folder gets a report.html, and a
        published/about.html that may be handed out.
        """
        return anonymizing.written(
            self.original,
            self,
            Path(out),
            format=format,
            overwrite=overwrite,
            report=report,
            accepted=Accepted(tuple(accept_exposure), accept_loss),
            progress=progress,
        )

    def _with_rows(self) -> tuple[Dataset, PlainRelease]:
        loaded = inputs.Loaded(self.original, self, self.aligned).require_rows()
        return loaded.original, loaded.release


def read(source: Any, schema: "Schema | None" = None, *, progress: Progress = silent, **settings: Any) -> Dataset:
    """The dataset in a file or a DataFrame; `settings` are fields of Schema, e.g. quasi=("age", "zip"), items="codes"."""
    return inputs.Input(source, settings, schema).read(progress)


def anonymize(dataset: Dataset, algorithm: str | None = None, *, progress: Progress = silent, **parameters: Any) -> Release:
    """A release of the dataset by the algorithm of that id (see ALGORITHMS) with these parameters, e.g. k=5, m=2.

    Without an id, by the one that fits the data.
    """
    return Release.of(dataset, anonymizing.of_dataset(dataset, algorithm, parameters, progress))


def load(folder: str | Path, original: Any, schema: "Schema | None" = None) -> Release:
    """The release in a folder as its files have it, beside its original: a dataset, a file or a DataFrame."""
    source = original if isinstance(original, Dataset) else inputs.Input(original, {}, schema)
    loaded = inputs.load(folder, source)
    return Release.of(loaded.original, loaded.release, aligned=loaded.aligned)


def query(
    folder: str | Path, present: Sequence[str] = (), absent: Sequence[str] = (), *, where: Mapping[str, str] | None = None
) -> "Answer":
    """How many records of a nonreciprocal release hold all items `present` and none `absent`, from published/ alone.

    `where` keeps the records that show these values in columns published as they are, e.g. {"illness": "flu"}.
    """
    return querying.run(querying.QueryRequest(Path(folder), tuple(present), tuple(absent), where or {}))
