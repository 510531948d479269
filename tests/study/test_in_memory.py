import pytest

from anonset.errors import Cancelled
from anonset.model.dataset import Dataset
from anonset.model.transactions import Transactions
from anonset.study.in_memory import run_in_memory
from anonset.study.plan import Plan

DATA = Dataset(transactions=Transactions.from_records(["ab", "ab", "ac", "c", "c", "b"]))


@pytest.fixture
def plan(tmp_path):
    values = {"data": [{"path": "x"}], "run": [{"algorithm": "pcta", "k": [2, 9, 3]}], "measures": ["ul"]}
    return Plan.from_values(values, tmp_path)


def test_settings_are_tried_in_their_order_and_a_refusal_is_an_outcome(plan):
    heard = []

    trials = run_in_memory(plan, DATA, progress=heard.append)

    assert [(trial.label, trial.outcome) for trial in trials] == [
        ("pcta k=2", "done"),
        ("pcta k=9", "infeasible"),
        ("pcta k=3", "done"),
    ]
    assert heard == sorted(heard)
    assert heard[-1] == 1.0


def test_time_that_is_up_and_a_listener_that_has_enough(plan):
    def enough(done):
        raise Cancelled("enough")

    assert run_in_memory(plan, DATA, budget=0) == ()
    with pytest.raises(Cancelled):
        run_in_memory(plan, DATA, progress=enough)
