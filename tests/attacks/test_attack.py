import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms import make
from anonset.algorithms.base import provenance
from anonset.algorithms.identity import Identity
from anonset.algorithms.recoding import items_in_groups
from anonset.attacks import AttackerKnowledge, attack, attack_inference, attack_linkage
from anonset.attacks.attackers import ITEM_CHOICES, sample_attackers
from anonset.attacks.linkage import mean, published_candidates, raw_candidates, share
from anonset.errors import ParameterError
from anonset.measure.workload import Query
from anonset.model.dataset import Column, Dataset, Transactions
from anonset.model.guarantees import KmAnonymity
from anonset.model.labels import UncertainItems
from anonset.model.release import Release
from oracles import workload as oracle
from strategies import rt_datasets

RNG = np.random.default_rng(0)


def baskets(*records):
    return Dataset(transactions=Transactions.from_records(records))


def as_is(data):
    return make("identity", {"k": 1}).anonymize(data)


@given(rt_datasets(min_records=2), st.sampled_from(ITEM_CHOICES), st.booleans(), st.integers(0, 3))
def test_what_an_attacker_knows_is_true_and_the_person_always_fits(data, choice, quasi, items):
    for attacker in sample_attackers(
        data, AttackerKnowledge(quasi, items, choice), np.arange(len(data)), 5, np.random.default_rng(1)
    ):
        found = raw_candidates(data)(attacker.known)

        assert attacker.row in found
        assert len(found) == oracle.actual(data, attacker.known)
        np.testing.assert_array_equal(np.sort(published_candidates(data, as_is(data))(attacker.known)), np.sort(found))


def test_a_release_equal_to_the_original_is_as_exposed():
    data = baskets("ab", "ab", "ac", "c")

    result = attack(data, as_is(data), m=2, attackers=10, seed=1)

    assert all(linkage.before == linkage.after for linkage in result.linkages)
    assert result.worst == 1.0


@given(rt_datasets(min_records=2), st.booleans(), st.booleans())
def test_what_is_not_published_may_be_anything(data, columns, items):
    whole = as_is(data)
    part = Release(whole.columns if columns else (), whole.items if items else None, (), whole.provenance, whole.rows)

    for attacker in sample_attackers(data, AttackerKnowledge(True, 1), np.arange(len(data)), 5, np.random.default_rng(1)):
        known = attacker.known
        shown = Query(known.ranges if columns else {}, known.values if columns else {}, known.items if items else ())

        assert len(published_candidates(data, part)(known)) == oracle.actual(data, shown)


def test_joined_items_hide_the_one_who_was_alone():
    data = baskets("ab", "ab", "ac")
    items = items_in_groups(data, np.array([0, 1, 1], np.int32), ["a", "(b,c)"])
    release = Release((), items, (KmAnonymity(3, 2),), provenance(Identity(k=1)), np.arange(3))

    found = attack_linkage(data, release, AttackerKnowledge(False, 2), attackers=10, rng=RNG)

    assert found.before.singled_out.value == pytest.approx(1 / 3)
    assert found.before.prosecutor == 1.0
    assert found.after.singled_out.value == 0.0
    assert found.after.prosecutor == pytest.approx(1 / 3)
    assert found.after.marketer.value == pytest.approx(1 / 3)


def test_most_identifying_items_leave_no_more_records_than_others():
    data = baskets("abc", "ab", "ac", "bc", "a", "b", "c", "abc")
    rows = np.array([0])

    for other in ("uniform", "rare-first"):
        worst = sample_attackers(data, AttackerKnowledge(False, 2, "most-identifying"), rows, 1, RNG)[0]
        usual = sample_attackers(data, AttackerKnowledge(False, 2, other), rows, 1, RNG)[0]
        assert len(raw_candidates(data)(worst.known)) <= len(raw_candidates(data)(usual.known))


def test_records_left_out_make_a_journalist_less_sure_than_a_prosecutor():
    data = baskets("a", "a", "b", "b")
    part = data.take(np.array([0, 1]))
    whole = as_is(part)
    release = Release((), whole.items, whole.guarantees, whole.provenance, np.array([0, 1]))

    found = attack_linkage(data, release, AttackerKnowledge(False, 1), attackers=10, rng=RNG)

    assert found.after.prosecutor == pytest.approx(1 / 2)
    assert found.after.journalist == pytest.approx(1 / 4)


