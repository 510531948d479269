import pytest

from anonset.data import read
from anonset.errors import InfeasibleError
from anonset.study.recommendation import _seed, candidates, described, recommend
from anonset.study.trial import Trial
from anonset.testing import tiny_datasets


@pytest.fixture
def baskets(tmp_path):
    rows = ["1 2 3", "1 2", "2 3", "1 3", "1 2 3", "2 3 4", "1 4", "4 5", "1 2 5"] * 2
    (tmp_path / "baskets.dat").write_text("\n".join(rows) + "\n")
    return tmp_path / "baskets.dat"


def test_the_recommended_setting_has_the_least_error_within_the_risk(baskets, tmp_path):
    found = recommend(baskets, read(baskets), tmp_path / "out", max_risk=0.5, seconds=300, workload={"kind": "random", "n": 20})

    within = [p for p in found.points if p.risk <= 0.5]
    assert found.best.measures["risk"] <= 0.5
    assert found.best.measures["are"] == min(p.loss for p in within)
    assert any(described(found.best) in reason for reason in found.reasons)


def test_a_risk_nothing_can_keep_is_an_error_that_says_what_was_tried(baskets, tmp_path):
    with pytest.raises(InfeasibleError, match=r"keeps the risk within 0.01 .*k=100"):
        recommend(baskets, read(baskets), tmp_path / "out", max_risk=0.01, seconds=300)


def test_mixed_data_are_tried_freely_first_and_then_along_the_hierarchy():
    settings = candidates(tiny_datasets()["ordinary"], 2, 2, seed=7)

    free = [setting.parameters.get("items") == "pcta" for setting in settings if "delta" in setting.parameters]
    assert any(free)
    assert free == sorted(free, reverse=True)
    assert {setting.parameters["seed"] for setting in settings if "seed" in setting.parameters} == {7}


def test_a_recommendation_taken_up_again_keeps_its_seed(tmp_path):
    done = Trial("k", "d", "pcta", {"k": 2, "seed": 99}, "done")
    (tmp_path / "trials.jsonl").write_text(done.to_json() + "\n")

    assert _seed(tmp_path) == 99
    assert _seed(tmp_path / "new") != _seed(tmp_path / "new")
