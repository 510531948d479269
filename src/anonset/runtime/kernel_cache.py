"""The cache of compiled kernels: one folder for each state of their sources.

Numba compiles a kernel again when its own file changes, but does not look at the files of the kernels that it calls. After an
edit of a callee the cache would still give old results, so the name of the folder is a hash of all kernel sources.
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
UNUSED_DAYS = 90  # older folders are removed when a new one is made


def use_cache() -> str:
    """Have Numba cache in the folder of the current kernels, below the user's NUMBA_CACHE_DIR if it is set; return the folder.

    Where nothing can be written, or the sources cannot be read, kernels are cached for this process only.
    """
    name = _folder_name(PACKAGE)
    folder = _first_writable(name) if name else _temporary("")
    os.environ[VARIABLE] = folder
    if (numba := sys.modules.get("numba")) is not None:  # it has read the variable already
        numba.config.CACHE_DIR = folder
    return folder


def cache_folder() -> Path:
    """Return the folder of compiled kernels."""
    from pathlib import Path

    return Path(os.environ[VARIABLE])


def _first_writable(name: str) -> str:
    """Return the folder of this name in the first place that is writable."""
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
    """Return a name that changes with any kernel source; empty where they cannot be read."""
    try:
        from _blake2 import blake2b  # the one of hashlib, without loading the others
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
    """Return the path of every module in a folder of kernels; compiled functions are nowhere else."""
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
    """Create the folder, and remove unused ones when it is new; return whether it is writable."""
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
    """Remove folders that no process has used for UNUSED_DAYS."""
    import shutil

    oldest = time.time() - UNUSED_DAYS * 86_400
    with os.scandir(base) as entries:
        for entry in entries:
            if entry.name.startswith(PREFIX) and entry.path != used and entry.stat().st_mtime < oldest:
                shutil.rmtree(entry.path, ignore_errors=True)


def _temporary(cache: str) -> str:
    """Return a copy of a cache that only this user can write, since its content is executed; it is removed at exit."""
    import atexit
    import shutil
    import tempfile

    owned = tempfile.mkdtemp(prefix="anonset-")
    atexit.register(shutil.rmtree, owned, ignore_errors=True)
    folder = os.path.join(owned, os.path.basename(cache))  # child processes recognize it by its name
    if cache and os.path.isdir(cache):
        shutil.copytree(cache, folder)
    else:
        os.makedirs(folder, exist_ok=True)
    os.chmod(folder, 0o700)
    return folder