def test_inference_that_holds_without_the_person_is_no_leak():
    n = 40
    secret = Column("secret", "sensitive", "categorical", np.zeros(n, np.int32), ("ill",))
    data = Dataset((secret,), Transactions.from_records(["ab"] * n))

    (found,) = attack_inference(data, as_is(data), AttackerKnowledge(False, 2), attackers=20, rng=RNG)

    assert found.after.value == found.control.value == 1.0
    assert found.leak == 0.0


def test_inference_that_needs_the_person_is_a_leak():
    names = [f"i{r}" for r in range(20)]
    secret = Column("secret", "sensitive", "categorical", np.arange(20, dtype=np.int32), tuple(f"s{r}" for r in range(20)))
    data = Dataset((secret,), Transactions.from_records([[name] for name in names]))

    (found,) = attack_inference(data, as_is(data), AttackerKnowledge(False, 1), attackers=20, rng=RNG)

    assert found.after.value == 1.0
    assert found.control.value == 0.0
    assert found.leak == 1.0


def test_sensitive_items_are_secrets_and_nobody_is_known_by_them():
    t = Transactions.from_records(["as", "a", "bs", "b"])
    data = Dataset(transactions=t, sensitive_items=np.array([name == "s" for name in t.domain]))

    found = attack_inference(data, as_is(data), AttackerKnowledge(False, 3), attackers=20, rng=RNG)

    assert [inference.secret for inference in found] == ["s"]
    assert found[0].attackers == 2  # its holders
    assert all("s" not in a.known.items for a in sample_attackers(data, AttackerKnowledge(False, 3), np.arange(4), 9, RNG))


def test_a_rare_secret_shown_only_by_its_holders_records_is_a_leak():
    t = Transactions.from_records(["as", *["b"] * 30])
    data = Dataset(transactions=t, sensitive_items=np.array([name == "s" for name in t.domain]))

    (raw,) = attack_inference(data, as_is(data), AttackerKnowledge(False, 1), attackers=20, rng=RNG)

    assert (raw.before.value, raw.after.value, raw.control.value) == (1.0, 1.0, 0.0)
    assert raw.leak == raw.surest_after == 1.0


def test_nobody_is_surer_of_a_secret_than_one_in_l():
    t = Transactions.from_records(["as", "a", "bs", "b", "ab"])
    data = Dataset(transactions=t, sensitive_items=np.array([name == "s" for name in t.domain]))
    items = items_in_groups(data, np.array([0, 0, 1], np.int32), ["(a,b)", "s"])
    release = Release((), items, (KmAnonymity(3, 2),), provenance(Identity(k=1)), np.arange(5))

    (found,) = attack_inference(data, release, AttackerKnowledge(False, 1), attackers=20, rng=RNG)

    assert found.surest_before == pytest.approx(1 / 3)
    assert found.surest_after == pytest.approx(2 / 5)
    assert found.after.value == 0.0


def test_uncertain_items_fit_what_they_may_stand_for():
    data = baskets("ab", "a", "b")
    items = UncertainItems(
        np.array([0, 1, 2, 3]),
        np.array([0, 0, 1], np.int32),
        np.array([0, 1, 2, 2]),
        np.array([1, 1], np.int32),
        np.array([1, 0, 0], np.int32),
        ("a", "b"),
    )
    release = Release((), items, (), provenance(Identity(k=1)), np.arange(3))
    fits = published_candidates(data, release)

    assert fits(sample_attackers(data, AttackerKnowledge(False, 2), np.array([0]), 1, RNG)[0].known).tolist() == [0]
    assert fits(sample_attackers(data, AttackerKnowledge(False, 1), np.array([2]), 1, RNG)[0].known).tolist() == [0, 2]


def test_intervals_hold_the_rate_and_shrink_with_more_attackers():
    few, many = share(3, 10), share(300, 1000)

    assert few.low < 0.3 < few.high
    assert many.high - many.low < few.high - few.low
    assert share(0, 9).low == 0.0
    assert share(9, 9).high == 1.0
    assert share(0, 0) == mean(np.zeros(0)) == (0.0, 0.0, 1.0)


def test_knowing_what_the_data_do_not_have_is_refused():
    with pytest.raises(ParameterError, match="no quasi values"):
        attack_linkage(baskets("a"), as_is(baskets("a")), AttackerKnowledge(True, 0), attackers=1, rng=RNG)


def test_the_result_has_the_three_headings():
    data = baskets("ab", "ab", "ac", "c")

    assert set(attack(data, as_is(data), attackers=5, seed=1).as_json()) == {
        "singling_out",
        "linkability",
        "inference",
        "worst",
        "margins",
    }
