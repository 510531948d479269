"""Data and releases that do not fit into memory, from Python."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonset.api.bars import Listener, listening
from anonset.model.accepted import Accepted
from anonset.model.cover import Cover
from anonset.model.progress import silent
from anonset.model.schema import Schema
from anonset.model.verdict import Verdict
from anonset.tasks import anonymize_large
from anonset.tasks import attack as attacking
from anonset.tasks import measure as measuring
from anonset.tasks import report as reporting
from anonset.tasks import verify as verifying
from anonset.tasks.algorithms import AlgorithmChoice
from anonset.tasks.inputs import Input, Pieces

if TYPE_CHECKING:
    from anonset.attacks import AttackResult
    from anonset.measure.usefulness import Usefulness
    from anonset.measure.workload import Workload


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
