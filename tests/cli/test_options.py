import click
import pytest

from anonset.cli.options import (
    LISTS,
    AcceptOptions,
    AlgorithmOptions,
    CoverOptions,
    GuaranteeOptions,
    InputOptions,
    LargeDataOptions,
    OutputOptions,
    names,
    pairs,
)
from anonset.errors import ParameterError
from anonset.model.schema import Schema

GROUPS = (InputOptions, AlgorithmOptions, GuaranteeOptions, CoverOptions, AcceptOptions, LargeDataOptions, OutputOptions)


def taken(group, **given):
    """The group as a command receives it when these values were parsed and no others."""
    values = {option.name: () if option.multiple else None for option in group.options()}
    return group.take(values | given)


def test_input_options_become_settings_and_words_again():
    inputs = taken(InputOptions, quasi=("age, sex", "town"), hierarchy="balanced:5")

    assert inputs.of("x.csv").settings == {"quasi": ("age", "sex", "town"), "item_hierarchy": "balanced:5"}
    words = inputs.words()
    assert set(zip(words[::2], words[1::2], strict=True)) == {("--quasi", "age, sex,town"), ("--hierarchy", "balanced:5")}


def test_every_described_field_of_a_schema_is_an_option():
    described = {name for name, hint in Schema.__annotations__.items() if hasattr(hint, "__metadata__")}

    assert set(InputOptions.declared) == described
    assert InputOptions.declared["format"].opts == ["--input-format"]
    assert {name for name, option in InputOptions.declared.items() if option.multiple} == set(LISTS)


def test_parameters_are_passed_on_as_typed():
    choice = taken(AlgorithmOptions, algorithm="aa", k="5", refine=True, set=("way=up",)).choice()

    assert (choice.algorithm, dict(choice.parameters)) == ("aa", {"k": "5", "refine": True, "way": "up"})


def test_a_guarantee_has_numbers():
    promise = taken(GuaranteeOptions, guarantee="t-closeness", k="5", set=("t=0.5", "column=age")).promise()

    assert (promise.guarantee, promise.values) == ("t-closeness", {"k": 5, "t": 0.5, "column": "age"})
    assert taken(GuaranteeOptions, k="5").promise() is None


def test_columns_are_accepted_one_by_one_or_with_commas():
    assert AcceptOptions(("a,b", "c"), True).accepted().exposure == ("a", "b", "c")


@pytest.mark.parametrize(("texts", "message"), [(("x",), "--set needs name=value"), (("k=1",), "k is given twice")])
def test_texts_that_are_no_pairs_are_errors(texts, message):
    with pytest.raises(ParameterError, match=message):
        pairs(texts, {"k": "2"})


def test_names_are_separated_by_commas():
    assert names("a, b") == ("a", "b")
    assert names("") == ()


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.__name__)
def test_nothing_given_is_the_groups_default(group):
    parsed = click.Command("x", params=group.options()).make_context("x", []).params

    assert group.take(dict(parsed)) == group()
