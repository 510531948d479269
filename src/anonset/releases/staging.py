"""Atomic publishing: a staging folder that replaces the target in one step; and the seal, a list of all files with hashes."""

import ctypes
import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from anonset.data.formats import RELEASE_FORMATS
from anonset.errors import AnonsetError, Fix, GuaranteeViolated, InputError, Set
from anonset.model.dataset import Dataset
from anonset.model.serialization import to_builtins, to_json, write_json
from anonset.model.verdict import Finding
from anonset.releases.folder import MANIFEST, read_manifest

STAGE = re.compile(r"\.(?P<name>.+)\.anonset-[^.]+")
LOCK, NEW, OLD = "lock", "new", "old"
RELEASE = frozenset({"published", "private", "report.html", "report.json"})  # the entries of a release folder
EXCHANGE, HERE = 2, -100  # RENAME_EXCHANGE and AT_FDCWD of renameat2

_open_stages: dict[Path, Path] = {}  # staging folders of this process, and their targets


def check_output(out: Path, *, overwrite: bool) -> None:
    """Raise unless a release can be written there; called before the work starts."""
    parent = out.absolute().parent
    if not parent.is_dir():
        raise InputError("the folder to write into does not exist", file=parent)
    try:
        with tempfile.TemporaryDirectory(prefix=".anonset-", dir=parent):
            pass
    except OSError as error:
        raise InputError(f"cannot be written to: {error.strerror or error}", file=parent) from None
    if not out.exists() and not out.is_symlink():
        return
    if not overwrite:
        raise InputError("exists already", file=out, fix=[Fix("choose another name"), Set("overwrite", True)])
    if not (out / "published" / "about.json").is_file() and not (out.is_dir() and not any(out.iterdir())):
        raise InputError("is not a release, so it is not overwritten", file=out)
    foreign = next((path for path in sorted(out.iterdir()) if path.name not in RELEASE), None)
    if foreign is not None:
        raise InputError(f"holds {foreign.name}, which is not part of a release, so it is not overwritten", file=out)


@contextmanager
def staged(out: Path, *, overwrite: bool) -> Iterator[Path]:
    """A staging folder that replaces `out` at the end, or is removed after an error; the old folder stays until then."""
    try:
        stage = Path(tempfile.mkdtemp(prefix=f".{out.name}.anonset-", dir=out.absolute().parent))
        _open_stages[stage] = out
        with _locked(stage):
            try:
                folder = stage / NEW
                folder.mkdir()
                yield folder
                _flush(folder)
                check_output(out, overwrite=overwrite)  # again: another process may have written it meanwhile
                _take_place(folder, out, stage / OLD)
                _fsync(out.absolute().parent)
            finally:
                _clear(stage, out)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", file=out) from error


def sweep(parent: Path) -> None:
    """Remove the staging folders of killed processes, and restore releases they had moved aside."""
    for stage in parent.glob(".*.anonset-*"):
        named = STAGE.fullmatch(stage.name)
        if named is None or stage in _open_stages:
            continue
        with suppress(OSError):  # it belongs to another user, or another process just removed it
            if (stage / LOCK).is_file():
                with _locked(stage) as ours:
                    if ours:
                        _clear(stage, parent / named["name"])


def clear_stages() -> None:
    """Remove the staging folders of this process, when it is stopped in the middle of its work."""
    for stage, out in list(_open_stages.items()):
        _clear(stage, out)


def _take_place(folder: Path, out: Path, aside: Path) -> None:
    """Replace `out` by the folder: in one step if the system can exchange folders, else by moving the old one aside."""
    if out.exists() and exchanged(folder, out):
        return
    if out.exists():
        out.rename(aside)
    folder.rename(out)


def exchanged(first: Path, second: Path) -> bool:
    """Exchange two folders atomically; False, with nothing changed, if the system cannot."""
    if not sys.platform.startswith("linux"):
        return False
    renameat2 = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if renameat2 is None:
        return False
    paths = (os.fsencode(first.absolute()), os.fsencode(second.absolute()))
    return bool(renameat2(HERE, ctypes.c_char_p(paths[0]), HERE, ctypes.c_char_p(paths[1]), ctypes.c_uint(EXCHANGE)) == 0)


def _clear(stage: Path, out: Path) -> None:
    """Remove a staging folder; restore what was moved aside if nothing replaced it."""
    if (stage / OLD).exists() and not out.exists():
        (stage / OLD).rename(out)
    shutil.rmtree(stage, ignore_errors=True)
    _open_stages.pop(stage, None)  # last, so that an interrupted removal can be repeated


@contextmanager
def _locked(stage: Path) -> Iterator[bool]:
    """Whether the lock of a staging folder could be acquired; the system releases it when its process ends."""
    ours = False
    try:
        with (stage / LOCK).open("w") as lock:
            ours = _held(lock)
            yield ours
    finally:
        with suppress(OSError):  # Windows cannot remove an open file: only the lock file is left
            if ours and [path.name for path in stage.iterdir()] == [LOCK]:
                shutil.rmtree(stage, ignore_errors=True)


def _held(lock: IO[str]) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _flush(folder: Path) -> None:
    """Flush the folder to disk before it is moved."""
    for path in sorted(folder.rglob("*"), reverse=True):
        _fsync(path)
    _fsync(folder)


