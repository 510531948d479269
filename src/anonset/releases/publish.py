"""Publish a release: write it to a staging folder, read it back, verify what was read, and only then move it into place."""

import platform
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from anonset.errors import GuaranteeViolated, InputError
from anonset.measure import measure
from anonset.measure.usefulness import Usefulness, usefulness
from anonset.model.cover import Cover, moment
from anonset.model.dataset import Dataset
from anonset.model.guarantees import Guarantee
from anonset.model.progress import Progress, silent
from anonset.model.release import Accepted, Release
from anonset.model.verdict import Finding, Verdict
from anonset.releases.folder import is_aligned, read_manifest, write_folder
from anonset.releases.gates import Admission, admit, earlier_refused
from anonset.releases.staging import check_output, same_original, seal, staged, strangers, sweep, unchanged
from anonset.verify import verify
from anonset.verify.reading import read_for_verdict

STEPS = ("write", "read_back", "verify", "measure", "pages")
NOTHING = Accepted()
LIBRARIES = ("numpy", "scipy", "numba", "polars")  # already imported at this point


class Published(NamedTuple):
    """The folder of a release, its verdict and measures (computed on its files), what was accepted, and its usefulness."""

    folder: Path
    verdict: Verdict
    measures: dict[str, float]
    admission: Admission
    usefulness: Usefulness | None


class Intersected(Protocol):
    """What somebody learns who holds an earlier release too."""

    @property
    def holds(self) -> bool:
        """Whether nobody is left with fewer than k candidates."""

    @property
    def sentence(self) -> str:
        """What was found, in a sentence without values."""

    def as_json(self) -> Mapping[str, Any]:
        """The figures, for the manifest."""


Pages = Callable[[Path, Release, Published], None]  # (staging folder, release read back from it, results)


def publish(
    original: Dataset,
    release: Release,
    out: Path,
    *,
    format: str = "csv",
    overwrite: bool = False,
    measures: Sequence[str] | None = None,
    useful: bool = False,
    timings: Mapping[str, float] | None = None,
    pages: Pages | None = None,
    command: str = "",
    accepted: Accepted = NOTHING,
    project: Mapping[str, Any] | None = None,
    cover: Cover | None = None,
    earlier: Sequence[Intersected] = (),
    like: str | None = None,
    progress: Progress = silent,
) -> Published:
    """Write the release to the folder `out`, whole and verified as written, or leave nothing behind.

    What is linkable and not covered, or nearly names people, or says nothing, is refused unless `accepted`.
    `useful` asks what the release is still good for. `timings` says what it took until now: it goes to the manifest, and so do
    the `command`, the `project` file behind it, the `cover`, the comparisons with `earlier` releases and the name of the one
    whose rules were taken over (`like`). `pages` may add files
    to the folder before it is moved into place. A listener to the `progress` may raise: nothing is left then.
    """
    out = Path(out)
    open_to = tuple(found.sentence for found in earlier if not found.holds)
    if open_to and not accepted.earlier:
        raise earlier_refused("; ".join(open_to))
    admission = replace(admit(original, release, accepted), earlier=open_to)
    sweep(out.absolute().parent)
    check_output(out, overwrite=overwrite)
    if out.exists() and (others := strangers(out)):
        raise InputError(f"holds {others[0]}, which is not part of the release, so it is not overwritten", file=out)
    with staged(out, overwrite=overwrite) as folder:
        clock = _Clock(timings or {}, progress, len(STEPS) - (pages is None))
        manifest = write_folder(release, original, folder, format=format, admission=admission, cover=cover)
        clock.lap("write")
        again = replace(read_for_verdict(folder, original), provenance=release.provenance, trace=release.trace)
        clock.lap("read_back")
        repeats = accepted.takes_repeats(original.tied)
        verdict = verify(original, again, accept_repeats=repeats, progress=clock.during)
        verdict.require()
        clock.lap("verify")
        found = measure(original, again, measures, progress=clock.during)
        good_for = usefulness(original, again, bound=found.get("exact-bound")) if useful else None
        published = Published(out, verdict, found, admission, good_for)
        clock.lap("measure")
        if pages is not None:
            pages(folder, again, published)
            clock.lap("pages")
        how: dict[str, Any] = {"command": command, "cover": cover, "project": project}
        held: dict[str, Any] = {"earlier": [found.as_json() for found in earlier]} if earlier else {}
        held |= {} if like is None else {"like": like}
        seal(folder, manifest | held | run_facts(original, published, clock.seconds, **how))
    return published


