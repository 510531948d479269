import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms import make
from anonset.attacks import AttackerKnowledge, attack_margins
from anonset.errors import ParameterError
from anonset.model.dataset import Dataset, Transactions
from anonset.releases.margins import with_margins


@given(st.integers(0, 20), st.integers(2, 4))
def test_margins_leave_as_many_records_that_fit_as_are_promised(seed, k):
    rng = np.random.default_rng(seed)
    baskets = [rng.choice(list("abcdefgh"), rng.integers(1, 5), replace=False) for _ in range(40)]
    data = Dataset(transactions=Transactions.from_records(baskets))
    release = with_margins(data, make("pcta", {"k": k, "m": 2}).anonymize(data))

    found = attack_margins(data, release, AttackerKnowledge(False, 2), attackers=40, rng=rng)

    assert found.without.fewest == found.with_margins.fewest >= k
    assert found.with_margins.surest <= 1.0
    assert 0.0 <= found.with_margins.right.value <= 1.0


def test_attackers_of_one_certain_record_are_right():
    data = Dataset(transactions=Transactions.from_records(["ab", "cd", "ef"]))
    release = with_margins(data, make("identity", {"k": 1}).anonymize(data))

    found = attack_margins(data, release, AttackerKnowledge(False, 1), attackers=3, rng=np.random.default_rng(0))

    assert found.with_margins.right.value == found.with_margins.surest == found.with_margins.fewest == 1


def test_attacks_with_margins_need_margins():
    data = Dataset(transactions=Transactions.from_records(["ab", "ab"]))

    with pytest.raises(ParameterError, match="publishes margins"):
        attack_margins(
            data,
            make("identity", {"k": 1}).anonymize(data),
            AttackerKnowledge(False, 1),
            attackers=1,
            rng=np.random.default_rng(),
        )
