import json

import numpy as np
import pytest

from anonset.data import read
from anonset.model.dataset import Dataset, Transactions
from anonset.model.serialization import to_builtins
from anonset.tasks import profile
from anonset.tasks.profile import rate_text


def test_columns_items_and_unique_records(people, phases):
    found = profile.run(people, phases)

    assert found.records == 8
    age = next(column for column in found.columns if column["name"] == "age")
    assert (age["role"], age["kind"], age["values"], age["missing"], age["given"]) == ("quasi", "numeric", 2, 0, True)
    told = {"items": 3, "mean": 1.5, "most": 2, "empty": 0, "sensitive": 0, "hierarchy": None}
    assert {name: found.items[name] for name in told} == told
    assert found.unique.quasi == 0.0
    assert {phase for phase, _ in phases.heard} == {"Reading", "Looking for unique records"}


def test_the_result_is_plain_data(shop):
    found = to_builtins(profile.run(shop))

    assert json.loads(json.dumps(found)) == found
    assert list(found) == ["records", "gathered", "columns", "items", "unique", "identifying", "suspicions", "advice"]
    assert found["unique"]["items"] == pytest.approx([0.0, 0.0, 0.0])
    assert found["unique"]["sampled"] is None


def test_a_dataset_that_was_read_and_one_without_items(shop, tmp_path):
    (tmp_path / "plain.csv").write_text("age\n1\n2\n")

    assert profile.run(read(shop.data)) == profile.run(shop)
    assert profile.run(read(tmp_path / "plain.csv")).items is None


def test_columns_are_ranked_by_whom_they_alone_make_unique(tmp_path):
    rows = [f"{n % 20},{'fm'[n % 2]},x,{n // 4}" for n in range(40)]
    (tmp_path / "people.csv").write_text("age,sex,land,street\n" + "".join(f"{row}\n" for row in rows))

    found = profile.run(read(tmp_path / "people.csv"))

    assert list(found.identifying) == ["age", "street", "sex", "land"]
    assert found.identifying == {"age": 40, "street": 40, "sex": 0, "land": 0}
    assert "age (40), street (40)" in found.advice[0]
    assert found.advice[1] == "Nobody is unique because of sex, land."
    assert "land: constant: it has one value" in found.suspicions


def test_many_records_are_sampled_and_it_is_said(monkeypatch):
    rng = np.random.default_rng(1)
    data = Dataset(transactions=Transactions.from_records([rng.choice(60, 3).astype(str) for _ in range(3_000)]))
    exact = profile.run(data)
    monkeypatch.setattr(profile, "SAMPLED_RECORDS", 1_000)

    found = profile.run(data)

    assert (exact.unique.sampled, found.unique.sampled) == (None, 1_000)
    for (_, whole), (known, rate) in zip(exact.unique_to(), found.unique_to(), strict=True):
        assert rate.low - 0.01 <= whole.value <= rate.high + 0.01, known
    assert " to " in rate_text(found.unique_to()[2][1])
    assert "m = 3" in found.advice[0]


def test_the_card_shows_what_was_found_and_names_nobody(tmp_path):
    rows = [f"{name},{n % 3}" for n, name in enumerate(["Ann Miller", "Bob Smith", "<b>Eve</b>"] * 4 + ["Zoe Rare"])]
    (tmp_path / "people.csv").write_text("who,ward\n" + "".join(f"{row}\n" for row in rows))

    html = profile.run(read(tmp_path / "people.csv"))._repr_html_()

    assert "Aaa Aaaaaa" in html
    assert "Zoe" not in html
    assert "<b>Eve" not in html
