from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from anonset.algorithms import make
from anonset.algorithms.base import provenance
from anonset.algorithms.identity import Identity
from anonset.algorithms.recoding import items_in_groups
from anonset.errors import InputError
from anonset.measure import measure
from anonset.measure.coded_release import label_counts
from anonset.measure.information_loss import exact_items, levels_up, lost_items, middle_size, times_by_size
from anonset.measure.usefulness import (
    _features,
    choose,
    errors_by_size,
    exact_column,
    exact_item_sets,
    mined,
    predict,
    published_column,
    published_item_sets,
    train_model,
    usefulness,
)
from anonset.model.dataset import Column, Dataset, Transactions
from anonset.model.guarantees import KmAnonymity
from anonset.model.hierarchy import Hierarchy
from anonset.model.labels import Labels, PublishedColumn, Ranges
from anonset.model.release import Release
from anonset.model.serialization import to_builtins
from anonset.releases.margins import with_margins
from oracles import usefulness as oracle
from oracles.estimators import share
from oracles.measures import published_sets
from release_makers import any_release
from strategies import item_datasets, rt_datasets


@given(st.data())
def test_exact_and_lost_items_agree_with_the_oracle(source):
    data = source.draw(item_datasets(sensitive=True))
    release = source.draw(any_release(data))

    sizes = oracle.label_sizes(data, release)

    n = max(1, len(sizes))
    assert exact_items(data, release) == (pytest.approx(sizes.count(1) / n) if sizes else 1.0)
    assert lost_items(data, release) == pytest.approx(sizes.count(None) / n)


