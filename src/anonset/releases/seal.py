"""One list of all files of a release with their hashes, kept in the private manifest under a hash of its own.

It finds what was changed, lost or put there by accident or by somebody who does not make the list anew.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from anonset.errors import AnonsetError, GuaranteeViolated
from anonset.model.dataset import Dataset
from anonset.model.plain_json import as_json, to_plain, write_json
from anonset.model.verdict import Finding
from anonset.releases.formats import CODECS
from anonset.releases.originals import MANIFEST, read_manifest

REPORT = "report.*"  # beside the halves and not on the list: `anonset report` makes it again at any time
HANDED_OUT = ("about.json", "about.html", *(codec.file for codec in CODECS.values()))


def seal(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write the manifest with the hashes of all other files and its own; let nobody but the owner read private/ and report."""
    files = {name: _hash(folder / name) for name in _files(folder) if name != MANIFEST}
    sealed = to_plain(manifest) | {"files": files}
    write_json(folder / MANIFEST, sealed | {"sha256": _own_hash(sealed)})
    private = folder / "private"
    for path in (private, *private.rglob("*"), *folder.glob(REPORT)):
        os.chmod(path, 0o700 if path.is_dir() else 0o600)


def unchanged(folder: Path) -> Finding | None:
    """Whether the files are those that were published, none more and none less; None where nothing says which they were."""
    manifest = read_manifest(folder)
    if manifest is None:
        half = folder / "published" if (folder / "published").is_dir() else folder
        names = sorted(path.name for path in half.iterdir())
        strange = tuple(f"{name} is no part of a release" for name in names if name not in HANDED_OUT)
        return _finding("nothing else published", strange) if strange else None
    told = tuple(_differences(folder, manifest)) if "files" in manifest else (f"{MANIFEST} does not list the files",)
    return _finding("unchanged since published", told)


def blamed(folder: Path, error: AnonsetError) -> AnonsetError:
    """The error of a check that could not be made: with the files that were changed, where it is they that are to blame."""
    if not any((folder / half).is_dir() for half in ("published", "private")):
        return error  # no release at all
    try:
        found = unchanged(folder)
    except AnonsetError:
        return error
    return error if found is None or found.holds else GuaranteeViolated(f"{found.worst}; so it cannot be checked: {error}")


def strangers(folder: Path) -> list[str]:
    """The files in the halves of a release that its list does not have; none where there is no list."""
    manifest = read_manifest(folder) or {}
    listed = manifest.get("files")
    return [] if listed is None else sorted(set(_files(folder)) - {MANIFEST, *listed})


def same_original(folder: Path, original: Dataset) -> Finding | None:
    """That the original is not, byte by byte, what the release was made of: to be told, and no breach. None where it is."""
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
    if manifest.get("sha256") != own or text != as_json(json.loads(text)):
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
    """Everything in the two halves of a release: files, links, and folders with what is in them."""
    for half in ("published", "private"):
        yield from (path.relative_to(folder).as_posix() for path in sorted((folder / half).rglob("*")))


def _hash(path: Path) -> str:
    if not path.is_file():
        return "a folder"
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _own_hash(manifest: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(manifest, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
