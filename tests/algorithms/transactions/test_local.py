"""lra and partition: local recoding."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonset.algorithms.transactions.aa import Aa
from anonset.algorithms.transactions.lra import ORDERS, Lra, line_up
from anonset.data import read
from anonset.errors import InfeasibleError
from anonset.measure.information_loss import ncp_items
from anonset.model.builders import balanced
from anonset.model.dataset import Dataset, Transactions
from anonset.model.schema import Schema
from anonset.verify import verify
from anonset_papers.algorithms.partition import Partition
from strategies import item_datasets, transactions

sizes = {"min_records": 2, "max_records": 14, "max_items": 8}


def letters(records, names="abcdefgh", fanout=2):
    return Dataset(transactions=Transactions.from_records(records, domain=names)).with_item_hierarchy(balanced(names, fanout))


def enough(data, k):
    return k <= len(data) and not 0 < (data.linkable.lengths > 0).sum() < k


def shown(release):
    texts, offsets = release.items.labels.texts, release.items.offsets
    return [{texts[a] for a in release.items.shown[p:q]} for p, q in pairwise(offsets)]


@given(
    data=item_datasets(sensitive=True, **sizes),
    k=st.integers(1, 4),
    m=st.integers(1, 3),
    alike=st.sampled_from(["auto", *ORDERS]),
)
@settings(max_examples=100)
def test_lra_is_anonymous_and_not_worse_than_one_part(data, k, m, alike):
    if not enough(data, k):
        with pytest.raises(InfeasibleError, match=r"exceeds the|records have items"):
            Lra(k, m).anonymize(data)
        return

    release = Lra(k, m, alike=alike).anonymize(data)

    verify(data, release).require()
    assert ncp_items(data, release) <= ncp_items(data, Aa(k, m).anonymize(data)) + 1e-12
    assert sum(release.trace[0]["sizes"]) == len(data)


@given(data=item_datasets(**sizes), parts=st.integers(1, 4), inner=st.sampled_from(["aa", "da", "vpa", "oa", "pcta", "coat"]))
@settings(max_examples=60)
def test_lra_takes_other_algorithms_and_a_number_of_parts(data, parts, inner):
    try:
        release = Lra(2, 2, parts=parts, inner=inner).anonymize(data)
    except InfeasibleError as error:
        assert "parts" in str(error) or not enough(data, 2)
        return

    verify(data, release).require()
    assert release.trace[0]["parts"] <= parts


def test_lra_sets_unlike_records_apart():
    data = letters(["a", "a", "b", "b", "c", "c", "d", "d", "ac", "bd", "ad", "bc"])

    release = Lra(2, 2).anonymize(data)

    assert shown(release)[:8] == [{"a"}, {"a"}, {"b"}, {"b"}, {"c"}, {"c"}, {"d"}, {"d"}]
    assert release.trace[0]["parts"] >= 2


@given(t=transactions(max_records=20), by=st.sampled_from(ORDERS))
def test_orders_hold_every_record_once_and_are_cut_inside(t, by):
    line = line_up(t, by)

    assert sorted(line.rows.tolist()) == list(range(len(t)))
    places = line.places([0.25, 0.5, 0.75]).tolist()
    assert places == sorted(set(places))
    assert (places[0], places[-1]) == (0, len(t))
    if by == "length":
        assert (np.diff(t.lengths[line.rows]) >= 0).all()


@given(data=item_datasets(sensitive=True, **sizes), k=st.integers(1, 5))
@settings(max_examples=150)
def test_partition_is_complete_k_anonymous_or_says_why_not(data, k):
    if not enough(data, k):
        with pytest.raises(InfeasibleError, match=r"exceeds the|records have items"):
            Partition(k).anonymize(data)
        return

    release = Partition(k).anonymize(data)

    verify(data, release).require()


@given(data=item_datasets(**sizes), k=st.integers(1, 4))
@settings(max_examples=100)
def test_partition_ends_where_no_node_splits_into_groups_of_k(data, k):
    if not enough(data, k):
        return
    release = Partition(k).anonymize(data)

    tree, records = data.item_hierarchy, [set(record) for record in data.transactions.records()]
    groups = {}
    for r, texts in enumerate(shown(release)):
        groups.setdefault(frozenset(texts), []).append(r)
    for texts, rows in groups.items():
        for v in (tree.labels.index(text) for text in texts):
            kids = [set(tree.leaves[tree.low[u] : tree.high[u]]) for u in tree.children(v)]
            held = [tuple(bool(kid & records[r]) for kid in kids) for r in rows]
            assert not kids or min(map(held.count, held)) < k


def test_partition_splits_where_it_saves_most():
    data = letters(["a", "a", "b", "b", "ac", "ac", "ad", "bd", "c", "d"])

    release = Partition(2).anonymize(data)

    exact = [{"a"}, {"a"}, {"b"}, {"b"}, {"a", "c"}, {"a", "c"}]
    assert shown(release) == [*exact, {"a..b", "d"}, {"a..b", "d"}, {"c..d"}, {"c..d"}]
    assert verify(data, release).holds


@pytest.mark.parametrize(("name", "most"), [("bms_webview_1", 0.0413), ("bms_webview_2", 0.0568)])
def test_partition_on_real_data_costs_what_it_costs_elsewhere(real_data, name, most):
    data = read(real_data / "transactions" / f"{name}.dat.gz", schema=Schema(item_hierarchy="balanced:5,order=id"))

    release = Partition(5).anonymize(data)

    assert ncp_items(data, release) < most
    verify(data, release).require()


def test_local_recoding_pays_on_dense_data(real_data):
    data = read(real_data / "transactions" / "chess.dat.gz", schema=Schema(item_hierarchy="balanced:5,order=id"))

    local = Lra(5, 2).anonymize(data)

    assert local.trace[0]["parts"] > 1
    assert ncp_items(data, local) < 0.5 * ncp_items(data, Aa(5, 2).anonymize(data))
    verify(data, local).require()
