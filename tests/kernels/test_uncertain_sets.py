from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st

from anonset.kernels.uncertain_sets import merged_items
from flat_sets import flat


@given(st.lists(st.tuples(st.sets(st.integers(0, 5)), st.sets(st.integers(0, 5))), max_size=6))
def test_every_item_that_is_shown_is_marked(records):
    starts, items, marks = merged_items(flat([base for base, _ in records]), flat([distance for _, distance in records]))

    state = {(True, False): 1, (True, True): 2, (False, True): 3}
    expected = [[(i, state[i in base, i in distance]) for i in sorted(base | distance)] for base, distance in records]
    assert starts.tolist() == [0, *accumulate(map(len, expected))]
    assert list(zip(items.tolist(), marks.tolist(), strict=True)) == [entry for record in expected for entry in record]
