"""Nothing is released unchecked: write to a staging folder, read it back, verify that, and only then move it into place."""

import hashlib
import os
import platform
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from anonset.errors import GuaranteeViolated, InputError
from anonset.measure import measure
from anonset.model.accepted import Accepted
from anonset.model.dataset import Dataset
from anonset.model.guarantees import Guarantee
from anonset.model.progress import Progress, silent
from anonset.model.release import Release
from anonset.model.verdict import Finding, Verdict
from anonset.releases.folder import is_aligned, read_folder, write_folder
from anonset.releases.gates import Admission, admit
from anonset.releases.originals import published_folder, read_manifest, write_manifest
from anonset.verify import verify
from anonset.verify.reading import read_for_verdict

STEPS = ("write", "read_back", "verify", "measure", "pages")
NOTHING = Accepted()
LIBRARIES = ("numpy", "scipy", "numba", "polars")


class Published(NamedTuple):
    """Where a release is, what the check of its files found, what was measured on them, and what had to be accepted."""

    folder: Path
    verdict: Verdict
    measures: dict[str, float]
    admission: Admission


Pages = Callable[[Path, Release, Published], None]  # the folder being written, what was read back from it, what was found


def publish(
    original: Dataset,
    release: Release,
    out: Path,
    *,
    format: str = "csv",
    overwrite: bool = False,
    measures: Sequence[str] | None = None,
    timings: Mapping[str, float] | None = None,
    pages: Pages | None = None,
    command: str = "",
    accepted: Accepted = NOTHING,
    progress: Progress = silent,
) -> Published:
    """Write the release to the folder `out`, whole and verified as written, or leave nothing behind.

    What is linkable and not covered, or nearly names people, or says nothing, is refused unless `accepted`.
    `timings` says what it took until now: it goes to the manifest, and so does the `command` behind it. `pages` may add
    files to the folder before it is moved into place. A listener to the `progress` may raise: then nothing is left behind.
    """
    out = Path(out)
    admission = admit(original, release, accepted)
    _sweep(out)
    check_output(out, overwrite=overwrite)
    with _staged(out, overwrite=overwrite) as folder:
        clock = _Clock(timings or {}, len(STEPS) - (pages is None), progress)
        write_folder(release, original, folder, format=format, accepted=admission.sentences)
        clock.lap("write")
        again = read_folder(folder, original)
        clock.lap("read_back")
        verdict = verify(original, read_for_verdict(folder, original))
        verdict.require()
        clock.lap("verify")
        found = measure(original, again, measures)
        clock.lap("measure")
        if pages is not None:
            pages(folder, again, Published(out, verdict, found, admission))
            clock.lap("pages")
        _complete_manifest(folder, original, Published(out, verdict, found, admission), clock.seconds, command)
        _flush(folder)
    return Published(out, verdict, found, admission)


def verify_folder(original: Dataset, folder: Path, guarantees: Sequence[Guarantee] | None = None) -> Verdict:
    """What the check of a release's files finds; with private/ beside them also whether they are those that were verified."""
    try:
        release = read_for_verdict(folder, original)
    except GuaranteeViolated as error:
        return Verdict((Finding("readable as published", False, 1, str(error), witnesses=(str(error),)),))
    verdict = verify(original, release, guarantees, truthful=is_aligned(folder))
    manifest = read_manifest(folder)
    if manifest is None or "published" not in manifest:
        return verdict
    now = _hashes(published_folder(folder))
    changed = tuple(f"{name} was changed" for name, sha256 in manifest["published"].items() if now.get(name) != sha256)
    unchanged = Finding("unchanged since published", not changed, len(changed), "; ".join(changed), witnesses=changed)
    return Verdict((*verdict.findings, unchanged))


