"""Files that are written whole or not at all."""

import os
import tempfile
from pathlib import Path

from anonset.errors import InputError


def require_free(path: Path, *, overwrite: bool) -> None:
    """Raise where a file is there already and may not be replaced: told before the work, not after it."""
    if path.exists() and not overwrite:
        raise InputError("exists already; choose another name or pass --overwrite", file=path)


def write_text(path: Path, text: str, *, mode: int | None = None) -> None:
    """Write a text file; what was there stays until the new one is whole and on the disk."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.absolute().parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(name, _mode() if mode is None else mode)
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", file=path) from None


def _mode() -> int:
    """What a new file may be read by, as the system has it."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
