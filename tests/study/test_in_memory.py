from pathlib import Path

import pytest

from anonset.study.plan import Plan
from anonset.study.runner import run_in_memory
from anonset.testing import tiny_datasets

DATA = tiny_datasets()["ordinary"]
PLAN = Plan.from_values({"data": {"path": "x"}, "run": [{"algorithm": "identity", "k": [1, 2, 99]}]}, Path())


def test_every_setting_is_tried_and_told():
    heard = []
    trials = run_in_memory(PLAN, DATA, progress=heard.append)

    assert [trial.parameters["k"] for trial in trials] == [1, 2, 99]
    assert trials[0].outcome == "done"
    assert trials[2].outcome == "infeasible"
    assert heard == sorted(heard)
    assert heard[-1] == pytest.approx(1.0)


def test_the_first_setting_comes_to_its_end_whatever_the_time():
    (trial,) = run_in_memory(PLAN, DATA, budget=-1)

    assert (trial.parameters["k"], trial.outcome) == (1, "done")
