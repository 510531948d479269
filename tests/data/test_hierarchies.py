import gzip
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.data import check_hierarchy, read_hierarchy, write_hierarchy
from anonset.data.hierarchies import WRITERS
from anonset.errors import InputError
from anonset.model.builders import balanced
from anonset.model.hierarchy import Hierarchy
from strategies import hierarchies

FOOD = """milk;dairy;food;*
rye bread;bakery;food;*
cheese;dairy;food;*
soap;household;*
"""
PAIRS = "milk,dairy\ncheese,dairy\ndairy,food\nrye bread,bakery\nbakery,food\nfood,*\nsoap,household\nhousehold,*\n"
nasty_labels = st.text("ab;,\"\n'é 1:{", min_size=1, max_size=5).map(str.strip).filter(bool)


def paths(tree):
    """Each leaf with the labels above it."""
    return [tuple(tree.labels[v] for v in tree.ancestors(leaf)) for leaf in range(tree.n_leaves)]


@pytest.fixture
def saved(tmp_path):
    def save(text, name="h.csv"):
        (tmp_path / name).write_text(text, newline="")
        return tmp_path / name

    return save


def test_children_keep_the_order_in_which_they_appear(saved):
    tree = read_hierarchy(saved(FOOD))

    assert tree.leaves == ("milk", "cheese", "rye bread", "soap")
    assert paths(tree)[1] == ("cheese", "dairy", "food", "*")
    assert paths(tree)[3] == ("soap", "household", "*")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pairs.csv", f"child,parent\n{PAIRS}"),
        ("plain.csv", f"{PAIRS}*,\n"),
        (
            "h.json",
            """{"name": "*", "children": [
                {"name": "food", "children": [
                    {"name": "dairy", "children": ["milk", {"name": "cheese"}]},
                    {"name": "bakery", "children": ["rye bread"]}]},
                {"name": "household", "children": ["soap"]}]}""",
        ),
    ],
)
def test_pairs_and_json_tell_the_same_tree(saved, name, text):
    assert paths(read_hierarchy(saved(text, name))) == paths(read_hierarchy(saved(FOOD)))


@pytest.mark.parametrize("format", WRITERS)
@given(tree=hierarchies("abcdef"), ending=st.sampled_from(["", ".gz"]))
def test_a_written_tree_is_read_back(tmp_path_factory, format, ending, tree):
    path = tmp_path_factory.mktemp("h") / f"h.{'json' if format == 'json' else 'csv'}{ending}"

    write_hierarchy(tree, path, format=format)

    assert paths(read_hierarchy(path)) == paths(tree)
    assert check_hierarchy(path, tree.leaves) == []


@pytest.mark.parametrize("format", WRITERS)
@given(leaves=st.lists(nasty_labels, min_size=1, max_size=9, unique=True), fanout=st.integers(2, 3))
def test_labels_with_delimiters_quotes_and_line_ends_survive(tmp_path_factory, format, leaves, fanout):
    tree = balanced(leaves, fanout)
    path = tmp_path_factory.mktemp("h") / ("h.json" if format == "json" else "h.csv")

    write_hierarchy(tree, path, format=format)

    again = read_hierarchy(path)
    assert again.leaves == tree.leaves
    np.testing.assert_array_equal(np.sort(again.sizes), np.sort(tree.sizes))


def test_a_tree_of_one_node_survives(tmp_path):
    for format in WRITERS:
        path = tmp_path / ("h.json" if format == "json" else "h.csv")
        write_hierarchy(Hierarchy(("a",), np.array([-1], np.int32)), path, format=format)

        assert paths(read_hierarchy(path)) == [("a",)]


def test_a_chain_of_one_label_is_kept(saved):
    tree = read_hierarchy(saved("005;1,9;1,139;1,139;*\n010;10,18;1,139;1,139;*\n140;140;*\n"))

    assert paths(tree)[0] == ("005", "1,9", "1,139", "1,139", "*")


