import pytest

from anonset.threads import environment_limit


@pytest.mark.parametrize(("given", "expected"), [("12", 12), ("", 7), ("-3", 7), ("many", 7), ("9" * 5_000, 7)])
def test_a_variable_raises_a_limit_where_it_is_a_whole_number(monkeypatch, given, expected):
    monkeypatch.setenv("ANONSET_MOST_X", given)

    assert environment_limit("ANONSET_MOST_X", 7) == expected
