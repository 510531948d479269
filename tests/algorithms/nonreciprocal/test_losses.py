"""The order of the curves of [004] figure 6 on chess: a loss that creeps up is seen by no privacy check."""

import numpy as np
import pytest

from anonset.algorithms import make
from anonset.data import read
from anonset.measure.uncertain import draw_queries, er, qe
from anonset.model.dataset import Column, Dataset
from anonset.verify import verify


@pytest.fixture
def chess(real_data):
    transactions = read(real_data / "transactions" / "chess.dat.gz").transactions
    share = 1 / (np.arange(470) + 7)
    codes = np.random.default_rng(1).choice(470, len(transactions), p=share / share.sum()).astype(np.int32)
    return Dataset((Column("occupation", "sensitive", "categorical", codes, tuple(map(str, range(470)))),), transactions)


def losses(data, name, values):
    release = make(name, {**values, "seed": 1}).anonymize(data)
    verify(data, release).require()
    return er(data, release), qe(data, release, draw_queries(data, 100, present=3, absent=4))


@pytest.mark.parametrize(
    ("better", "worse", "letter", "most"), [("nr-k", "gray-ring", "k", 0.120), ("nr-l", "cahd", "l", 0.100)]
)
def test_the_better_order_loses_less(chess, better, worse, letter, most):
    ours, theirs = (losses(chess, name, {letter: 8}) for name in (better, worse))

    assert ours[0] < theirs[0]
    assert ours[1] < theirs[1]
    assert ours[0] < most


def test_many_rings_lose_less_than_one(chess):
    many, one = (losses(chess, "nr-k", {"k": 8, "rings": rings}) for rings in ("many", "one"))

    assert many[0] < 0.9 * one[0]
    assert many[1] < one[1]
