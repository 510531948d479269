"""Every algorithm with its variants publishes what it always did: relational, nonreciprocal."""

import pytest

from golden.compared import assert_all_stored, assert_as_stored, entries_of

TOPICS = ("relational", "nonreciprocal")


@pytest.mark.parametrize(("topic", "name"), entries_of(*TOPICS))
def test_an_algorithm_publishes_the_same_as_ever(topic, name):
    assert_as_stored(topic, name)


@pytest.mark.parametrize("topic", TOPICS)
def test_what_is_made_is_stored(topic):
    assert_all_stored(topic)
