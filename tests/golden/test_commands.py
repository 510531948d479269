"""What commands print with --json, and how they fail."""

import pytest

from golden.compared import assert_as_stored, entries_of


@pytest.mark.parametrize(("topic", "name"), entries_of("commands", "command-texts", "errors", "error-texts"))
def test_a_command_prints_and_fails_as_ever(topic, name):
    assert_as_stored(topic, name)
