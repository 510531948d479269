from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms import make
from anonset.algorithms.recoding import exact_items
from anonset.errors import ParameterError
from anonset.measure import measure
from anonset.measure.risk import (
    record_risks,
    risk,
    risk_above,
    risk_mean,
    risk_p95,
    risk_p99,
    risk_protected,
    smallest_protected,
)
from anonset.measure.uncertain import matches_of_originals
from anonset.model.dataset import Column, Dataset, Transactions
from anonset.model.guarantees import BaseGuarantee, CompleteK, Constraints, KAnonymity, KKm, KmAnonymity, TCloseness
from anonset.model.release import Provenance, Release
from oracles import measures
from oracles import risk as oracle
from release_makers import any_release
from strategies import rt_datasets, transactions

BASKETS = ["abc", "ab", "ac", "bd", "d"]


@given(st.data(), st.one_of(st.none(), st.integers(0, 4)))
def test_the_risk_of_every_record_agrees_with_the_oracle(source, m):
    data = source.draw(rt_datasets(sensitive=True))
    release = source.draw(any_release(data))
    if m is None:
        release = replace(release, guarantees=(CompleteK(1),))

    assert record_risks(data, release, m).tolist() == pytest.approx(oracle.record_risks(data, release, m))


@given(st.data())
def test_matches_of_uncertain_items_agree_with_the_oracle(source):
    data = source.draw(rt_datasets())
    release = source.draw(any_release(data, uncertain=True))

    found = matches_of_originals(data, release, release.items)

    assert found.tolist() == oracle.matches(data, release)


@given(rt_datasets(min_records=3), st.integers(2, 3), st.integers(0, 3))
def test_under_nr_k_nobody_is_found_among_fewer_than_k(data, k, seed):
    release = make("nr-k", {"k": k, "seed": seed}).anonymize(data)

    assert 0.0 < risk(data, release) <= 1 / k + 1e-12


def identity(baskets, *guarantees):
    data = Dataset(transactions=Transactions.from_records(baskets))
    return data, replace(make("identity", {"k": 1}).anonymize(data), guarantees=guarantees)


@pytest.mark.parametrize(
    ("guarantee", "expected"),
    [
        (KmAnonymity(1, 1), 1 / 2),
        (KmAnonymity(1, 2), 1.0),
        (CompleteK(1), 1.0),
        (KAnonymity(1), 1.0),  # says nothing of items: two are known
        (Constraints(1, (("a", "b"),)), 1.0),
    ],
)
def test_attackers_know_as_many_items_as_the_guarantee_says_or_two(guarantee, expected):
    data, release = identity(BASKETS, guarantee)

    assert risk(data, release) == pytest.approx(expected)


def test_quasi_values_count_whatever_the_guarantee():
    data = Dataset(
        (Column("town", "quasi", "categorical", np.array([0, 0, 1, 1], np.int32), ("x", "y")),),
        Transactions.from_records(["a", "a", "a", "b"]),
    )
    whole = make("identity", {"k": 1}).anonymize(data)

    for guarantee in (KmAnonymity(1, 1), KAnonymity(2), KKm(1, 1), TCloseness(0.5, "town")):
        release = replace(whole, guarantees=(guarantee,))
        assert record_risks(data, release).tolist() == [1 / 2, 1 / 2, 1, 1]
        assert record_risks(data, release, m=0).tolist() == [1 / 2] * 4


def test_percentiles_mean_and_share_are_over_records():
    baskets = ["a"] * 95 + ["b"] * 4 + ["c"]
    data, release = identity(baskets, KmAnonymity(1, 1))

    assert risk(data, release) == 1.0
    assert risk_p95(data, release) == pytest.approx(1 / 95)
    assert risk_p99(data, release) == pytest.approx(1 / 4)
    assert risk_mean(data, release) == pytest.approx(3 / 100)
    assert risk_above(data, release, limit=0.25) == pytest.approx(1 / 100)
    assert risk_above(data, release, limit=0.2) == pytest.approx(5 / 100)
    found = measure(data, release, ["risk-above", "risk-mean"], limit=1.0)
    assert found == {"risk-above": 0.0, "risk-mean": pytest.approx(3 / 100)}
    assert measure(data, release, ["risk"], m=0) == {"risk": 1 / 100}


def test_the_risk_of_what_is_protected_is_that_of_the_guarantees():
    data, release = identity(BASKETS, Constraints(1, (("a", "b"), ("a", "d"))))

    assert risk_protected(data, release) == measure(data, release, ["risk-protected"])["risk-protected"] == 1 / 2


class WithoutNumber(BaseGuarantee):
    """Covers items, and does not say how many of them attackers know."""

    id, covers = "without-number", frozenset({"items"})

    def words(self, unit="records"):
        return f"Nobody finds fewer than two {unit}."


def test_there_is_no_risk_under_a_guarantee_that_does_not_say_what_attackers_know():
    data, release = identity(BASKETS, WithoutNumber())

    with pytest.raises(ParameterError, match="the risk under the guarantee without-number is not known"):
        risk(data, release)
    with pytest.raises(ParameterError, match="that without-number protects is not known"):
        smallest_protected(data, release, WithoutNumber())


def test_wrong_limits_and_numbers_of_items_raise():
    data, release = identity(BASKETS, KmAnonymity(1, 1))

    for wrong in (-1, True, 1.5):
        with pytest.raises(ParameterError, match="whole number"):
            record_risks(data, release, wrong)
    with pytest.raises(ParameterError, match="from 0 to 1"):
        risk_above(data, replace(release, guarantees=()), limit=2)


def test_what_is_too_large_is_refused_not_sampled(monkeypatch):
    data, release = identity(["abcdef", "abcdefgh"], KmAnonymity(1, 3))
    monkeypatch.setitem(risk.__globals__, "MOST_SETS", 100)

    with pytest.raises(ParameterError, match="133 sets of items, and 100 are the most: measure with a smaller m"):
        risk(data, release)
    assert risk(data, release, m=2) == 1.0


@pytest.mark.parametrize("m", [2, 3])
def test_the_risk_of_click_streams_is_that_of_the_rarest_set(real_data, m):
    from anonset.data.read import read

    data = read(real_data / "transactions" / "bms_webview_1.dat.gz")
    data = data.take(np.arange(0, len(data), 10))
    release = make("pcta", {"k": 5, "m": 2}).anonymize(data)

    risks = record_risks(data, release, m)

    assert risks.max() <= 1 / 5 if m == 2 else risks.max() <= 1.0
    assert risks.max() == pytest.approx(risk_protected(data, replace(release, guarantees=(KmAnonymity(5, m),))))


@given(transactions(max_records=10), st.integers(1, 3), st.booleans())
def test_protected_risk_is_that_of_the_rarest_set_whether_risks_are_at_hand_or_not(t, m, at_hand):
    data = Dataset(transactions=t)
    release = Release((), exact_items(data), (KmAnonymity(2, m),), Provenance("none"), np.arange(len(t)))
    least = measures.smallest_support(list(t.records()), m)

    risks = record_risks(data, release) if at_hand else None

    assert risk_protected(data, release, risks=risks) == (1 / least if least else 0.0)
