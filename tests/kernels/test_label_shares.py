"""Labels counted for their items one by one, against looking at each record."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.measure._kernels.label_shares import free_members, item_factors, summed_item_shares
from flat_sets import flat, holders, labelled_records
from oracles import labels as oracle


def index_of(d, labels, records):
    """Labels of items, records of labels, the free members behind each entry of the latter, and the size of each label."""
    item_offsets, item_labels = holders(labels, d)
    label_offsets, label_records = holders(records, len(labels))
    of = np.repeat(np.arange(len(labels)), np.diff(label_offsets))
    free = [oracle.free(records[r], labels, a) for a, r in zip(of, label_records, strict=True)]
    sizes = np.array([len(label) for label in labels])
    return item_offsets, item_labels.astype(np.int32), label_offsets, label_records, np.array(free, np.float64), sizes


@given(labelled_records())
def test_free_members_agree_with_the_oracle(case):
    _, labels, records = case

    found = free_members(*flat(records), *flat(labels))

    assert found.tolist() == [oracle.free(record, labels, a) for record in records for a in sorted(record)]


@given(labelled_records(), st.data())
def test_summed_item_shares_agree_with_the_oracle(case, draw):
    d, labels, records = case
    factors = np.array(draw.draw(st.lists(st.floats(0, 5), min_size=d, max_size=d)))
    covered, total = np.zeros(len(records), np.int64), np.full((len(records), 3), np.nan)

    for wanted in draw.draw(st.lists(st.sets(st.integers(0, d - 1), min_size=1, max_size=3), min_size=1, max_size=3)):
        asked = np.array(sorted(wanted), np.int32)
        found, shares = summed_item_shares(asked, factors, *index_of(d, labels, records), covered, total)

        likely = {r: oracle.share_of_items(record, labels, wanted, factors) for r, record in enumerate(records)}
        expected = {r: share for r, share in likely.items() if share is not None}
        assert dict(zip(found.tolist(), shares.tolist(), strict=True)) == pytest.approx(expected)
        assert not covered.any()


@given(labelled_records(), st.data())
def test_with_its_factor_an_item_is_in_as_many_records_as_expected(case, draw):
    d, labels, records = case
    exact = [sum(item in oracle.exact(record, labels) for record in records) for item in range(d)]
    hidden = [[n for n in oracle.hidden_sizes(records, labels, item) if n] for item in range(d)]
    shares = draw.draw(st.lists(st.one_of(st.floats(-0.2, 1.2), st.just(np.nan)), min_size=d, max_size=d))
    expected = np.array([exact[item] + shares[item] * len(hidden[item]) for item in range(d)])

    factors = item_factors(expected, *index_of(d, labels, records), len(records))

    for item in range(d):
        if np.isnan(shares[item]):
            assert factors[item] == 1.0
        else:
            reached = sum(min(1.0, factors[item] / n) for n in hidden[item])
            assert reached == pytest.approx(min(1.0, max(0.0, shares[item])) * len(hidden[item]), abs=1e-9)


def test_small_labels_are_full_before_large_ones():
    labels, records = [{0, 1}, {0, 1, 2, 3}], [{0}, {0}, {1}, {1}]

    factors = item_factors(np.array([3.0, 1.0, 0.5, np.nan]), *index_of(4, labels, records), 4)

    assert factors.tolist() == pytest.approx([2.0, 1 / 1.5, 1.0, 1.0])  # 1 + 1 + 2/4 + 2/4, ...
