"""The cheapest way along places, against looking at every step."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.transactions.lra import all_cuts, cheapest_cuts


@st.composite
def prices(draw):
    """The number of the last place, and what each step costs; many cost the same, some cannot be taken."""
    end = draw(st.integers(1, 7))
    some = st.sampled_from([0.0, 1.0, 2.0, 3.0, 5.0, 8.0, np.inf])
    return end, {(first, last): draw(some) for last in range(1, end + 1) for first in range(last)}


def asked(found):
    """A price that stops where it reaches its limit, and what was asked for."""
    calls = []

    def price(first, last, most):
        calls.append((first, last))
        return found[first, last] if found[first, last] < most else np.inf

    return price, calls


def one_after_the_other(end, found):
    """What the cheapest way of two steps or more costs, and its places."""
    ways = [(0.0, [0])] + [(np.inf, [])] * end
    for first in range(end):
        for last in range(first + 1, end + 1):
            loss = ways[first][0] + found[first, last]
            if loss < ways[last][0] and last - first < end:
                ways[last] = loss, [*ways[first][1], last]
    return ways[end]


@given(case=prices(), known=st.sampled_from([0.0, 1.0, 4.0, 9.0, np.inf]))
def test_the_way_is_the_one_that_a_look_at_every_step_finds(case, known):
    end, found = case
    price, calls = asked(found)

    loss, places = cheapest_cuts(end, price, known)

    wanted, way = one_after_the_other(end, found)
    assert len(calls) == len(set(calls))
    if wanted < known:
        assert (loss, places) == (wanted, way)
    else:
        assert loss >= known


def test_steps_that_cannot_be_part_of_a_cheaper_way_are_not_asked_for():
    price, calls = asked({(first, last): 10.0 for last in range(1, 9) for first in range(last)})

    loss, _ = cheapest_cuts(8, price, 10.0)

    assert loss == np.inf
    assert len(calls) == 8  # from the start to the middle and from there to the end, of which none is cheaper


@given(case=prices(), known=st.sampled_from([1.0, 9.0, np.inf]))
def test_every_step_costs_what_its_steps_cost(case, known):
    end, found = case
    heard = []

    loss, places = all_cuts(end, asked(found)[0], known, heard.append)

    total = sum(found[first, first + 1] for first in range(end))
    assert (loss, places) == ((total, [*range(end + 1)]) if total < known else (np.inf, []))
    assert heard == sorted(heard)
