"""Releases handed out: the report and the certificate, the folder as a zip, and everything that makes the release again."""

import io
import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from anonset.errors import InputError, ParameterError
from anonset.model.cover import COVER_FIELDS
from anonset.workbench.files import ProjectFiles
from anonset.workbench.instructions import PROJECT, instructions_of
from anonset.workbench.journal import SetCover, State
from anonset.workbench.runs import Runs
from anonset.workbench.values import CountBeside, FileColumn, ReleasePromise, RepeatInstructions
from anonset.workbench.worker_requests import RunRequest
from anonset.workbench.workers import Workers

BLOCK = 1 << 16
COVER = "cover.json"  # beside a release: what its pages say
FIXED_TIME = (1980, 1, 1, 0, 0, 0)  # in zip files, which are then the same each time


class Releases:
    """The releases of finished runs, as they are handed out."""

    def __init__(self, files: ProjectFiles, runs: Runs, workers: Workers) -> None:
        self._files, self._runs, self._workers = files, runs, workers

    def promise(self, project: str, run: str) -> ReleasePromise:
        """What a run promises and what the promise does not cover, in sentences without values of the data."""
        folder = self._runs.require_done(project, run)[1]
        about = json.loads((folder / "published" / "about.json").read_bytes())
        state, columns = self._files.journal.state(project), self._files.columns(project)
        k = int(self._runs.get(project, run).parameters.get("k", state.promise.k))
        promises = (*(found["words"] for found in about["guarantees"]), about["counted"])
        limits = (*_exact_columns(about["outside"], k), *about["accepted"], *standing_limits(state, columns, about["unit"]))
        return ReleasePromise(promises, limits)

    def count(self, project: str, run: str, condition: str = "") -> CountBeside:
        """How many records meet a condition, from the published files alone."""
        folder = self._runs.require_done(project, run)[1]
        names = self._files.names(project)
        found: CountBeside = self._workers.ask("releases.count", names, folder=folder, condition=condition)
        return found

    def report(self, project: str, run: str) -> bytes:
        """The report of a run, for the owner of the data: an HTML page."""
        return (self._with_pages(project, run) / "report.html").read_bytes()

    def certificate(self, project: str, run: str) -> bytes:
        """The page that is published with a release: an HTML page without original values."""
        return (self._with_pages(project, run) / "published" / "about.html").read_bytes()

    def bundle(self, project: str, run: str, *, private: bool = False) -> Iterator[bytes]:
        """A release as a zip, block by block: its published half, and with `private` the private half too."""
        return zip_blocks(self._with_pages(project, run), private=private)

    def instructions(self, project: str, run: str) -> RepeatInstructions:
        """Return the commands that make the same release elsewhere; they expect the kit in the folder of the data."""
        request, name = self._repeat(project, run)
        return instructions_of(project, request, name, self._kit_files(project, run)[PROJECT])

    def kit(self, project: str, run: str) -> bytes:
        """A zip with all that makes the release again but the data: scripts, schema, project file, hierarchies."""
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in self._kit_files(project, run).items():
                archive.writestr(zipfile.ZipInfo(name, FIXED_TIME), text)
        return out.getvalue()

    def _kit_files(self, project: str, run: str) -> Mapping[str, str]:
        request, name = self._repeat(project, run)
        found: Mapping[str, str] = self._workers.ask("releases.kit", self._files.names(project), request=request, name=name)
        return found

    def _repeat(self, project: str, run: str) -> tuple[RunRequest, str]:
        """The request that makes a release again, and the name of the data."""
        request = self._runs.repeat_request(project, run)
        name = str(request.origin.get("address") or self._files.facts(project).name)
        return request, f"./{name}" if name.startswith("-") else name  # not an option of a command

    def _with_pages(self, project: str, run: str) -> Path:
        """The folder of a run with its pages; where they are missing or say something else, the same release is made again."""
        _, folder = self._runs.require_done(project, run)
        cover = dict(self._files.journal.state(project).cover.texts)
        if not (folder / "report.html").exists() or cover != _cover_of(folder):
            request = replace(self._runs.repeat_request(project, run), report=True)
            made = self._workers.ask("runs.make", self._files.names(project), request=request)
            if made["digest"] != self._runs.digest(project, run):
                raise InputError("this run cannot be made again exactly; start it anew with its report")
            (folder.parent / COVER).write_text(json.dumps(cover), encoding="utf-8", newline="\n")
        return folder


def check_cover(project: str, step: SetCover) -> None:
    """Raise where a text is for no field, or is none of its choices."""
    choices = {one.name: one.choices for one in COVER_FIELDS}
    for name, text in step.texts.items():
        if name not in choices:
            raise ParameterError(f"report and certificate have no such field; they have {', '.join(choices)}")
        if choices[name] and text not in choices[name]:
            raise ParameterError(f"{name} must be one of {', '.join(choices[name])}")


def _cover_of(folder: Path) -> dict[str, str]:
    """What the pages of a release say; nothing where nobody said anything."""
    file = folder.parent / COVER
    found: dict[str, str] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return found


def _exact_columns(outside: Mapping[str, Any], k: int) -> list[str]:
    """Sentences on the columns that are published unchanged, by the `outside` of about.json."""
    if not outside.get("columns"):
        return []
    names, share = ", ".join(outside["columns"]), float(outside["singled_out"])
    return [
        f"{names}: published unchanged; of {share:.1%} of the records, fewer than {k} share these and the protected values."
    ]


def standing_limits(state: State, columns: Sequence[FileColumn], unit: str) -> tuple[str, ...]:
    """What no promise of these decisions covers; `unit` is what was counted, people or records."""
    roles = {column.role for column in columns}
    found = []
    if "items" in roles:
        found.append(f"Somebody who knows more than {state.promise.m} items of a person may find fewer people.")
    if "items" in roles and not state.items.sensitive:
        found.append("Items that people who look alike all have can be learnt: no item is marked as sensitive under Promise.")
    if "sensitive" in roles and state.promise.l is None:
        found.append("People who look alike may all have the same sensitive value: no number of different values is promised.")
    if unit != "people":
        found.append("Each record counts as one person; people with several records are not recognized.")
    found.append("Other releases of the same people, from here or elsewhere, may tell more together with this one.")
    found.append("Somebody who knows how the algorithm works may exclude some of the people who look alike.")
    return tuple(found)


class _Drain:
    """A file for `zipfile` to write to; what was written is taken out in between."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, data: bytes) -> int:
        """Append some bytes."""
        self._parts.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Do nothing: there is no buffer."""

    def taken(self) -> bytes:
        """The bytes written since the last call."""
        parts, self._parts = self._parts, []
        return b"".join(parts)


def zip_blocks(folder: Path, *, private: bool) -> Iterator[bytes]:
    """A zip of the published half of a release; with `private`, of the private half and the report too."""
    halves = ("published", "private") if private else ("published",)
    files = [path for half in halves for path in sorted((folder / half).rglob("*")) if path.is_file()]
    files += [folder / "report.html"] if private and (folder / "report.html").exists() else []
    drain = _Drain()
    with zipfile.ZipFile(drain, "w", zipfile.ZIP_DEFLATED) as archive:  # type: ignore[call-overload]
        for file in files:
            entry = zipfile.ZipInfo(file.relative_to(folder).as_posix(), FIXED_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            with file.open("rb") as source, archive.open(entry, "w", force_zip64=True) as target:
                while block := source.read(BLOCK):
                    target.write(block)
                    if ready := drain.taken():
                        yield ready
    yield drain.taken()
