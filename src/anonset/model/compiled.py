"""Where compiled kernels are kept, so that they are compiled once per installation."""

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path

VARIABLE = "NUMBA_CACHE_DIR"


def keep_elsewhere() -> Path:
    """Keep compiled kernels in the user's cache; where not even that can be written to, in a copy of it for this process."""
    from platformdirs import user_cache_path

    cache = user_cache_path("anonset")
    folder = cache if _writable(cache) else _passing_copy(cache)
    os.environ[VARIABLE] = str(folder)
    if (numba := sys.modules.get("numba")) is not None:  # it has read the variable already
        numba.config.CACHE_DIR = str(folder)
    return folder


def kept_in() -> Path:
    """Where compiled kernels are kept: in a folder of their own, or beside their sources."""
    return Path(os.environ.get(VARIABLE) or Path(__file__).parents[1])


def _passing_copy(cache: Path) -> Path:
    """A folder of this user's alone, since what is in it is run; gone when the process ends."""
    folder = Path(tempfile.mkdtemp(prefix="anonset-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    if cache.is_dir():
        shutil.copytree(cache, folder, dirs_exist_ok=True)
    folder.chmod(0o700)
    return folder


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False
