"""Published records that an original one matches, against looking at every pair."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.measure.kernels.matches import matching_records, signatures
from flat_sets import flat, holders


@given(st.integers(1, 6) | st.just(70), st.data())
def test_matching_records_agree_with_looking_at_every_pair(d, draw):
    sets = st.sets(st.integers(0, d - 1))
    true, base = draw.draw(st.lists(sets, max_size=6)), draw.draw(st.lists(sets, max_size=6))
    m = len(base)
    distance = [draw.draw(sets) for _ in base]
    threshold = [draw.draw(st.integers(0, d)) for _ in base]
    codes = np.array([[draw.draw(st.integers(0, 2)) for _ in range(2)] for _ in true], np.int32).reshape(-1, 2)
    labels = np.array([[draw.draw(st.integers(0, 1)) for _ in range(2)] for _ in base], np.int32).reshape(-1, 2)
    covers = np.array(draw.draw(st.lists(st.booleans(), min_size=12, max_size=12)), np.bool_).reshape(2, 2, 3)
    shown = [base[p] | distance[p] for p in range(m)]

    about = (flat(base), flat(distance), np.array(threshold, np.int32), signatures(flat(base), flat(distance)))
    rows = sorted(draw.draw(st.tuples(st.integers(0, len(true)), st.integers(0, len(true)))))

    found = matching_records(flat(true), *about, holders(shown, d), codes, labels, covers, tuple(rows))

    def matches(r, p):
        different = true[r] ^ base[p]
        covered = all(covers[c, labels[p, c], codes[r, c]] for c in range(2))
        return covered and different <= distance[p] and len(different) <= threshold[p]

    assert found.tolist() == [sum(matches(r, p) for p in range(m)) for r in range(*rows)]
