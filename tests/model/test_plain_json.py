import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from anonset.model.plain_json import from_plain, to_plain, tree_from_plain, tree_to_plain, write_json
from anonset.model.policy import AllItemsets, Itemsets, UtilityPolicy, WholeTransactions
from strategies import hierarchies


@dataclass(frozen=True)
class Point:
    x: float


def test_everything_becomes_what_json_has():
    value = {1: (np.int64(2), np.array([0.5])), "p": Path("a/b"), "odd": [float("nan"), float("inf")], "point": Point(1.0)}

    found = to_plain(value)

    assert found == {"1": [2, [0.5]], "p": str(Path("a/b")), "odd": [None, None], "point": {"type": "Point", "x": 1.0}}
    assert json.loads(json.dumps(found)) == found


@pytest.mark.parametrize(
    "policy", [AllItemsets(2), WholeTransactions(), Itemsets((("a", "b"),)), UtilityPolicy((("a", "b"),), 0.5, {"a": 2.0})]
)
def test_policies_come_back(policy):
    assert from_plain(json.loads(json.dumps(to_plain({"policy": policy})))) == {"policy": policy}


@given(hierarchies(("a", "b", "c", "d")))
def test_hierarchies_come_back(tree):
    again = tree_from_plain(json.loads(json.dumps(tree_to_plain(tree))))

    assert (again.labels, again.parent.tolist(), again.derived) == (tree.labels, tree.parent.tolist(), tree.derived)


def test_files_are_written_readable(tmp_path):
    write_json(tmp_path / "a.json", {"é": (1,)})

    text = (tmp_path / "a.json").read_text(encoding="utf-8")

    assert "é" in text
    assert json.loads(text) == {"é": [1]}
