"""Every deliberate error: what it says, and how a program ends with it."""

import inspect
import pickle

import pytest

from anonset import errors

CLASSES = [error for _, error in inspect.getmembers(errors, inspect.isclass) if issubclass(error, errors.AnonsetError)]


@pytest.mark.parametrize("error", CLASSES, ids=lambda error: error.__name__)
def test_the_tree_in_the_docstring_is_the_tree(error):
    line = next(line for line in errors.__doc__.splitlines() if line.split()[:1] == [error.__name__])

    assert error is errors.AnonsetError or line.endswith(f"exit {error.exit_code}")
    assert error.exit_code > 0


def test_a_place_comes_before_the_message():
    assert str(errors.InputError("is empty", file="a.csv", line=3, column="age")) == "a.csv, line 3, column age: is empty"
    assert str(errors.InputError("is empty")) == "is empty"


def test_errors_travel_between_processes():
    again = pickle.loads(pickle.dumps(errors.InputError("is empty", file="a.csv")))

    assert (type(again), str(again)) == (errors.InputError, "a.csv: is empty")
