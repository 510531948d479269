"""Published records that an original one matches, against looking at every pair."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.kernels.uncertain_sets import merged_items
from anonset.measure._kernels.matches import matching_records
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
    shown = merged_items(flat(base), flat(distance))
    held = holders([base[p] | distance[p] for p in range(m)], d)
    sizes = np.append(np.diff(held[0]), m)
    rarest = [min(items, key=lambda i: sizes[i], default=d) for items in true]
    some = sorted(draw.draw(st.tuples(st.integers(0, d + 1), st.integers(0, d + 1))))

    about = (shown, np.array(threshold, np.int32), held, holders([{i} for i in rarest], d + 1))
    found = matching_records(flat(true), *about, codes, labels, covers, tuple(some))

    def matches(r, p):
        different = true[r] ^ base[p]
        covered = all(covers[c, labels[p, c], codes[r, c]] for c in range(2))
        return covered and different <= distance[p] and len(different) <= threshold[p]

    counts = [sum(matches(r, p) for p in range(m)) for r in range(len(true))]
    assert found.tolist() == [n if i in range(*some) else 0 for n, i in zip(counts, rarest, strict=True)]
