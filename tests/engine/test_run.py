"""Data in batches end to end: the release that all records in memory would give, verified on its parts."""

import json
import re
import sqlite3

import numpy as np
import polars as pl
import pytest

import anonset
from anonset.data.formats.parquet import typed_frame
from anonset.engine.journal import work_folder
from anonset.engine.strategies import GRAY, RUNS
from anonset.errors import ExposureError, InfeasibleError, InputError, ParameterError, UncoveredError
from anonset.model.policy import Itemsets, UtilityPolicy
from anonset.releases.folder import canonical
from anonset.tasks import verify as verifying
from anonset.tasks.inputs import Input
from anonset.tasks.verify import Limits, VerifyRequest
from engine_data import write_baskets, write_people

PEOPLE = {"quasi": ["age", "income", "region"], "sensitive": ["illness"]}


def published(out):
    frame = pl.read_parquet(out / "published" / "records.parquet" / "*.parquet")
    return frame.sort(frame.columns)


def in_memory(folder, algorithm, parameters, **settings):
    whole = folder.parent / "whole.parquet"
    pl.concat([pl.read_parquet(path) for path in sorted(folder.glob("*.parquet"))]).write_parquet(whole)
    data = anonset.read(whole, **settings)
    release = anonset.anonymize(data, algorithm, **parameters)
    frame, _ = typed_frame(canonical(release), data, part=True)
    return frame.sort(frame.columns), data


@pytest.mark.parametrize(
    ("algorithm", "parameters"), [("aa", {"k": 4, "m": 2}), ("aa", {"k": 3, "m": 3}), ("vpa", {"k": 4, "m": 2})]
)
def test_baskets_in_batches_are_published_as_they_are_from_memory(tmp_path, monkeypatch, algorithm, parameters):
    folder = write_baskets(tmp_path / "big", 3_000)
    monkeypatch.setattr("anonset.engine.planning.LARGEST", 700)

    done = anonset.anonymize_files(folder, tmp_path / "out", algorithm, jobs=2, item_hierarchy="balanced:3", **parameters)

    expected, _ = in_memory(folder, algorithm, parameters, item_hierarchy="balanced:3")
    assert published(tmp_path / "out").equals(expected)
    assert done.parts > 1
    assert done.verdict.holds
    assert [finding.guarantee for finding in done.verdict.findings] == ["km-anonymity", "truthful"]
    assert not work_folder(tmp_path / "out").exists()


GROUPS = tuple(tuple(f"i{i}" for i in range(first, first + 10)) for first in range(0, 40, 10))
ALONE = tuple((f"i{i}",) for i in range(40))  # nothing may be merged: what is rare is suppressed
LISTED = Itemsets((("i1", "i30"), ("i7",), ("i2", "i11", "i25"), ("i0", "i3", "i5", "i9"), ("i12", "i39", "i38", "i37")))


@pytest.mark.parametrize(
    ("algorithm", "parameters"),
    [
        ("pcta", {"k": 6, "m": 2}),
        ("upcta", {"k": 15, "privacy": LISTED, "utility": UtilityPolicy(GROUPS, suppression=0.2)}),
        ("coat", {"k": 12, "m": 1, "utility": UtilityPolicy(ALONE, suppression=1.0)}),
    ],
)
def test_constraints_in_batches_are_kept_as_they_are_from_memory(tmp_path, monkeypatch, algorithm, parameters):
    folder = write_baskets(tmp_path / "big", 400)
    monkeypatch.setattr("anonset.engine.planning.LARGEST", 100)

    done = anonset.anonymize_files(folder, tmp_path / "out", algorithm, jobs=2, parameters=parameters, accept_loss=True)

    expected, _ = in_memory(folder, algorithm, parameters)
    assert published(tmp_path / "out").equals(expected)
    assert done.verdict.holds
    assert (done.measures["lost-items"] > 0) == (algorithm == "coat")
    request = VerifyRequest(tmp_path / "out", Input(folder), limits=Limits("1GB"))
    assert verifying.run(request).verdict.holds


