import json
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given

from anonset.errors import Advice, Fix, Set
from anonset.model.hierarchy import Hierarchy
from anonset.model.policy import AllItemsets, Itemsets, UtilityPolicy, WholeTransactions, with_policies
from anonset.model.serialization import to_builtins, to_json, write_json
from strategies import hierarchies


@dataclass(frozen=True)
class Point:
    x: float


class Pair(NamedTuple):
    first: int
    second: Point

    def as_json(self):
        return {"a": self.first, "b": self.second.x}


def test_everything_becomes_what_json_has():
    value = {
        1: (np.int64(2), np.array([0.5])),
        "p": Path("a/b"),
        "odd": [float("nan"), float("inf")],
        "point": Point(1.0),
        "pair": Pair(1, Point(2.0)),
    }

    found = to_builtins(value)

    assert found == {
        "1": [2, [0.5]],
        "p": str(Path("a/b")),
        "odd": [None, None],
        "point": {"x": 1.0},
        "pair": {"a": 1, "b": 2.0},
    }
    assert json.loads(json.dumps(found)) == found


@pytest.mark.parametrize(
    "policy", [AllItemsets(2), WholeTransactions(), Itemsets((("a", "b"),)), UtilityPolicy((("a", "b"),), 0.5, {"a": 2.0})]
)
def test_policies_come_back(policy):
    assert with_policies(json.loads(to_json({"policy": policy}))) == {"policy": policy}


@given(hierarchies(("a", "b", "c", "d")))
def test_hierarchies_come_back(tree):
    again = Hierarchy.from_nodes(json.loads(to_json(tree)))

    assert (again.labels, again.parent.tolist(), again.derived) == (tree.labels, tree.parent.tolist(), tree.derived)


def test_files_are_written_readable(tmp_path):
    write_json(tmp_path / "a.json", {"é": (1,)})

    text = (tmp_path / "a.json").read_text(encoding="utf-8")

    assert "é" in text
    assert json.loads(text) == {"é": [1]}


def test_sentences_are_rendered_in_the_style_of_the_reader():
    sentence = Advice("left out; ", Fix("{} keeps it", Set("other", ["a"])))

    assert to_builtins([sentence]) == ["left out; other=['a'] keeps it"]
    assert to_builtins([sentence], str.upper) == ["LEFT OUT; OTHER=['A'] KEEPS IT"]
    assert to_json([sentence, 1.5], indent=None) == "[\"left out; other=['a'] keeps it\", 1.5]\n"


def test_numbers_that_are_not_finite_are_kept_where_they_are_read_back():
    assert to_builtins([float("inf")], finite=False) == [float("inf")]


def test_a_value_may_say_what_is_written_in_its_place():
    assert to_builtins(Pair(1, Point(2.0))) == {"a": 1, "b": 2.0}
