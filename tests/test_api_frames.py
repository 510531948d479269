"""Releases as tables: what is handed out is what would be published, and nothing else is."""

import json
import re
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anonset
from anonset.errors import ExposureError, UncoveredError, WorthlessError
from anonset.model.release import Release as PlainRelease
from anonset.samples import generate_patients

AGES = [30, 31, 40, 41] * 3
PEOPLE = {
    "age": AGES,
    "city": ["Rome", "Rome", "Oslo", "Oslo"] * 3,
    "illness": ["flu", "cold"] * 6,
    "codes": [["a", "b"], ["a", "b"], ["c"], []] * 3,
}
ROLES = {"quasi": ["age", "city"], "items": "codes", "sensitive": "illness"}


@pytest.fixture
def release():
    data = anonset.read(pl.DataFrame(PEOPLE), **ROLES)
    return anonset.anonymize(data, "rmerge-rt", k=3, m=2, items="pcta", seed=1)


def rows(frame):
    return sorted(map(str, pl.DataFrame(frame).rows()))


def test_a_release_is_a_table_of_every_library(release):
    pandas, polars, arrow = release.to_pandas(), release.to_polars(), release.to_arrow()

    assert isinstance(pandas, pd.DataFrame)
    assert isinstance(arrow, pa.Table)
    assert rows(pandas) == rows(polars) == rows(arrow) == rows(pa.table(release)) == rows(pl.DataFrame(release))
    assert list(pandas["codes"][:1]) == [list(polars["codes"][0])]
    assert list(pandas.index) == list(range(len(release)))


def test_texts_and_structures_say_the_same(release):
    texts, structured = release.to_polars(), release.to_polars(structured=True)

    for row in structured.rows(named=True):
        assert row["age"]["lo"] <= row["age"]["hi"]
        assert all(isinstance(member, str) for item in row["codes"] for member in item)
        assert row["city"]
    spelled = [str(lo) if lo == hi else f"[{lo}:{hi}]" for lo, hi in (tuple(age.values()) for age in structured["age"])]
    assert spelled == texts["age"].to_list()
    assert [len(items) for items in structured["codes"]] == [len(items) for items in texts["codes"]]


def test_the_table_is_the_published_file(release, tmp_path):
    release.write(tmp_path / "out", format="jsonl", report=False)
    lines = [json.loads(line) for line in (tmp_path / "out/published/records.jsonl").read_text().splitlines()]

    frame = release.to_polars(structured=True).rows(named=True)

    def plain(cell):
        if isinstance(cell, dict):
            return cell["lo"] if cell["lo"] == cell["hi"] else cell
        return cell

    assert [plain(row["age"]) for row in frame] == [line["age"] for line in lines]
    assert [row["codes"] for row in frame] == [line["codes"] for line in lines]
    assert [row["illness"] for row in frame] == [line["illness"] for line in lines]


@settings(max_examples=20, deadline=None)
@given(order=st.permutations(range(12)))
def test_the_order_of_the_input_leaves_no_trace(order):
    def made(places):
        people = pl.DataFrame(PEOPLE)[list(places)]
        return anonset.anonymize(anonset.read(people, **ROLES), "identity", k=1, m=1)

    expected, found = (release.to_polars(accept_exposure=[*PEOPLE]) for release in (made(range(12)), made(order)))

    assert found.equals(expected)


def test_a_broken_promise_is_not_handed_out(release):
    data = anonset.read(pl.DataFrame(PEOPLE | {"age": list(range(12))}), **ROLES)
    raw = anonset.anonymize(data, "identity", k=1, m=1)
    parts = {name: getattr(raw, name) for name in ("columns", "items", "provenance", "rows")}
    lying = anonset.Release.of(data, PlainRelease(**parts, guarantees=release.guarantees))

    for ask in (lying.to_pandas, lying.to_polars, lying.to_arrow, lambda: pl.DataFrame(lying), lambda: pa.table(lying)):
        with pytest.raises(anonset.GuaranteeViolated, match="does not hold"):
            ask()


