import pytest

from anonset.algorithms import make
from anonset.algorithms.explanation import explain_steps
from anonset.model.dataset import Dataset, Transactions

BASKETS = ["ab", "a", "bc", "c", "abc", "b", "ac", "ab"]


@pytest.mark.parametrize("name", ["nr-k", "gray-ring"])
def test_every_step_of_a_run_is_a_sentence(name):
    release = make(name, {"k": 2, "seed": 1}).anonymize(Dataset(transactions=Transactions.from_records(BASKETS)))

    lines = explain_steps(release.trace)

    assert len(lines) == len(release.trace) > 0
    assert all(line.endswith(".") for line in lines)
    assert any("ring" in line for line in lines)


def test_each_kind_of_step():
    trace = (
        {"step": "order", "length": {"input": 1200, "gray": 800}},
        {"step": "rings", "number": 1},
        {"step": "rings", "number": 3},
        {"step": "groups", "number": 4, "left at the end": 2},
        {"step": "assignments", "steps walked": [3, 4]},
    )

    assert explain_steps(trace) == (
        "The distances of neighbours, all round, add up to 1,200 as they came, 800 in Gray order.",
        "All records stand in one ring.",
        "The records stand in 3 rings.",
        "There are 4 groups; 2 records were left for the last of them.",
        "2 assignments were found in 7 steps, and one of them was drawn.",
    )
