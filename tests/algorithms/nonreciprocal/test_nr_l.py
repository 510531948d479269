import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.nonreciprocal.conditions import assert_nonreciprocal
from anonset.algorithms import make
from anonset.algorithms.nonreciprocal.nr_l import NrLWalks
from anonset.algorithms.nonreciprocal.rings import sensitive_labels, small_rings, spread_rows
from anonset.errors import GuaranteeViolated, InfeasibleError, InputError
from anonset.model.dataset import Column, Dataset, Transactions
from anonset.model.guarantees import NrL
from anonset.verify import verify
from strategies import item_datasets, rt_datasets

BOTH = pytest.mark.parametrize("algorithm", ["nr-l", "cahd"])


def labelled(data, codes):
    job = Column("job", "sensitive", "categorical", np.array(codes, np.int32), tuple("abcdefgh"))
    return Dataset((*data.columns, job), data.transactions, data.item_hierarchy, data.sensitive_items)


@st.composite
def labelled_datasets(draw, datasets):
    data = draw(datasets)
    return labelled(data, draw(st.lists(st.integers(-1, 7), min_size=len(data), max_size=len(data))))


def letters(n):
    """n records of two letters each."""
    return Dataset(transactions=Transactions.from_records([{"abcde"[r % 5], "fgh"[r % 3]} for r in range(n)]))


def largest_l(data):
    return len(data) // int(np.unique(data.column("job").codes, return_counts=True)[1].max())


@BOTH
@given(labelled_datasets(item_datasets(hierarchy=False, sensitive=True, max_records=24)), st.integers(0, 99))
def test_the_l_matches_of_every_record_carry_l_labels(algorithm, data, seed):
    l = largest_l(data)  # noqa: E741

    release = make(algorithm, {"l": l, "seed": seed}).anonymize(data)

    (job,) = release.columns
    assert release.guarantees == (NrL(l, "job"),)
    assert_nonreciprocal(data, release, l)
    assert all(len({job.codes[p] for p in release.assignments[:, r]}) == l for r in range(len(data)))


@BOTH
@given(labelled_datasets(rt_datasets(max_records=10)))
def test_quasi_columns_are_covered_too(algorithm, data):
    l = min(2, largest_l(data))  # noqa: E741

    assert_nonreciprocal(data, make(algorithm, {"l": l, "seed": 1}).anonymize(data), l)


@BOTH
def test_a_label_in_more_than_one_in_l_records_is_infeasible(algorithm):
    data = labelled(letters(6), [0, 0, 0, 1, 2, 3])

    with pytest.raises(InfeasibleError, match="'job' is in 3 of 6 records, more than 1/3; l can be at most 2"):
        make(algorithm, {"l": 3}).anonymize(data)


@BOTH
def test_one_sensitive_column_is_needed(algorithm):
    data = letters(2)

    with pytest.raises(InputError, match="exactly one sensitive column; there are 0: none"):
        make(algorithm, {"l": 2}).anonymize(data)


def test_records_left_over_join_a_ring_without_their_label():
    data = labelled(letters(7), range(7))
    labels = sensitive_labels(data)
    rows = spread_rows(np.arange(7), labels, 4)

    rings = small_rings(data.linkable, rows, labels, 4, 2, lambda share: None)

    assert rings.starts.tolist() == [0, 7]  # 7 is no sum of runs of 4 to 6
    assert sorted(rings.rows) == list(range(7))


def test_a_seed_repeats_the_release():
    data = labelled(letters(8), range(8))

    first, again = NrLWalks(4, seed=3).anonymize(data), NrLWalks(4, seed=3).anonymize(data)

    assert first.rows.tolist() == again.rows.tolist()
    assert first.assignments.tolist() == again.assignments.tolist()


def test_two_records_left_over_do_not_join_each_other():
    codes = [0, 0, 0, 0, 1, 1, 1, 4, 4, 4, 2, 1, 4, 2]
    data = labelled(Dataset(transactions=Transactions.from_records([""] * 14, "a")), codes)

    assert_nonreciprocal(data, NrLWalks(3, seed=1).anonymize(data), 3)


def test_the_papers_greedy_graph_is_refused_where_labels_repeat():
    """Its matches have different labels of their own; the labels they carry after an assignment is drawn may be the same."""
    rng = np.random.default_rng(3)
    records = [{c for c in "abcdefgh" if rng.random() < 0.5} for _ in range(60)]
    data = labelled(Dataset(transactions=Transactions.from_records(records)), rng.integers(0, 8, 60))

    verdicts = [verify(data, make("nr-l", {"l": 4, "graph": "greedy", "seed": seed}).anonymize(data)) for seed in range(3)]

    assert not any(verdict.holds for verdict in verdicts)
    with pytest.raises(GuaranteeViolated):
        verdicts[0].require()
    verify(data, make("nr-l", {"l": 4, "seed": 0}).anonymize(data)).require()


def test_greedy_walks_that_find_no_assignment_are_infeasible():
    data = labelled(Dataset(transactions=Transactions.from_records(["a", "ab", "b", "c"])), [0, 0, 1, 1])

    with pytest.raises(InfeasibleError, match="l can be at most 2"):
        make("nr-l", {"l": 3, "graph": "greedy", "seed": 0}).anonymize(data)
