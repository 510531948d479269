"""Checks of a format of releases: each takes its id and a release with its original, and asserts one sentence."""

import tempfile
from collections.abc import Callable
from pathlib import Path

from anonset.data.formats import RELEASE_FORMATS
from anonset.errors import AnonsetError
from anonset.model.dataset import Dataset
from anonset.model.release import Release
from anonset.releases.folder import canonical, read_folder, write_folder
from anonset.testing.checks import same_release
from anonset.verify.reading import read_for_verdict

FormatCheck = Callable[[str, Dataset, Release], None]


def what_is_written_is_read_back(id: str, data: Dataset, release: Release) -> None:
    """The format's own reader gives the release again."""
    with tempfile.TemporaryDirectory() as folder:
        written(id, data, release, Path(folder))
        assert same_release(canonical(read_folder(Path(folder), data)), canonical(release))


def the_verifier_reads_the_same(id: str, data: Dataset, release: Release) -> None:
    """The verifier's reader, which shares no code with the writer, finds the same release."""
    with tempfile.TemporaryDirectory() as folder:
        written(id, data, release, Path(folder))
        assert same_release(canonical(read_for_verdict(Path(folder), data)), canonical(release))


def a_damaged_file_is_refused(id: str, data: Dataset, release: Release) -> None:
    """A file that was cut or changed is refused, or shows something else: never an unexpected exception, never the same."""
    for damage in (lambda raw: raw[: len(raw) // 2], lambda raw: raw + raw[-9:], lambda raw: b""):
        with tempfile.TemporaryDirectory() as folder:
            path = written(id, data, release, Path(folder))
            raw = path.read_bytes()
            path.write_bytes(damage(raw))
            try:
                again = read_for_verdict(Path(folder), data)
            except AnonsetError as error:
                assert str(error)
            else:
                assert damage(raw) == raw or not same_release(canonical(again), canonical(release)), "the damage went unseen"


FORMAT_CHECKS: tuple[FormatCheck, ...] = (
    what_is_written_is_read_back,
    the_verifier_reads_the_same,
    a_damaged_file_is_refused,
)


def written(id: str, data: Dataset, release: Release, folder: Path) -> Path:
    """Write the release into the folder; return the file with its records."""
    write_folder(release, data, folder, format=id)
    return folder / "published" / RELEASE_FORMATS[id].file
