"""Trees while they are changed."""

import numpy as np
import pytest

from anonset.errors import InputError
from anonset.model.builders import Material, balanced
from anonset.model.dataset import Transactions
from anonset.model.hierarchy import Hierarchy
from anonset.workbench.hierarchies import EditedTree
from anonset.workbench.journal import AddNode, DeleteNode, MergeNodes, MoveNode, RenameNode


def tree(records=("ab", "abc", "d", "a"), spare=""):
    transactions = Transactions.from_records([list(record) for record in records])
    return EditedTree(balanced(sorted({*"abcd", *spare}), 2), Material.of_items(transactions))


def labels(found):
    return {found.labels[v]: found.labels[found.parent[v]] for v in range(len(found.labels)) if found.parent[v] >= 0}


def test_supports_count_each_record_once():
    found = tree()
    _, rows = found.rows(range(99), 0, 99)

    assert {row.label: row.support for row in rows} == {"*": 4, "a..b": 3, "a": 3, "b": 2, "c..d": 2, "c": 1, "d": 1}
    assert rows[0].leaves == rows[0].covered == 4


def test_supports_of_a_column_are_sums():
    column = Material(("x", "y", "z"), np.array([5, 3, 2]))
    found = EditedTree(balanced(("x", "y", "z"), 2), column)

    assert [row.support for row in found.rows([found.root], 0, 9)[1]] == [10, 8, 2]


def test_only_what_is_open_is_visible_and_pages_cut_it():
    found = tree()

    assert found.rows([], 0, 9)[0] == 1
    total, rows = found.rows([found.root], 1, 1)
    assert (total, [row.label for row in rows]) == (3, ["a..b"])


def test_every_change_and_the_tree_it_leaves():
    found = tree()
    ab, cd = found.parent[0], found.parent[2]
    found.change(RenameNode(ab, "first"))
    found.change(AddNode(found.root, "new"))
    found.change(MoveNode(0, len(found.labels) - 1))
    found.change(MergeNodes((ab, cd)))

    assert labels(found) == {"a": "new", "b": "first", "c": "first", "d": "first", "first": "*", "new": "*"}
    made = found.hierarchy(derived=True)
    assert isinstance(made, Hierarchy)
    assert made.derived
    assert sorted(made.leaves) == ["a", "b", "c", "d"]


def test_values_get_a_group_of_their_own_and_a_group_goes():
    found = tree()
    found.change(MergeNodes((0, 3), "odd"))
    found.change(DeleteNode(found.parent[1]))

    assert labels(found) == {"a": "odd", "d": "odd", "odd": "*", "b": "*", "c": "c..d", "c..d": "*"}


def test_empty_groups_are_shown_and_not_used():
    found = tree()
    found.change(AddNode(found.root, "empty"))

    assert "empty" in {row.label for row in found.rows([found.root], 0, 99)[1]}
    assert "empty" not in found.hierarchy(derived=False).labels


@pytest.mark.parametrize(
    ("edit", "complaint"),
    [
        (MoveNode(4, 4), "below itself"),
        (MoveNode(6, 4), "below itself"),
        (MoveNode(0, 1), "not a group"),
        (RenameNode(0, "x"), "not a group"),
        (RenameNode(4, "c..d"), "label already"),
        (RenameNode(4, "  "), "1 to 200"),
        (DeleteNode(0), "occurs in the data"),
        (DeleteNode(6), "root stays"),
        (DeleteNode(99), "no node"),
        (MergeNodes((4,)), "two nodes"),
        (MergeNodes((0, 1), "c..d"), "label already"),
    ],
)
def test_what_cannot_be_changed_stays(edit, complaint):
    found = tree()
    before = labels(found)

    with pytest.raises(InputError, match=complaint):
        found.change(edit)
    assert labels(found) == before


def test_a_value_that_does_not_occur_may_go_and_missing_ones_are_told():
    found = tree(spare="e")
    found.change(DeleteNode(4))

    assert "e" not in found.hierarchy(derived=False).leaves
    assert tree(records=("ax",)).missing() == ["x"]
