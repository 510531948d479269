"""Flags, public names with their signatures, and the REST API."""

import pytest

from golden.compared import assert_all_stored, assert_as_stored, entries_of

TOPICS = ("flags", "public-names", "openapi")


@pytest.mark.parametrize(("topic", "name"), entries_of(*TOPICS))
def test_what_others_rely_on_is_there(topic, name):
    assert_as_stored(topic, name)


@pytest.mark.parametrize("topic", TOPICS)
def test_what_is_made_is_stored(topic):
    assert_all_stored(topic)
