"""Two releases have one digest only where they publish the same."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.model.labels import Labels, PublishedColumn, Ranges, UncertainItems
from anonset.model.release import Provenance, Release
from anonset.study.runner import digest
from anonset.testing.checks import same_release
from release_makers import any_release
from strategies import rt_datasets

ROWS = np.arange(2)


def uncertain(distance_offsets, threshold=(0, 0)):
    """Two records with an empty base and two uncertain items between them."""
    base = np.zeros(3, np.int64), np.zeros(0, np.int32)
    distance = np.array(distance_offsets, np.int64), np.array([0, 1], np.int32)
    return Release((), UncertainItems(*base, *distance, np.array(threshold, np.int32), ("a", "b")), (), Provenance(""), ROWS)


def test_where_uncertain_items_stand_counts():
    first, second = uncertain([0, 1, 2]), uncertain([0, 2, 2])

    assert digest(first) != digest(second)
    assert digest(first) == digest(uncertain([0, 1, 2]))
    assert digest(first) != digest(uncertain([0, 1, 2], (1, 0)))


def test_what_a_label_stands_for_counts():
    codes = np.zeros(2, np.int32)
    narrow = PublishedColumn("q", "quasi", codes, Ranges(np.array([1.0]), np.array([2.0]), ("some",)))
    wide = PublishedColumn("q", "quasi", codes, Ranges(np.array([1.0]), np.array([9.0]), ("some",)))
    one = PublishedColumn("q", "quasi", codes, Labels.from_groups([[0, 1]], ("some",)))
    other = PublishedColumn("q", "quasi", codes, Labels.from_groups([[0, 2]], ("some",)))

    found = {digest(Release((column,), None, (), Provenance(""), ROWS)) for column in (narrow, wide, one, other)}

    assert len(found) == 4


@given(st.data(), st.booleans())
def test_releases_that_show_something_else_have_other_digests(source, uncertain):
    data = source.draw(rt_datasets())
    one, other = source.draw(any_release(data, uncertain)), source.draw(any_release(data, uncertain))

    assert digest(one) == digest(replace(one))
    if not same_release(one, other):
        assert digest(one) != digest(other)