def test_mondrian_in_parts_is_mondrian(tmp_path, monkeypatch):
    monkeypatch.setattr("anonset.engine.planning.ALONE", 20_000)
    monkeypatch.setattr("anonset.engine.planning.LARGEST", 15_000)
    folder = write_people(tmp_path / "big", 45_000, items=False)
    settings = PEOPLE | {"hierarchies": {"region": "balanced:3"}}

    done = anonset.anonymize_files(folder, tmp_path / "out", "mondrian", memory="1GB", k=10, **settings)

    expected, _ = in_memory(folder, "mondrian", {"k": 10}, **settings)
    assert published(tmp_path / "out").equals(expected)
    assert done.verdict.holds
    timings = json.loads((tmp_path / "out" / "private" / "manifest.json").read_text())["timings"]
    assert "cutting into parts" in timings


@pytest.mark.parametrize("algorithm", ["lift", "lra"])
def test_parts_on_their_own_keep_the_promise_together(tmp_path, monkeypatch, algorithm):
    folder = write_baskets(tmp_path / "big", 2_000)
    monkeypatch.setattr("anonset.engine.planning.LARGEST", 300)
    monkeypatch.setitem(RUNS, algorithm, 900)

    done = anonset.anonymize_files(folder, tmp_path / "out", algorithm, item_hierarchy="balanced:3", k=4, m=2)

    assert done.verdict.holds
    assert any("parts of the records" in remark for remark in done.remarks)
    assert 0 < done.measures["ncp-items"] < 1


def test_people_with_items_are_cut_at_medians(tmp_path, monkeypatch):
    folder = write_people(tmp_path / "big", 1_500)
    monkeypatch.setattr("anonset.engine.planning.LARGEST", 300)
    monkeypatch.setattr("anonset.engine.planning.ALONE", 600)

    done = anonset.anonymize_files(
        folder, tmp_path / "out", "rmerge-r", k=5, m=2, seed=0, parameters={"delta": 0.5}, item_hierarchy="balanced:3", **PEOPLE
    )

    assert done.verdict.holds
    assert {finding.guarantee for finding in done.verdict.findings} == {"k-km", "truthful"}
    assert done.measures["ncp"] < 0.9


@pytest.mark.parametrize(
    ("algorithm", "m", "parameters"),
    [("nr-k", 4, {"k": 4, "seed": 1}), ("gray-ring", 3, {"k": 3}), ("nr-l", 3, {"l": 3}), ("cahd", 2, {"l": 2})],
)
def test_matches_are_looked_for_in_parts_of_the_gray_order(tmp_path, monkeypatch, algorithm, m, parameters):
    folder = write_people(tmp_path / "big", 500)
    monkeypatch.setattr("anonset.engine.planning.LARGEST", 150)
    monkeypatch.setitem(GRAY, algorithm, 120)
    schema = {"quasi": ["age"], "identifier": ["income", "region"], "items": ["items"]}
    schema |= {"sensitive": ["illness"]} if "l" in parameters else {"other": ["illness"]}

    done = anonset.anonymize_files(folder, tmp_path / "out", algorithm, jobs=2, parameters=parameters, **schema)

    assert done.verdict.holds
    assert [finding.guarantee for finding in done.verdict.findings] == ["nr-l" if "l" in parameters else "nr-k", "truthful"]
    assert done.parts > 2
    _, data = in_memory(folder, "nr-k", {"k": 2}, **schema)
    loaded = anonset.load(tmp_path / "out", data)
    assert loaded.verify().holds
    assert loaded.assignments.shape == (m, 500)
    request = VerifyRequest(tmp_path / "out", Input(folder, schema), limits=Limits("1GB"))
    assert verifying.run(request).verdict.holds


def test_a_release_in_parts_is_read_checked_and_measured_like_any_other(tmp_path):
    folder = write_baskets(tmp_path / "big", 800)
    anonset.anonymize_files(folder, tmp_path / "out", "aa", k=3, m=2, item_hierarchy="balanced:3")
    _, data = in_memory(folder, "aa", {"k": 3}, item_hierarchy="balanced:3")

    loaded = anonset.load(tmp_path / "out", data)

    assert loaded.verify().holds
    manifest = json.loads((tmp_path / "out" / "private" / "manifest.json").read_text())
    assert loaded.measure(["ncp-items"])["ncp-items"] == pytest.approx(manifest["measures"]["ncp-items"])


