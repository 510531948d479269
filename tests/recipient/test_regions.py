from hypothesis import given
from hypothesis import strategies as st

from anonset.recipient.regions import Region

NUMBERS = st.integers(0, 6).map(float)
ENDS = st.one_of(st.none(), NUMBERS)
POINTS = [n / 2 for n in range(-2, 16)]
regions = st.one_of(
    st.lists(NUMBERS, max_size=3).map(Region.of),
    st.builds(Region.between, ENDS, ENDS, low_in=st.booleans(), high_in=st.booleans()),
).flatmap(lambda region: st.sampled_from([region, region.inverted]))


@given(regions, regions)
def test_regions_join_as_sets_of_values_do(a, b):
    for x in POINTS:
        assert (x in (a & b)) == (x in a and x in b)
        assert (x in (a | b)) == (x in a or x in b)
        assert (x in a.inverted) == (x not in a)


@given(regions, NUMBERS, NUMBERS)
def test_the_share_of_a_range_of_whole_numbers_is_that_of_its_numbers(region, a, b):
    low, high = [[min(a, b)], [max(a, b)]]
    numbers = [float(n) for n in range(int(low[0]), int(high[0]) + 1)]

    inside, touched, share = (found[0] for found in _shares(region, low, high))

    assert share == sum(n in region for n in numbers) / len(numbers) or inside
    assert not inside or all(n in region for n in numbers)
    assert touched or not any(n in region for n in numbers)


def _shares(region, low, high):
    import numpy as np

    return region.shares(np.array(low), np.array(high), whole=True)


def test_texts_have_an_order_too():
    dates = Region.between("2024-02", None)

    assert "2024-03-01" in dates
    assert "2023-12-31" not in dates


def test_a_missing_value_is_in_neither_a_region_nor_its_opposite():
    assert not Region.of([1.0]).inverted.missing
    assert (Region(missing=True) | Region.of([1.0])).missing
