"""Matches, assignments and the flow that looks for them, against every choice of assignments tried out."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.model.dataset import Dataset, Transactions
from anonset.model.guarantees import NrK, NrL
from anonset.model.labels import UncertainItems
from anonset.model.release import Provenance, Release
from anonset.verify import verify
from anonset.verify.nr_k import check_nr_k, check_nr_l
from anonset.verify.uncertain_matches import UncertainSets
from oracles import verify as oracle
from papers import tables_004
from release_makers import any_release
from strategies import item_datasets, rt_datasets


@given(st.data())
def test_matches_agree_with_the_definition(source):
    data = source.draw(rt_datasets(sensitive=True, max_records=6))
    release = source.draw(any_release(data, uncertain=True))
    sets, n = UncertainSets.of(data, release), len(data)

    found = set(zip(*(ends.tolist() for ends in sets.all_matches(10**6)), strict=True))
    one_by_one = sets.match(np.repeat(np.arange(n), n), np.tile(np.arange(n), n)).reshape(n, n)

    expected = {(r, p) for r in range(n) for p in range(n) if oracle.matches(data, release, r, p)}
    assert found == expected
    assert set(map(tuple, np.argwhere(one_by_one).tolist())) == expected


@given(st.data(), st.integers(1, 3))
def test_without_assignments_the_flow_finds_them_where_they_are(source, k):
    data = source.draw(item_datasets(hierarchy=False, min_records=3, max_records=4, max_items=3))
    release = source.draw(any_release(data, uncertain=True))

    assert check_nr_k(data, release, NrK(k)).holds == oracle.nr_k(data, release, NrK(k))


def test_degrees_alone_do_not_make_assignments():
    data = Dataset(transactions=Transactions.from_records(["", "a", "ab"], "ab"))
    base, distance = Transactions.from_records(["", "ab", "ab"], "ab"), Transactions.from_records(["ab", "", ""], "ab")
    threshold = np.array([2, 0, 0], np.int32)
    items = UncertainItems(base.offsets, base.items, distance.offsets, distance.items, threshold, ("a", "b"))
    release = Release((), items, (), Provenance("by hand"), np.array([0, 1, 2]))

    finding = check_nr_k(data, release, NrK(1))

    assert (finding.holds, finding.violations, finding.support) == (False, 1, 1)
    assert finding.worst == "the matches do not split into 1 disjoint assignments"


def test_quasi_columns_must_be_covered_by_every_match():
    data, release = tables_004.table_1(), tables_004.table_3()
    known = replace(data, columns=(replace(data.columns[0], role="quasi"),))

    finding = check_nr_k(known, release, NrK(3))

    assert not finding.holds
    assert finding.violations == 12  # of the 18 pairs only those of a record with itself have the same religion
    assert "which it does not match" in finding.witnesses[0]


def tampered(**changes):
    return replace(tables_004.table_3(), **changes)


SOUND = tables_004.table_3().assignments


@pytest.mark.parametrize(
    ("broken", "witness"),
    [
        (SOUND[:2], "there are 2 assignments; 3 are promised"),
        (SOUND[:, :5], "the assignments must map each of the 6 records to one"),
        (np.vstack([SOUND[:2], SOUND[2:] * 0]), "assignment 2 does not map every record to another one"),
        (SOUND[[0, 1, 1]], "original record 0 is assigned published record 4 twice"),
        (np.vstack([SOUND[1:], np.roll(SOUND[0], 3)[None]]), "no assignment gives published record 0 the record behind it"),
        (np.vstack([SOUND, np.roll(SOUND[0], 1)[None]]), "original record 1 is assigned published record 0, which it"),
    ],
)
def test_a_broken_assignment_is_named(broken, witness):
    finding = check_nr_k(tables_004.table_1(), tampered(assignments=broken), NrK(3))

    assert not finding.holds
    assert finding.violations > 0
    assert any(said.startswith(witness) for said in finding.witnesses)


def test_a_changed_base_breaks_a_pair_and_the_truth():
    release = tables_004.table_3()
    base = tables_004.sets(("1101", "1110", "0111", "0111", "1100", "0001"))
    items = replace(release.items, base_offsets=base.offsets, base=base.items)

    verdict = verify(tables_004.table_1(), replace(release, items=items), [NrK(3)])

    linking, truthful = verdict.findings
    assert not linking.holds
    assert not truthful.holds
    assert truthful.witnesses == ("published record 5 does not match the original record behind it",)


def test_a_label_twice_among_the_matches_is_named():
    release = tables_004.table_3()
    religion = release.columns[0]
    same = replace(religion, codes=np.array([1, 1, 2, 0, 0, 1], np.int32))

    finding = check_nr_l(tables_004.table_1(), replace(release, columns=(same,)), NrL(3, "Religion"))

    assert (finding.holds, finding.violations) == (False, 3)
    assert finding.witnesses[0] == "2 of the 3 matches of original record 0 show Christian"


def test_without_assignments_the_labels_cannot_be_compared():
    finding = check_nr_l(tables_004.table_1(), tables_004.table_3(assignments=False), NrL(3, "Religion"))

    assert (finding.holds, finding.checked) == (False, False)


def test_records_left_out_are_matched_by_nobody():
    data, release = tables_004.table_1(), tables_004.table_3()
    more = data.take(np.array([0, 1, 2, 3, 4, 5, 0]))

    assert "all 7 must be" in check_nr_k(more, release, NrK(3)).worst


def test_more_pairs_than_the_flow_can_carry_are_not_checked(monkeypatch):
    monkeypatch.setattr("anonset.verify.nr_k.FLOW_PAIRS", 10)

    finding = check_nr_k(tables_004.table_1(), tables_004.table_3(assignments=False), NrK(3))

    assert (finding.holds, finding.checked) == (False, False)
    assert "no assignments are given" in finding.worst


def test_too_many_pairs_are_not_checked():
    finding = check_nr_k(tables_004.table_1(), tables_004.table_3(assignments=False), NrK(3), limit=20)

    assert (finding.holds, finding.checked) == (False, False)
    assert "20 steps" in finding.worst
