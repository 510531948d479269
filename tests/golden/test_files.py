"""Output formats, input formats and data in pieces."""

import pytest

from golden.compared import assert_as_stored, entries_of


@pytest.mark.parametrize(("topic", "name"), entries_of("data", "output-formats", "input-formats", "pieces"))
def test_a_file_holds_the_same_as_ever(topic, name):
    assert_as_stored(topic, name)
