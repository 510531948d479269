"""Labels are taken away until no set is rare: the table of small sets against its twin, any sets against the definition."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.transactions._kernels.label_pairs import close_pairs
from anonset.algorithms.transactions._kernels.label_sets import GroupedLabels, LabelChoice, close_sets, close_singles
from anonset.algorithms.transactions._kernels.small_sets import close_small_sets, free_labels
from anonset.algorithms.transactions.lift import NEAR_WEIGHT
from anonset.kernels.set_walk import SensitiveItems, SetLimits
from oracles import lifting as oracle

LABELS = 7
records_of_labels = st.lists(st.lists(st.integers(0, LABELS - 1), unique=True, max_size=6), min_size=1, max_size=14)


def shown_of(records, bounds, fixed=None):
    lengths = [len(record) for record in records]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    labels = np.array([label for record in records for label in record], np.int32)
    stay = np.zeros(len(records), np.int32) if fixed is None else np.array(fixed, np.int32)
    return GroupedLabels(np.array(bounds, np.int64), offsets, labels, np.array(lengths, np.int32), stay)


def rows(shown):
    return [shown.labels[o : o + n].tolist() for o, n in zip(shown.offsets[:-1], shown.count, strict=True)]


def cut(records, place):
    return sorted({0, min(place, len(records)), len(records)})


def rare(records, bounds, k, m):
    group = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    return oracle.rare(records, group.tolist(), k, m)


flags = st.lists(st.booleans(), min_size=LABELS, max_size=LABELS)


def assert_taken(shown, records, expected, taken, gone):
    assert rows(shown) == expected
    assert taken == sum(map(len, records)) - sum(map(len, expected))
    lost = {a for before, after in zip(records, expected, strict=True) for a in set(before) - set(after)}
    assert set(np.flatnonzero(gone).tolist()) == lost


@given(records_of_labels, st.integers(0, 14), st.integers(1, 4), st.integers(2, 3), flags, st.booleans())
def test_small_sets_close_as_their_twin_closes_them(records, place, k, most, watched, rarer_first):
    bounds, shown, gone = cut(records, place), shown_of(records, cut(records, place)), np.zeros(LABELS, np.bool_)

    taken = close_small_sets(shown, np.array(watched), gone, k, most, LabelChoice(NEAR_WEIGHT, rarer_first))

    expected = oracle.close_small_sets(bounds, records, [0] * len(records), watched, k, most, NEAR_WEIGHT, rarer_first)
    assert_taken(shown, records, expected, taken, gone)


@given(records_of_labels, st.integers(0, 14), st.integers(1, 4), flags, st.booleans())
def test_pairs_close_as_their_twin_closes_them_once_rare_labels_are_gone(records, place, k, watched, rarer_first):
    bounds, shown, gone = cut(records, place), shown_of(records, cut(records, place)), np.zeros(LABELS, np.bool_)
    close_singles(shown, np.array(watched), gone.copy(), k)
    frequent = rows(shown)

    taken = close_pairs(shown, np.array(watched), np.array(watched), gone, k, LabelChoice(NEAR_WEIGHT, rarer_first))

    expected = oracle.close_small_sets(bounds, frequent, [0] * len(records), watched, k, 2, NEAR_WEIGHT, rarer_first)
    assert_taken(shown, frequent, expected, taken, gone)


@given(records_of_labels, st.integers(0, 14), st.integers(1, 4), flags, st.booleans(), st.data())
def test_labels_that_are_rare_alone_go_before_pairs(records, place, k, watched, rarer_first, source):
    bounds, fixed = cut(records, place), [source.draw(st.integers(0, len(record))) for record in records]
    shown, alone = shown_of(records, bounds, fixed), shown_of(records, bounds, fixed)
    gone, gone_alone = np.zeros(LABELS, np.bool_), np.zeros(LABELS, np.bool_)

    taken = close_pairs(shown, np.array(watched), np.array(watched), gone, k, LabelChoice(NEAR_WEIGHT, rarer_first))

    close_singles(alone, np.array(watched), gone_alone, k)
    before = rows(alone)
    close_pairs(alone, np.array(watched), np.array(watched), gone_alone, k, LabelChoice(NEAR_WEIGHT, rarer_first))
    assert rows(shown) == rows(alone)
    assert gone.tolist() == gone_alone.tolist()
    assert taken == sum(map(len, records)) - sum(map(len, rows(shown)))
    assert all(set(after) <= set(row) for after, row in zip(rows(shown), before, strict=True))


@given(records_of_labels, st.integers(1, 4), st.booleans(), st.data())
def test_pairs_that_were_closed_close_again_from_the_labels_that_changed(records, k, rarer_first, source):
    everything = [True] * LABELS
    closed = oracle.close_small_sets([0, len(records)], records, [0] * len(records), everything, k, 2, NEAR_WEIGHT)
    label = source.draw(st.integers(0, LABELS - 1))
    holders = [r for r, record in enumerate(closed) if label in record]
    for r in source.draw(st.lists(st.sampled_from(holders), unique=True)) if holders else ():
        closed[r].remove(label)
    found = shown_of(closed, [0, len(closed)])
    close_singles(found, np.arange(LABELS) == label, np.zeros(LABELS, np.bool_), k)
    expected, choice = shown_of(rows(found), [0, len(closed)]), LabelChoice(NEAR_WEIGHT, rarer_first)

    close_pairs(
        found,
        np.array(everything),
        np.arange(LABELS) == label,
        np.zeros(LABELS, np.bool_),
        k,
        choice,
    )
    close_pairs(
        expected,
        np.array(everything),
        np.array(everything),
        np.zeros(LABELS, np.bool_),
        k,
        choice,
    )

    assert rows(found) == rows(expected)
    assert rare(rows(found), [0, len(closed)], k, 2) == []


@given(records_of_labels, st.integers(0, 14), st.integers(1, 4), st.integers(1, 4), st.integers(0, LABELS - 1))
def test_sets_with_a_watched_label_are_closed_in_every_group(records, place, k, m, label):
    bounds, shown, stuck = cut(records, place), shown_of(records, cut(records, place)), np.zeros(2, np.bool_)
    nobody = SensitiveItems(np.zeros(len(records) + 1, np.int64), np.zeros(0, np.int32), 0)

    close_sets(shown, np.arange(LABELS) == label, nobody, SetLimits(k, m, 1), NEAR_WEIGHT, stuck)

    for first, last in pairwise(bounds):
        holders = [row for row in rows(shown)[first:last] if label in row]
        others = [[a for a in row if a != label] for row in holders]
        assert len(holders) == 0 or len(holders) >= k
        assert oracle.rare(others, [0] * len(others), k, m - 1) == []


@given(records_of_labels, st.integers(0, 14), st.integers(1, 4), st.integers(1, 5))
def test_any_sets_are_closed_in_the_end_and_what_is_closed_is_left_alone(records, place, k, m):
    bounds, shown, stuck = cut(records, place), shown_of(records, cut(records, place)), np.zeros(2, np.bool_)
    nobody = SensitiveItems(np.zeros(len(records) + 1, np.int64), np.zeros(0, np.int32), 0)

    taken = close_sets(shown, np.ones(LABELS, np.bool_), nobody, SetLimits(k, m, 1), NEAR_WEIGHT, stuck)

    after = rows(shown)
    assert rare(after, bounds, k, m) == []
    assert all(set(new) <= set(old) for new, old in zip(after, records, strict=True))
    assert not stuck.any()
    assert (taken == 0) == (rare(records, bounds, k, m) == [])


@given(records_of_labels, st.data(), st.integers(1, 3), st.integers(1, 3), st.integers(2, 3))
def test_sets_hide_secrets_in_the_end_unless_nothing_can_go(records, source, k, m, l):  # noqa: E741 - the papers' letter
    secrets = [source.draw(st.sets(st.integers(0, 2), max_size=2)) for _ in records]
    shown, stuck = shown_of(records, [0, len(records)]), np.zeros(1, np.bool_)
    offsets = np.concatenate([[0], np.cumsum([len(s) for s in secrets])]).astype(np.int64)
    held = np.array([s for hidden in secrets for s in sorted(hidden)], np.int32)

    close_sets(shown, np.ones(LABELS, np.bool_), SensitiveItems(offsets, held, 3), SetLimits(k, m, l), NEAR_WEIGHT, stuck)

    after = rows(shown)
    assert rare(after, [0, len(records)], k, m) == []
    bad = oracle.too_frequent(after, [0] * len(after), secrets, m, l)
    assert [text for text in bad if "()" not in text] == []  # the empty set has all records, whatever is taken


@given(records_of_labels, st.integers(1, 4), st.integers(1, 3), st.integers(1, 3))
def test_freed_labels_leave_everything_closed(records, k, most, each):
    closed = oracle.close_small_sets([0, len(records)], records, [0] * len(records), [True] * LABELS, k, most, NEAR_WEIGHT)
    if not any(closed):
        return
    shown = shown_of(closed, [0, len(closed)])

    free_labels(shown, np.ones(LABELS, np.bool_), np.ones(len(shown.labels), np.bool_), k, most, each)

    after = rows(shown)
    assert rare(after, [0, len(after)], k, most) == []
    assert all(0 <= len(old) - len(new) <= each for new, old in zip(after, closed, strict=True))


@given(records_of_labels, st.integers(0, 14), st.integers(1, 4), st.lists(st.booleans(), min_size=7, max_size=7))
def test_rare_labels_that_are_watched_go(records, place, k, watched):
    bounds, shown = cut(records, place), shown_of(records, cut(records, place))

    close_singles(shown, np.array(watched), np.zeros(LABELS, np.bool_), k)

    for first, last in pairwise(bounds):
        support = {a: sum(a in record for record in records[first:last]) for a in range(LABELS)}
        kept = [[a for a in record if not watched[a] or support[a] >= k] for record in records[first:last]]
        assert rows(shown)[first:last] == kept
