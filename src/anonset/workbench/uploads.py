"""Files from outside, streamed to private files under names of ours: limited in size, never held in memory."""

import os
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

from anonset.errors import InputError

LONGEST_NAME = 120
GZIPPED = b"\x1f\x8b"


class TooLarge(InputError):
    """More bytes came than are taken."""


def shown_name(name: str) -> str:
    """A file's name as it is shown: its last part, without what does not print."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    clean = "".join(sign for sign in last if sign.isprintable()).strip()
    return clean[-LONGEST_NAME:] or "file"


async def save_stream(chunks: AsyncIterator[bytes], file: Path, limit: int) -> int:
    """Write what comes to a new private file, and say how much it was; what is too large or breaks off is not kept."""
    size = 0
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as out:
            async for chunk in chunks:
                size += len(chunk)
                if size > limit:
                    raise TooLarge(f"the file is larger than {limit // 1_000_000:,} MB, the most that is taken here")
                out.write(chunk)
    except BaseException:
        file.unlink(missing_ok=True)
        raise
    return size


async def pieces(parts: Iterable[bytes]) -> AsyncIterator[bytes]:
    """Bytes that are at hand, as a stream."""
    for part in parts:
        yield part


def packed_suffix(file: Path) -> str:
    """What the name of a gzipped file must end in."""
    with file.open("rb") as opened:
        return ".gz" if opened.read(2) == GZIPPED else ""
