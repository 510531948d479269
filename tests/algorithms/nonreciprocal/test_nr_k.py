import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.nonreciprocal.conditions import assert_nonreciprocal, held
from anonset.algorithms import make
from anonset.algorithms.nonreciprocal.nr_k import NrKWalks
from anonset.errors import InfeasibleError
from anonset.model.dataset import Column, Dataset, Transactions
from anonset.model.guarantees import NrK
from anonset_papers.algorithms.gray_ring import GrayRing
from strategies import item_datasets, rt_datasets


@pytest.mark.parametrize("algorithm", ["nr-k", "gray-ring"])
@given(data=item_datasets(hierarchy=False, sensitive=True), k=st.integers(1, 5), seed=st.integers(0, 99))
def test_every_record_has_k_matches_in_disjoint_assignments(algorithm, data, k, seed):
    k = min(k, len(data))

    release = make(algorithm, {"k": k, "seed": seed}).anonymize(data)

    assert release.guarantees == (NrK(k),)
    assert_nonreciprocal(data, release, k)


@pytest.mark.parametrize("walk", ["halving", "closed", "backtracking"])
@given(data=rt_datasets(sensitive=True), k=st.integers(1, 4), rings=st.sampled_from(["one", "many"]))
def test_quasi_columns_cover_every_original_behind_a_record(walk, data, k, rings):
    k = min(k, len(data))

    assert_nonreciprocal(data, NrKWalks(k, rings=rings, walk=walk, seed=3).anonymize(data), k)


@given(data=rt_datasets())
def test_k_of_one_publishes_every_record_as_it_is(data):
    release = NrKWalks(1).anonymize(data)

    assert release.rows.tolist() == list(range(len(data)))
    assert len(release.items.distance) == 0
    assert release.items.base.tolist() == data.transactions.items.tolist()
    for column in release.quasi:
        original = data.column(column.name)
        shown = [column.labels.texts[c] if c >= 0 else None for c in column.codes]
        assert shown == [original.domain[c] if c >= 0 else None for c in original.codes]


def people(n=12):
    records = [{"ab"[r % 2], "cdef"[r % 4]} for r in range(n)]
    job = Column("job", "sensitive", "categorical", np.arange(n, dtype=np.int32), tuple(f"job {r}" for r in range(n)))
    return Dataset((job,), Transactions.from_records(records))


def test_other_columns_and_sensitive_items_go_with_the_drawn_assignment():
    data = people()
    secret = np.array([name == "f" for name in data.transactions.domain])
    data = Dataset(data.columns, data.transactions, None, secret)

    release = NrKWalks(3, seed=4).anonymize(data)

    (job,) = release.columns
    assert [job.labels.texts[c] for c in job.codes] == [f"job {r}" for r in release.rows]
    f = data.transactions.domain.index("f")
    shown = release.items
    assert [f in held(shown.base_offsets, shown.base, p) for p in range(12)] == [r % 4 == 3 for r in release.rows]
    assert f not in shown.distance


def test_a_seed_repeats_the_release_and_the_system_does_not():
    data = people(60)

    assert NrKWalks(4, seed=9).anonymize(data).rows.tolist() == NrKWalks(4, seed=9).anonymize(data).rows.tolist()
    assert NrKWalks(4).anonymize(data).rows.tolist() != NrKWalks(4).anonymize(data).rows.tolist()


def test_more_matches_than_records_is_infeasible():
    with pytest.raises(InfeasibleError, match="k=13 exceeds the 12 records"):
        NrKWalks(13).anonymize(people())


def test_local_search_shortens_the_order_and_says_so(real_data):
    text = gzip.decompress((real_data / "transactions" / "chess.dat.gz").read_bytes()).decode()
    lines = [line.split() for line in text.splitlines()]
    data = Dataset(transactions=Transactions.from_records(lines))

    lengths = NrKWalks(2, seed=1).anonymize(data).trace[0]["length"]

    assert lengths["gray"] == GrayRing(2, seed=1).anonymize(data).trace[0]["length"]["gray"]
    assert lengths["gray-tsp"] < 0.6 * lengths["gray"] < lengths["input"]
