"""Flags, public names with their signatures, and the REST API."""

import pytest

from golden.compared import assert_as_stored, entries_of


@pytest.mark.parametrize(("topic", "name"), entries_of("flags", "public-names", "openapi"))
def test_what_others_rely_on_is_there(topic, name):
    assert_as_stored(topic, name)
