import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.relational._kernels.splits import split_parts
from anonset.algorithms.relational.encoding import encode
from anonset.model.dataset import Column, Dataset
from oracles.relational import group_cost
from strategies import relational_datasets

recodings = st.sampled_from(["nodes", "ranges", "sets"])


def split(data, k, relaxed=False, recoding="nodes", barred=None):
    """The pieces of all records, split once, and the attribute they were split in."""
    q = encode(data, recoding)
    n, v = q.values.shape
    ranks = np.column_stack([np.unique(column, return_inverse=True)[1] for column in q.values.T]).astype(np.int32)
    rows = np.arange(n)
    barred = np.zeros((1, v), np.bool_) if barred is None else np.array([barred])
    starts, stops, source, attribute = split_parts(q, ranks, rows, np.array([0]), np.array([n]), barred, k, relaxed)
    assert (source == 0).all()
    return [rows[start:stop].tolist() for start, stop in zip(starts, stops, strict=True)], int(attribute[0])


def loss(data, pieces, recoding):
    return sum(len(piece) * group_cost(data, piece, recoding) for piece in pieces)


@given(relational_datasets(max_records=20), st.integers(1, 4), st.booleans(), recodings)
def test_a_split_keeps_all_records_in_pieces_of_k_that_lose_no_more(data, k, relaxed, recoding):
    pieces, attribute = split(data, k, relaxed, recoding)

    assert sorted(r for piece in pieces for r in piece) == list(range(len(data)))
    assert (attribute >= 0) == (len(pieces) > 1)
    if attribute >= 0:
        assert min(map(len, pieces)) >= k
        assert loss(data, pieces, recoding) <= loss(data, [range(len(data))], recoding) + 1e-6


@given(relational_datasets(min_records=4, max_records=20), st.integers(1, 3), recodings)
def test_the_attribute_chosen_is_the_one_that_loses_least(data, k, recoding):
    pieces, attribute = split(data, k, recoding=recoding)

    v = len(data.quasi)
    for j in range(v):
        alone, chosen = split(data, k, recoding=recoding, barred=[other != j for other in range(v)])
        if chosen >= 0:
            assert chosen == j
            assert loss(data, pieces, recoding) <= loss(data, alone, recoding) + 1e-6
        else:
            assert attribute != j


@given(st.lists(st.integers(0, 30), min_size=2, max_size=24), st.integers(1, 4))
def test_numbers_are_cut_at_the_best_of_eight_places(values, k):
    domain = sorted(set(values))
    codes = np.array([domain.index(x) for x in values], np.int32)
    data = Dataset((Column("x", "quasi", "numeric", codes, tuple(map(str, domain)), np.array(domain, np.float64)),))
    ordered = sorted(range(len(values)), key=lambda r: values[r])
    edges = [p for p in range(1, len(values)) if values[ordered[p]] != values[ordered[p - 1]]]
    near = {min(edges, key=lambda p: (abs(p - len(values) * t // 8), -p)) for t in range(1, 8)} if edges else set()
    allowed = [p for p in near if k <= p <= len(values) - k]

    pieces, attribute = split(data, k)

    assert (attribute == 0) == bool(allowed)
    if allowed:
        best = min(loss(data, [ordered[:p], ordered[p:]], "nodes") for p in allowed)
        assert loss(data, pieces, "nodes") == pytest.approx(best)
