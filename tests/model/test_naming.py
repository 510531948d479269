import pytest

from anonset.model.naming import unknown


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("rsik", "no measure 'rsik'; did you mean 'risk'?"),
        ("RISK", "no measure 'RISK'; did you mean 'risk'?"),
        ("magic", "no measure 'magic'; choose from risk, ul"),
    ],
)
def test_the_name_that_was_meant_or_all_there_are(name, said):
    assert unknown("measure", name, ["risk", "ul"]) == said


def test_what_it_was_given_for_and_that_there_is_none():
    assert unknown("column", "x", [], part="quasi", choose="there are") == "no column 'x' (quasi); there are none"
