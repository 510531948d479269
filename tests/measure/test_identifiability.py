import numpy as np
import pytest
from hypothesis import given

from anonset.errors import Cancelled
from anonset.measure.risk import alone_with, identifiability
from anonset.model.dataset import Dataset, Transactions
from oracles.identifiability import least_items, shares
from strategies import relational_datasets, rt_datasets


@given(rt_datasets(sensitive=True))
def test_shares_agree_with_the_oracle(data):
    known = list(data.linkable.records())
    groups = list(zip(*(column.codes.tolist() for column in data.quasi), strict=True))

    found = identifiability(data)

    assert found.quasi == pytest.approx(sum(groups.count(group) == 1 for group in groups) / len(groups))
    assert found.items == pytest.approx(shares(least_items(known, [0] * len(known), 3), 3))
    assert found.both == pytest.approx(shares(least_items(known, groups, 2), 2))


@given(relational_datasets())
def test_without_items_only_the_quasi_values_count(data):
    found = identifiability(data)

    assert (found.items, found.both) == (None, None)
    assert 0 <= found.quasi <= 1


def test_the_search_tells_how_far_it_is_and_can_be_cancelled():
    data, told = Dataset(transactions=Transactions.from_records(["ab", "ac"] * 2_000)), []

    identifiability(data, progress=told.append)

    assert told == [0.5, 1.0]
    with pytest.raises(Cancelled):
        identifiability(data, progress=cancel)


def cancel(done):
    raise Cancelled("stop")


def test_an_attacker_who_knows_two_items():
    data = Dataset(transactions=Transactions.from_records(["ab", "ac", "bc", "abc", "abc"]))

    assert identifiability(data).items == (0.0, 0.0, 0.0)
    assert identifiability(data.take(np.arange(4))).items == (0.0, 0.0, 0.25)


@given(rt_datasets(sensitive=True))
def test_a_sample_of_everybody_gives_the_exact_shares(data):
    whole = identifiability(data)

    assert identifiability(data, sample=len(data)) == whole
    one = identifiability(data, sample=1)
    assert one.sampled == (1 if len(data) > 1 else None)
    assert one.quasi == whole.quasi
    assert all(share in (0.0, 1.0) for share in one.items) or len(data) == 1


@given(relational_datasets())
def test_who_is_unique_without_a_column_agrees_with_the_definition(data):
    found = alone_with(data.quasi, len(data))

    for left_out in ("", *(column.name for column in data.quasi)):
        rows = list(zip(*(c.codes.tolist() for c in data.quasi if c.name != left_out), strict=True)) or [()] * len(data)
        assert found[left_out] == sum(rows.count(row) == 1 for row in rows)
