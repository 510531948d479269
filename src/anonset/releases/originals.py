"""What a release folder says about the original it was made of: how to read it, its hierarchies and its sensitive items."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from anonset.errors import GuaranteeViolated, InputError
from anonset.model.dataset import Dataset
from anonset.model.plain_json import tree_from_plain
from anonset.model.release_files import About, Domains, Manifest, read_release_file
from anonset.model.schema import ROLES, Schema

MANIFEST = "private/manifest.json"


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """private/manifest.json, or None where a folder has only what is published."""
    path = folder / MANIFEST
    if not (folder / "private").is_dir():
        return None
    return dict(read_release_file(path, Manifest))


def published_folder(folder: Path) -> Path:
    """Where about.json is: published/ inside the folder, or the folder itself."""
    for place in (folder / "published", folder):
        if (place / "about.json").is_file():
            return place
    raise InputError("is no release: there is no published/about.json in it", file=folder)


def schema_of_folder(folder: Path) -> Schema:
    """How to read the original: as it was read for the release, or at least with the roles that about.json names."""
    manifest = read_manifest(folder)
    if manifest is not None and manifest.get("reading") is not None:
        try:
            return Schema.from_values(manifest["reading"])
        except InputError as error:
            raise GuaranteeViolated(f"private/manifest.json is damaged: reading: {error}") from None
    about = read_release_file(published_folder(folder) / "about.json", About)
    roles: dict[str, Any] = {role: [] for role in ROLES}
    kinds: dict[str, Any] = {}
    items: list[str] = []
    for attribute in about["attributes"]:
        if attribute["role"] == "items":
            items.append(attribute["name"])
        else:
            roles[attribute["role"]].append(attribute["name"])
            kinds[attribute["name"]] = attribute["kind"]
    return Schema(**(roles if kinds else {}), kinds=kinds, items=tuple(items) if kinds else None)


def with_domains(folder: Path, original: Dataset) -> Dataset:
    """The original with the hierarchies and the sensitive items that the release was made with."""
    path = folder / "private" / "domains.json"
    if not path.is_file():
        return original
    said = read_release_file(path, Domains)
    try:
        original = original.with_hierarchies({name: tree_from_plain(tree) for name, tree in said["columns"].items()})
        if said["items"] is not None:
            original = original.with_item_hierarchy(tree_from_plain(said["items"]))
    except (InputError, ValueError, LookupError, OverflowError) as error:
        reason = error if isinstance(error, InputError) else "a hierarchy is no tree"
        raise GuaranteeViolated(f"private/domains.json is damaged: {reason}") from None
    if said["sensitive_items"] is None or original.transactions is None:
        return original
    names = set(said["sensitive_items"])
    return replace(original, sensitive_items=np.array([name in names for name in original.transactions.domain], np.bool_))
