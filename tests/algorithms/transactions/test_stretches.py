"""What stretches of a line cost, against protecting their records alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonset.algorithms.transactions import lra
from anonset.algorithms.transactions.cut import cut_problem, frame_of, protect
from anonset.algorithms.transactions.lra import ORDERS, line_up
from anonset.model.builders import balanced
from anonset.model.dataset import Dataset, Transactions
from strategies import item_datasets


def costs(data, rows, k, m):
    """What the rows cost alone, whatever it is."""
    shape = frame_of(data)
    problem = cut_problem(shape, data.linkable, np.sort(rows), k)
    return lra.spent(problem, lambda cut, watch: protect(problem, cut, m, shape.order, progress=watch), np.inf)


def assert_alike(data, by, k, m):
    line = line_up(data.linkable, by)
    places = line.places([0.2, 0.5, 0.8])
    found = lra.Stretches(frame_of(data), data.linkable, line, places, k, m)

    for first in range(len(places) - 1):
        for last in range(first + 1, len(places)):
            wanted = costs(data, line.rows[places[first] : places[last]], k, m)
            assert found.price(first, last, np.inf) == wanted
            assert found.price(first, last, wanted + 1) == wanted
            assert found.price(first, last, wanted) == np.inf


@given(
    data=item_datasets(sensitive=True, min_records=2, max_records=16, max_items=9),
    k=st.integers(1, 4),
    m=st.integers(1, 3),
    by=st.sampled_from(ORDERS),
)
@settings(max_examples=100)
def test_a_stretch_costs_what_its_records_cost_alone(data, k, m, by):
    assert_alike(data, by, k, m)


@pytest.mark.parametrize("k", [2, 5, 300])
@pytest.mark.parametrize("cells", [0, lra.CELLS])
def test_larger_data_in_every_way_to_count(k, cells, monkeypatch):
    monkeypatch.setattr(lra, "CELLS", cells)
    rng = np.random.default_rng(0)
    names = tuple(f"i{i:03}" for i in range(120))
    records = [{names[i % 120] for i in rng.zipf(1.4, size=rng.integers(1, 9))} for _ in range(1500)]
    t = Transactions.from_records(records, domain=names)

    assert_alike(Dataset(transactions=t).with_item_hierarchy(balanced(names, 4)), "rare", k, 2)
