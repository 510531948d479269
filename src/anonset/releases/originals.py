"""What a release folder says about the original it was made of: how to read it, its hierarchies and its sensitive items."""

from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from anonset.errors import InputError
from anonset.model.dataset import Dataset
from anonset.model.plain import read_json, tree_from_plain, tree_to_plain, write_json
from anonset.model.schema import ROLES, Schema


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write private/manifest.json."""
    write_json(folder / "private" / "manifest.json", manifest)


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """private/manifest.json, or None where a folder has only what is published."""
    path = folder / "private" / "manifest.json"
    if not (folder / "private").is_dir():
        return None
    manifest = read_json(path)
    if not isinstance(manifest, dict):
        raise InputError("must be a JSON object", file=path)
    return manifest


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
        known = {f.name for f in fields(Schema)}
        return Schema(**{name: value for name, value in manifest["reading"].items() if name in known})
    about = read_json(published_folder(folder) / "about.json")
    roles: dict[str, Any] = {role: [] for role in ROLES}
    kinds, items = {}, []
    for attribute in about["attributes"]:
        if attribute["role"] == "items":
            items.append(attribute["name"])
        else:
            roles[attribute["role"]].append(attribute["name"])
            kinds[attribute["name"]] = attribute["kind"]
    return Schema(**(roles if kinds else {}), kinds=kinds, items=tuple(items) if kinds else None)


def domains(original: Dataset) -> dict[str, Any]:
    """What was said about the values of the input: hierarchies, and which items are sensitive."""
    sensitive = None
    if original.transactions is not None and original.sensitive_items is not None:
        flags = zip(original.transactions.domain, original.sensitive_items, strict=True)
        sensitive = [name for name, flag in flags if flag]
    return {
        "items": None if original.item_hierarchy is None else tree_to_plain(original.item_hierarchy),
        "columns": {c.name: tree_to_plain(c.hierarchy) for c in original.columns if c.hierarchy is not None},
        "sensitive_items": sensitive,
    }


def with_domains(folder: Path, original: Dataset) -> Dataset:
    """The original with the hierarchies and the sensitive items that the release was made with."""
    path = folder / "private" / "domains.json"
    if not path.is_file():
        return original
    said = read_json(path)
    original = original.with_hierarchies({name: tree_from_plain(tree) for name, tree in said["columns"].items()})
    if said["items"] is not None:
        original = original.with_item_hierarchy(tree_from_plain(said["items"]))
    if said["sensitive_items"] is None or original.transactions is None:
        return original
    names = set(said["sensitive_items"])
    return replace(original, sensitive_items=np.array([name in names for name in original.transactions.domain], np.bool_))