def test_a_release_in_parts_is_checked_in_batches_and_a_changed_record_is_found(tmp_path, monkeypatch):
    folder, out = write_baskets(tmp_path / "big", 900), tmp_path / "out"
    monkeypatch.setattr("anonset.engine.planning.LARGEST", 250)
    anonset.anonymize_files(folder, out, "aa", k=3, m=2, item_hierarchy="balanced:3")
    request = VerifyRequest(out, Input(folder), limits=Limits("1GB"))

    good = verifying.run(request).verdict
    part = next(path for path in sorted((out / "published" / "records.parquet").iterdir()))
    frame = pl.read_parquet(part)
    longest = frame["items"].list.len().arg_max()
    lists = frame["items"].to_list()
    lists[longest] = lists[longest][:-1]
    frame.with_columns(pl.Series("items", lists, frame["items"].dtype)).write_parquet(part)
    bad = verifying.run(request).verdict

    assert good.holds
    assert not bad.holds
    assert {finding.guarantee for finding in bad.findings if not finding.holds} >= {"truthful", "unchanged since published"}
    assert len(list(tmp_path.glob(".*work"))) == 0
    with pytest.raises(InputError, match="is not a release"):
        verifying.run(VerifyRequest(folder, Input(folder), limits=Limits("1GB")))


def test_csv_and_streams_are_copied_first(tmp_path):
    folder = write_people(tmp_path / "big", 600, files=1, items=False)
    frame = pl.read_parquet(folder / "0.parquet")
    frame.write_csv(tmp_path / "big.csv")
    settings = PEOPLE | {"hierarchies": {"region": "balanced:3"}}

    anonset.anonymize_files(tmp_path / "big.csv", tmp_path / "one", "mondrian", k=5, **settings)
    anonset.anonymize_files(frame, tmp_path / "two", "mondrian", k=5, **settings)

    assert published(tmp_path / "one").equals(published(tmp_path / "two"))


def test_a_database_is_read_batch_by_batch(tmp_path):
    folder = write_people(tmp_path / "big", 500, files=1, items=False)
    frame = pl.read_parquet(folder / "0.parquet")
    with sqlite3.connect(tmp_path / "people.db") as database:
        database.execute("create table people (age, income, region, illness)")
        database.executemany("insert into people values (?, ?, ?, ?)", frame.rows())
    database.close()
    settings = PEOPLE | {"hierarchies": {"region": "balanced:3"}}

    anonset.anonymize_files(f"sqlite:///{tmp_path}/people.db", tmp_path / "one", "mondrian", k=5, table="people", **settings)
    anonset.anonymize_files(folder, tmp_path / "two", "mondrian", k=5, **settings)

    assert published(tmp_path / "one").equals(published(tmp_path / "two"))


def test_gates_are_those_of_small_data(tmp_path):
    folder = write_people(tmp_path / "big", 400)

    with pytest.raises(UncoveredError, match="not covered"):
        anonset.anonymize_files(folder, tmp_path / "out", "aa", k=3, item_hierarchy="balanced:3", **PEOPLE)
    with pytest.raises(ExposureError, match="income"):
        anonset.anonymize_files(folder, tmp_path / "out", "mondrian", k=5, quasi=["age"], other=["income"], items=[])
    assert not (tmp_path / "out").exists()
    assert not work_folder(tmp_path / "out").exists()


def test_what_cannot_be_is_said_in_a_line(tmp_path):
    folder = write_baskets(tmp_path / "big", 300)

    with pytest.raises(ParameterError, match="in memory only"):
        anonset.anonymize_files(folder, tmp_path / "out", "partition", k=3, item_hierarchy="balanced:3")
    with pytest.raises(InfeasibleError, match="is the least"):
        anonset.anonymize_files(folder, tmp_path / "out", "aa", memory="1MB", k=3, item_hierarchy="balanced:3")
    with pytest.raises(ParameterError, match="such as 2GB"):
        anonset.anonymize_files(folder, tmp_path / "out", "aa", memory="much", k=3)
    with pytest.raises(InputError, match="no file matches"):
        anonset.anonymize_files(tmp_path / "no*.parquet", tmp_path / "out", "aa", k=3)
    with pytest.raises(InputError, match="learned from records"):
        anonset.anonymize_files(folder, tmp_path / "out", "lift", k=3, item_hierarchy="learned")


