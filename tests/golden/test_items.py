"""Every algorithm with its variants publishes what it always did: items-by-hierarchy, items-by-lift, items-by-constraints."""

import pytest

from golden.compared import assert_as_stored, entries_of


@pytest.mark.parametrize(("topic", "name"), entries_of("items-by-hierarchy", "items-by-lift", "items-by-constraints"))
def test_an_algorithm_publishes_the_same_as_ever(topic, name):
    assert_as_stored(topic, name)
