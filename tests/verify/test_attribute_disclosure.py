"""l-diversity and t-closeness: the definitions written out, the examples of their papers, and planted breaches."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.recoding import exact_column
from anonset.model.dataset import Column, Dataset
from anonset.model.guarantees import LDiversity, TCloseness, make_guarantee
from anonset.model.labels import Labels, PublishedColumn
from anonset.model.release import Provenance, Release
from anonset.verify import CHECKS, verify
from oracles import verify as oracle
from release_makers import any_column
from strategies import columns

KINDS = st.sampled_from(["distinct", "entropy", "recursive"])
SHARES = st.sampled_from([0.0, 0.1, 0.15, 0.2, 0.25, 0.3, 0.5, 0.75, 1.0])


@st.composite
def grouped(draw):
    """Records in random groups with an exact sensitive column."""
    n = draw(st.integers(1, 12))
    quasi = draw(columns(n, "q"))
    secret = draw(columns(n, "s", role="sensitive", missing=draw(st.booleans())))
    data = Dataset((quasi, secret))
    return data, Release((draw(any_column(quasi, n)), exact_column(secret)), None, (), Provenance("chance"), np.arange(n))


@given(grouped(), st.builds(LDiversity, st.integers(1, 4), st.just("s"), KINDS, st.sampled_from([0.1, 0.5, 1.0, 2.0, 3.0])))
def test_l_diversity_agrees_with_the_definition(case, guarantee):
    finding = CHECKS[LDiversity](*case, guarantee)

    expected = oracle.l_diversity(*case, guarantee)
    assert (finding.holds, finding.violations) == (expected == 0, expected)
    assert len(finding.witnesses) == min(5, expected)


@given(grouped(), st.builds(TCloseness, SHARES, st.just("s")))
def test_t_closeness_agrees_with_the_definition(case, guarantee):
    finding = CHECKS[TCloseness](*case, guarantee)

    expected = oracle.t_closeness(*case, guarantee)
    assert (finding.holds, finding.violations) == (expected == 0, expected)
    assert len(finding.witnesses) == min(5, expected)


def patients(salaries, diseases):
    """Three groups of three: the 3-anonymous table of the t-closeness paper's example."""
    salary = np.array(salaries)
    numbers, codes = np.unique(salary, return_inverse=True)
    names = sorted(set(diseases))
    zip_code = Column("zip", "quasi", "categorical", np.repeat([0, 1, 2], 3).astype(np.int32), ("476**", "4790*", "4760*"))
    pay = Column("salary", "sensitive", "numeric", codes.astype(np.int32), tuple(map(str, numbers)), numbers.astype(float))
    illness = Column(
        "disease", "sensitive", "categorical", np.array([names.index(d) for d in diseases], np.int32), tuple(names)
    )
    data = Dataset((zip_code, pay, illness))
    return data, Release(tuple(map(exact_column, data.columns)), None, (), Provenance("by hand"), np.arange(9))


SALARIES = [3, 4, 5, 6, 11, 8, 7, 9, 10]
DISEASES = ["ulcer", "gastritis", "cancer", "gastritis", "flu", "bronchitis", "bronchitis", "pneumonia", "cancer"]


def test_the_example_of_the_t_closeness_paper():
    """Salaries 3, 4 and 5 out of 3 .. 11 are 0.375 away; 6, 8 and 11 are 0.167 away."""
    case = patients(SALARIES, DISEASES)

    finding = CHECKS[TCloseness](*case, TCloseness(0.374, "salary"))

    assert finding.witnesses == ("salary is 0.375 away in the records with zip=476**; at most 0.374 is promised",)
    assert CHECKS[TCloseness](*case, TCloseness(0.375, "salary")).holds
    assert not any("4790*" in said for said in CHECKS[TCloseness](*case, TCloseness(0.167, "salary")).witnesses)
    assert any("4790*" in said for said in CHECKS[TCloseness](*case, TCloseness(0.166, "salary")).witnesses)


def test_three_different_values_are_3_diverse_in_each_sense():
    case = patients(SALARIES, DISEASES)

    for kind in ("distinct", "entropy"):
        assert CHECKS[LDiversity](*case, LDiversity(3, "disease", kind)).holds
        assert CHECKS[LDiversity](*case, LDiversity(4, "disease", kind)).violations == 3
    assert CHECKS[LDiversity](*case, LDiversity(3, "disease", "recursive", 1.1)).holds
    assert CHECKS[LDiversity](*case, LDiversity(3, "disease", "recursive", 1.0)).violations == 3  # 1 < 1 * 1 is not so


def test_a_repeated_value_is_named():
    case = patients(SALARIES, ["ulcer", "ulcer", "cancer", *DISEASES[3:]])

    finding = verify(*case, [LDiversity(3, "disease")], truthful=False).findings[0]

    assert (finding.holds, finding.violations, finding.support) == (False, 1, 2)
    assert finding.witnesses == (
        "2 different values of disease in 3 records with zip=476**, the most frequent in 2; 3 are promised",
    )


@pytest.mark.parametrize("guarantee", [LDiversity(1, "shoe size"), TCloseness(1.0, "shoe size"), LDiversity(1, "zip")])
def test_a_column_that_is_not_there_or_known_to_all_protects_nothing(guarantee):
    finding = verify(*patients(SALARIES, DISEASES), [guarantee], truthful=False).findings[0]

    assert (finding.holds, finding.checked) == (False, True)


def test_too_many_groups_times_values_are_not_checked():
    finding = CHECKS[TCloseness](*patients(SALARIES, DISEASES), TCloseness(1.0, "salary"), limit=26)

    assert (finding.holds, finding.checked) == (False, False)


def test_a_vague_numeric_value_has_no_place_in_the_order():
    data, release = patients(SALARIES, DISEASES)
    vague = PublishedColumn(
        "salary", "sensitive", np.repeat([0, 1, 1], 3).astype(np.int32), Labels.from_groups([[0, 1, 2], [3]], ["3-5", "6"])
    )
    told = replace(release, columns=(release.columns[0], vague))

    finding = CHECKS[TCloseness](data, told, TCloseness(0.6, "salary"))

    assert "0.6667 away" in finding.witnesses[0]


def test_guarantees_are_made_by_name_with_what_is_left_out():
    assert make_guarantee("l-diversity", {"l": 2, "column": "s"}) == LDiversity(2, "s", "distinct", 1.0)
    assert make_guarantee("t-closeness", {"t": 0.2, "column": "s"}) == TCloseness(0.2, "s")
