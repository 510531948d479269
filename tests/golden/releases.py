"""A release in a golden entry: hashes of what is published, and a few facts that a person can read."""

import hashlib
import json
import re
import tempfile
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import anonset
from golden.data import FIELDS, SENSITIVE_ITEMS, write_people

QUASI = ("age", "stay", "town", "sex")
ROLES = {  # the roles of the columns that are used, by the kind of data; all others are dropped
    "relational": {"quasi": QUASI, "sensitive": ("illness",), "items": ()},
    "items": {"quasi": (), "sensitive": (), "items": ("items",)},
    "sections": {"quasi": (), "sensitive": (), "items": ("sections",)},
    "both-items": {"quasi": (), "sensitive": (), "items": ("sections", "items")},
    "rt": {"quasi": QUASI, "sensitive": (), "items": ("items",)},
    "rt-sensitive": {"quasi": QUASI, "sensitive": (), "items": ("items",), "sensitive_items": SENSITIVE_ITEMS},
    "labelled-items": {"quasi": (), "sensitive": ("illness",), "items": ("items",)},
    "labelled-rt": {"quasi": ("age", "town"), "sensitive": ("illness",), "items": ("items",)},
    "income": {"quasi": ("income", "town", "sex"), "sensitive": (), "items": ()},
}

MADE_WITH = re.compile(rb'"made_with": "[^"]*"')  # all that differs from one version to the next


@dataclass(frozen=True)
class Case:
    """An algorithm on a kind of data with parameters; `gaps` says whether values are missing."""

    kind: str
    algorithm: str
    parameters: dict[str, Any] = field(default_factory=dict)
    gaps: bool = True
    records: int = 480
    margins: bool = False
    tree: str = "files"


@cache
def folder_of_people(gaps, records):
    """A folder that lasts as long as the process, with people.csv and hierarchies/."""
    place = tempfile.TemporaryDirectory(prefix="golden-")
    _places.append(place)
    return write_people(place.name, gaps=gaps, records=records).parent


_places: list[tempfile.TemporaryDirectory] = []  # removed when the process ends


def roles_of(kind):
    """The settings of `anonset.read` that give the kind of data."""
    roles = {name: list(columns) for name, columns in ROLES[kind].items()}
    used = {column for name in ("quasi", "sensitive", "items") for column in roles[name]}
    return roles | {"identifier": [column for column in FIELDS if column not in used], "item_separator": "|"}


@cache
def dataset(kind, gaps=True, records=480, tree="files"):
    """The dataset of a kind, read from CSV."""
    folder = folder_of_people(gaps, records)
    more = (
        {"hierarchies": folder / "hierarchies"}
        if tree == "files"
        else {"item_hierarchy": folder / tree}
        if tree.endswith(".csv")
        else {}
    )
    return anonset.read(folder / "people.csv", **roles_of(kind), **more)


def result_of(case):
    """What is stored of a case."""
    data = dataset(case.kind, case.gaps, case.records, case.tree)
    release = anonset.anonymize(data, case.algorithm, **case.parameters)
    release = release.with_margins() if case.margins else release
    with tempfile.TemporaryDirectory() as place:
        out = Path(place) / "out"
        release.write(out, report=False, accept_loss=True)
        return {"facts": facts_of(release), "published": hashes_of(out / "published")}


def facts_of(release):
    """The number of records, of different labels of items, and all measures."""
    table = release.to_polars(structured=False, accept_loss=True)
    values = {name: table[name].n_unique() for name in table.columns}
    return {"records": table.height, "different": values, "measures": rounded(release.measure())}


def hashes_of(folder):
    """The hash of every file in a folder, by its name; of about.json also without its sentences, whose wording may change."""
    found = {}
    for path in sorted(path for path in Path(folder).rglob("*") if path.is_file()):
        name = path.relative_to(folder).as_posix()
        found[name] = hash_of(MADE_WITH.sub(b"", path.read_bytes()))
        if path.name == "about.json":
            found[f"{name} without sentences"] = hash_of(json.dumps(without_sentences(json.loads(path.read_text()))).encode())
    return found


def without_sentences(value):
    """The same with an empty text instead of each sentence, and without the version that made it."""
    if isinstance(value, dict):
        return {name: without_sentences(inner) for name, inner in value.items() if name != "made_with"}
    if isinstance(value, list):
        return [without_sentences(inner) for inner in value]
    return "" if is_sentence(value) else value


def is_sentence(value):
    """Whether it is a text of four words or more."""
    return isinstance(value, str) and len(value.split()) > 3


def hash_of(content):
    """Sixteen digits are enough to tell two contents apart, and short enough to be read."""
    return hashlib.sha256(content).hexdigest()[:16]


def rounded(value, digits=6):
    """The same with all numbers rounded to so many significant digits."""
    if isinstance(value, dict):
        return {str(name): rounded(inner, digits) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(inner, digits) for inner in value]
    return float(f"{value:.{digits}g}") if isinstance(value, float) else value
