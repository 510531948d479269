"""Labels assigned, chopped and cut: against the definitions."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.rt._kernels.label_cuts import assigned_labels, chop_labels, cut_labels
from anonset.algorithms.rt._kernels.losses import expected_matches
from oracles.rt import expected_count, is_km_anonymous, is_lm_diverse

ITEMS = 6
NOBODY = np.zeros(0, np.int32)
baskets = st.lists(st.sets(st.integers(0, ITEMS - 1)), min_size=1, max_size=14)


def flat(rows):
    return np.cumsum([0, *map(len, rows)]), np.array([x for row in rows for x in sorted(row)], np.int32)


def no_secrets(n):
    return np.zeros(n + 1, np.int64), NOBODY, 0


def shown(offsets, labels):
    return [frozenset(labels[a:b].tolist()) for a, b in pairwise(offsets.tolist())]


def groups_of(labels, items):
    """The items behind each label."""
    return {int(a): frozenset(items[labels == a].tolist()) for a in np.unique(labels)}


@st.composite
def nested(draw):
    """Records, and for each item one of the nested labels {i}, {pair of i}, {all}: sizes 1, 2 and 6."""
    rows = draw(baskets)
    offsets, items = flat(rows)
    level = np.array(draw(st.lists(st.integers(0, 2), min_size=len(items), max_size=len(items))), np.int64)
    labels = np.choose(level, [items, ITEMS + items // 2, np.full(len(items), ITEMS + 3)]) if len(items) else items
    return rows, offsets, items, labels.astype(np.int32)


@given(nested())
def test_every_label_that_is_shown_stands_for_an_item_behind_it(case):
    _, offsets, items, labels = case
    members = [{i} for i in range(ITEMS)] + [{0, 1}, {2, 3}, {4, 5}] + [set(range(ITEMS))]
    label_offsets, flat_members = flat(members)
    before = shown(offsets, labels)

    found = assigned_labels(offsets, items, *flat(before), label_offsets, flat_members, ITEMS)

    assert shown(offsets, found) == before
    assert all(i in members[a] for i, a in zip(items, found, strict=True))


@given(nested(), st.integers(1, 3), st.integers(1, 3), st.integers(1, 2), st.data())
def test_cut_labels_are_finer_and_as_protected_as_before(case, k, m, l, data):  # noqa: E741
    rows, offsets, items, labels = case
    secrets = data.draw(st.lists(st.sets(st.integers(0, 1)), min_size=len(rows), max_size=len(rows)))
    before = np.unique(labels, return_inverse=True)[1].astype(np.int32)
    bounds = np.array([0, len(rows)])

    found = cut_labels(bounds, offsets, items, before, k, m, *flat(secrets), 2, l, 30)

    if protected(offsets, before, secrets, k, m, l):
        assert protected(offsets, found, secrets, k, m, l)
    wide = groups_of(before, items)
    assert all(group <= wide[int(before[found == a][0])] for a, group in groups_of(found, items).items())


@given(nested(), st.integers(1, 3), st.integers(1, 2), st.data())
def test_chopped_labels_are_finer_and_their_pairs_as_frequent_as_asked(case, k, l, data):  # noqa: E741
    rows, offsets, items, labels = case
    secrets = (
        data.draw(st.lists(st.sets(st.integers(0, 1)), min_size=len(rows), max_size=len(rows)))
        if l > 1
        else [set()] * len(rows)
    )
    before = np.unique(labels, return_inverse=True)[1].astype(np.int32)

    found = chop_labels(np.array([0, len(rows)]), offsets, items, before, k, *flat(secrets), 2, l)

    if is_km_anonymous(shown(offsets, before), k, 2):
        assert is_km_anonymous(shown(offsets, found), k, 2)
    assert all(len(set(before[found == a].tolist())) == 1 for a in np.unique(found))


def test_records_with_nothing_else_to_show_are_chopped_into_pieces_of_k():
    rows = [{0}, {0}, {1}, {1}, {2}, {2}]
    offsets, items = flat(rows)

    found = chop_labels(np.array([0, 6]), offsets, items, np.zeros(6, np.int32), 2, *no_secrets(6), 1)

    assert len(set(found.tolist())) == 3
    assert sorted(groups_of(found, items).values(), key=min) == [{0}, {1}, {2}]


def test_a_class_stays_where_others_need_it():
    rows = [{0, 5}, {1, 5}, {2, 5}, {2, 4, 5}, {3, 4, 5}]
    offsets, items = flat(rows)
    labels = np.where(items < 4, 0, items - 3).astype(np.int32)  # 0..3 behind one label, 4 and 5 exact

    found = chop_labels(np.array([0, 5]), offsets, items, labels, 2, *no_secrets(5), 1)

    assert is_km_anonymous(shown(offsets, found), 2, 2)


@given(nested(), st.lists(st.sets(st.integers(0, ITEMS - 1), max_size=2), min_size=1, max_size=4), st.data())
def test_expected_matches_agree_with_the_definition(case, queries, data):
    rows, offsets, items, labels = case
    own = np.unique(labels, return_inverse=True)[1].astype(np.int32)
    groups = groups_of(own, items)
    label_offsets, members = flat([groups[a] for a in sorted(groups)])
    share = data.draw(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=len(queries), max_size=len(queries)))
    asked_offsets, asked = flat(queries)
    bounds = np.array([0, len(rows)])

    found = expected_matches(bounds, offsets, own, label_offsets, members, ITEMS, np.array([share]), asked_offsets, asked)

    records = [[groups[a] for a in record] for record in shown(offsets, own)]
    wanted = [part * expected_count(records, query) for part, query in zip(share, queries, strict=True)]
    np.testing.assert_allclose(found[0], wanted, atol=1e-12)


def protected(offsets, labels, secrets, k, m, l):  # noqa: E741
    known = shown(offsets, labels)
    return is_km_anonymous(known, k, m) and is_lm_diverse(known, [frozenset(s) for s in secrets], l, m)
