"""The cut found from coresets is, bit for bit, the one found from all records."""

from collections import Counter
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonset.algorithms import make
from anonset.algorithms.transactions.aa import Aa
from anonset.algorithms.transactions.cut import frame_of, leaf_cut, protect, whole_problem
from anonset.algorithms.transactions.vpa import Vpa, vertical_cut
from anonset.engine.coreset import Coreset, cut_of, identity_codes, node_codes
from anonset.errors import InfeasibleError, ParameterError
from anonset.model.builders import Material, build
from anonset.model.dataset import Dataset
from anonset.samples import zipf_baskets
from engine_data import batches_of, driver_of
from strategies import item_datasets

sizes = {"max_records": 30, "max_items": 8}


def in_memory(data, wanted):
    if isinstance(wanted, Vpa):
        return vertical_cut(wanted, frame_of(data), data.linkable, data.linkable.supports)[1].node
    job = whole_problem(data, wanted.k)
    cut = leaf_cut(job)
    protect(job, cut, wanted.m, frame_of(data).order)
    return cut.node


@pytest.mark.parametrize("name", ["aa", "vpa"])
@given(
    data=item_datasets(sensitive=True, **sizes),
    k=st.integers(1, 5),
    m=st.integers(1, 3),
    cuts=st.lists(st.integers(0, 30), max_size=4),
    jobs=st.integers(1, 3),
)
@settings(max_examples=150)
def test_the_cut_is_that_of_all_records(tmp_path_factory, name, data, k, m, cuts, jobs):
    holders = int((data.linkable.lengths > 0).sum())
    if k > len(data) or 0 < holders < k:
        return
    wanted = make(name, {"k": k, "m": m})
    driver, source = driver_of(data, cuts, tmp_path_factory.mktemp("work"), jobs)

    np.testing.assert_array_equal(cut_of(driver, source, wanted, 1 << 20), in_memory(data, wanted))


@given(data=item_datasets(**sizes), k=st.integers(1, 5), m=st.integers(1, 3), cuts=st.lists(st.integers(0, 30), max_size=4))
@settings(max_examples=30)
def test_the_cut_is_the_same_where_what_is_kept_is_thinned_again_and_again(tmp_path_factory, data, k, m, cuts):
    holders = int((data.linkable.lengths > 0).sum())
    if k > len(data) or 0 < holders < k:
        return
    driver, source = driver_of(data, cuts, tmp_path_factory.mktemp("work"), 1)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("anonset.engine.coreset.SPARE", np.inf)
        patch.setattr("anonset.engine.coreset.AT_ONCE", 5)
        found = cut_of(driver, source, Aa(k=k, m=m), 1 << 20, room=0)

    np.testing.assert_array_equal(found, in_memory(data, Aa(k=k, m=m)))


@pytest.mark.parametrize("m", [2, 3])
def test_larger_data_in_many_batches_give_the_same_cut_though_most_records_are_left_out(tmp_path, m):
    baskets = zipf_baskets(20_000, d=60, mean=3.0, longest=30, seed=m)
    data = Dataset(transactions=baskets).with_item_hierarchy(build("balanced:3", Material.of_items(baskets)))
    driver, source = driver_of(data, range(0, 20_000, 1_777), tmp_path, jobs=2)
    wanted = Aa(k=8, m=m)

    found = cut_of(driver, source, wanted, 1 << 20)

    np.testing.assert_array_equal(found, in_memory(data, wanted))
    few = driver.engine.reduce(Coreset(8, 2, **identity_codes(60)), source.batches, driver.context)
    assert len(few["offsets"]) < 0.4 * len(data)


@given(
    data=item_datasets(hierarchy=False, **sizes), k=st.integers(1, 4), m=st.integers(1, 3), table=st.sampled_from([0, 1 << 20])
)
def test_a_coreset_keeps_every_record_of_a_rare_set_and_k_of_any_other(data, k, m, table):
    source, kept = batches_of(data, [3, 9])
    question = Coreset(k, m, **identity_codes(len(data.transactions.domain)), memory=table)
    state = None
    for ref in source.batches:
        state = question.fold(state, ref, type("Known", (), {"batch": staticmethod(kept.get)}))
    answer = question.answer(state)

    def supports(offsets, items):
        rows = [items[a:b].tolist() for a, b in pairwise(offsets)]
        return Counter(found for row in rows for size in range(1, m + 1) for found in combinations(row, size))

    whole = supports(data.transactions.offsets, data.transactions.items)
    few = supports(answer["offsets"], answer["items"])
    assert {s: min(n, k) for s, n in whole.items()} == {s: min(n, k) for s, n in few.items()}


def test_items_seen_as_nodes_are_numbered_from_left_to_right():
    codes = node_codes(np.array([7, 7, 2, 9, 9], np.int32))

    assert codes["codes"].tolist() == [0, 0, 1, 2, 2]
    assert codes["d"] == 3


def test_what_needs_all_supports_is_refused(tmp_path):
    data = Dataset(transactions=zipf_baskets(50, d=5, mean=2.0, longest=4, seed=0))
    data = data.with_item_hierarchy(build("balanced:2", Material.of_items(data.transactions)))
    driver, source = driver_of(data, [10], tmp_path)

    with pytest.raises(ParameterError, match="refine"):
        cut_of(driver, source, Aa(k=2, refine=True), 1 << 20)
    with pytest.raises(ParameterError, match="up to 3"):
        cut_of(driver, source, Aa(k=2, m=4), 1 << 20)
    with pytest.raises(InfeasibleError, match="exceeds"):
        cut_of(driver, source, Aa(k=51), 1 << 20)
