"""What may be published: covered, naming nobody, worth reading."""

from dataclasses import replace

import numpy as np
import pytest

from anonset.algorithms import make
from anonset.errors import ExposureError, ParameterError, UncoveredError, WorthlessError
from anonset.model.dataset import Column, Dataset, Transactions
from anonset.model.guarantees import KAnonymity, KKm
from anonset.model.hierarchy import Hierarchy
from anonset.model.release import Accepted
from anonset.model.schema import Fate
from anonset.releases.gates import admit, bare_attributes, exposures, lost_shares, refusal

NOTHING = Accepted()


def column(name, role, values):
    domain = sorted(set(values))
    return Column(name, role, "categorical", np.array([domain.index(v) for v in values], np.int32), tuple(domain))


def dataset(*columns, baskets=None):
    return Dataset(columns, None if baskets is None else Transactions.from_records(baskets))


def as_it_is(data, *guarantees):
    """The data as a release that promises something; here nobody checks whether it is so."""
    return replace(make("identity", {"k": 1}).anonymize(data), guarantees=guarantees)


def test_what_a_guarantee_covers_passes_without_a_word():
    data = dataset(column("city", "quasi", "aabb"), baskets=["x", "x", "y", "y"])

    found = admit(data, as_it_is(data, KKm(2, 1)), NOTHING)

    assert (found.exposed, found.lost, found.sentences) == ({}, {}, ())
    assert refusal(data, as_it_is(data, KKm(2, 1))) == ""


def test_what_no_guarantee_covers_is_named_and_may_be_insisted_on():
    data = dataset(column("city", "quasi", "aabb"), baskets=["x", "x", "y", "y"])
    release = as_it_is(data, KAnonymity(2))

    assert bare_attributes(data, release) == ("items",)
    with pytest.raises(UncoveredError, match=r"items may be known to an attacker and is not covered by k-anonymity.*rmerge-r"):
        admit(data, release, NOTHING)
    assert admit(data, release, Accepted(("items",))).sentences == ("items is published and no guarantee covers it (accepted)",)


@pytest.mark.parametrize(
    ("values", "refused"), [("abcdefgh", True), ("aaaabbbb", False), ("aaaaaaab", True), ("a" * 19 + "b", False)]
)
def test_a_column_that_nearly_names_people_is_refused(values, refused):
    data = dataset(column("city", "quasi", "x" * len(values)), column("note", "other", values))
    release = as_it_is(data, KAnonymity(2))

    assert bool(exposures(data, release)) == refused
    if refused:
        with pytest.raises(ExposureError, match=r"note \(other\) would be published as it is.*accept_exposure=\['note'\]"):
            admit(data, release, NOTHING)
        assert "note" in admit(data, release, Accepted(("note",))).exposed


def test_sets_of_values_that_name_people_are_refused_whoever_knows_the_values():
    addresses = [f"p{i}@clinic.org" for i in range(4)]
    mail = column("contact", "quasi", addresses)
    data = dataset(mail)

    with pytest.raises(ExposureError, match=r"contact names people .its values are e-mail addresses.*list them"):
        admit(data, as_it_is(data, KAnonymity(1)), NOTHING)
    found = admit(data, as_it_is(data, KAnonymity(1)), Accepted(("contact",)))
    assert found.sentences == (f"{found.exposed['contact']} (accepted)",)

    known = Hierarchy((*mail.domain, "*"), np.array([4, 4, 4, 4, -1], np.int32))
    data = dataset(replace(mail, hierarchy=known))
    with pytest.raises(ExposureError, match="contact names people"):
        admit(data, as_it_is(data, KAnonymity(1)), NOTHING)


def test_values_of_their_own_are_refused_unless_a_tree_says_what_stands_for_them():
    codes = column("parish", "quasi", [f"N{i:02}/{i}" for i in range(40)])
    data = dataset(codes)
    with pytest.raises(ExposureError, match=r"parish names people .nearly everybody has a value of their own"):
        admit(data, as_it_is(data, KAnonymity(1)), NOTHING)

    known = Hierarchy((*codes.domain, "*"), np.array([40] * 40 + [-1], np.int32))
    data = dataset(replace(codes, hierarchy=known))
    assert admit(data, as_it_is(data, KAnonymity(1)), NOTHING).exposed == {}


def test_columns_published_as_they_are_are_judged_together():
    sex, age = column("sex", "quasi", ["m", "f"] * 4), column("age", "sensitive", ["30", "30", "40", "40"] * 2)
    few, illness = column("town", "other", list("aabcaabc")), column("illness", "sensitive", list("ppqqpprq"))
    data = dataset(sex, age, few)
    apart = dataset(sex, age, column("town", "other", list("aabbccdd")))

    assert admit(data, as_it_is(data, KAnonymity(2)), NOTHING).singled_out == 0
    with pytest.raises(ExposureError, match=r"age, town would .*100% of the records.*quasi=\['sex', 'age', 'town'\]"):
        admit(apart, as_it_is(apart, KAnonymity(2)), NOTHING)
    insisted = admit(apart, as_it_is(apart, KAnonymity(2)), Accepted(("age", "town")))
    assert list(insisted.exposed) == ["age", "town"]
    assert insisted.exposed["town"].kind == "combined"
    plain = dataset(sex, illness)
    found = admit(plain, as_it_is(plain, KAnonymity(2)), Accepted(("illness",)))
    assert (found.exact, found.rare) == (("illness",), {"illness": (1, 1)})
    assert found.singled_out > 0


def test_a_k_of_one_is_not_published():
    data = dataset(baskets=["a", "a"])

    with pytest.raises(ParameterError, match="k = 1 protects nobody"):
        admit(data, make("pcta", {"k": 1}).anonymize(data), NOTHING)


def test_what_says_nothing_is_refused():
    data = dataset(baskets=["ab", "c", "d", "ad"])
    release = make("pcta", {"k": 4}).anonymize(data)

    assert lost_shares(data, release) == {"items": 1.0}
    with pytest.raises(WorthlessError, match="worthless: 100% of items say nothing"):
        admit(data, release, NOTHING)
    assert admit(data, release, Accepted(loss=True)).sentences == ("100% of items say nothing (accepted)",)
    assert "worthless" in refusal(data, release)


def test_only_columns_there_are_can_be_accepted():
    data = dataset(baskets=["a", "a"])

    with pytest.raises(ParameterError, match="unknown column 'age'; columns: items"):
        admit(data, as_it_is(data), Accepted(("age",)))


def test_records_of_one_person_are_no_crowd():
    data = replace(
        dataset(column("city", "quasi", "aabb")), fates=(Fate("who", "identifier", "categorical", "", True, ties=True),)
    )
    release = as_it_is(data, KAnonymity(2))

    with pytest.raises(ExposureError, match="values of who repeat, so people have several rows"):
        admit(data, release, NOTHING)
    for accepted in (Accepted(("who",)), Accepted(repeats=True)):
        admission = admit(data, release, accepted)
        assert "records are counted, not people" in admission.sentences[0]
        assert admission.as_json()["repeats"] is True
    assert refusal(data, release) == ""  # it is the records that are at fault, whatever is made of them
