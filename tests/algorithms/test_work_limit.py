import numpy as np
import pytest

from anonset.algorithms import make
from anonset.algorithms.work_limit import MOST_SETS, require_countable
from anonset.errors import InfeasibleError
from anonset.model.builders import build
from anonset.model.dataset import Dataset, Transactions

LONG = [[f"i{(r * 7 + i) % 6_000}" for i in range(5_000)] for r in range(2)]


def test_sets_are_counted_by_the_lengths_of_the_records():
    require_countable(np.array([4, 4, 0]), 2)
    with pytest.raises(InfeasibleError, match=r"hold 2\.5e\+11 sets of 3 items, more than the limit of 2\.0e\+10"):
        require_countable(np.array([11_448]), 3)


def test_the_limit_can_be_raised(monkeypatch):
    monkeypatch.setenv("ANONSET_MOST_SETS", str(10 * MOST_SETS**2))

    require_countable(np.array([11_448]), 3)


@pytest.mark.parametrize(("name", "m"), [("aa", 3), ("pcta", 10), ("lift", 3)])
def test_records_that_are_too_long_for_m_are_refused_at_once(name, m):
    data = Dataset(transactions=Transactions.from_records(LONG))
    data = data.with_item_hierarchy(build("balanced:5", data.transactions.domain))

    with pytest.raises(InfeasibleError, match="choose a smaller m"):
        make(name, {"k": 2, "m": m}).anonymize(data)
