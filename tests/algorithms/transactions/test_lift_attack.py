"""An attacker who knows that labels go down wherever they can still finds k candidates for up to m known items."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms import make
from anonset.errors import InfeasibleError
from anonset.testing.checks import shown_sets
from strategies import item_datasets


def holders(shown, labels):
    return sum(labels <= record for record in shown)


def would_go_down(shown, record, label, item, k, m):
    """Whether a record with the item behind a label could show the item itself: all sets with it are in k records."""
    exact, others = frozenset([item]), record - {label}
    sets = (frozenset(rest) for size in range(m) for rest in combinations(others, size))
    return all(holders(shown, rest | {exact}) >= k for rest in sets)


def is_candidate(shown, record, known, k, m):
    return all(
        any(item in label and (len(label) == 1 or not would_go_down(shown, record, label, item, k, m)) for label in record)
        for item in known
    )


@given(data=item_datasets(min_records=4, max_records=14, max_items=6), k=st.integers(2, 3), m=st.integers(1, 2))
def test_k_records_stay_candidates_for_whoever_knows_the_algorithm(data, k, m):
    try:
        shown = shown_sets(make("lift", {"k": k, "m": m}).anonymize(data).items)
    except InfeasibleError:
        return

    for row in data.transactions.records():
        for known in (c for size in range(1, m + 1) for c in combinations(sorted(row), size)):
            assert sum(is_candidate(shown, record, known, k, m) for record in shown) >= k