def test_a_run_that_died_goes_on_without_repeating_a_pass(tmp_path, monkeypatch):
    folder = write_baskets(tmp_path / "big", 500)
    request = {"algorithm": "aa", "k": 3, "item_hierarchy": "balanced:3"}

    def dies(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("anonset.engine.part_files.Collect.ask", dies)
        with pytest.raises(KeyboardInterrupt):
            anonset.anonymize_files(folder, tmp_path / "out", **request)
    assert not (tmp_path / "out").exists()
    assert work_folder(tmp_path / "out").stat().st_mode & 0o077 == 0

    anonset.anonymize_files(folder, tmp_path / "out", **request)

    manifest = json.loads((tmp_path / "out" / "private" / "manifest.json").read_text())
    assert list(manifest["timings"]) == ["writing", "counting what is published", "comparing with the original"]
    assert not work_folder(tmp_path / "out").exists()


def test_a_broken_file_is_named(tmp_path):
    folder = write_baskets(tmp_path / "big", 2_000, files=2, d=400)
    path = folder / "1.parquet"
    data = bytearray(path.read_bytes())
    middle = len(data) // 3
    data[middle : middle + 200] = bytes(200)
    path.write_bytes(data)

    with pytest.raises(InputError, match=r"1\.parquet"):
        anonset.anonymize_files(folder, tmp_path / "out", "aa", k=3, item_hierarchy="balanced:3")
    assert not (tmp_path / "out").exists()


def test_the_order_of_parts_says_nothing_about_the_input(tmp_path, monkeypatch):
    folder = write_baskets(tmp_path / "big", 1_000)
    monkeypatch.setattr("anonset.engine.planning.LARGEST", 300)
    anonset.anonymize_files(folder, tmp_path / "out", "aa", k=3, item_hierarchy="balanced:3")
    rng = np.random.default_rng(5)
    whole = pl.concat([pl.read_parquet(path) for path in sorted(folder.glob("*.parquet"))])
    (tmp_path / "mixed").mkdir()
    whole[rng.permutation(whole.height)].write_parquet(tmp_path / "mixed" / "0.parquet")

    anonset.anonymize_files(tmp_path / "mixed", tmp_path / "again", "aa", k=3, item_hierarchy="balanced:3")

    for path in sorted((tmp_path / "out" / "published" / "records.parquet").iterdir()):
        assert pl.read_parquet(path).equals(pl.read_parquet(tmp_path / "again" / "published" / "records.parquet" / path.name))


BY_ITEMS = {"algorithm": "aa", "k": 4, "m": 2, "item_hierarchy": "balanced:3"}
BY_COLUMNS = {"algorithm": "mondrian", "k": 4, "items": [], **PEOPLE}


@pytest.mark.parametrize(("write", "wanted"), [(write_baskets, BY_ITEMS), (write_people, BY_COLUMNS)])
def test_the_certificate_tells_of_all_parts_what_it_tells_of_one_file(tmp_path, monkeypatch, write, wanted):
    folder = write(tmp_path / "big", 300, files=1)
    pages = []
    for largest in (300, 60):
        monkeypatch.setattr("anonset.engine.planning.LARGEST", largest)
        out = tmp_path / f"{largest}"
        done = anonset.anonymize_files(folder, out, accept_loss=True, title="All of them", **wanted)
        pages.append((out / "published" / "about.html").read_text())

        assert done.parts == 300 // largest
        assert anonset.load_files(out, folder).verify().holds, "the page is on the list of what was published"

    figures = [re.findall(r"\d+(?:\.\d+)? ?%", page) for page in pages]
    assert "All of them" in pages[1]
    assert figures[0] == figures[1] != []