def check_output(out: Path, *, overwrite: bool) -> None:
    """Raise unless a release can be put there: told before the work, not after it."""
    parent = out.absolute().parent
    if not parent.is_dir():
        raise InputError("the folder to write into is not there", file=parent)
    try:
        with tempfile.TemporaryDirectory(prefix=".anonset-", dir=parent):
            pass
    except OSError as error:
        raise InputError(f"cannot be written to: {error.strerror or error}", file=parent) from None
    if not out.exists() and not out.is_symlink():
        return
    if not overwrite:
        raise InputError("exists already; choose another name, or ask to overwrite it (--overwrite)", file=out)
    if not (out / "published" / "about.json").is_file() and not (out.is_dir() and not any(out.iterdir())):
        raise InputError("is not a release, so it is not overwritten", file=out)


@contextmanager
def _staged(out: Path, *, overwrite: bool) -> Iterator[Path]:
    """A new folder beside `out` that takes its place at the end, or is gone."""
    try:
        stage = Path(tempfile.mkdtemp(prefix=f".{out.name}.anonset-{os.getpid()}-", dir=out.absolute().parent))
        try:
            folder = stage / "new"
            folder.mkdir()
            yield folder
            check_output(out, overwrite=overwrite)  # again: somebody else may have been quicker
            if out.exists():
                out.rename(stage / "old")
            folder.rename(out)
            _fsync(out.absolute().parent)
        finally:
            _clear(stage, out)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", file=out) from error


def _clear(stage: Path, out: Path) -> None:
    """Remove a staging folder; what was moved aside goes back if nothing took its place."""
    if (stage / "old").exists() and not out.exists():
        (stage / "old").rename(out)
    shutil.rmtree(stage, ignore_errors=True)


def _sweep(out: Path) -> None:
    """Clear the staging folders that killed processes left for the same output."""
    prefix = f".{out.name}.anonset-"
    for stage in out.absolute().parent.glob(f"{_literal(prefix)}*"):
        owner = stage.name.removeprefix(prefix).split("-")[0]
        if owner.isdecimal() and not _is_running(int(owner)):
            _clear(stage, out)


def _literal(text: str) -> str:
    return "".join(f"[{c}]" if c in "*?[" else c for c in text)


def _is_running(process: int) -> bool:
    if os.name != "posix":  # elsewhere there is no harmless way to ask
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _complete_manifest(folder: Path, original: Dataset, published: Published, seconds: dict[str, float], command: str) -> None:
    manifest = read_manifest(folder) or {}
    verdict = published.verdict
    versions = {"python": platform.python_version()} | {name: version(name) for name in LIBRARIES}
    manifest |= {
        "command": command,
        "reading": dict(original.reading) or None,
        "columns": [asdict(fate) | {"fate": fate.fate} for fate in original.fates],
        "accepted": {"exposure": published.admission.exposed, "loss": published.admission.lost},
        "versions": versions,
        "timings": seconds,
        "verdict": {
            "holds": verdict.holds,
            "violations": verdict.violations,
            "findings": [asdict(finding) for finding in verdict.findings],
        },
        "measures": published.measures,
        "published": _hashes(folder / "published"),
    }
    write_manifest(folder, manifest)


def _hashes(folder: Path) -> dict[str, str]:
    found = {}
    for path in sorted(folder.iterdir()):
        with path.open("rb") as file:
            found[path.name] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def _flush(folder: Path) -> None:
    """Make sure that the folder is on the disk before it is moved."""
    for path in sorted(folder.rglob("*"), reverse=True):
        _fsync(path)
    _fsync(folder)


def _fsync(path: Path) -> None:
    if path.is_dir() and os.name != "posix":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class _Clock:
    """Seconds by step, told to a listener as shares of all steps."""

    def __init__(self, before: Mapping[str, float], steps: int, progress: Progress) -> None:
        self.seconds = dict(before)
        self._last, self._done, self._steps, self._progress = time.perf_counter(), 0, steps, progress

    def lap(self, step: str) -> None:
        now = time.perf_counter()
        self._done += 1
        self._progress(self._done / self._steps)
        self.seconds[step] = round(now - self._last, 4)
        self._last = now
