"""Every algorithm with its variants publishes what it always did: relational, nonreciprocal."""

import pytest

from golden.compared import assert_as_stored, entries_of


@pytest.mark.parametrize(("topic", "name"), entries_of("relational", "nonreciprocal"))
def test_an_algorithm_publishes_the_same_as_ever(topic, name):
    assert_as_stored(topic, name)
