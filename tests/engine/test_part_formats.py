"""Releases in parts in every format: written, verified, read and measured as the same records in memory are."""

import json
import re
import sqlite3

import polars as pl
import pytest

import anonset
from anonset.errors import GuaranteeViolated, ParameterError
from anonset.releases.publish import verify_folder
from anonset.tasks.algorithms import AlgorithmChoice
from anonset.tasks.anonymize import AnonymizeRequest, run
from anonset.tasks.inputs import Input, Limits
from anonset.tasks.verify import Promise, VerifyRequest
from anonset.tasks.verify import run as verify
from engine_data import write_baskets, write_people

NEEDS_ALL = ("exact-bound", "label-spread")  # measures of all records at once
FORMATS = ("parquet", "feather", "csv", "jsonl", "fimi")
BASKETS = {"algorithm": "aa", "k": 3, "m": 2, "item_hierarchy": "balanced:3", "margins": True, "sensitive_items": ("i7",)}
CASES = {
    "baskets": (write_baskets, BASKETS),
    "constraints": (write_baskets, {"algorithm": "pcta", "k": 3, "m": 2}),
    "uncertain": (write_baskets, {"algorithm": "nr-k", "k": 3, "seed": 1}),
    "people": (
        write_people,
        {
            "algorithm": "rmerge-r",
            "k": 4,
            "m": 2,
            "seed": 0,
            "parameters": {"delta": 0.5},
            "item_hierarchy": "balanced:3",
            "quasi": ["age", "income", "region"],
            "sensitive": ["illness"],
            "margins": True,
        },
    ),
}
READING = ("item_hierarchy", "quasi", "sensitive", "sensitive_items")


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr("anonset.engine.planning.LARGEST", 60)
    monkeypatch.setattr("anonset.engine.planning.SMALLEST", 50)


def made(tmp_path, case, format):
    """A release in parts, its original in memory, and the folder of the original."""
    write, settings = CASES[case]
    folder = write(tmp_path / "big", 150, files=1)
    release = anonset.anonymize(folder, output=tmp_path / "out", format=format, memory="1GB", accept_loss=True, **settings)
    data = anonset.read(folder / "0.parquet", **{name: settings[name] for name in READING if name in settings})
    return release, data, folder


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("case", CASES)
def test_every_format_has_parts_and_they_are_what_memory_says(tmp_path, case, format):
    if format == "fimi" and case == "people":
        return
    release, data, _ = made(tmp_path, case, format)

    whole = anonset.load(tmp_path / "out", data)

    assert release.outcome.parts == 3
    assert release.outcome.verdict.holds
    assert [(f.guarantee, f.support) for f in release.verify().findings if f.guarantee != "unchanged since published"] == [
        (f.guarantee, f.support) for f in whole.verify().findings
    ]
    told, found = whole.measure(), release.measure()
    alone = {id for id in told if id in NEEDS_ALL or (case == "uncertain" and id.startswith("risk"))}
    assert told.keys() - found.keys() == alone, "what needs all records at once is left out"
    assert found == pytest.approx({id: value for id, value in told.items() if id not in alone}, abs=1e-9)
    assert len(release) == len(whole) == 150


def test_all_formats_hold_the_same_records(tmp_path):
    tables = []
    for format in FORMATS:
        (tmp_path / format).mkdir()
        release, _, _ = made(tmp_path / format, "baskets", format)
        tables.append(release.to_polars(structured=True, accept_loss=True))

    assert all(table.rows() == tables[0].rows() for table in tables)


def test_margins_are_those_of_memory_and_a_changed_one_is_found(tmp_path):
    release, data, folder = made(tmp_path, "baskets", "csv")
    whole = anonset.anonymize(data, "aa", k=3, m=2).with_margins()
    path = tmp_path / "out" / "published" / "about.json"

    assert release.margins == whole.margins
    assert whole.margins.counts
    about = json.loads(path.read_text())
    name = min(about["margins"]["counts"])
    about["margins"]["counts"][name] += 3
    path.write_text(json.dumps(about))
    found = {f.guarantee: f for f in anonset.load(tmp_path / "out", folder).verify().findings}
    assert not found["margins"].holds
    assert name in found["margins"].worst


