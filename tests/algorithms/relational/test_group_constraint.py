import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms import make
from anonset.algorithms.relational.base import Constraint, sensitive_values
from anonset.errors import InfeasibleError, InputError
from anonset.model.dataset import Column, Dataset
from anonset.model.guarantees import KAnonymity, LDiversity, TCloseness
from anonset.verify import verify
from oracles.relational import distance, is_diverse, members_of
from strategies import relational_datasets

RELATIONAL = ["cluster", "mondrian", "incognito", "top-down", "bottom-up", "peel"]
wishes = st.sampled_from(
    [
        {"l": 2},
        {"l": 3},
        {"l": 2, "diversity": "entropy"},
        {"l": 2, "diversity": "recursive", "c": 1.5},
        {"l": 3, "diversity": "recursive", "c": 3.0},
        {"t": 0.2},
        {"t": 0.5},
        {"l": 2, "t": 0.4},
    ]
)


@pytest.mark.parametrize("name", RELATIONAL)
@given(
    data=relational_datasets(min_records=2, max_records=14, sensitive=True),
    k=st.integers(1, 3),
    wish=wishes,
    share=st.booleans(),
)
def test_what_was_asked_for_holds_or_is_refused(name, data, k, wish, share):
    values = {"k": k} | wish | ({"seed": 5} if name == "cluster" else {})
    if share and name not in ("cluster", "mondrian", "peel"):
        values["suppression"] = 0.3
    try:
        release = make(name, values).anonymize(data)
    except InfeasibleError as error:
        assert "l-diversity" in str(error) or k > len(data)
        return

    assert len(release.guarantees) == 1 + ("l" in wish) + ("t" in wish)
    assert len(release) == 0 or verify(data, release).holds


def sensitive(values, numeric=False):
    domain = sorted(set(values))
    codes = np.array([domain.index(x) for x in values], np.int32)
    numbers = np.array([float(x) for x in domain]) if numeric else None
    return Column("s", "sensitive", "numeric" if numeric else "categorical", codes, tuple(map(str, domain)), numbers)


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=24),
    st.sampled_from(["distinct", "entropy", "recursive"]),
    st.integers(1, 4),
    st.sampled_from([0.5, 1.0, 1.7, 4.0]),
)
def test_diverse_groups_are_those_of_the_definition(pairs, kind, l, c):  # noqa: E741
    groups = np.unique([g for g, _ in pairs], return_inverse=True)[1].astype(np.int64)
    values = [x for _, x in pairs]
    data = Dataset((sensitive(values),))
    found = sensitive_values(data, np.arange(len(values)), (LDiversity(l, "s", kind, c),))

    weak = found.weak(groups, groups.max() + 1, np.ones(groups.max() + 1, np.bool_))

    for members, is_weak in zip(members_of(groups), weak, strict=True):
        assert bool(is_weak) == (not is_diverse([values[r] for r in members], kind, l, c))


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=24),
    st.sampled_from([0.0, 0.11, 0.37, 0.73]),
    st.booleans(),
)
def test_near_groups_are_those_of_the_definition(pairs, t, numeric):
    groups = np.unique([g for g, _ in pairs], return_inverse=True)[1].astype(np.int64)
    values = [x for _, x in pairs]
    data = Dataset((sensitive(values, numeric),))
    found = sensitive_values(data, np.arange(len(values)), (TCloseness(t, "s"),))

    weak = found.weak(groups, groups.max() + 1, np.ones(groups.max() + 1, np.bool_))

    for members, is_weak in zip(members_of(groups), weak, strict=True):
        assert bool(is_weak) == (distance([values[r] for r in members], values, numeric) > t)


def test_what_is_left_out_does_not_count_among_all_records():
    """Group 2 is too small; without it, all records are as group 0 and group 1 are."""
    groups, values = np.array([0, 0, 1, 1, 2]), ["a", "b", "a", "b", "c"]
    found = sensitive_values(Dataset((sensitive(values),)), np.arange(5), (TCloseness(0.0, "s"),))

    sizes, weak = Constraint(2, np.ones(5, np.int64), found).weak_groups(groups, 3)

    assert sizes.tolist() == [2, 2, 1]
    assert weak.tolist() == [False, False, True]


def patients():
    """Two far-apart villages, each with one disease only."""
    codes = np.array([0, 0, 1, 1], np.int32)
    place = Column("place", "quasi", "numeric", codes, ("1", "9"), np.array([1.0, 9.0]))
    return Dataset((place, sensitive(["flu", "flu", "cold", "cold"])))


@pytest.mark.parametrize("name", RELATIONAL)
def test_groups_of_one_value_are_joined_where_diversity_is_asked_for(name):
    plain = make(name, {"k": 2}).anonymize(patients())
    diverse = make(name, {"k": 2, "l": 2}).anonymize(patients())

    assert len(plain.quasi[0].labels) == 2
    assert diverse.quasi[0].labels.texts == ("[1:9]",)
    assert diverse.guarantees == (KAnonymity(2), LDiversity(2, "s"))


@pytest.mark.parametrize("name", RELATIONAL)
def test_more_values_than_there_are_is_infeasible(name):
    with pytest.raises(InfeasibleError, match="l=3 does not hold in s"):
        make(name, {"k": 2, "l": 3}).anonymize(patients())


def test_the_sensitive_column_is_the_one_that_is_named_or_the_only_one():
    data = Dataset((*patients().columns, Column("other", "other", "categorical", np.array([0, 1, 0, 1], np.int32), ("x", "y"))))

    release = make("mondrian", {"k": 2, "l": 2, "sensitive": "other"}).anonymize(data)

    assert release.guarantees[1] == LDiversity(2, "other")
    assert len(release.quasi[0].labels) == 2
    with pytest.raises(InputError, match="quasi"):
        make("mondrian", {"k": 2, "l": 2, "sensitive": "place"}).anonymize(data)
    with pytest.raises(InputError, match="one sensitive column"):
        make("mondrian", {"k": 2, "t": 0.5}).anonymize(Dataset((data.column("place"),)))
