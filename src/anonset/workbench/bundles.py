"""A release folder as a zip, written piece by piece: never whole in memory."""

import zipfile
from collections.abc import Iterator
from pathlib import Path

PIECE = 1 << 16
WHEN = (1980, 1, 1, 0, 0, 0)


class _Drain:
    """A file that only grows, and is emptied as it does."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, data: bytes) -> int:
        """Take some bytes."""
        self._parts.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Nothing is held back."""

    def taken(self) -> bytes:
        """All that came since the last time."""
        parts, self._parts = self._parts, []
        return b"".join(parts)


def zipped(folder: Path, *, private: bool) -> Iterator[bytes]:
    """The published half of a release; and the private half and the report where they are asked for."""
    halves = ("published", "private") if private else ("published",)
    files = [path for half in halves for path in sorted((folder / half).rglob("*")) if path.is_file()]
    files += [folder / "report.html"] if private and (folder / "report.html").exists() else []
    drain = _Drain()
    with zipfile.ZipFile(drain, "w", zipfile.ZIP_DEFLATED) as archive:  # type: ignore[call-overload]
        for file in files:
            entry = zipfile.ZipInfo(file.relative_to(folder).as_posix(), WHEN)
            entry.compress_type = zipfile.ZIP_DEFLATED
            with file.open("rb") as source, archive.open(entry, "w", force_zip64=True) as target:
                while piece := source.read(PIECE):
                    target.write(piece)
                    if ready := drain.taken():
                        yield ready
    yield drain.taken()