@pytest.mark.parametrize(
    ("format", "old", "new"),
    [
        ("csv", r"\bi1\b", "i2"),
        ("jsonl", r'"i1"', '"i2"'),
        ("jsonl", r'"\]', '","i39"]'),
        ("jsonl", r'"\]', '","of no one"]'),
        ("fimi", r"^1 ", "2 "),
    ],
)
def test_a_changed_record_is_found_in_text_formats(tmp_path, format, old, new):
    release, _, folder = made(tmp_path, "constraints", format)
    for part in (release.folder / "published").glob("records.*/part-*"):
        part.write_text(re.sub(old, new, part.read_text(), flags=re.MULTILINE))

    verdict = verify(VerifyRequest(tmp_path / "out", Input(folder))).verdict

    assert not verdict.holds
    assert any(not f.holds for f in verdict.findings if f.guarantee != "unchanged since published")


def test_a_number_that_no_part_shows_is_found(tmp_path):
    _, data, folder = made(tmp_path, "constraints", "fimi")
    path = tmp_path / "out" / "published" / "about.json"
    about = json.loads(path.read_text())
    about["attributes"][-1]["numbers"]["999999"] = "i1"
    path.write_text(json.dumps(about))

    assert "999999" in anonset.load(tmp_path / "out", folder).verify().findings[0].worst
    assert "999999" in verify_folder(data, tmp_path / "out").findings[0].worst


def test_a_promise_is_checked_over_all_parts(tmp_path):
    folder = write_baskets(tmp_path / "big", 150, files=1)
    source = Input(folder, {"item_hierarchy": "balanced:3"})
    choice = AlgorithmChoice("aa", {"k": 3, "m": 2})

    def asked(k):
        promise = Promise("km-anonymity", {"k": k, "m": 1})
        how = {"promise": promise, "limits": Limits("1GB"), "report": False}
        return run(AnonymizeRequest(source, tmp_path / f"out{k}", choice, **how))

    assert [f.guarantee for f in asked(3).verdict.findings] == ["km-anonymity", "truthful"]
    with pytest.raises(GuaranteeViolated, match="km-anonymity"):
        asked(140)
    assert not (tmp_path / "out140").exists()
    verdict = verify(VerifyRequest(tmp_path / "out3", source, Promise("km-anonymity", {"k": 140, "m": 1}))).verdict
    assert not verdict.holds


def test_a_sheet_has_no_parts_and_says_what_has(tmp_path):
    folder = write_baskets(tmp_path / "big", 60, files=1)

    with pytest.raises(ParameterError, match=r"xlsx holds a release in one file.* csv"):
        anonset.anonymize(folder, "aa", k=3, output=tmp_path / "out", format="xlsx", jobs=1, item_hierarchy="balanced:3")
    settings = {"quasi": ["age", "region"], "items": [], "identifier": ["income"], "other": ["illness"]}
    people = write_people(tmp_path / "people", 60, files=1)
    with pytest.raises(ParameterError, match="margins"):
        anonset.anonymize(people, "mondrian", k=3, output=tmp_path / "out", margins=True, jobs=1, **settings)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("format", ["csv", "jsonl", "feather"])
def test_a_table_gets_the_records_of_any_format(tmp_path, format):
    folder = write_people(tmp_path / "people", 120, files=1, items=False)
    settings = {"quasi": ["age", "income", "region"], "sensitive": ["illness"], "hierarchies": {"region": "balanced:3"}}
    base = tmp_path / "out.db"

    for name in (format, "parquet"):
        where = {"output": tmp_path / name, "format": name, "into": name, "database": f"sqlite:///{base}", "jobs": 1}
        anonset.anonymize(folder, "mondrian", k=5, accept_loss=True, **where, **settings)

    with sqlite3.connect(base) as database:
        rows = [sorted(row[1:] for row in database.execute(f"select * from {name}")) for name in (format, "parquet")]
    database.close()
    assert rows[0] == rows[1]
    assert len(rows[0]) == 120


def test_parts_of_text_say_nothing_about_the_order_of_the_input(tmp_path):
    folder = write_baskets(tmp_path / "big", 150, files=1)
    whole = pl.read_parquet(folder / "0.parquet")
    (tmp_path / "mixed").mkdir()
    whole.sample(fraction=1.0, shuffle=True, seed=5).write_parquet(tmp_path / "mixed" / "0.parquet")
    for name in ("big", "mixed"):
        settings = {"output": tmp_path / f"out-{name}", "format": "csv", "jobs": 1, "item_hierarchy": "balanced:3"}
        anonset.anonymize(tmp_path / name, "aa", k=3, accept_loss=True, **settings)

    files = [sorted((tmp_path / f"out-{name}" / "published" / "records.csv").iterdir()) for name in ("big", "mixed")]
    assert [path.read_bytes() for path in files[0]] == [path.read_bytes() for path in files[1]]
