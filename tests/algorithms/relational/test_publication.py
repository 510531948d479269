import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms import make
from anonset.algorithms.relational.publication import generalize_columns, set_texts
from anonset.model.dataset import Column, Dataset
from anonset.model.hierarchy import Hierarchy
from anonset.model.labels import Ranges
from oracles.relational import members_of, published_value
from strategies import relational_datasets


def shown(column, p):
    """What published record p shows, as the oracle writes it."""
    code = column.codes[p]
    if code < 0:
        return None
    if isinstance(column.labels, Ranges):
        return ("range", float(column.labels.low[code]), float(column.labels.high[code]))
    return ("set", frozenset(list(column.labels.groups())[code].tolist()))


@given(st.data(), relational_datasets(sensitive=True), st.sampled_from(["nodes", "ranges", "sets"]))
def test_every_record_shows_what_covers_its_group(draw, data, recoding):
    groups = np.array(draw.draw(st.lists(st.integers(-1, 3), min_size=len(data), max_size=len(data))), np.int64)

    published = generalize_columns(data, groups, recoding=recoding)

    rows = np.flatnonzero(groups >= 0)
    for column, original in zip(published, data.columns, strict=True):
        assert len(set(column.labels.texts)) == len(column.labels)
        assert len({shown_label(column.labels, a) for a in range(len(column.labels))}) == len(column.labels)
        for p, r in enumerate(rows):
            members = np.flatnonzero(groups == groups[r]) if original.role == "quasi" else [r]
            assert shown(column, p) == published_value(original, members, recoding if original.role == "quasi" else "sets")


def shown_label(labels, a):
    return (labels.low[a], labels.high[a]) if isinstance(labels, Ranges) else tuple(list(labels.groups())[a])


def ages(codes, hierarchy=None):
    return Column(
        "age", "quasi", "numeric", np.array(codes, np.int32), ("20", "25", "31", "40"), np.array([20.0, 25, 31, 40]), hierarchy
    )


def test_numbers_become_ranges_hulls_of_nodes_or_stay():
    tree = Hierarchy(("20", "25", "31", "40", "20s", "30s", "*"), np.array([4, 4, 5, 5, 6, 6, -1], np.int32))
    groups = np.array([0, 0, 1, 2, 2, 3, 3, 4])
    codes = [0, 1, 2, 1, 2, -1, 0, -1]

    plain = generalize_columns(Dataset((ages(codes),)), groups)[0]
    coarse = generalize_columns(Dataset((ages(codes, tree),)), groups)[0]

    assert texts(plain) == ["[20:25]", "[20:25]", "31", "[25:31]", "[25:31]", "[20:40]", "[20:40]", None]
    assert texts(coarse) == ["[20:25]", "[20:25]", "31", "[20:40]", "[20:40]", "[20:40]", "[20:40]", None]


def texts(column):
    return [column.labels.texts[c] if c >= 0 else None for c in column.codes]


def test_words_become_nodes_or_sets_or_anything():
    domain = ("cat", "dog", "oak")
    tree = Hierarchy((*domain, "animal", "plant", "life"), np.array([3, 3, 4, 5, 5, -1], np.int32))
    column = Column("kind", "quasi", "categorical", np.array([0, 1, 2, 2, -1, 0, 2], np.int32), domain, None, tree)
    groups = np.array([0, 0, 1, 2, 2, 3, 3])

    nodes = generalize_columns(Dataset((column,)), groups)[0]

    assert texts(nodes) == [
        "animal",
        "animal",
        "oak",
        "life",
        "life",
        "life",
        "life",
    ]
    assert texts(generalize_columns(Dataset((column,)), groups, recoding="sets")[0]) == [
        "{cat,dog}", "{cat,dog}", "oak", "*", "*", "{cat,oak}", "{cat,oak}",
    ]  # fmt: skip


@pytest.mark.parametrize("sets", [[["a", "b"], ["{a,b}"]], [["a,b", "c"], ["a", "b,c"]], [["a", "b", "c"], ["*"]]])
def test_texts_of_sets_never_meet(sets):
    assert len(set(set_texts(sets, 3))) == len(sets)


def test_suppressed_records_are_left_out():
    published = generalize_columns(Dataset((ages([0, 1, 2]),)), np.array([5, -1, 5]))[0]

    assert texts(published) == ["[20:31]", "[20:31]"]


def test_members_of_lists_each_group():
    assert members_of(np.array([1, 0, -1, 1])) == [[1], [0, 3]]


@pytest.mark.parametrize("name", ["cluster", "mondrian", "incognito", "top-down", "bottom-up", "peel"])
@pytest.mark.parametrize("kind", ["numeric", "categorical"])
def test_a_column_of_missing_values_only_stays_missing(name, kind):
    values = np.zeros(0) if kind == "numeric" else None
    nothing = Column("nothing", "quasi", kind, np.full(4, -1, np.int32), (), values)

    release = make(name, {"k": 2}).anonymize(Dataset((ages([0, 0, 1, 1]), nothing)))

    assert texts(release.columns[0]) == ["20", "20", "25", "25"]
    assert texts(release.columns[1]) == [None] * 4
