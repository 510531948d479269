import json

import pytest

pytest.importorskip("jinja2")

from anonset.errors import ParameterError
from anonset.model.serialization import to_builtins
from anonset.tasks import compare
from anonset.tasks.compare import CompareRequest

PLAN = """
measures = ["ncp-items", "risk"]
[[data]]
path = "shop.dat"
[workload]
n = 5
[[run]]
algorithm = "pcta"
k = [2, 3]
"""


@pytest.fixture
def plan(shop, tmp_path):
    (tmp_path / "plan.toml").write_text(PLAN)
    return tmp_path / "plan.toml"


def test_trials_maps_and_the_best_within_the_risk(plan, tmp_path, phases):
    request = CompareRequest(plan, tmp_path / "study", loss="ncp-items", max_risk="k=3", processes=1)

    found = compare.run(request, phases)

    assert [trial.outcome for trial in found.trials] == ["done", "done"]
    assert list(found.maps) == ["shop.dat"]
    assert found.best["shop.dat"].label == "pcta k=3"
    assert set(found.knees("shop.dat")) == {"pcta"}
    assert all(path.exists() for path in found.files)
    assert {path.name for path in found.files} >= {"trials.jsonl", "trials.parquet"}
    assert found.remarks == ()
    assert phases.heard[-1] == ("Trials", 1.0)
    plain = to_builtins(found)
    assert json.loads(json.dumps(plain)) == plain
    assert (len(plain["trials"]), plain["best"]["label"]) == (2, "pcta k=3")


def test_other_data_than_the_plans_own_and_a_loss_it_does_not_measure(plan, shop, tmp_path):
    with pytest.raises(ParameterError, match="the map needs 'ul', which the plan does not measure"):
        compare.run(CompareRequest(plan, tmp_path / "study", loss="ul"))
    with pytest.raises(ParameterError, match="risk limit"):
        compare.run(CompareRequest(plan, tmp_path / "study", max_risk="2"))
    assert not (tmp_path / "study").exists()
