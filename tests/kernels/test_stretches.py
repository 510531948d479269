"""Stretches of a line of records, against a look at their records."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.transactions._kernels.postings import post_items
from anonset.algorithms.transactions._kernels.segments import count_pairs, piece_starts, stretch_postings
from oracles import itemsets as twins


@st.composite
def lines(draw):
    """Records in a line, the number of items and the places where it is cut."""
    d = draw(st.integers(1, 40))
    records = draw(st.lists(st.sets(st.integers(0, d - 1), max_size=6).map(sorted), min_size=1, max_size=20))
    return records, d, sorted({0, len(records), *draw(st.lists(st.integers(0, len(records)), max_size=4))})


def posted_line(records, d, places):
    offsets = np.concatenate([[0], np.cumsum([len(record) for record in records])]).astype(np.int64)
    items = np.array([i for record in records for i in record], np.int32)
    entries, starts, at = post_items(offsets, items, np.arange(len(records)), d)
    ends = (offsets + np.arange(len(offsets)))[places]
    return offsets, items, entries, at, ends, piece_starts(starts, at, ends)


@given(case=lines(), draw=st.data())
def test_a_stretch_is_posted_as_its_records_alone_are(case, draw):
    _, d, places = case
    offsets, items, entries, at, ends, begins = posted_line(*case)
    first, last = sorted(draw.draw(st.sets(st.integers(0, len(places) - 1), min_size=2, max_size=2)))

    starts, here = stretch_postings(at, begins, first, last, int(ends[first]))

    alone = post_items(offsets, items, np.arange(places[first], places[last]), d)
    assert entries[ends[first] + 1 : ends[last] + 1].tolist() == alone[0][1:].tolist()
    assert (starts.tolist(), here.tolist()) == (alone[1].tolist(), alone[2].tolist())


@given(case=lines(), kind=st.sampled_from([np.uint8, np.int32]))
def test_pairs_are_counted_by_piece(case, kind):
    records, d, places = case
    _, _, entries, at, _, begins = posted_line(*case)

    pairs, every = count_pairs(entries, at, begins, np.empty(0, kind), 7, 10_000)

    assert every
    first = np.repeat(np.arange(d), np.diff(pairs.starts))
    found = dict(zip(zip(first.tolist(), pairs.partner.tolist(), strict=True), pairs.cells.tolist(), strict=True))
    assert list(found) == sorted(found)
    pieces = [twins.supports(records[a:b], 2) for a, b in pairwise(places)]
    wanted = {pair for piece in pieces for pair in piece if len(pair) == 2}
    assert found == {pair: [min(7, piece.get(pair, 0)) for piece in pieces] for pair in wanted}


@pytest.mark.parametrize(("most", "every"), [(6, True), (5, False)])
def test_pairs_are_counted_up_to_a_number_of_them(most, every):
    case = [[0, 1, 2, 3]], 4, [0, 1]
    _, _, entries, at, _, begins = posted_line(*case)

    pairs, found = count_pairs(entries, at, begins, np.empty(0, np.uint8), 255, most)

    assert found is every
    assert len(pairs.partner) <= most
