from dataclasses import replace

import pytest

from anonset.algorithms import make
from anonset.data import Schema, read
from anonset.errors import InfeasibleError
from anonset.measure.workload import Query, Workload
from anonset.model.serialization import to_json
from anonset.samples import write_sample
from anonset.study.recommendation import _seed, candidates, described, recommend, recommend_in_memory
from anonset.study.runner import digest
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


@pytest.mark.parametrize(("data", "first"), [("ordinary", "rt-search"), ("items", "lift"), ("columns", "peel")])
def test_the_default_for_the_data_is_tried_first(data, first):
    whole = tiny_datasets()["ordinary"]
    parts = {
        "ordinary": whole,
        "items": replace(whole, columns=()),
        "columns": replace(whole, transactions=None, item_hierarchy=None, sensitive_items=None),
    }

    settings = candidates(parts[data], 2, 2, seed=7)

    assert settings[0].algorithm == first
    assert "delta" not in settings[0].parameters
    assert {setting.parameters["seed"] for setting in settings if "seed" in setting.parameters} <= {7}
    assert len({setting.label() for setting in settings}) == len(settings)


def test_mixed_data_are_tried_with_several_item_steps_bounds_and_refinement():
    settings = candidates(tiny_datasets()["ordinary"], 2, 2, seconds=60.0)
    merged = [setting.parameters for setting in settings if setting.algorithm == "rmerge-rt"]

    assert {values["items"] for values in merged} == {"lift", "pcta"}
    assert len({values["delta"] for values in merged}) > 2
    assert {values.get("refine", False) for values in merged} == {False, True}
    assert {setting.parameters["seconds"] for setting in settings if setting.algorithm == "rt-search"} == {30.0}


def test_a_search_is_told_for_how_many_values_the_queries_ask(tmp_path):
    write_sample(tmp_path / "sample", 60, 3)
    schema = Schema(
        quasi=("age", "sex"), identifier=("patient_id", "town", "schooling"), items=("diagnoses",), item_separator="|"
    )
    data = read(tmp_path / "sample" / "patients.csv", schema=schema)
    queries = (Query({"age": (20.0, 60.0)}), Query({"age": (20.0, 60.0)}, {"sex": ("F",)}))

    for asked, most in ((queries[:1], 1), (queries, 2)):
        found = recommend_in_memory(data, max_risk=0.5, workload=Workload(asked), seconds=0.0)

        (tried,) = found.trials  # the first comes to its end although there is no time
        assert (tried.algorithm, tried.parameters["values"]) == ("rt-search", most)


def test_data_without_a_hierarchy_are_tried_by_algorithms_whose_item_step_needs_none():
    data = replace(tiny_datasets()["ordinary"], item_hierarchy=None)

    assert "rmerge-rt" in {setting.algorithm for setting in candidates(data, 2, 2)}


def test_no_release_that_was_tried_beats_the_recommended_one_and_it_can_be_made_again(tmp_path):
    path = write_sample(tmp_path / "sample", n=120)
    schema = Schema(quasi=("age", "sex"), identifier=("patient_id", "town", "schooling"), items=("diagnoses",))
    data = read(path, schema=schema)

    found = recommend(path, data, tmp_path / "out", schema=schema, seconds=6, workload={"kind": "random", "n": 40})

    answering = [t for t in found.trials if t.outcome == "done" and not t.refusal and "are" in t.measures]
    within = [t for t in answering if t.measures["risk"] <= 0.2]
    assert found.best.measures["are"] == min(trial.measures["are"] for trial in within)
    assert any(reason.startswith("tried, with the least error of each: ") for reason in found.reasons)
    again = make(found.best.algorithm, found.best.parameters).anonymize(data)
    assert digest(again) == found.best.digest


def test_a_recommendation_taken_up_again_keeps_its_seed(tmp_path):
    done = Trial("k", "d", "pcta", {"k": 2, "seed": 99}, "done")
    (tmp_path / "trials.jsonl").write_text(to_json(done, indent=None))

    assert _seed(tmp_path) == 99
    assert _seed(tmp_path / "new") != _seed(tmp_path / "new")
