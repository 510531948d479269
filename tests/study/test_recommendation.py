import pytest

from anonset.errors import InfeasibleError
from anonset.study.recommendation import recommend


@pytest.fixture
def baskets(tmp_path):
    rows = ["1 2 3", "1 2", "2 3", "1 3", "1 2 3", "2 3 4", "1 4", "4 5", "1 2 5"] * 2
    (tmp_path / "baskets.dat").write_text("\n".join(rows) + "\n")
    return tmp_path / "baskets.dat"


def test_the_recommended_setting_has_the_least_error_within_the_risk(baskets, tmp_path):
    found = recommend(baskets, tmp_path / "out", max_risk=0.5, seconds=300, workload={"kind": "random", "n": 20})

    within = [p for p in found.points if p.risk <= 0.5]
    assert found.best.measures["risk"] <= 0.5
    assert found.best.measures["are"] == min(p.loss for p in within)
    assert any(found.best.label in reason for reason in found.reasons)


def test_a_risk_nothing_can_keep_is_an_error_that_says_what_was_tried(baskets, tmp_path):
    with pytest.raises(InfeasibleError, match=r"keeps the risk within 0.01 .*k=100"):
        recommend(baskets, tmp_path / "out", max_risk=0.01, seconds=300)
