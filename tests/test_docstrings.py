"""The examples in docstrings of the public Python interface run, and public functions describe what they take and return."""

import doctest
import inspect

import pytest

import anonset

PUBLIC = {name: getattr(anonset, name) for name in anonset.__all__ if not name.isupper()}
FUNCTIONS = {name: value for name, value in PUBLIC.items() if inspect.isfunction(value)}
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
TESTS = [
    test
    for name, value in sorted(PUBLIC.items())
    for test in doctest.DocTestFinder(recurse=True).find(value, name, module=inspect.getmodule(value), globs={})
    if test.examples
]


@pytest.mark.parametrize("test", TESTS, ids=lambda test: test.name)
def test_the_examples_of_a_docstring_run(test, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    printed = []

    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=printed.append)

    assert "".join(printed) == ""


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_describes_its_parameters_and_result(name):
    function = FUNCTIONS[name]
    text = inspect.getdoc(function) or ""
    returns = inspect.signature(function).return_annotation

    assert [p for p in inspect.signature(function).parameters if p not in text] == []
    assert "Parameters\n----------" in text
    assert "Returns\n-------" in text or returns in (None, "None")