def _fsync(path: Path) -> None:
    if path.is_dir() and os.name != "posix":
        return
    handle = os.open(path, os.O_RDONLY if os.name == "posix" else os.O_RDWR)  # Windows can flush only files opened for writing
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


REPORT = "report.*"  # not part of the seal: `anonset report` writes it again at any time
HANDED_OUT = ("README.md", "about.json", "about.html", "check.html", "codebook.html")  # with the records
SUMS = "SHA256SUMS"  # the hashes of the published files, to be signed: written after the seal, as are signatures of it
SIGNED = frozenset({SUMS, *(f"{SUMS}.{ending}" for ending in ("asc", "minisig", "sig"))})


def seal(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write the manifest with all hashes; private/ and the report become readable for the owner only."""
    files = {name: _hash(folder / name) for name in _files(folder) if name != MANIFEST}
    sealed = to_builtins(manifest) | {"files": files}
    write_json(folder / MANIFEST, sealed | {"sha256": _own_hash(sealed)})
    private = folder / "private"
    for path in (private, *private.rglob("*"), *folder.glob(REPORT)):
        os.chmod(path, 0o700 if path.is_dir() else 0o600)


def unchanged(folder: Path) -> Finding | None:
    """Whether the files are exactly those that were published; None if the manifest does not list them."""
    manifest = read_manifest(folder)
    if manifest is None:
        half = folder / "published" if (folder / "published").is_dir() else folder
        names = sorted(path.name for path in half.iterdir())
        known = {*HANDED_OUT, *SIGNED, *(format.file for format in RELEASE_FORMATS.values())}
        strange = (*(f"{name} is no part of a release" for name in names if name not in known), *_wrong_sums(half))
        return _finding("nothing else published", strange) if strange else None
    told = tuple(_differences(folder, manifest)) if "files" in manifest else (f"{MANIFEST} does not list the files",)
    told += _wrong_sums(folder / "published")
    return _finding("unchanged since published", told)


def sums(half: Path) -> str:
    """The hashes of all published files as `sha256sum` writes them, run in the published half."""
    files = sorted(path for path in half.rglob("*") if path.is_file() and path.name not in SIGNED)
    return "".join(f"{_hash(path)}  {path.relative_to(half).as_posix()}\n" for path in files)


def _wrong_sums(half: Path) -> tuple[str, ...]:
    """What is wrong with the list of hashes of the published half, if it has one."""
    listed = half / SUMS
    if not listed.exists() or (listed.is_file() and listed.read_bytes() == sums(half).encode()):
        return ()
    return (f"{SUMS} does not fit the published files",)


def blamed(folder: Path, error: AnonsetError) -> AnonsetError:
    """The error of a check that failed to run, extended by the files that were changed since publication."""
    if not any((folder / half).is_dir() for half in ("published", "private")):
        return error  # no release at all
    try:
        found = unchanged(folder)
    except AnonsetError:
        return error
    return error if found is None or found.holds else GuaranteeViolated(f"{found.worst}; so it cannot be checked: {error}")


def strangers(folder: Path) -> list[str]:
    """The files of a release that its manifest does not list; none if it has no list."""
    manifest = read_manifest(folder) or {}
    listed = manifest.get("files")
    return [] if listed is None else sorted(set(_files(folder)) - {MANIFEST, *listed})


def same_original(folder: Path, original: Dataset) -> Finding | None:
    """A note that the original is not byte for byte the one that was anonymized, which is no violation; None if it is."""
    manifest = read_manifest(folder)
    if manifest is None or not original.sources or not manifest.get("inputs"):
        return None
    known = {source["sha256"] for source in manifest["inputs"]}
    others = [source.name for source in original.sources if source.sha256 not in known]
    if not others:
        return None
    return Finding("comparable original", True, 0, f"{', '.join(others)} has other bytes than what the release was made of")


def _differences(folder: Path, manifest: Mapping[str, Any]) -> Iterator[str]:
    listed: Mapping[str, str] = manifest["files"]
    text = (folder / MANIFEST).read_text(encoding="utf-8")
    own = _own_hash({name: value for name, value in manifest.items() if name != "sha256"})
    if manifest.get("sha256") != own or text != to_json(json.loads(text)):
        yield f"{MANIFEST} was changed"
    now = set(_files(folder)) - {MANIFEST}
    if not any(name in now and _hash(folder / name) == listed[name] for name in listed if name.startswith("published/")):
        yield f"{MANIFEST} is of another release, or all that was published is"
    for name in sorted(now | listed.keys()):
        if name not in now:
            yield f"{name} is gone"
        elif name not in listed:
            yield f"{name} was put there"
        elif (folder / name).is_symlink() or _hash(folder / name) != listed[name]:
            yield f"{name} was changed"


def _finding(what: str, told: tuple[str, ...]) -> Finding:
    return Finding(what, not told, len(told), "; ".join(told), witnesses=told)


def _files(folder: Path) -> Iterator[str]:
    """All files, links and folders in published/ and private/, but for what is signed."""
    after = {f"published/{name}" for name in SIGNED}
    for half in ("published", "private"):
        found = (path.relative_to(folder).as_posix() for path in sorted((folder / half).rglob("*")))
        yield from (name for name in found if name not in after)


def _hash(path: Path) -> str:
    if not path.is_file():
        return "a folder"
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _own_hash(manifest: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(manifest, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
