"""The smallest support within groups, against listing every set."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.measure.kernels.rarity import containing_records, smallest_support, smallest_supports
from oracles import measures as oracle
from strategies import transactions


@given(transactions(max_records=14), st.integers(1, 4), st.data())
def test_the_smallest_support_and_its_group_agree_with_the_oracle(t, m, draw):
    records = list(t.records())
    inner = draw.draw(st.lists(st.integers(0, len(t)), max_size=3))
    bounds = [0, *sorted(inner), len(t)]
    groups = [records[a:b] for a, b in pairwise(bounds)]
    supports = [oracle.smallest_support(group, m) for group in groups]
    least = min((n for n in supports if n), default=0)

    found = smallest_support(t.offsets, t.items, np.array(bounds), m, len(t.domain))

    assert found == (least, supports.index(least) if least else -1)


@given(transactions(max_records=14), st.integers(0, 4), st.data())
def test_supports_and_containment_of_every_record_agree_with_the_oracle(t, m, draw):
    records = list(t.records())
    bounds = [0, *sorted(draw.draw(st.lists(st.integers(0, len(t)), max_size=3))), len(t)]
    groups = [records[a:b] for a, b in pairwise(bounds)]

    supports = smallest_supports(t.offsets, t.items, np.array(bounds), m, len(t.domain))
    containing = containing_records(t.offsets, t.items, np.array(bounds), len(t.domain))

    assert supports.tolist() == [oracle.support_of_known(record, group, m) for group in groups for record in group]
    assert containing.tolist() == [sum(record <= other for other in group) for group in groups for record in group]