def test_what_would_not_be_published_is_not_handed_out():
    data = anonset.read(pl.DataFrame(PEOPLE | {"name": [f"n{r}" for r in range(12)]}), **ROLES, other="name")

    uncovered = anonset.anonymize(anonset.read(pl.DataFrame(PEOPLE), **ROLES), "pcta", k=3)
    exposed = anonset.anonymize(data, "rmerge-rt", k=3, items="pcta", seed=1)
    with pytest.raises(UncoveredError, match="age, city may be known"):
        uncovered.to_pandas()
    with pytest.raises(ExposureError, match="name"):
        pl.DataFrame(exposed)
    assert len(uncovered.to_pandas(accept_exposure=["age", "city"])) == 12
    assert len(exposed.to_pandas(accept_exposure="name")) == 12


def test_a_worthless_release_is_not_handed_out():
    people = pl.DataFrame({"city": list("abcdefgh")})
    release = anonset.anonymize(anonset.read(people, quasi="city"), "mondrian", k=8)

    with pytest.raises(WorthlessError, match="100% of city say nothing"):
        release.to_polars()
    assert release.to_polars(accept_loss=True)["city"].n_unique() == 1


def test_numbers_that_are_published_as_they_are_stay_numbers():
    people = pl.DataFrame({"age": AGES, "visits": [1, 2, None, 2] * 3, "weight": [50.5, 61.0] * 6})
    data = anonset.read(people, quasi="age", other=["visits", "weight"])
    release = anonset.anonymize(data, "mondrian", k=3)

    assert release.to_polars().schema == {"age": pl.String, "visits": pl.Int64, "weight": pl.Float64}
    assert sorted(release.to_pandas()["visits"].dropna()) == [1] * 3 + [2] * 6
    assert sorted(release.to_pandas()["weight"]) == [50.5] * 6 + [61.0] * 6


def test_uncertain_items_come_with_their_bound():
    frame = pl.DataFrame({"codes": [["a", "b"], ["a"], ["a", "c"], ["b", "c"]] * 3})
    release = anonset.anonymize(anonset.read(frame, items="codes"), "nr-k", k=2, seed=1)

    texts, structured = release.to_polars(), release.to_polars(structured=True)

    assert texts.columns == ["codes", "codes.errors"]
    assert texts["codes.errors"].to_list() == [cell["errors"] for cell in structured["codes"]]
    assert set(structured["codes"][0]) == {"base", "uncertain", "errors"}


def test_a_dataset_is_a_table_too():
    people = pl.DataFrame(PEOPLE)
    data = anonset.read(people, **ROLES)

    assert rows(data) == rows(people)
    assert pa.table(data).column_names == list(PEOPLE)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, lambda columns: pl.DataFrame(columns).to_arrow()])
def test_a_frame_goes_through_a_pipe(library):
    frame = library(PEOPLE)

    found = anonset.anonymize_frame(frame, "rmerge-rt", k=3, seed=1, parameters={"items": "pcta"}, **ROLES)

    assert type(found) is type(frame)
    assert len(found) == 12


def test_a_pipe_refuses_what_writing_refuses():
    frame = pd.DataFrame(PEOPLE)

    with pytest.raises(UncoveredError):
        frame.pipe(anonset.anonymize_frame, "pcta", k=3, **ROLES)
    with pytest.raises(anonset.InputError, match="a DataFrame is expected"):
        anonset.anonymize_frame("people.csv", k=3)
    assert len(frame.pipe(anonset.anonymize_frame, k=3, quasi=["age", "city"])) == 12


def test_a_release_without_its_rows_is_no_table(release, tmp_path):
    release.write(tmp_path / "out", report=False)
    (tmp_path / "out/published").rename(tmp_path / "handed_out")

    with pytest.raises(anonset.InputError, match="no row mapping"):
        anonset.load(tmp_path / "handed_out", release.original).to_polars()


def test_the_story_of_the_page_runs():
    page = (Path(__file__).parents[1] / "docs" / "api.md").read_text(encoding="utf-8")
    patients = pd.DataFrame(generate_patients(120))
    patients["diagnoses"] = patients["diagnoses"].map(list)
    story, pipe, *_ = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    known = {"anonset": anonset, "patients": patients}

    exec(compile(story, "api.md", "exec"), known)
    told = known.pop("published")
    exec(compile(pipe, "api.md", "exec"), known)

    assert story.count("\n") == 3
    assert list(told.columns) == ["age", "sex", "town", "schooling", "diagnoses"]
    assert list(known["published"].columns) == ["age", "sex", "town", "diagnoses"]
    assert told.groupby(["age", "sex", "town"]).size().min() >= 5
