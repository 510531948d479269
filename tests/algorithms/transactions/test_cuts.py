"""oa, da, vpa and refine: what they share is one cut that is k^m-anonymous."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonset.algorithms.transactions.aa import Aa
from anonset.algorithms.transactions.cut import cut_at, frame_of, leaf_cut, protect, whole_problem
from anonset.algorithms.transactions.refinement import Refiner
from anonset.algorithms.transactions.vpa import Vpa, domain_parts
from anonset.data import read
from anonset.errors import Cancelled, InfeasibleError
from anonset.measure.information_loss import ncp_items
from anonset.model.builders import balanced
from anonset.model.dataset import Dataset, Transactions
from anonset.verify import verify
from anonset_papers.algorithms.da import Da
from anonset_papers.algorithms.oa import Oa, lattice_of
from oracles import aa as oracle
from strategies import item_datasets

sizes = {"min_records": 2, "max_records": 14, "max_items": 8}


def loss_of(data, release):
    """NCP times occurrences times leaves, a whole number."""
    return round(ncp_items(data, release) * len(data.transactions.items) * data.item_hierarchy.n_leaves)


def enough(data, k):
    return k <= len(data) and not 0 < (data.linkable.lengths > 0).sum() < k


@given(data=item_datasets(**sizes), k=st.integers(1, 4), m=st.integers(1, 3))
@settings(max_examples=100)
def test_oa_is_as_cheap_as_the_best_of_all_cuts(data, k, m):
    if not enough(data, k):
        return

    release = Oa(k, m).anonymize(data)

    verify(data, release).require()
    assert loss_of(data, release) == oracle.optimum(data, k, m)


@given(data=item_datasets(**sizes))
def test_oa_counts_cuts_of_what_occurs(data):
    tree = data.item_hierarchy
    occurs = oracle.Database(data).supports
    different = {
        tuple(frozenset(i for i in range(tree.low[v], tree.high[v]) if occurs[i]) for j, v in enumerate(cut) if occurs[j])
        for cut in oracle.cuts(tree)
    }

    assert lattice_of(whole_problem(data, 1)).cuts == max(1, len(different))


def test_oa_refuses_a_hopeless_lattice_and_says_how_large_it_is():
    data = letters(["ab", "bc", "cd"] * 3)

    with pytest.raises(InfeasibleError, match=r"has 5 cuts, more than limit=4"):
        Oa(2, limit=4).anonymize(data)

    names = [str(i) for i in range(2_000)]
    wide = Dataset(transactions=Transactions.from_records([names, names], domain=names))
    with pytest.raises(InfeasibleError, match=r"about 10\^\d+ cuts"):
        Oa(2).anonymize(wide.with_item_hierarchy(balanced(names, 3)))


@given(data=item_datasets(**sizes), k=st.integers(1, 4), m=st.integers(1, 3))
@settings(max_examples=100)
def test_da_in_paper_order_gives_the_cut_of_the_literal_transcription(data, k, m):
    if not enough(data, k):
        return
    _, loss = oracle.direct(data, k, m)

    release = Da(k, m, order="paper").anonymize(data)

    verify(data, release).require()
    assert loss_of(data, release) == loss


@given(data=item_datasets(sensitive=True, **sizes), k=st.integers(1, 4), m=st.integers(1, 3), parts=st.integers(1, 9))
@settings(max_examples=100)
def test_da_and_vpa_are_anonymous_or_say_why_not(data, k, m, parts):
    for algorithm in (Da(k, m), Vpa(k, m, parts)):
        if enough(data, k):
            verify(data, algorithm.anonymize(data)).require()
        else:
            with pytest.raises(InfeasibleError, match=r"exceeds the|records have items"):
                algorithm.anonymize(data)


@given(data=item_datasets(**sizes), parts=st.integers(1, 12))
def test_parts_cover_the_domain_once(data, parts):
    tree = data.item_hierarchy

    nodes = domain_parts(frame_of(data), data.transactions.supports, parts)

    covered = sorted(i for v in nodes for i in range(tree.low[v], tree.high[v]))
    assert covered == list(range(tree.n_leaves))
    assert len(nodes) >= min(parts, tree.n_leaves)


def test_vpa_reports_its_parts():
    (trace,) = Vpa(2, parts=2).anonymize(letters(["ab", "bc", "cd"] * 3)).trace

    assert trace["parts"] == 2
    assert len(trace["nodes"]) == 2


@given(data=item_datasets(sensitive=True, **sizes), k=st.integers(2, 4), m=st.integers(1, 3), seed=st.integers(0, 9))
@settings(max_examples=100)
def test_refine_is_anonymous_and_never_worse(data, k, m, seed):
    if not enough(data, k):
        return
    for algorithm in (Aa, Da, Vpa):
        plain = algorithm(k, m).anonymize(data)
        release = algorithm(k, m, refine=True, steps=8, seed=seed).anonymize(data)

        verify(data, release).require()
        assert ncp_items(data, release) <= ncp_items(data, plain) + 1e-12


@given(data=item_datasets(**sizes), k=st.integers(2, 3), m=st.integers(1, 3))
def test_refine_ends_where_no_node_can_be_split(data, k, m):
    if not enough(data, k):
        return
    problem = whole_problem(data, k)
    top = np.full(data.item_hierarchy.n_leaves, data.item_hierarchy.root, np.int32)

    found = Refiner(data.linkable, problem, m, frame_of(data).order, 0).refine(cut_at(problem, top), 0)

    db, tree = oracle.Database(data), data.item_hierarchy
    assert oracle.is_anonymous(db, k, m, found.node.tolist())
    assert found.spent[-1] == db.loss(found.node.tolist())
    for v in set(found.node.tolist()):
        split = found.node.tolist()
        for u in tree.children(v):
            split[tree.low[u] : tree.high[u]] = [u] * int(tree.high[u] - tree.low[u])
        assert not tree.children(v) or not db.supports[v] or not oracle.is_anonymous(db, k, m, split)


def test_refine_comes_close_to_the_optimum():
    rng = np.random.default_rng(3)
    plain, better, best = 0, 0, 0
    for _ in range(25):
        share = 1 / (1 + rng.permutation(12))
        records = [rng.choice(list("abcdefghijkl"), rng.integers(1, 4), False, share / share.sum()) for _ in range(150)]
        data = letters(records, names="abcdefghijkl", fanout=3)
        plain += loss_of(data, Aa(3, 2).anonymize(data))
        better += loss_of(data, Aa(3, 2, refine=True, steps=30).anonymize(data))
        best += loss_of(data, Oa(3, 2).anonymize(data))

    assert best <= better < plain
    assert better <= 1.01 * best


def test_refine_can_be_cancelled():
    def cancel(done):
        if done > 0:
            raise Cancelled("enough")

    data = letters(["abcd", "bc", "cd", "ad"] * 2)
    problem = whole_problem(data, 3)
    cut = leaf_cut(problem)
    protect(problem, cut, 2, frame_of(data).order)
    with pytest.raises(Cancelled):
        Refiner(data.linkable, problem, 2, frame_of(data).order, 0).refine(cut, 5, cancel)


def letters(records, names="abcd", fanout=2):
    transactions = Transactions.from_records(records, domain=names)
    return Dataset(transactions=transactions).with_item_hierarchy(balanced(names, fanout))


@pytest.mark.parametrize("records", [2_000, 10_000])
def test_figures_8_to_10_in_miniature(real_data, records):
    """[002] 5.2: BMS-WebView-2 folded to 40 items, k=100, m=3, fanout 4; all lose the same, as in figure 8c."""
    data = folded(read(real_data / "transactions" / "bms_webview_2.dat.gz"), records, items=40)
    algorithms = (Oa(100, 3), Da(100, 3), Aa(100, 3, order="paper"), Aa(100, 3), Aa(100, 3, refine=True))

    best, *losses = [loss_of(data, algorithm.anonymize(data)) for algorithm in algorithms]

    assert best > 0
    assert losses == [best] * 4


def folded(data, records, items):
    names = [str(i) for i in range(items)]
    rows = [{str(int(name) % items) for name in record} for record in list(data.transactions.records())[:records]]
    return letters(rows, names, 4)
