import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from anonset.errors import Cancelled, InputError
from anonset.jobs import Ended
from anonset.study import runner
from anonset.study.plan import Plan
from anonset.study.runner import run
from anonset.study.trial import Trial, read_trials

PLAN = """
measures = ["ncp-items", "are", "risk"]
[[data]]
path = "baskets.dat"
[workload]
kind = "random"
n = 20
[[run]]
algorithm = "pcta"
k = [2, 3, 4]
[[run]]
algorithm = "identity"
k = [1, 2]
m = 1
"""


@pytest.fixture
def plan_file(tmp_path):
    rows = ["1 2 3", "1 2", "2 3", "1 3", "1 2 3", "2 3 4", "1 4", "4 5", "1 2 5"] * 2
    (tmp_path / "baskets.dat").write_text("\n".join(rows) + "\n")
    (tmp_path / "plan.toml").write_text(PLAN)
    return tmp_path / "plan.toml"


def test_every_setting_gives_a_trial_in_the_order_of_the_plan(plan_file, tmp_path):
    trials = run(Plan.from_toml(plan_file), tmp_path / "out")

    assert [trial.label for trial in trials] == ["pcta k=2", "pcta k=3", "pcta k=4", "identity k=1 m=1", "identity k=2 m=1"]
    assert all(trial.outcome == "done" for trial in trials)
    assert all(set(trial.measures) == {"ncp-items", "are", "risk"} for trial in trials)
    assert all(trial.memory_mb > 0 for trial in trials)


def test_the_first_setting_comes_to_its_end_whatever_the_time(plan_file, tmp_path):
    plan = replace(Plan.from_toml(plan_file), seconds=0.0)

    trials = run(plan, tmp_path / "out", budget=0.0)

    assert (trials[0].label, trials[0].outcome) == ("pcta k=2", "done")
    assert all(trial.outcome == "time" for trial in trials[1:])  # kernels may have been compiled: that gives time back


