import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonset.algorithms.rt.item_step import AaStep, Items
from anonset.algorithms.rt.merge import RmergeR, RmergeRT, RmergeT, TmergeR, TmergeRT, TmergeT
from anonset.algorithms.rt.refinement import Lowering, Splitting
from anonset.errors import InfeasibleError
from anonset.measure.information_loss import ncp, ul_record
from anonset.testing.tiny import dataset
from oracles import rt as oracle
from strategies import item_datasets, rt_datasets


@pytest.mark.parametrize("cls", [RmergeR, RmergeT, RmergeRT, TmergeR, TmergeT, TmergeRT])
@settings(max_examples=25)
@given(data=rt_datasets(min_records=4, max_records=16, sensitive=True), delta=st.sampled_from([None, 0.3, 0.6, 0.9]))
def test_refined_releases_are_never_worse_and_protected(cls, data, delta):
    l = 2 if data.sensitive_items.any() else 1  # noqa: E741
    try:
        plain = cls(k=2, l=l, delta=delta, seed=1).anonymize(data)
    except InfeasibleError:
        return
    refined = cls(k=2, l=l, delta=delta, seed=1, refine=True).anonymize(data)

    assert oracle.has_odd_column(data) or ncp(data, refined) <= ncp(data, plain) + 1e-9
    assert ul_record(data, refined) <= ul_record(data, plain) + 1e-9
    assert oracle.is_protected(data, refined, 2, 2, l)
    assert oracle.is_truthful(data, refined)


@given(item_datasets(min_records=3, max_records=16, sensitive=True), st.integers(1, 3), st.integers(1, 2))
def test_lowered_items_are_protected_and_lose_no_more(data, k, m):
    items = Items(AaStep(data, k, m, 1), exact_weight=1.0)
    before = items.outcome(np.arange(len(data)))
    if before is None:
        return
    lowering = Lowering(data, data.item_hierarchy, items.labels, k, m, 1)

    after = lowering.lower(items, before)

    assert after.lost <= before.lost + 1e-9
    assert items.labels.protects(after.offsets, after.shown, k, m, 1)
    sizes = items.labels.sizes
    assert sizes[after.shown].max(initial=0) <= sizes[before.shown].max(initial=0)


@given(item_datasets(min_records=4, max_records=20), st.integers(1, 3), st.integers(1, 3))
def test_split_items_are_protected_and_lose_no_more(data, k, m):
    items = Items(AaStep(data, k, m, 1), exact_weight=1.0)
    before = items.outcome(np.arange(len(data)))
    if before is None:
        return

    after = Splitting(data, data.item_hierarchy, k, m).split(items, before)

    assert after.lost <= before.lost
    assert sorted(after.rows.tolist()) == list(range(len(data)))
    assert items.labels.protects(after.offsets, after.shown, k, m, 1)


def test_a_rare_item_does_not_spoil_the_others():
    data = dataset(["ab"] * 6 + ["e", "a", "b", "a"])
    items = Items(AaStep(data, 3, 2, 1), exact_weight=0.0)
    together = items.outcome(np.arange(10))

    apart = Splitting(data, data.item_hierarchy, 3, 2).split(items, together)

    assert together.lost == 10.0  # e has nobody to hide among but all
    assert apart.lost == 3.0  # e hides among two records with one item
    assert set(items.publish([apart]).labels.texts) == {"a", "b", "*"}


def test_a_superfluous_generalization_is_taken_back():
    data = dataset(["ab", "ab", "ef", "ef"])
    step = AaStep(data, 2, 2, 1)
    root = data.item_hierarchy.root
    top = step.labels.node_numbers(data.item_hierarchy)[root]
    items = Items(step, exact_weight=0.0)
    everything = items.measured(np.arange(4), np.arange(5), np.full(4, top, np.int32))

    after = Lowering(data, data.item_hierarchy, items.labels, 2, 2, 1).lower(items, everything)

    assert everything.lost == 4.0
    assert after.lost == 0.0
    assert items.publish([after]).labels.texts == ("a", "b", "e", "f")
