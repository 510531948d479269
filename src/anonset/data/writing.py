"""Files that are written whole or not at all."""

import os
from pathlib import Path
from secrets import token_hex

from anonset.errors import InputError
from anonset.model.ways import way


def require_free(path: Path, *, overwrite: bool) -> None:
    """Raise where a file is there already and may not be replaced: told before the work, not after it."""
    if path.exists() and not overwrite:
        raise InputError(f"exists already; choose another name, or pass {way('overwrite', True)}", file=path)


def write_text(path: Path, text: str, *, mode: int = 0o666) -> None:
    """Write a text file; what was there stays until the new one is whole and on the disk.

    `mode` is who may read it, as far as the system lets them.
    """
    draft = path.absolute().with_name(f".{path.name}.{token_hex(4)}")
    try:
        try:
            with open(draft, "x", encoding="utf-8", newline="", opener=lambda name, flags: os.open(name, flags, mode)) as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, path)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", file=path) from None
