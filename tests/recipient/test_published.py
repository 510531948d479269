import json
import subprocess
import sys

import polars as pl
import pytest

import anonset
from anonset.errors import InputError, ParameterError
from anonset.recipient import estimates

SHOP = [["beer", "bread"], ["beer", "bread"], ["beer", "milk"], ["bread", "milk"], ["beer", "bread", "milk"], ["gin"]]


@pytest.fixture
def shop():
    return anonset.read(pl.DataFrame({"basket": SHOP * 4}), items="basket", item_hierarchy="balanced:2")


@pytest.fixture
def opened(shop, tmp_path):
    anonset.anonymize(shop, "aa", k=5, m=2).write(tmp_path / "out", report=False, accept_loss=True)
    return anonset.open_published(tmp_path / "out" / "published")


def test_all_records_are_counted_exactly(opened):
    count = opened.count()

    assert (count.low, count.high, count.estimate, count.standard_error) == (24, 24, 24.0, 0.0)
    assert len(opened) == 24
    assert opened.columns == ("basket",)


def test_an_item_behind_a_label_is_one_of_its_items(opened):
    """By hand: with k = 5 and m = 2 gin is behind a label of two or four items, and its records show it."""
    count = opened.count("basket contains gin")
    label = next(names for names in opened.about["attributes"][0]["generalized"].values() if "gin" in names)
    shown = opened.table()["basket.any"].list.len().sum()

    assert count.low == 0
    assert count.high == shown
    assert count.estimate == pytest.approx(shown / len(label))
    assert count.standard_error > 0
    assert count.interval()[0] >= count.low


def test_one_of_all_items_of_a_label_is_certain(opened):
    label = next(iter(opened.about["attributes"][0]["generalized"].values()))
    count = opened.count(f"basket contains any ({', '.join(label)})")

    assert count.low == count.high > 0
    assert count.standard_error == 0


def test_items_pairs_and_groups_are_tables_of_counts(opened):
    items, pairs = opened.items(), opened.pairs(["beer", "bread"])

    assert items["item"].to_list() == ["beer", "bread", "gin", "milk"]
    assert pairs.height == 1
    assert opened.group_by("basket", absent=["gin"]).height == 4
    assert opened.top_items(2)["estimate"].is_sorted(descending=True)
    with pytest.raises(ParameterError, match="n must be at least 1"):
        opened.top_items(0)


def test_margins_calibrate_estimates_and_narrow_bounds(shop, tmp_path):
    anonset.anonymize(shop, "aa", k=5, m=2).with_margins().write(tmp_path / "m", report=False, accept_loss=True)
    opened = anonset.open_published(tmp_path / "m")
    margins = opened.about["margins"]["counts"]

    count = opened.count("basket contains bread")

    assert count.estimator == "calibrated"
    assert margins["bread"] <= count.low <= 16 <= count.high <= margins["bread"] + 4
    assert abs(count.estimate - 16) <= 4
    with pytest.raises(ParameterError, match="no estimator 'calibratd'"):
        opened.count(estimator="calibratd")


def test_calibration_needs_margins(opened):
    with pytest.raises(InputError, match="reads margins"):
        opened.count("basket contains gin", estimator="calibrated")


def test_columns_are_counted_by_value_and_range(tmp_path):
    people = pl.DataFrame({"age": [30, 31, 34, 36, 38, 41] * 3, "town": ["Oslo", "Rome", "Oslo"] * 6, "ill": ["flu"] * 18})
    data = anonset.read(people, quasi=["age", "town"], other=["ill"])
    anonset.anonymize(data, "cluster", k=4).write(tmp_path / "out", report=False, format="parquet")
    opened = anonset.open_published(tmp_path / "out")
    towns = opened.group_by("town")

    assert towns["town"].to_list() == ["Oslo", "Rome"]
    assert towns["estimate"].sum() == pytest.approx(18)
    assert opened.group_by({"age": [(30, 35), (36, 41)]})["estimate"].sum() == pytest.approx(18)
    assert opened.group_by("age").height == 12
    assert opened.count("ill = flu").low == 18
    assert opened.table().height == 18
    assert opened.to_pandas().shape[0] == 18
    with pytest.raises(InputError, match="one column"):
        opened.group_by({"age": [1], "town": ["Oslo"]})
    with pytest.raises(InputError, match="no column 'agee'"):
        opened.group_by("agee")


def test_an_unknown_item_is_an_error_where_nobody_can_have_it(opened):
    with pytest.raises(InputError, match="no item 'beeer'; did you mean 'beer'"):
        opened.count(items=["beeer"])


def test_records_left_out_widen_the_upper_bound(tmp_path):
    data = anonset.read(pl.DataFrame({"age": [30] * 9 + [90], "town": ["Oslo"] * 9 + ["Rome"]}), quasi=["age", "town"])
    anonset.anonymize(data, "incognito", k=3, suppression=0.2).write(tmp_path / "out", report=False)
    opened = anonset.open_published(tmp_path / "out")
    left_out = opened.about["suppressed_records"]

    assert opened.count("age = 90").high >= 1
    assert opened.count().high == len(opened) + left_out
    assert any("not published" in note for note in opened.count().notes) == (left_out > 0)


def test_a_folder_without_a_release_is_refused(tmp_path):
    with pytest.raises(InputError, match="is not a release"):
        anonset.open_published(tmp_path)


def test_a_damaged_file_is_refused_when_it_is_read(opened, tmp_path):
    about = tmp_path / "out/published/about.json"
    said = json.loads(about.read_text())
    about.write_text(json.dumps(said | {"records": 7}))

    with pytest.raises(InputError, match=r"has 24 records; about.json says 7"):
        anonset.open_published(tmp_path / "out").count("basket contains gin")


def test_opening_compiles_nothing():
    script = "import sys; from anonset import open_published; assert 'numba' not in sys.modules, 'numba'"

    subprocess.run([sys.executable, "-c", script], check=True)


def test_tests_that_may_go_together_make_an_estimate_less_sure(tmp_path, monkeypatch):
    """By hand: all 40 records show both towns and both sexes, and their ward; half of them are in the first ward."""
    rows = {"town": ["A", "B"] * 20, "sex": ["F", "F", "M", "M"] * 10, "ward": ["w1"] * 20 + ["w2"] * 20}
    data = anonset.read(pl.DataFrame(rows), quasi=["town", "sex"], other=["ward"])
    anonset.anonymize(data, "mondrian", k=40).write(tmp_path / "o", report=False, accept_loss=True, accept_exposure="ward")
    published = anonset.open_published(tmp_path / "o")
    asked = {"town = A": 0.0, "town = A and sex = F": 40 / 4, "town = A and ward = w1": 20 / 2, "ward = w1": 0.0}

    with_doubt = [published.count(where).standard_error for where in asked]
    monkeypatch.setattr(estimates, "TOGETHER", 0.0)
    without = [published.count(where).standard_error for where in asked]

    moved = [(a**2 - b**2) ** 0.5 for a, b in zip(with_doubt, without, strict=True)]
    assert moved == pytest.approx([0.15 * together for together in asked.values()])
    assert without[1] > 0
