"""Merging until no set of published items tells a sensitive one, against the same written down literally."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from anonset.algorithms.constraints import diversity
from anonset.algorithms.constraints.diversity import PostedItems, diversify
from anonset.algorithms.constraints.pcta import Coat, Pcta, Upcta, protected_clusters
from anonset.algorithms.transactions.cut import secrets
from anonset.errors import InfeasibleError
from anonset.kernels.set_walk import SensitiveItems, SetLimits
from anonset.model.dataset import Dataset, Transactions
from anonset.model.policy import UtilityPolicy
from anonset.model.progress import silent
from oracles import constraints as oracle
from strategies import item_datasets


def parts(data):
    """The linkable and the sensitive items of each record, by name."""
    t = data.transactions
    secret = {t.domain[i] for i in np.flatnonzero(data.sensitive_items)}
    records = [{t.domain[i] for i in t.items[t.offsets[r] : t.offsets[r + 1]]} for r in range(len(t))]
    return [frozenset(record - secret) for record in records], [frozenset(record & secret) for record in records]


def settled(algorithm, data):
    try:
        return protected_clusters(algorithm, data, silent)[0]
    except InfeasibleError:
        return assume(False)


def large(clusters):
    domain = clusters.transactions.domain
    return {tuple(sorted(domain[i] for i in items)) for items in clusters.members.values() if len(items) > 1}


@given(item_datasets(hierarchy=False, sensitive=True), st.integers(1, 3), st.integers(1, 3), st.integers(2, 3))
def test_sets_that_tell_are_listed(data, k, m, l):  # noqa: E741
    records, hidden = parts(data)
    clusters = settled(Pcta(k=k, m=m), data)
    h = oracle.Clustering(records)
    for items in large(clusters):
        for i in items:
            h.of[i] = frozenset(items)

    found = PostedItems(clusters, SensitiveItems(*secrets(data))).telling_sets(SetLimits(k, m, l))

    domain = data.transactions.domain
    named = [[domain[i] for i in row if i >= 0] for row in found.tolist()]
    assert named == [[min(c) for c in p] for p in oracle.telling_sets(h, hidden, m, l)]


@pytest.mark.parametrize("pick", [None, "commonest", "rarest"])
@given(data=item_datasets(hierarchy=False, sensitive=True), k=st.integers(1, 3), m=st.integers(1, 2), draw=st.data())
def test_clusters_are_merged_as_written_down(pick, data, k, m, draw):
    number = [draw.draw(st.integers(0, 1)) for _ in data.transactions.domain]
    groups = [tuple(i for i, g in zip(data.transactions.domain, number, strict=True) if g == which) for which in range(2)]
    utility = UtilityPolicy(tuple(group for group in groups if group), 0.0)
    algorithm = Upcta(k=k, m=m, utility=utility) if pick is None else Coat(k=k, m=m, utility=utility, pick=pick)
    records, hidden = parts(data)
    clusters = settled(algorithm, data)
    expected = oracle.diversify(records, large(clusters), hidden, m, 2, groups=utility.groups, pick=pick)

    done = diversify(clusters, SensitiveItems(*secrets(data)), SetLimits(k, m, 2), algorithm.choose_merge)

    assert done == (expected is not None)
    if done:
        assert large(clusters) == expected


def test_a_full_list_is_made_again(monkeypatch):
    t = Transactions.from_records(["aX", "a", "bX", "cX", "d", "e", "bX", "cX", "d", "e", "a", "f"], domain="abcdefX")
    data = Dataset(transactions=t, sensitive_items=np.array([name == "X" for name in t.domain]))
    results = []
    for listed in (1, 10_000):
        monkeypatch.setattr(diversity, "LISTED", listed)
        clusters = settled(Pcta(k=2, m=1), data)
        assert diversify(clusters, SensitiveItems(*secrets(data)), SetLimits(2, 1, 2), Pcta(k=2, m=1).choose_merge)
        records, hidden = parts(data)
        assert not any(oracle.tells([frozenset(items)], records, hidden, 2) for items in large(clusters))
        results.append(large(clusters))
    assert all(results)
