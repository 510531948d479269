"""The guarantees of a release: from about.json, and from the private manifest, which lists the owner's policies."""

from json import dumps
from pathlib import Path

from anonset.errors import GuaranteeViolated, InputError
from anonset.model.guarantees import POLICY_FIELDS, Guarantee, make_guarantee
from anonset.model.release import Margins
from anonset.model.release_files import About, Told, read_release_file
from anonset.verify.reading.formats import reader_of
from anonset.verify.reading.written import SET, Guide

WANTED = {"format", "records", "guarantees", "attributes", "algorithm", "made_with"}
PROSE = {
    "unit",
    "counted",
    "seeded",
    "file",
    "suppressed_records",
    "published_as_they_are",
    "accepted",
    "outside",
    "contact",
    "licence",
    "how_to_read",
}
EXPLAINED = {"name", "role", "kind", "labels", "column", "columns", "generalized", "suppressed_items"}
EXPLAINED |= {"separator", "errors_column", "marks", "numbers", "errors_from"}


def published_half(folder: Path) -> Path:
    """Where about.json is: in published/, or in the folder itself."""
    for place in (folder / "published", folder):
        if (place / "about.json").is_file():
            return place
    raise InputError("is not a release: published/about.json is missing", file=folder)


def read_about(path: Path) -> Guide:
    """about.json, with everything that is needed to read the records."""
    about = read_release_file(path, About)
    reader_of(about["format"])
    return dict(about)


def full_about(path: Path, private: Path) -> Guide:
    """about.json with the owner's policies spelled out as the private file has them, and the names of suppressed items.

    Where records spell out their labels, the private file lists those of items, so that all parts number them alike; a part
    that shows another label is refused.
    """
    about, told = read_about(path), read_release_file(private, Told)
    promised(about, {"guarantees": told["guarantees"]})
    *columns, last = about["attributes"]
    if last["role"] == "items" and last["kind"] == SET and "generalized" not in last:
        spelled = {dumps(names, ensure_ascii=False): names for names in told["items"].values() if len(names) > 1}
        about["attributes"] = [*columns, last | {"generalized": spelled}]
    return about | {"guarantees": told["guarantees"], "suppressed": told["suppressed"]}


def require_known(about: Guide) -> None:
    """Raise if about.json has an entry that no check examines: it could reveal anything."""
    strange = sorted(about.keys() - WANTED - PROSE - {"margins"})
    strange += [f"{guide['name']}.{key}" for guide in about["attributes"] for key in sorted(guide.keys() - EXPLAINED)]
    if strange:
        raise GuaranteeViolated(f"about.json says {strange[0]!r}, which the check does not know")


def promised(about: Guide, manifest: Guide | None) -> tuple[Guarantee, ...]:
    """The guarantees; where there is a manifest, both must promise the same."""
    if manifest is None:
        return tuple(_guarantee(data) for data in about["guarantees"])
    counted = [{name: len(v) if name in POLICY_FIELDS else v for name, v in data.items()} for data in manifest["guarantees"]]
    if counted != [{name: v for name, v in data.items() if name != "words"} for data in about["guarantees"]]:
        raise GuaranteeViolated("about.json and private/manifest.json state different guarantees")
    return tuple(_guarantee(data) for data in manifest["guarantees"])


def margins_of(about: Guide) -> Margins | None:
    """How often items occur in the whole data, where about.json says so."""
    if "margins" not in about:
        return None
    margins = about["margins"]
    if strange := sorted(margins.keys() - {"k", "counts", "withheld"}):
        raise GuaranteeViolated(f"about.json says 'margins.{strange[0]}', which the check does not know")
    return Margins(margins["k"], dict(margins["counts"]), frozenset(margins["withheld"]))


def _guarantee(data: Guide) -> Guarantee:
    values = {name: value for name, value in data.items() if name not in {"id", "words"}}
    for name in POLICY_FIELDS:
        if isinstance(values.get(name), int):
            raise InputError(f"{data['id']} can be checked only with private/manifest.json, which lists its {name}")
    return make_guarantee(data["id"], values)
