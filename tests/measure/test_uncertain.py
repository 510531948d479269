import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.nonreciprocal.nr_k import NrKWalks
from anonset.errors import InputError, ParameterError
from anonset.measure import RISKS, measure
from anonset.measure.information_loss import preserved_itemsets
from anonset.measure.uncertain import Answer, ItemQuery, actual_counts, answers, draw_queries, er, qe
from anonset.model.dataset import Column, Dataset, Transactions
from anonset.model.guarantees import NrK
from anonset.model.labels import UncertainItems
from anonset.model.release import Provenance, Release
from oracles import nonreciprocal as oracle
from strategies import transactions


def release_of(sets, domain, rows):
    """A release that shows (base, doubt, threshold) triples of item codes."""
    columns = [Transactions.from_records([[domain[i] for i in triple[part]] for triple in sets], domain) for part in (0, 1)]
    threshold = np.array([triple[2] for triple in sets], np.int32)
    items = UncertainItems(columns[0].offsets, columns[0].items, columns[1].offsets, columns[1].items, threshold, domain)
    return Release((), items, (NrK(1),), Provenance("test"), np.array(rows, np.int64))


@st.composite
def releases(draw):
    t = draw(transactions(max_records=6, max_items=5))
    codes = st.sets(st.integers(0, len(t.domain) - 1))
    sets = []
    for _ in range(len(t)):
        doubt = draw(codes)
        sets.append((draw(codes), doubt, draw(st.integers(0, len(doubt)))))
    rows = draw(st.permutations(range(len(t))))
    return Dataset(transactions=t), sets, release_of(sets, t.domain, rows)


def holds(record, present, absent):
    return present <= record and not absent & record


@given(releases(), st.data())
def test_answers_agree_with_listing_every_possible_world(case, data):
    original, sets, release = case
    domain = original.transactions.domain
    wanted = data.draw(st.dictionaries(st.integers(0, len(domain) - 1), st.booleans()))
    items = [{i for i in wanted if wanted[i] is flag} for flag in (True, False)]
    query = ItemQuery(*(tuple(domain[i] for i in sorted(part)) * data.draw(st.integers(1, 2)) for part in items))

    (answer,) = answers(release.items, [query])

    shares = [np.mean([holds(world, *items) for world in oracle.worlds(*triple)]) for triple in sets]
    assert answer.certain == sum(share == 1 for share in shares)
    assert answer.possible == sum(share > 0 for share in shares)
    assert answer.base == sum(holds(base, *items) for base, _, _ in sets)
    assert answer.expected == pytest.approx(sum(shares))
    truth = np.split(original.transactions.items, original.transactions.offsets[1:-1])
    assert actual_counts(original, release, [query]) == [sum(holds(set(r.tolist()), *items) for r in truth)]


@given(releases())
def test_error_rate_agrees_with_symmetric_differences(case):
    original, sets, release = case
    t = original.transactions

    truth = [set(t.items[t.offsets[r] : t.offsets[r + 1]].tolist()) for r in release.rows]

    expected = np.mean([oracle.distance(base, r) / max(1, len(r)) for (base, _, _), r in zip(sets, truth, strict=True)])
    assert er(original, release) == pytest.approx(expected)


@given(transactions(min_records=3))
def test_the_truth_lies_between_certain_and_possible(t):
    original = Dataset(transactions=t)
    release = NrKWalks(3, seed=1).anonymize(original)
    queries = draw_queries(original, 20, present=2, absent=2)

    found, actual = answers(release.items, queries), actual_counts(original, release, queries)

    assert all(answer.certain <= count <= answer.possible for answer, count in zip(found, actual, strict=True))
    assert all(answer.certain <= answer.expected <= answer.possible + 1e-9 for answer in found)


def test_the_three_worlds_of_the_paper():
    """[004] section 1: 1100 with distance 0011 and one bit of error may be 1100, 1110 or 1101."""
    release = release_of([({0, 1}, {2, 3}, 1)], ("a", "b", "c", "d"), [0])

    found = answers(release.items, [ItemQuery(("c",)), ItemQuery(absent=("c", "d")), ItemQuery(("a", "b"))])

    assert found == [Answer(0, 1, 0, pytest.approx(1 / 3)), Answer(0, 1, 1, pytest.approx(1 / 3)), Answer(1, 1, 1, 1.0)]


def test_nothing_is_lost_where_nothing_is_protected():
    original = Dataset(transactions=Transactions.from_records(["ab", "", "c"], "abc"))

    found = measure(original, NrKWalks(1).anonymize(original), ["er", "qe"])

    assert found == {"er": 0.0, "qe": 0.0}


def test_an_item_nobody_knows_is_named():
    original = Dataset(transactions=Transactions.from_records(["ab"], "ab"))
    release = NrKWalks(1).anonymize(original)

    with pytest.raises(InputError, match="'z'"):
        qe(original, release, [ItemQuery(("z",))])


def test_an_item_cannot_be_present_and_absent():
    release = release_of([({0}, {1}, 1)], ("a", "b"), [0])

    with pytest.raises(InputError, match="'a' as present and as absent"):
        answers(release.items, [ItemQuery(("a",), ("b", "a"))])


def test_measures_of_groups_and_of_generalized_items_do_not_apply():
    age = Column("age", "quasi", "numeric", np.array([0, 1, 1], np.int32), ("20", "30"), np.array([20.0, 30.0]))
    original = Dataset((age,), Transactions.from_records(["ab", "a", "b"]))
    release = NrKWalks(2, seed=1).anonymize(original)

    assert set(measure(original, release)) == {"ncp", "er", "qe", "exact-values", "lost-values", *RISKS}
    with pytest.raises(ParameterError, match="c-avg does not apply"):
        measure(original, release, ["c-avg"])
    with pytest.raises(InputError, match="of generalized items, and the release has none"):
        preserved_itemsets(original, release)
