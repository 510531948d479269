"""What commands print with --json, and how they fail."""

import pytest

from golden.compared import assert_all_stored, assert_as_stored, entries_of

TOPICS = ("commands", "command-texts", "errors", "error-texts")


@pytest.mark.parametrize(("topic", "name"), entries_of(*TOPICS))
def test_a_command_prints_and_fails_as_ever(topic, name):
    assert_as_stored(topic, name)


@pytest.mark.parametrize("topic", TOPICS)
def test_what_is_made_is_stored(topic):
    assert_all_stored(topic)
