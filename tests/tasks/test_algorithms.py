import pytest

from anonset.algorithms import ALGORITHMS
from anonset.errors import ParameterError
from anonset.tasks import algorithms


def test_every_algorithm_says_what_it_declares():
    found = algorithms.run()

    assert list(found) == list(ALGORITHMS)
    assert all(facts["title"] and facts["parameters"] for facts in found.values())


def test_one_algorithm_and_its_parameters():
    ((id, facts),) = algorithms.run("pcta").items()

    k = next(p for p in facts["parameters"] if p["name"] == "k")
    assert (id, facts["covers"]) == ("pcta", ["items"])
    assert k == {"name": "k", "type": "integer 1..1e+09", "required": True, "help": k["help"]}
    assert all("default" in p for p in facts["parameters"] if not p["required"])


def test_an_unknown_one_is_named():
    with pytest.raises(ParameterError, match="no algorithm 'magic'; choose from"):
        algorithms.run("magic")