def test_what_is_done_is_not_done_again_and_comes_out_the_same(plan_file, tmp_path):
    plan = Plan.from_toml(plan_file)
    whole = run(plan, tmp_path / "a")
    (tmp_path / "b").mkdir()
    lines = (tmp_path / "a" / "trials.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "b" / "trials.jsonl").write_text("".join(lines[:2]) + lines[2][:25])  # cut off in the middle of a line

    told = []
    again = run(plan, tmp_path / "b", tell=told.append)

    assert len(told) == 3
    assert [replace(trial, seconds=0.0, memory_mb=0.0) for trial in again] == [
        replace(trial, seconds=0.0, memory_mb=0.0) for trial in whole
    ]
    assert len(list(read_trials(tmp_path / "b" / "trials.jsonl"))) == 5


def test_a_study_killed_in_the_middle_goes_on_where_it_was(plan_file, tmp_path):
    code = (
        "import sys; from pathlib import Path; from anonset.study.plan import Plan; from anonset.study.runner import run\n"
        "if __name__ == '__main__': run(Plan.from_toml(sys.argv[1]), Path(sys.argv[2]))\n"
    )
    (tmp_path / "go.py").write_text(code)
    trials = tmp_path / "out" / "trials.jsonl"
    process = subprocess.Popen([sys.executable, tmp_path / "go.py", plan_file, tmp_path / "out"])
    until = time.monotonic() + 120
    while not (trials.exists() and trials.stat().st_size) and time.monotonic() < until:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = list(read_trials(trials))

    finished = run(Plan.from_toml(plan_file), tmp_path / "out")

    keys = [json.loads(line)["key"] for line in trials.read_text().splitlines()]
    assert len(before) >= 1
    assert len(keys) == len(set(keys)) == len(finished) == 5


def test_a_run_over_its_time_is_stopped_and_said_so(plan_file, tmp_path):
    plan_file.write_text(PLAN + "[limits]\nseconds = 0.001\n")

    trials = run(Plan.from_toml(plan_file), tmp_path / "out")

    assert {trial.outcome for trial in trials} == {"time"}
    assert "0.001 s" in trials[0].reason


def test_a_run_stopped_at_a_limit_is_tried_again_under_a_higher_one(plan_file, tmp_path):
    plan = replace(Plan.from_toml(plan_file), settings=Plan.from_toml(plan_file).settings[:1])
    stopped = run(replace(plan, seconds=0.001), tmp_path / "out")
    again = run(replace(plan, seconds=0.001), tmp_path / "out")
    lines = (tmp_path / "out" / "trials.jsonl").read_text().count("\n")

    (finished,) = run(replace(plan, seconds=120.0), tmp_path / "out")

    assert stopped == again
    assert lines == 1
    assert finished.outcome == "done"


def test_a_run_over_its_memory_is_stopped_and_said_so(plan_file, tmp_path):
    plan_file.write_text(PLAN + "[limits]\nmemory_mb = 10\n")

    trials = run(Plan.from_toml(plan_file), tmp_path / "out")

    assert {trial.outcome for trial in trials} == {"memory"}


def test_a_setting_that_cannot_be_met_is_an_outcome(plan_file, tmp_path):
    plan_file.write_text(PLAN.replace("k = [2, 3, 4]", "k = 1000"))

    trials = run(Plan.from_toml(plan_file), tmp_path / "out")

    assert trials[0].outcome == "infeasible"
    assert "1000" in trials[0].reason


def test_cancelling_keeps_what_was_done(plan_file, tmp_path):
    def stop_after_two(done):
        if done >= 0.4:
            raise Cancelled("enough")

    with pytest.raises(Cancelled):
        run(Plan.from_toml(plan_file), tmp_path / "out", progress=stop_after_two)

    assert len(list(read_trials(tmp_path / "out" / "trials.jsonl"))) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("= 3", "not valid TOML"),
        ("nonsense = 3", "no key 'nonsense'"),
        ("[[data]]\npath='x'\n", r"one \[\[run\]\]"),
        ("[[data]]\nfile='x'\n[[run]]\nalgorithm='pcta'\nk=2", "the key .path. is missing|there is no key .file."),
        ("[[data]]\npath='x'\n[[run]]\nalgorithm='magic'", "no algorithm 'magic'"),
        ("[[data]]\npath='x'\n[[run]]\nalgorithm='pcta'\nk=0", "k must be"),
        ("[[data]]\npath='x'\n[[run]]\nalgorithm='pcta'\nz=1\nk=2", "no parameter 'z'"),
        ("measures=['x']\n[[data]]\npath='x'\n[[run]]\nalgorithm='pcta'\nk=2", "no measure 'x'"),
        ("measures=['are']\n[[data]]\npath='x'\n[[run]]\nalgorithm='pcta'\nk=2", "needs a"),
        ("[limits]\nseconds=0\n[[data]]\npath='x'\n[[run]]\nalgorithm='pcta'\nk=2", "above 0"),
        ("[workload]\nkind='odd'\n[[data]]\npath='x'\n[[run]]\nalgorithm='pcta'\nk=2", "kind must be one of"),
    ],
)
def test_a_bad_plan_is_told_before_anything_runs(text, message, tmp_path):
    (tmp_path / "plan.toml").write_text(text)

    with pytest.raises(InputError, match=message):
        Plan.from_toml(tmp_path / "plan.toml")


def test_what_workers_compiled_is_added_to_the_budget(plan_file, tmp_path, monkeypatch):
    plan = Plan.from_toml(plan_file)
    monkeypatch.setattr(runner, "Pool", CompilingPool)

    assert len(run(plan, tmp_path / "out", budget=0.25)) == len(plan.settings)


class CompilingPool:
    """A pool whose jobs take a tenth of a second each, all of it to compile."""

    def __init__(self, *_, **__):
        self.waiting = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def submit(self, key, request, seconds):
        self.waiting.append(request)

    @property
    def unfinished(self):
        return len(self.waiting)

    def poll(self):
        key, setting = self.waiting.pop(0)
        time.sleep(0.1)
        yield Ended(key, "done", (Trial(key, "d", setting.algorithm, dict(setting.parameters), "done"), 0.1))
