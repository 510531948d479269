"""What a project file says is done: releases made and verified where something changed, and what is new is told."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from anonset.algorithms import ALGORITHMS
from anonset.data.files import fingerprint
from anonset.errors import InputError, NewValuesError
from anonset.model.accepted import Accepted
from anonset.model.cover import Cover
from anonset.model.parameters import parameters
from anonset.model.progress import Phases, unheard
from anonset.model.schema import left_out_sentence
from anonset.releases.folder import read_manifest
from anonset.releases.staging import unchanged
from anonset.tasks import anonymize
from anonset.tasks.anonymize import Anonymized, AnonymizeRequest
from anonset.tasks.choosing import AlgorithmChoice
from anonset.tasks.inputs import Input
from anonset.tasks.project.file import ProjectFile, ProjectRun, read_project
from anonset.tasks.project.news import Seen, add_values, new_columns, seen, since, uncovered
from anonset.tasks.verify import Promise

PROJECT = "anonset.toml"


@dataclass(frozen=True, slots=True)
class ProjectRequest:
    """A project file; `data` are other data of the same columns, `again` makes what is up to date too.

    `add_values` puts values that a hierarchy file does not cover directly below its root, in that file. `cover` is said on the
    first page instead of what the file says.
    """

    file: Path = Path(PROJECT)
    data: str | Path | None = None
    again: bool = False
    add_values: bool = False
    command: str = ""
    cover: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunResult:
    """One release: what was made, or None where nothing has changed since; and what is new."""

    output: Path
    made: Anonymized | None
    news: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The result as plain data."""
        made = {} if self.made is None else self.made.as_json()
        return {"output": self.output, "done": self.made is not None, "news": list(self.news)} | made


@dataclass(frozen=True, slots=True)
class ProjectResult:
    """What became of each run of a project, and the promise in plain words."""

    promise: str
    runs: tuple[RunResult, ...]

    def as_json(self) -> dict[str, Any]:
        """The result as plain data."""
        return {"promise": self.promise, "runs": [run.as_json() for run in self.runs]}


def run(request: ProjectRequest, phases: Phases = unheard) -> ProjectResult:
    """Do what the project file says; nothing of a release that is up to date is touched."""
    project = read_project(request.file)
    project = msgspec.structs.replace(project, cover=Cover(**{**project.cover, **request.cover}).said)
    folder = request.file.absolute().parent
    source = Input(request.data or project.source(folder), schema=project.schema(folder))
    added = add_values(source) if request.add_values else ()
    return ProjectResult(project.sentence, tuple(_run(request, project, run, source, added, phases) for run in project.run))


def _run(
    request: ProjectRequest, project: ProjectFile, run: ProjectRun, source: Input, added: Sequence[str], phases: Phases
) -> RunResult:
    folder = request.file.absolute().parent
    output = Path(run.output) if Path(run.output).is_absolute() else request.file.parent / run.output
    manifest = _made_before(output)
    digest = digest_of(project, run, source, folder)
    if manifest is not None and not request.again and digest is not None and manifest["project"].get("digest") == digest:
        finding = unchanged(output)
        if finding is not None and finding.holds:
            return RunResult(output, None)
    before = None if manifest is None else seen(output)
    try:
        made = anonymize.run(_request(request, project, run, source, output, digest), phases)
    except NewValuesError:
        raise uncovered(source) from None
    return _told(project, made, before, added)


def digest_of(project: ProjectFile, run: ProjectRun, source: Input, folder: Path) -> str | None:
    """What names a run: the same decisions on the same bytes; None where the data are no files, and may have changed."""
    if not Path(str(source.data)).exists():
        return None
    named = [source.data, project.data.get("long"), project.roles.sensitive_items, run.policy, *run.parameters.values()]
    paths = (folder / str(name) for name in (*named, *project.hierarchies.values()) if isinstance(name, str | Path))
    bytes_of = [fingerprint(file).sha256 for path in paths for file in _files(path)]
    decided = msgspec.to_builtins(project) | {"run": msgspec.to_builtins(run)}
    return hashlib.sha256(json.dumps([decided, bytes_of], sort_keys=True, default=str).encode()).hexdigest()


def _files(path: Path) -> list[Path]:
    return sorted(inner for inner in path.rglob("*") if inner.is_file()) if path.is_dir() else [path] if path.is_file() else []


def _made_before(output: Path) -> Mapping[str, Any] | None:
    """The manifest of a release that a run made; what anything else made is not replaced."""
    if not output.exists():
        return None
    manifest = read_manifest(output) if output.is_dir() else None
    if manifest is None or not isinstance(manifest.get("project"), dict):
        raise InputError("is there already and no `anonset run` made it: choose another output, or move it away", file=output)
    return manifest


def _request(
    request: ProjectRequest, project: ProjectFile, run: ProjectRun, source: Input, output: Path, digest: str | None
) -> AnonymizeRequest:
    policy = None if run.policy is None else request.file.absolute().parent / run.policy
    asked = project.promise.values
    if run.algorithm is not None and run.algorithm in ALGORITHMS:
        declared = {p.name for p in parameters(ALGORITHMS[run.algorithm])}
        asked = {name: value for name, value in asked.items() if name in declared}
    return AnonymizeRequest(
        source,
        output,
        AlgorithmChoice(run.algorithm, asked | run.parameters, policy),
        format=run.format,
        overwrite=output.exists(),
        report=run.report,
        margins=run.margins,
        ends=run.ends,
        accepted=Accepted(run.accept_exposure, run.accept_loss, run.accept_repeats),
        command=request.command,
        promise=Promise(project.guarantee, project.promise.values, policy),
        cover=Cover(**project.cover),
        project={"file": request.file.name, "digest": digest},
    )


def _told(project: ProjectFile, made: Anonymized, before: Seen | None, added: Sequence[str]) -> RunResult:
    """The result with what is new, and without what is said on the command line about columns that have no role."""
    remarks = tuple(text for text in made.remarks if text != left_out_sentence(made.columns))
    news = (*added, *new_columns(project, made), *(() if before is None else since(before, seen(made.output))))
    return RunResult(made.output, replace(made, remarks=remarks), news)
