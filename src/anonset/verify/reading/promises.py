"""What a release promises: about.json, and beside it the private manifest, which spells out the owner's policies."""

import json
from pathlib import Path
from typing import Any

from anonset.errors import GuaranteeViolated, InputError
from anonset.model.guarantees import Guarantee, make_guarantee
from anonset.model.margins import Margins
from anonset.verify.reading.formats import READERS, Guide

POLICIES = ("itemsets", "groups")  # published as numbers only
WANTED = {"format", "records", "guarantees", "attributes", "algorithm", "made_with"}
PROSE = {"seeded", "file", "suppressed_records", "published_as_they_are", "accepted", "how_to_read"}
EXPLAINED = {"name", "role", "kind", "labels", "column", "columns", "generalized", "suppressed_items"}
EXPLAINED |= {"separator", "errors_column", "marks", "numbers", "errors_from"}


def published_half(folder: Path) -> Path:
    """Where about.json is: in published/, or in the folder itself."""
    for place in (folder / "published", folder):
        if (place / "about.json").is_file():
            return place
    raise InputError("is no release: there is no published/about.json in it", file=folder)


def read_object(path: Path) -> dict[str, Any]:
    """The JSON object in a file."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from None
    except ValueError as error:
        raise InputError(f"is not JSON: {error}", file=path) from None
    if not isinstance(found, dict):
        raise InputError("must be a JSON object", file=path)
    return found


def read_about(path: Path) -> Guide:
    """about.json, with everything that is needed to read the records."""
    about = read_object(path)
    if not about.keys() >= WANTED or about["format"] not in READERS:
        raise InputError(f"must be the about.json of a release, with {', '.join(sorted(WANTED))}", file=path)
    return about


def require_known(about: Guide) -> None:
    """Raise where about.json says something that no check looks at: what is not looked at could tell anything."""
    strange = sorted(about.keys() - WANTED - PROSE - {"margins"})
    strange += [f"{guide['name']}.{key}" for guide in about["attributes"] for key in sorted(guide.keys() - EXPLAINED)]
    if strange:
        raise GuaranteeViolated(f"about.json says {strange[0]!r}, which the check does not know")


def promised(about: Guide, manifest: Guide | None) -> tuple[Guarantee, ...]:
    """The guarantees; where there is a manifest, both must promise the same."""
    if manifest is None:
        return tuple(_guarantee(data) for data in about["guarantees"])
    counted = [{name: len(v) if name in POLICIES else v for name, v in data.items()} for data in manifest["guarantees"]]
    if counted != [{name: v for name, v in data.items() if name != "words"} for data in about["guarantees"]]:
        raise GuaranteeViolated("about.json promises something else than private/manifest.json")
    return tuple(_guarantee(data) for data in manifest["guarantees"])


def margins_of(about: Guide) -> Margins | None:
    """How often items occur in the whole data, where about.json says so."""
    if "margins" not in about:
        return None
    told = about["margins"]
    if not isinstance(told, dict) or told.keys() != {"k", "counts", "withheld"}:
        raise InputError("the margins of a release must have k, counts and withheld")
    return Margins(told["k"], {str(name): count for name, count in told["counts"].items()}, frozenset(told["withheld"]))


def _guarantee(data: Guide) -> Guarantee:
    values = {name: value for name, value in data.items() if name not in {"id", "words"}}
    for name in POLICIES:
        if isinstance(values.get(name), int):
            raise InputError(f"{data['id']} can be checked only beside private/manifest.json, which has its {name}")
    return make_guarantee(data["id"], values)
