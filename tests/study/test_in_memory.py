import time
from pathlib import Path

import pytest
from numba.core import event

from anonset.study import runner
from anonset.study.plan import Plan
from anonset.study.runner import Evaluator, run_in_memory
from anonset.study.trial import Trial
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


def compiles_first(original, plan, setting, key, progress=lambda done: None):
    """A setting that takes some time, nearly all of it to compile."""
    with event.trigger_event("numba:compile"):
        time.sleep(0.3)
    return Trial(key, "d", setting.algorithm, dict(setting.parameters), "done")


def test_the_time_does_not_count_while_kernels_compile(monkeypatch):
    monkeypatch.setattr(runner, "evaluate", compiles_first)

    assert len(run_in_memory(PLAN, DATA, budget=0.25)) == 3


def test_a_worker_says_how_long_kernels_compiled(monkeypatch):
    monkeypatch.setattr(runner, "evaluate", compiles_first)
    monkeypatch.setattr(runner, "read", lambda *_, **__: DATA)

    trial, compiling = Evaluator(PLAN)(("key", PLAN.settings[0]), None)

    assert trial.key == "key"
    assert compiling == pytest.approx(0.3, abs=0.1)