@given(st.data())
def test_half_of_what_is_neither_exact_nor_lost_is_shown_as_one_of_so_many_or_fewer(source):
    data = source.draw(item_datasets(sensitive=True))
    release = source.draw(any_release(data))

    several = sorted(size for size in oracle.label_sizes(data, release) if size is not None and size > 1)

    found = middle_size(times_by_size(data, release, label_counts(data, release)))
    assert found == (several[(len(several) - 1) // 2] if several else None)


@given(rt_datasets())
def test_published_as_is_everything_is_kept(data):
    found = measure(
        data, make("identity", {"k": 1}).anonymize(data), ["exact-items", "lost-items", "exact-values", "lost-values"]
    )

    assert found == {"exact-items": 1.0, "lost-items": 0.0, "exact-values": 1.0, "lost-values": 0.0}


def chapters():
    tree = Hierarchy(("a1", "a2", "b1", "b2", "A", "B", "ALL"), np.array([4, 4, 5, 5, 6, 6, -1], np.int32))
    records = [["a1", "b1"], ["a1"], ["a2", "b2"], ["b1"]]
    return Dataset(transactions=Transactions.from_records(records, domain=tree.leaves)).with_item_hierarchy(tree)


def test_occurrences_are_counted_by_the_level_they_are_shown_at():
    data = chapters()
    labels = Labels.from_groups([[0], [0, 1], [0, 1, 2, 3], [1, 2]], ["a1", "A", "ALL", "odd"])
    shown = Transactions.from_records([["a1", "ALL"], ["A"], ["odd", "ALL"], []], domain=labels.texts)
    items = items_in_groups(data, np.array([0, 1, 2, 3], np.int32), list("wxyz"))
    items = type(items)(shown.offsets, shown.items, labels, items.domain, np.zeros(0, np.int32))
    release = Release((), items, (KmAnonymity(1, 1),), provenance(Identity(k=1)), np.arange(4))

    assert levels_up(data, release).tolist() == [0, -1, 1, -2, -1, -1]
    found = usefulness(data, release)
    assert (found.levels, found.elsewhere, found.lost) == ((1 / 6, 1 / 6), 1 / 6, 0.5)


def test_values_shown_as_anything_are_lost():
    town = Column("town", "quasi", "categorical", np.array([0, 1, 0], np.int32), ("oslo", "rome"))
    age = Column("age", "quasi", "numeric", np.array([0, 1, 2], np.int32), ("1", "2", "9"), np.array([1.0, 2.0, 9.0]))
    columns = (
        PublishedColumn("town", "quasi", np.array([0, 0], np.int32), Labels.from_groups([[0, 1]], ["*"])),
        PublishedColumn(
            "age", "quasi", np.array([0, 1], np.int32), Ranges(np.array([1.0, 2.0]), np.array([1.0, 9.0]), ("1", "2-9"))
        ),
    )
    release = Release(columns, None, (), provenance(Identity(k=1)), np.array([0, 1]))

    found = usefulness(Dataset((town, age)), release)

    assert found.columns == {"town": (0.0, 1.0), "age": (pytest.approx(1 / 3), pytest.approx(1 / 3))}
    assert "1 of 3 records are left out." in found.sentences


@given(item_datasets(min_records=2), st.sampled_from([0.2, 0.5]), st.sampled_from([0.3, 0.8]))
def test_rules_of_exact_records_agree_with_the_oracle(data, support, confidence):
    release = make("identity", {"k": 1}).anonymize(data)
    records, least = list(data.transactions.records()), max(1.0, support * len(data))
    every = [c for size in (1, 2, 3) for c in combinations(data.transactions.domain, size)]

    found = mined(data, release, support=support, confidence=confidence)

    expected = oracle.rules(records, least, confidence, every)
    assert found.rules == oracle.survival(expected, expected)
    assert found.itemsets.recall == found.itemsets.precision == 1.0


def test_rules_that_a_release_invents_or_loses_are_counted():
    data = Dataset(transactions=Transactions.from_records(["ac", "ac", "ac", "b", "b", "d"]))
    release = Release(
        (),
        items_in_groups(data, np.array([0, 0, 1, 2], np.int32), ["(a,b)", "c", "d"]),
        (),
        provenance(Identity(k=1)),
        np.arange(6),
    )

    found = mined(data, release, support=1 / 6, confidence=0.55, estimator="uniform")

    # expected: a and b in 2.5 records each, either with c in 1.5: a -> c and b -> c instead of a -> c and c -> a
    assert found.rules == (0.5, 0.5, 2, 2)


@given(item_datasets(min_records=2))
def test_counts_of_exact_records_are_right_at_every_size(data):
    sized = errors_by_size(data, make("identity", {"k": 1}).anonymize(data), pairs=20)

    assert all(row.error == row.median == 0.0 for row in sized)
    assert sum(row.counts for row in sized) >= (data.transactions.supports > 0).sum()


@given(st.data())
def test_spread_items_agree_with_the_oracle(source):
    data = source.draw(item_datasets())
    release = source.draw(any_release(data))

    spread = published_item_sets(data, release).toarray()

    domain = data.transactions.domain
    for r, record in enumerate(published_sets(release)):
        says = [group for group in record if len(group) == 1 or len(group) < len(domain)]
        for i, name in enumerate(domain):
            assert spread[r, i] == pytest.approx(share(says, name, 1.0))


def test_generalized_values_are_spread_over_what_they_stand_for():
    age = Column("age", "quasi", "numeric", np.array([0], np.int32), ("1", "2", "5", "9"), np.array([1.0, 2.0, 5.0, 9.0]))
    ranges = Ranges(np.array([1.0, 2.0, 1.0]), np.array([1.0, 6.0, 9.0]), ("1", "2-6", "*"))
    published = PublishedColumn("age", "quasi", np.array([0, 1, 2, -1], np.int32), ranges)

    assert published_column(age, published).toarray().tolist() == [[1, 0, 0, 0], [0, 0.5, 0.5, 0], [0] * 4, [0] * 4]


@given(rt_datasets(min_records=4))
def test_the_model_agrees_with_naive_bayes_written_out(data):
    target, *others = data.columns
    rows = np.flatnonzero(target.codes >= 0)
    assume(len(rows) >= 2)
    features = _features([exact_column(c) for c in others], exact_item_sets(data))

    chosen = choose(train_model(exact_column(target), features, rows), features, rows)

    records = list(data.transactions.records())
    plain = [([None if c.codes[r] < 0 else int(c.codes[r]) for c in others], records[r]) for r in rows]
    known = target.codes[rows].tolist()
    domains = [c.domain for c in others]
    for r, value in enumerate(chosen.tolist()):
        expected = oracle.naive_bayes(plain, known, plain[r], range(len(target.domain)), domains, data.transactions.domain)
        assert value == expected


def patients(n=400):
    rng = np.random.default_rng(0)
    town, ill = rng.integers(0, 3, n), rng.random(n) < 0.4
    records = [({"cough", "fever"} if i else set()) | set(rng.choice(list("pqrs"), 2, replace=False)) for i in ill]
    columns = (
        Column("town", "quasi", "categorical", town.astype(np.int32), ("x", "y", "z")),
        Column("ill", "sensitive", "categorical", ill.astype(np.int32), ("no", "yes")),
    )
    return Dataset(columns, Transactions.from_records(records))


def test_a_release_that_keeps_the_symptoms_predicts_and_one_that_hides_them_does_not():
    data = patients()
    exact = make("identity", {"k": 1}).anonymize(data)
    d = len(data.transactions.domain)
    hidden = Release(
        exact.columns, items_in_groups(data, np.zeros(d, np.int32), ["*"]), (), provenance(Identity(k=1)), exact.rows
    )

    kept, lost = usefulness(data, exact).prediction, predict(data, hidden, "ill")

    assert kept.trained_on_release == kept.trained_on_original == kept.kept == 1.0
    assert lost.trained_on_original == 1.0
    assert lost.trained_on_release < 0.75
    assert lost.commonest == kept.commonest < 0.75


def test_columns_that_cannot_be_predicted_say_why():
    data = patients(8)
    release = make("identity", {"k": 1}).anonymize(data)

    with pytest.raises(InputError, match="no column 'age'"):
        predict(data, release, "age")
    with pytest.raises(InputError, match="too few records"):
        predict(data, release, "ill", test_share=0.0)
    assert usefulness(Dataset(data.columns[:1], data.transactions), release).prediction is None


@pytest.mark.parametrize("name", ["pcta", "nr-k", "mondrian"])
def test_the_result_is_json_and_sentences_for_every_kind_of_release(name):
    data = patients(60)
    if name == "mondrian":
        data = Dataset(data.columns)
    release = make(name, {"k": 3, **({"seed": 1} if name == "nr-k" else {})}).anonymize(data)
    found = usefulness(data, with_margins(data, release) if name == "pcta" else release)

    assert to_builtins(found)["sentences"] == list(found.sentences)
    assert found.sentences[-1].startswith("A simple model trained on the release predicts ill right for")
    assert (found.exact is not None) == (name == "pcta")
    assert found.estimator == ("calibrated" if name == "pcta" else "uniform")
