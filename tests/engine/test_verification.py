"""Matches of a release in parts are looked at beside the originals; what is not a match is found."""

import shutil

import polars as pl
import pytest

import anonset
from anonset.engine.strategies import GRAY
from anonset.tasks import verify as verifying
from anonset.tasks.inputs import Input
from anonset.tasks.verify import Limits, VerifyRequest
from engine_data import write_baskets


@pytest.fixture
def release(tmp_path, monkeypatch):
    folder = write_baskets(tmp_path / "big", 300)
    monkeypatch.setitem(GRAY, "gray-ring", 100)
    monkeypatch.setattr("anonset.engine.planning.LARGEST", 120)
    anonset.anonymize_files(folder, tmp_path / "out", "gray-ring", k=3, seed=1)
    return tmp_path / "out", folder


def findings(out, folder):
    verdict = verifying.run(VerifyRequest(out, Input(folder), limits=Limits("1GB"))).verdict
    return {finding.guarantee: finding for finding in verdict.findings}


def changed(out, how):
    path = sorted((out / "private" / "matches.parquet").iterdir())[0]
    table = pl.read_parquet(path)
    rows, mine = table["input_rows"].to_list(), [i for i, group in enumerate(table["group"]) if group == 0]
    new = how([rows[i] for i in mine])
    for i, row in zip(mine, new, strict=False):
        rows[i] = row
    rows = rows[: len(rows) - len(mine) + len(new)]
    table.head(len(rows)).with_columns(pl.Series("input_rows", rows, pl.List(pl.Int64))).write_parquet(path)


def test_what_is_as_it_was_holds(release):
    assert all(finding.holds for finding in findings(*release).values())


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (lambda rows: [rows[0][:1] * 3, *rows[1:]], "does not map every record to another one"),
        (lambda rows: rows[1:] + rows[:1], "matches 0 published records"),
        (lambda rows: [[10**6, *rows[0][1:]], *rows[1:]], "an input row that is not in its group"),
        (lambda rows: [rows[0][:2], *rows[1:]], "one input row by each assignment"),
        (lambda rows: rows[1:], "a group and input rows for each of"),
    ],
)
def test_assignments_that_do_not_match_are_found(release, how, said):
    out, folder = release

    changed(out, how)
    found = findings(out, folder)

    assert not all(finding.holds for finding in found.values())
    assert said in " ".join(text for finding in found.values() for text in (finding.worst, *finding.witnesses))


def test_without_assignments_nothing_is_proven(release):
    out, folder = release
    shutil.rmtree(out / "private" / "matches.parquet")

    assert "there are no assignments" in findings(out, folder)["nr-k"].worst


def test_files_do_not_tell_the_parts_of_the_order(release):
    tables = [pl.read_parquet(path) for path in (release[0] / "private" / "matches.parquet").iterdir()]

    assert len(tables) > 1
    assert all(table["group"].n_unique() == 3 for table in tables)
