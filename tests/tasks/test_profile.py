import json

import pytest

from anonset.data import read
from anonset.model.plain import to_plain
from anonset.tasks import profile


def test_columns_items_and_unique_records(people, phases):
    found = profile.run(people, phases)

    assert found.records == 8
    age = next(column for column in found.columns if column["name"] == "age")
    assert (age["role"], age["kind"], age["values"], age["missing"], age["given"]) == ("quasi", "numeric", 2, 0, True)
    assert found.items == {"items": 3, "mean": 1.5, "most": 2, "empty": 0, "sensitive": 0, "hierarchy": None}
    assert found.unique.quasi == 0.0
    assert {phase for phase, _ in phases.heard} == {"Reading", "Looking for unique records"}


def test_the_result_is_plain_data(shop):
    found = to_plain(profile.run(shop).as_json())

    assert json.loads(json.dumps(found)) == found
    assert list(found) == ["records", "columns", "items", "unique"]
    assert found["unique"]["items"] == pytest.approx([0.0, 0.0, 0.0])


def test_a_dataset_that_was_read_and_one_without_items(shop, tmp_path):
    (tmp_path / "plain.csv").write_text("age\n1\n2\n")

    assert profile.run(read(shop.data)) == profile.run(shop)
    assert profile.run(read(tmp_path / "plain.csv")).items is None
