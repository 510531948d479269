import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.relational.encoding import encode
from anonset.algorithms.rt.alignment import Alignment
from anonset.model.dataset import Dataset, Transactions
from oracles import rt as oracle
from strategies import rt_datasets


@given(rt_datasets(min_records=1), st.integers(1, 3), st.sampled_from([0.0, 32.0]))
def test_classes_share_out_all_records_and_can_be_protected(data, k, price):
    alignment = Alignment(data, encode(data), k, 2, 1)
    half = len(data) // 2
    parts = [rows for rows in (np.arange(half), np.arange(half, len(data))) if len(rows)]

    classes = alignment.classes(parts, price)

    assert sorted(np.concatenate(classes).tolist()) == list(range(len(data)))
    lengths = data.transactions.lengths
    for rows, labelled in zip(classes, alignment.label(classes), strict=True):
        holders = int((lengths[rows] > 0).sum())
        assert (labelled is None) == (0 < holders < k)
        assert holders < 2 * k or labelled.rows.tolist() == rows.tolist()


@given(rt_datasets(min_records=1, sensitive=True), st.integers(1, 3), st.integers(1, 3), st.integers(1, 2))
def test_what_a_cluster_shows_is_protected(data, k, m, l):  # noqa: E741
    alignment = Alignment(data, encode(data), k, m, l)

    (shown,) = alignment.label([np.arange(len(data))])

    if shown is not None:
        records, t = [], data.transactions
        for row, first, last in zip(shown.rows, shown.offsets[:-1], shown.offsets[1:], strict=True):
            held = t.items[t.offsets[row] : t.offsets[row + 1]]
            records.append((set(shown.labels[first:last].tolist()), {i for i in held.tolist() if data.sensitive_items[i]}))
        assert oracle.hides(records, k, m, l)


def test_items_of_like_records_stand_side_by_side():
    records = [["flu", "gout"], ["flu", "cold"], ["flu", "rash"]]
    data = Dataset((), Transactions.from_records(records, ["cold", "flu", "gout", "rash"]))

    (shown,) = Alignment(data, encode(data), 3, 2, 1).label([np.arange(3)])

    assert shown.labels.tolist() == [1, 0, 0, 1, 1, 0]  # flu is exact; gout, cold and rash are "one of these"
    assert shown.lost == 3 * (1 - 1 / 3)


def test_large_parts_are_looked_through_in_runs(monkeypatch):
    monkeypatch.setattr("anonset.algorithms.rt.alignment.RECORDS_COMPARED", 4)
    records = [["a"], ["a", "b"], ["a", "b", "c"]] * 8
    data = Dataset((), Transactions.from_records(records, ["a", "b", "c"]))

    classes = Alignment(data, encode(data), 2, 2, 1).classes([np.arange(24)], 0.0)

    assert sorted(np.concatenate(classes).tolist()) == list(range(24))
    assert all(2 <= len(rows) < 4 for rows in classes)
    assert [len({len(records[r]) for r in rows}) for rows in classes] == [1] * len(classes)  # runs go by length
