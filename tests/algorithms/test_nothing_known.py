"""Columns in which every value is missing, numeric or not, are published as they are by every algorithm."""

import numpy as np
import pytest

from anonset.algorithms import ALGORITHMS
from anonset.algorithms.relational.cluster import median_parts
from anonset.algorithms.relational.encoding import encode
from anonset.model.builders import balanced
from anonset.model.dataset import Column, Dataset, Transactions
from anonset.model.parameters import parameters
from anonset.testing.checks import privacy_parameter
from anonset.verify import verify

N = 8
NOTHING = np.full(N, -1, np.int32)
COLUMNS = {
    "numeric": Column("x", "quasi", "numeric", NOTHING, (), np.zeros(0)),
    "categorical": Column("x", "quasi", "categorical", NOTHING, ()),
    "numeric with unused values": Column("x", "quasi", "numeric", NOTHING, ("1", "5"), np.array([1.0, 5.0])),
    "categorical with unused values": Column("x", "quasi", "categorical", NOTHING, ("a", "b")),
}
KNOWN = Column("q", "quasi", "categorical", np.arange(N, dtype=np.int32) % 2, ("a", "b"))
LABEL = Column("s", "sensitive", "categorical", np.arange(N, dtype=np.int32), tuple("stuvwxyz"))


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_column_without_any_value_stays_so(name, kind):
    algorithm = ALGORITHMS[name]
    data = Dataset((COLUMNS[kind], KNOWN, LABEL), Transactions.from_records(["ab", "a"] * (N // 2)))
    data = data.with_item_hierarchy(balanced(("a", "b"), 2))
    values = {p.name: 2 for p in parameters(algorithm) if p.required} | {privacy_parameter(algorithm): 2}

    release = algorithm(**values).anonymize(data)

    verify(data, release).require()
    assert (release.columns[0].codes == -1).all()


@pytest.mark.parametrize("kind", COLUMNS)
def test_many_records_are_cut_into_parts_all_the_same(kind):
    for columns in ((COLUMNS[kind],), (COLUMNS[kind], KNOWN)):
        parts = list(median_parts(encode(Dataset(columns)), limit=3))

        assert sorted(np.concatenate(parts)) == list(range(N))
        assert max(map(len, parts)) <= 3
