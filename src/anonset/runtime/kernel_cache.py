"""The cache of compiled kernels: one folder for each state of their sources.

Numba compiles a kernel again when its own file changed, and never looks at the files of the kernels that it calls. An edited
callee would go on giving old answers from the cache; so the name of the folder is a hash of all kernel sources.
"""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


VARIABLE = "NUMBA_CACHE_DIR"
PREFIX = "anonset-kernels-"
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
UNUSED_DAYS = 90  # a folder that no process used for so long is removed when a new one is made


def use_cache() -> str:
    """Have Numba cache in the folder of today's kernels, below the user's NUMBA_CACHE_DIR if there is one; where it is.

    Where nothing can be written, or the sources cannot be read, kernels are cached for this process alone.
    """
    name = _folder_name(PACKAGE)
    folder = _first_writable(name) if name else _temporary("")
    os.environ[VARIABLE] = folder
    if (numba := sys.modules.get("numba")) is not None:  # it has read the variable already
        numba.config.CACHE_DIR = folder
    return folder


def cache_folder() -> Path:
    """Where compiled kernels are cached."""
    from pathlib import Path

    return Path(os.environ[VARIABLE])


def _first_writable(name: str) -> str:
    """The folder of that name in the first place that can be written to."""
    if given := os.environ.get(VARIABLE):
        base = os.path.dirname(given) if os.path.basename(given).startswith(PREFIX) else given  # a parent process set it
        folder = os.path.join(base, name)
        return folder if _prepare(folder) else _temporary(folder)
    folder = os.path.join(PACKAGE, "__pycache__", name)
    if os.access(PACKAGE, os.W_OK) and _prepare(folder):
        return folder
    from platformdirs import user_cache_path

    folder = str(user_cache_path("anonset") / name)
    return folder if _prepare(folder) else _temporary(folder)


def _folder_name(package: str) -> str:
    """A name that changes with any kernel source; empty where they cannot be read."""
    try:
        from _blake2 import blake2b  # what hashlib gives, without loading the other hashes
    except ImportError:
        from hashlib import blake2b

    digest = blake2b(digest_size=10)
    try:
        sources = sorted(_kernel_sources(package))
        for path in sources:
            with open(path, "rb") as source:
                digest.update(f"{os.path.relpath(path, package)}\0".encode() + source.read() + b"\0")
    except OSError:
        return ""
    return PREFIX + digest.hexdigest() if sources else ""


def _kernel_sources(package: str) -> list[str]:
    """Every module in a folder of kernels; compiled functions are nowhere else."""
    found: list[str] = []
    folders = [package]
    while folders:
        folder = folders.pop()
        is_kernels = os.path.basename(folder) in ("kernels", "_kernels")
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(".py"):
                    if is_kernels:
                        found.append(entry.path)
                elif "." not in entry.name and entry.name != "__pycache__" and entry.is_dir():
                    folders.append(entry.path)
    return found


def _prepare(folder: str) -> bool:
    """Whether the folder is there and can be written to; the first time, folders that went out of use are removed."""
    is_new = not os.path.isdir(folder)
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        os.utime(folder)
    except OSError:
        return False
    if is_new:
        _remove_unused(os.path.dirname(folder), folder)
    return os.access(folder, os.W_OK)


def _remove_unused(base: str, used: str) -> None:
    """Remove what was cached for kernels that nobody has run for long."""
    import shutil

    oldest = time.time() - UNUSED_DAYS * 86_400
    with os.scandir(base) as entries:
        for entry in entries:
            if entry.name.startswith(PREFIX) and entry.path != used and entry.stat().st_mtime < oldest:
                shutil.rmtree(entry.path, ignore_errors=True)


def _temporary(cache: str) -> str:
    """A folder of this user's alone, since what is in it is run, begun with a copy of a cache; gone when the process ends."""
    import atexit
    import shutil
    import tempfile

    owned = tempfile.mkdtemp(prefix="anonset-")  # for this user only
    atexit.register(shutil.rmtree, owned, ignore_errors=True)
    folder = os.path.join(owned, os.path.basename(cache))  # by its name, child processes know it as theirs
    if cache and os.path.isdir(cache):
        shutil.copytree(cache, folder)
    else:
        os.makedirs(folder, exist_ok=True)
    os.chmod(folder, 0o700)
    return folder
