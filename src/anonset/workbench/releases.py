"""Releases handed out: the report and the certificate, the folder as a zip, and everything that makes the release again."""

import io
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from anonset.errors import InputError
from anonset.workbench.files import ProjectFiles
from anonset.workbench.instructions import PROJECT, instructions_of
from anonset.workbench.runs import Runs
from anonset.workbench.values import RepeatInstructions
from anonset.workbench.worker_requests import RunRequest
from anonset.workbench.workers import Workers

BLOCK = 1 << 16
FIXED_TIME = (1980, 1, 1, 0, 0, 0)  # in zip files, which are then the same each time


class Releases:
    """The releases of finished runs, as they are handed out."""

    def __init__(self, files: ProjectFiles, runs: Runs, workers: Workers) -> None:
        self._files, self._runs, self._workers = files, runs, workers

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
        """The folder of a run with its pages; a quick run is made again with them, with the same records."""
        _, folder = self._runs.require_done(project, run)
        if not (folder / "report.html").exists():
            request = replace(self._runs.repeat_request(project, run), report=True)
            made = self._workers.ask("runs.make", self._files.names(project), request=request)
            if made["digest"] != self._runs.digest(project, run):
                raise InputError("this run cannot be made again exactly; start it anew with its report")
        return folder


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