def test_one_label_for_two_groups_gets_its_level(saved):
    tree = read_hierarchy(saved("a;X;X;*\nb;Y;X;*\nother;Y;X;*\nc;other;Z;*\n"))

    assert paths(tree)[0] == ("a", "X", "X (level 2)", "*")
    assert paths(tree)[3] == ("c", "other (level 1)", "Z", "*")


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        (
            "h.csv",
            "a;X;*\nb;X;Y;*\nc;Y;*\nd;W;Z;*\ne;W;Y;*\n",
            "line 5: 'W' is under 'Y' here and under 'Z' on line 4: not a tree",
        ),
        ("h.csv", "a;X;*\na;Y;*\n", "line 2: the leaf 'a' is on line 1 already"),
        ("h.csv", "a;X;*\nb;X;all\n", "line 2: every line must end in one root; got 'all' and, on line 1, '*'"),
        ("h.csv", "a;X;*\nb;;*\n", "line 2: a label is empty"),
        ("h.csv", "a;X;*\n;X;*\n", "line 2: a label is empty"),
        ("h.csv", "a;X;*\n*\n", "line 2: a leaf and the nodes above it are expected"),
        ("h.csv", 'a;X;*\n"b"x;X;*\n', "line 2: cannot be read"),
        ("h.csv", "", "is empty"),
        ("h.csv", "child,parent\na,X\nb,X\nX,Y\nY,X\n", "'X' is above itself: a cycle"),
        ("h.csv", "child,parent\na,*\nb,b\n", "line 3: 'b' is its own parent: a cycle"),
        ("h.csv", "child,parent\na,X\nb,Y\n", "line 3: there are several roots: 'X' and 'Y'"),
        ("h.csv", "child,parent\na,X\na,Y\n", "line 3: 'a' has a parent on line 2 already"),
        ("h.csv", "child,parent\na,X\nb\n", "line 3: a child and its parent are expected; got 1 fields"),
        ("h.csv", "child,parent\n,X\n", "line 2: the child is empty"),
        ("h.csv", "child,parent\n", "has no nodes"),
        ("h.json", '{"name": "*",\n "children": [}', "line 2: is not valid JSON"),
        ("h.json", '{"name": "*", "children": ["a", "a"]}', "the leaf 'a' occurs twice"),
        ("h.json", '{"name": "*", "children": ["a", ""]}', "every node needs a name that is a text (under '*')"),
        ("h.json", '{"name": "*", "children": [{"children": []}]}', "every node needs a name"),
        ("h.json", '{"name": "*", "children": "a"}', "the children of '*' must be a list"),
        ("h.json", '{"name": 3}', "every node needs a name"),
        ("h.json", "[" * 100_000, "is nested too deeply"),
    ],
)
def test_what_is_no_tree_is_told_with_its_line(saved, name, text, complaint):
    path = saved(text, name)

    with pytest.raises(InputError, match=rf"{re.escape(name)}.*{re.escape(complaint)}"):
        read_hierarchy(path)
    assert any(complaint in told for told in check_hierarchy(path))


def test_check_tells_everything_at_once(saved):
    path = saved("a;X;*\na;Y;*\nb;;*\nc;X;all\n")

    assert len(check_hierarchy(path)) == 3


def test_values_that_no_leaf_covers_are_told(saved):
    path = saved("a;*\nb;*\n")

    with pytest.raises(InputError, match=r"h\.csv: 4 values of the data are not leaves .* e\.g\. 'c', 'd', 'e'"):
        read_hierarchy(path, ["a", "c", "d", "e", "f"])
    assert len(check_hierarchy(path, ["c"])) == 1


def test_files_that_cannot_be_read_are_complaints_too(tmp_path):
    assert check_hierarchy(tmp_path / "none.csv") == [f"{tmp_path / 'none.csv'}: there is no such file"]
    (tmp_path / "cut.csv.gz").write_bytes(gzip.compress(b"a;*\n")[:-3])
    assert "complete gzip" in check_hierarchy(tmp_path / "cut.csv.gz")[0]
    with pytest.raises(InputError, match="there is no such file"):
        write_hierarchy(balanced(["a"], 2), tmp_path / "no" / "folder.csv")


@pytest.mark.data
def test_real_hierarchies_load_and_survive(real_data, tmp_path):
    sizes = {"income.csv": 23_784, "icd9cm_v32.csv.gz": 14_567, "groceries.csv": 169, "items.csv": 599, "age.csv": 100}
    files = [*real_data.glob("hierarchies/*"), *real_data.glob("*/*_hierarchies/*.csv")]
    for file in files:
        tree = read_hierarchy(file)
        write_hierarchy(tree, tmp_path / "h.csv")

        assert paths(read_hierarchy(tmp_path / "h.csv")) == paths(tree)
        assert tree.n_leaves == sizes.get(file.name, tree.n_leaves)
    assert len(files) >= 18
