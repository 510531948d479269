import pytest

from anonset.errors import InputError
from anonset.recipient.query import Alternative, Fields, all_items, any_item, condition_of
from anonset.recipient.regions import Region

FIELDS = Fields({"age": True, "town": False, "annual income": True}, "diagnoses")


def asked(text):
    return condition_of(text, FIELDS)


def test_comparisons_of_a_column_become_one_region():
    (one,) = asked("age >= 20 and age < 40")

    assert one == Alternative({"age": Region.between(20.0, 40.0, high_in=False)})
    assert asked("20 <= age < 40") == (one,)
    assert asked("not (age < 20 or age >= 40)") == (one,)


def test_names_and_values_may_be_quoted():
    assert asked("`annual income` = 3 and town = 'New York'") == (
        Alternative({"annual income": Region.of([3.0]), "town": Region.of(["New York"])}),
    )


def test_one_of_several_values_and_items_is_no_alternative():
    assert asked("town = Oslo or town = Rome") == asked("town in (Oslo, Rome)")
    assert asked("diagnoses contains a or diagnoses contains b") == any_item(["a", "b"])
    assert asked("diagnoses contains all of (a, b)") == all_items(["a", "b"])
    assert asked("diagnoses not contains any (a, b)") == any_item(["a", "b"], absent=True)


def test_a_mapping_says_the_same():
    assert condition_of({"age": (20, 39), "town": ["Oslo"]}, FIELDS, "I10") == asked(
        "age between 20 and 39 and town = Oslo and diagnoses contains I10"
    )
    assert condition_of({"age": None}, FIELDS) == asked("age is missing")
    assert condition_of(None, FIELDS, absent=["I10"]) == asked("not diagnoses contains I10")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("agee < 3", "did you mean 'age'\\? at character 1 "),
        ("age < x", "'age' has numbers; got 'x' at character 7 "),
        ("age <", "a value is expected at character 6 "),
        ("age 3", "a comparison .* is expected at character 5 "),
        ("town < b", "only dates .* at character 8 "),
        ("age < 3 age", "`and`, `or` or the end is expected; got 'age' at character 9 "),
        ("(age < 3", "a closing bracket is expected at character 9 "),
        ("town in Oslo", "a list in brackets is expected at character 9 "),
        ("town = 'Oslo", "a quotation that does not end at character 7 "),
        ("age ! 3", "a sign without meaning at character 4 "),
        ("town contains Oslo", "'town' has one value in a record: write = or in at character 6 "),
        ("diagnoses = I10", "`contains` is expected after the column of items; got '=' at character 11 "),
        ("age between 3 or 4", "`and` is expected between the two ends at character 15 "),
        ("age is 3", "`missing` is expected at character 8 "),
    ],
)
def test_an_error_says_what_is_expected_and_where(text, said):
    with pytest.raises(InputError, match=said):
        asked(text)


def test_too_many_alternatives_are_refused():
    text = " or ".join(f"(age = {n} and town = t{n})" for n in range(9))

    with pytest.raises(InputError, match="9 alternatives; at most 8"):
        asked(text)


def test_items_cannot_be_asked_for_where_there_are_none():
    with pytest.raises(InputError, match="no items"):
        condition_of(None, Fields({"age": True}, None), ["a"])
