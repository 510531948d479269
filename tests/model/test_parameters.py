from dataclasses import dataclass, field
from typing import Annotated, Literal

import pytest

from anonset.errors import ParameterError
from anonset.model.parameters import REQUIRED, Bounds, K, Seed, check_parameters, parameters, parse_values
from anonset.model.policy import AllItemsets, PrivacyPolicy


@dataclass(frozen=True)
class Example:
    """An algorithm that declares a parameter of every kind."""

    k: K
    share: Annotated[float, Bounds(0, 1), "a share"] = 0.5
    way: Literal["up", "down"] = "up"
    quick: bool = False
    text: str = ""
    seed: Seed = None
    privacy: Annotated[PrivacyPolicy, "what is protected"] = field(default_factory=lambda: AllItemsets(2))


def test_parameters_are_what_is_declared():
    found = {p.name: p for p in parameters(Example)}

    assert next(iter(found)) == "k"
    assert (found["k"].required, found["k"].default, found["k"].bounds.low) == (True, REQUIRED, 1)
    assert (found["way"].choices, found["seed"].optional, found["share"].help) == (("up", "down"), True, "a share")
    assert found["privacy"].default == AllItemsets(2)


def test_typed_values_become_what_they_are_declared_as():
    typed = {"k": "5", "share": "0.25", "quick": "yes", "seed": "none", "text": "7"}

    assert parse_values(Example, typed) == {"k": 5, "share": 0.25, "quick": True, "seed": None, "text": "7"}


def test_a_whole_number_may_have_a_point():
    found = parse_values(Example, {"k": 5.0})

    assert (found["k"], type(found["k"])) == (5, int)
    assert parse_values(Example, {"k": 5.5}) == {"k": 5.5}  # which the check refuses


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "k must be given"),
        ({"k": "5", "q": "1"}, "no parameter 'q'; there are k"),
    ],
)
def test_names_are_checked(values, message):
    with pytest.raises(ParameterError, match=message):
        parse_values(Example, values)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"k": "five"}, "k must be an integer from 1 to 1e[+]09; got 'five'"),
        ({"k": 0}, "k must be an integer"),
        ({"k": True}, "k must be an integer"),
        ({"k": 2, "share": 1.5}, "share must be a number from 0 to 1"),
        ({"k": 2, "share": float("nan")}, "share must be a number"),
        ({"k": 2, "way": "left"}, "way must be one of up, down; got 'left'"),
        ({"k": 2, "quick": 1}, "quick must be true or false"),
        ({"k": 2, "text": 1}, "text must be a text"),
        ({"k": 2, "seed": -1}, "seed must be an integer"),
        ({"k": 2, "privacy": "all"}, "privacy must be a policy"),
    ],
)
def test_values_are_checked(values, message):
    with pytest.raises(ParameterError, match=message):
        check_parameters(Example(**values))


def test_good_values_pass():
    assert check_parameters(Example(2, share=1, seed=3)) is None
