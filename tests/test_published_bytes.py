"""The same data, parameters and seed give the same published bytes: hashes taken once, and to be changed only on purpose."""

import hashlib
import json
from pathlib import Path

import pytest

import anonset
from anonset.algorithms import ALGORITHMS
from anonset.model.parameters import parameters
from anonset.samples import write_sample

HASHES = Path(__file__).parent / "published_bytes.json"
FORMATS = ("csv", "jsonl")


def published_hashes(name, folder, formats=FORMATS):
    """The hash of the records that an algorithm publishes of the sample, by format."""
    release = anonset.anonymize(_dataset(ALGORITHMS[name].needs, folder), name, **_parameters(ALGORITHMS[name]))
    hashes = {}
    for format in formats:
        out = folder / f"{name}-{format}"
        release.write(out, format=format, report=False, accept_loss=True)
        hashes[format] = hashlib.sha256((out / "published" / f"records.{format}").read_bytes()).hexdigest()[:16]
    return hashes


def _dataset(needs, folder):
    patients = folder / "sample" / "patients.csv"
    if not patients.exists():
        write_sample(folder / "sample", 300, 7)
    roles = {"identifier": ["patient_id"], "quasi": [], "sensitive": [], "items": []}
    roles["quasi" if "quasi" in needs or "items" not in needs else "identifier"] += ["age", "sex", "town"]
    roles["sensitive" if "sensitive-column" in needs else "identifier"] += ["schooling"]
    roles["items" if "items" in needs else "identifier"] += ["diagnoses"]
    return anonset.read(
        patients,
        **roles,
        item_separator="|",
        hierarchies=folder / "sample" / "hierarchies",
    )


def _parameters(algorithm):
    declared = {p.name: p.required for p in parameters(algorithm)}
    wanted = {"k": 5, "l": 3, "m": 2, "delta": 0.8, "seed": 11, "items": "pcta", "force": True}
    wanted |= {p.name: "5+3" for p in parameters(algorithm) if (p.name, p.kind) == ("steps", str)}  # instead of the clock
    return {name: value for name, value in wanted.items() if name in declared and (name != "l" or declared["l"])}


@pytest.mark.parametrize("name", [name for name in ALGORITHMS if name != "identity"])
def test_an_algorithm_publishes_the_same_bytes_as_ever(name, tmp_path):
    assert published_hashes(name, tmp_path) == json.loads(HASHES.read_text())[name]
