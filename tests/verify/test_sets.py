"""What is too large is not checked, and what is not checked does not hold; so does nothing at all."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.errors import GuaranteeViolated
from anonset.model.dataset import Column, Dataset, Transactions
from anonset.model.guarantees import CompleteK, Constraints, KAnonymity, KKm, KLm, KmAnonymity, NrK, UtilityConstraints
from anonset.model.labels import GeneralizedItems, Labels, PublishedColumn
from anonset.model.release import Provenance, Release
from anonset.verify import CHECKS, k_anonymity, verify
from anonset.verify.sets import offsets_of, owned, owners_of, runs
from oracles import verify as oracle
from release_makers import any_release
from strategies import rt_datasets


def as_it_is(records, guarantees=()):
    """Item sets, published as they are, next to one quasi column that is the same for all."""
    t = Transactions.from_records(records)
    column = Column("q", "quasi", "categorical", np.zeros(len(t), np.int32), ("x",))
    data = Dataset((column,), t)
    exact = Labels.from_groups([[i] for i in range(len(t.domain))], t.domain)
    shown = PublishedColumn("q", "quasi", column.codes, Labels.from_groups([[0]], ["x"]))
    items = GeneralizedItems(t.offsets, t.items, exact, t.domain, np.zeros(0, np.int32))
    return data, Release((shown,), items, tuple(guarantees), Provenance("by hand"), np.arange(len(t)))


TWICE = ["abcdef", "abcdef", "abcxyz", "abcxyz"]


@pytest.mark.parametrize(
    "guarantee", [KmAnonymity(2, 3), KKm(2, 3), KLm(2, 3, 1, ()), CompleteK(2), Constraints(2, (("a", "b"),))]
)
def test_a_check_above_the_limit_is_not_made(guarantee):
    data, release = as_it_is(TWICE)

    verdict = verify(data, release, [guarantee], limit=5)

    assert verify(data, release, [guarantee]).holds
    assert not verdict.findings[0].checked
    assert "5 steps" in verdict.findings[0].worst
    assert not verdict.holds
    with pytest.raises(GuaranteeViolated, match="was not checked"):
        verdict.require()


def test_any_m_up_to_the_longest_record_and_beyond_is_checked_by_whole_records():
    data, release = as_it_is([f"{' '.join(f'i{i}' for i in range(60))}".split()] * 3)

    finding = verify(data, release, [KmAnonymity(3, 60)]).findings[0]

    assert (finding.holds, finding.support) == (True, 3)


@given(st.data())
def test_whole_records_give_the_same_answer_as_all_their_sets(source):
    data = source.draw(rt_datasets(sensitive=True, max_records=8))
    release = source.draw(any_release(data))
    for guarantee, expected in ((KmAnonymity(2, 7), oracle.km_anonymity), (KKm(2, 7), oracle.k_km)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(k_anonymity, "QUICK", 0)
            finding = CHECKS[type(guarantee)](data, release, guarantee)

        holds, _, support = expected(data, release, guarantee)
        if len(release) >= 2:
            assert (finding.holds, finding.support) == (holds, support)


def test_m_just_below_the_longest_record_is_refused_where_it_is_too_much():
    data, release = as_it_is([[f"i{i}" for i in range(60)]] * 3)

    finding = verify(data, release, [KmAnonymity(3, 30)]).findings[0]

    assert (finding.holds, finding.checked) == (False, False)


ALL = [
    KAnonymity(5),
    KmAnonymity(5, 1),
    CompleteK(5),
    Constraints(5, (("nobody has this",),)),
    KKm(5, 1),
    KLm(5, 1, 1, ()),
    NrK(5),
]


@pytest.mark.parametrize("guarantee", ALL, ids=lambda guarantee: guarantee.id)
def test_more_records_than_there_are_cannot_look_alike(guarantee):
    finding = verify(*as_it_is(["", "", "", ""]), [guarantee]).findings[0]

    assert not finding.holds
    assert finding.worst == "5 records are promised to look alike, and there are 4"


@pytest.mark.parametrize("guarantee", [*ALL, UtilityConstraints((), 1.0)], ids=lambda guarantee: guarantee.id)
def test_no_records_prove_nothing(guarantee):
    finding = verify(*as_it_is([]), [guarantee]).findings[0]

    assert not finding.holds
    assert "no records" in finding.worst


def test_a_release_that_promises_nothing_does_not_hold():
    data, release = as_it_is(TWICE)

    assert not verify(data, release).holds
    assert verify(data, release, []).holds  # asked for truthfulness alone


def test_own_guarantees_are_checked_unless_others_are_given():
    data, release = as_it_is(TWICE, [KmAnonymity(2, 2), KAnonymity(4)])

    assert [finding.guarantee for finding in verify(data, release).findings] == ["km-anonymity", "k-anonymity", "truthful"]
    assert verify(data, release).holds
    assert not verify(data, release, [KmAnonymity(3, 2)]).holds


def test_records_without_items_hide_behind_each_other():
    finding = verify(*as_it_is(["", "", ""]), [KmAnonymity(3, 2)]).findings[0]

    assert (finding.holds, finding.support) == (True, None)
    assert finding.worst == "no record shows an item that an attacker could know"


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3)), max_size=8), st.sampled_from([np.int32, np.int64]))
def test_runs_are_walked_along_one_after_the_other(cases, kind):
    starts = np.array([start for start, _ in cases], kind)
    lengths = np.array([length for _, length in cases], kind)
    known = [(run, start + p) for run, (start, length) in enumerate(cases) for p in range(length)]

    run, places = owned(starts, starts + lengths)

    assert list(zip(run.tolist(), places.tolist(), strict=True)) == known
    assert runs(starts, starts + lengths)[1].tolist() == [place for _, place in known]
    assert owners_of(offsets_of(lengths)).tolist() == [owner for owner, _ in known]
