"""The Python interface: read, anonymize, look, write. The command line and the workbench are thin layers over it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from anonset import data as reading
from anonset.algorithms import make
from anonset.algorithms.explaining import explain
from anonset.data.schema import Schema
from anonset.data.sources import text
from anonset.errors import InputError, ParameterError
from anonset.measure import measure
from anonset.measure.are import are
from anonset.measure.qe import Answer, ItemQuery, answers
from anonset.measure.workload import QueryCounts, Workload, count_queries
from anonset.model.dataset import Dataset
from anonset.model.guarantees import Guarantee
from anonset.model.labels import GeneralizedItems
from anonset.model.progress import Progress, silent
from anonset.model.release import Release as PlainRelease
from anonset.model.verdict import Verdict
from anonset.releases.folder import is_aligned, read_folder
from anonset.releases.originals import schema_of_folder, with_domains
from anonset.releases.publish import Pages, Published, publish
from anonset.releases.published_alone import read_published_sets
from anonset.verify import verify


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
        return verify(self.original, self, guarantees, truthful=self.aligned)

    def measure(self, ids: Sequence[str] | None = None) -> dict[str, float]:
        """The named measures, or all that apply."""
        self._require_rows()
        return measure(self.original, self, ids)

    def error_of(self, workload: str | Path | Workload) -> float:
        """The average relative error of a workload of queries, given or in a file."""
        self._require_rows()
        return are(self.original, self, read_workload(workload))

    def counts_of(self, workload: str | Path | Workload) -> QueryCounts:
        """What each query of a workload counts on the original and on the release, with the worst and the error by size."""
        self._require_rows()
        return count_queries(self.original, self, read_workload(workload))

    def explain(self, row: int | None = None) -> tuple[str, ...]:
        """Why items are shown as they are, what each cluster lost, or the way of one input row, in sentences. Private."""
        items = self.items
        members = items.labels.named(items.domain) if isinstance(items, GeneralizedItems) else {}
        return explain(members, self.trace, row)

    def write(
        self,
        out: str | Path,
        *,
        format: str = "csv",
        overwrite: bool = False,
        report: bool = True,
    ) -> Published:
        """Write a release folder, whole and verified as written, or raise and leave nothing.

        With the `report` extra installed it gets a report.html, and a published/about.html that may be handed out.
        """
        pages = report_pages(self.original) if report else None
        return publish(self.original, self, Path(out), format=format, overwrite=overwrite, pages=pages)

    def _require_rows(self) -> None:
        if not self.aligned:
            raise InputError("nothing can be measured without private/rows.csv: it is not known whose record is which")


def read_workload(source: str | Path | Workload) -> Workload:
    """A workload of queries, as it is or from a JSON file."""
    return source if isinstance(source, Workload) else Workload.from_json(text(Path(source)), file=str(source))


def report_pages(original: Dataset, command: str = "", **more: Any) -> Pages | None:
    """What writes the pages of a release folder; None where the `report` extra is not installed.

    `more`: the points of a study as `map`, and the `workload` of the queries that matter.
    """
    if any(find_spec(name) is None for name in ("matplotlib", "jinja2")):
        return None
    from anonset.report.writing import release_pages

    return release_pages(original, command=command, **more)


def read(source: Any, schema: Schema | None = None, *, progress: Progress = silent, **settings: Any) -> Dataset:
    """The dataset in a file or a DataFrame; `settings` are fields of Schema, e.g. quasi=("age", "zip"), items="codes"."""
    known = [f.name for f in fields(Schema)]
    unknown = next((name for name in settings if name not in known), None)
    if unknown is not None:
        raise ParameterError(f"there is no setting {unknown!r}; there are {', '.join(known)}")
    return reading.read(source, schema=replace(schema or Schema(), **settings), progress=progress)


def anonymize(dataset: Dataset, algorithm: str = "aa", *, progress: Progress = silent, **parameters: Any) -> Release:
    """A release of the dataset by the algorithm of that id (see ALGORITHMS) with these parameters, e.g. k=5, m=2."""
    return Release.of(dataset, make(algorithm, parameters).anonymize(dataset, progress=progress))


def load(folder: str | Path, original: Any, schema: Schema | None = None) -> Release:
    """The release in a folder as its files have it, beside its original: a dataset, a file or a DataFrame."""
    place = Path(folder)
    dataset = original if isinstance(original, Dataset) else read_original(place, original, schema)
    return Release.of(dataset, read_folder(place, dataset), aligned=is_aligned(place))


def query(
    folder: str | Path, present: Sequence[str] = (), absent: Sequence[str] = (), *, where: Mapping[str, str] | None = None
) -> Answer:
    """How many records of a nonreciprocal release hold all items `present` and none `absent`, from published/ alone.

    `where` keeps the records that show these values in columns published as they are, e.g. {"illness": "flu"}.
    """
    shown = read_published_sets(Path(folder))
    for column, value in (where or {}).items():
        shown = shown.where(column, value)
    return answers(shown.items, [ItemQuery(tuple(present), tuple(absent))])[0]


def read_original(folder: Path, source: Any, schema: Schema | None = None) -> Dataset:
    """The original of a release, read as it was when the release was made; what the schema gives comes first."""
    before = schema_of_folder(folder)
    given = _given(schema or Schema())
    dataset = reading.read(source, schema=replace(before, **given))
    return dataset if given.keys() & {"item_hierarchy", "hierarchies", "sensitive_items"} else with_domains(folder, dataset)


def _given(schema: Schema) -> Mapping[str, Any]:
    """The fields of a schema that differ from their defaults."""
    empty = Schema()
    return {f.name: value for f in fields(Schema) if (value := getattr(schema, f.name)) != getattr(empty, f.name)}