def verify_folder(
    original: Dataset,
    folder: Path,
    guarantees: Sequence[Guarantee] | None = None,
    *,
    accept_repeats: bool = False,
    progress: Progress = silent,
) -> Verdict:
    """The verdict on the files of a release; with private/ also whether the files are unchanged.

    Counts records although people have several, if that was accepted when it was published, or is now.
    """
    try:
        release = read_for_verdict(folder, original)
    except GuaranteeViolated as error:
        unreadable = Finding("readable as published", False, 1, str(error), witnesses=(str(error),))
        return Verdict((unreadable, *seals(original, folder)))
    how: dict[str, Any] = {"truthful": is_aligned(folder), "accept_repeats": accept_repeats}
    how["accept_repeats"] |= repeats_accepted(folder, original)
    verdict = verify(original, release, guarantees, progress=progress, **how)
    return Verdict((*verdict.findings, *seals(original, folder)))


def seals(original: Dataset, folder: Path) -> tuple[Finding, ...]:
    """Whether the files are unchanged, and whether the original is the one that was anonymized."""
    return tuple(finding for finding in (unchanged(folder), same_original(folder, original)) if finding is not None)


def repeats_accepted(folder: Path, original: Dataset) -> bool:
    """Whether counting records was accepted when the release was published."""
    accepted = (read_manifest(folder) or {}).get("accepted")
    if not isinstance(accepted, dict):
        return False
    exposure = tuple(accepted.get("exposure") or ())
    return Accepted(exposure, repeats=accepted.get("repeats") is True).takes_repeats(original.tied)


def people_facts(original: Dataset) -> dict[str, Any]:
    """How records and people relate, for the manifest."""
    gathered = original.gathered
    return {"unit": original.unit, "column": original.people_column, "gathered": gathered}


class _Outcome(Protocol):
    """What is known of the written files of a release, in one part or in many."""

    @property
    def verdict(self) -> Verdict: ...
    @property
    def measures(self) -> dict[str, float]: ...
    @property
    def admission(self) -> Admission: ...
    @property
    def usefulness(self) -> Usefulness | None: ...


def run_facts(
    original: Dataset,
    found: _Outcome,
    seconds: Mapping[str, float],
    *,
    command: str = "",
    cover: Cover | None = None,
    project: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The entries of the manifest about the run that made a release, and what was found of its files."""
    end = moment()
    begun = end - timedelta(seconds=round(sum(seconds.values())))
    return {
        "command": command,
        "cover": None if cover is None else asdict(cover),
        "started": begun.isoformat(),
        "finished": end.isoformat(),
        **({} if project is None else {"project": dict(project)}),
        "reading": dict(original.reading) or None,
        "people": people_facts(original),
        "columns": original.fates,
        "accepted": found.admission,
        "outside": found.admission.outside(),
        "versions": versions(),
        "timings": seconds,
        "verdict": found.verdict,
        "measures": found.measures,
        "usefulness": found.usefulness,
    }


def versions() -> dict[str, str]:
    """The versions of Python and of the libraries that results depend on."""
    return {"python": platform.python_version()} | {name: import_module(name).__version__ for name in LIBRARIES}


class _Clock:
    """Measures the seconds of each step and reports overall progress."""

    def __init__(self, before: Mapping[str, float], progress: Progress, steps: int) -> None:
        self.seconds, self._steps = dict(before), steps
        self._last, self._done, self._progress = time.perf_counter(), 0, progress

    def during(self, done: float) -> None:
        """The progress listener for the current step; `lap` ends it."""
        if done < 1.0:
            self._progress((self._done + done) / self._steps)

    def lap(self, step: str) -> None:
        now = time.perf_counter()
        self._done += 1
        self._progress(self._done / self._steps)
        self.seconds[step] = round(now - self._last, 4)
        self._last = now
