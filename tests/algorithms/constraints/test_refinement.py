"""Splitting again keeps every guarantee and never costs more."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from anonset.algorithms.constraints.pcta import Coat, Pcta, Upcta
from anonset.errors import InfeasibleError
from anonset.measure.information_loss import ul_log2
from anonset.model.dataset import Dataset, Transactions
from anonset.model.policy import AllItemsets, Itemsets, UtilityPolicy, WholeTransactions
from anonset.verify import verify
from strategies import transactions

policies = st.sampled_from(
    [AllItemsets(1), AllItemsets(2), AllItemsets(3), WholeTransactions(), Itemsets((("a", "b"), ("c",))), Itemsets((("a",),))]
)


@given(transactions(min_records=3), st.integers(1, 4), policies, st.sampled_from(["current", "static"]), st.booleans())
def test_the_refined_release_holds_and_costs_no_more(t, k, privacy, queue, rarest):
    data = Dataset(transactions=t)
    assume(k <= len(t))
    if isinstance(privacy, Itemsets):
        privacy = privacy.among(t.domain)
    kind = Coat if rarest else Pcta
    try:
        plain = kind(k=k, privacy=privacy, queue=queue).anonymize(data)
    except InfeasibleError:
        return

    refined = kind(k=k, privacy=privacy, queue=queue, refine=True).anonymize(data)

    verify(data, refined).require()
    assert ul_log2(data, refined) <= ul_log2(data, plain) + 1e-9
    assert len(refined.items.labels) >= len(plain.items.labels)


def test_records_that_grow_when_items_leave_are_protected_whatever_the_queue():
    data = Dataset(transactions=Transactions.from_records(["a", "ab", "ab", "b"]))

    release = Pcta(k=3, m=2, queue="static", refine=True).anonymize(data)

    verify(data, release).require()
    assert release.items.labels.texts == ("(a,b)",)


@pytest.mark.parametrize("weights", [{}, {"a": 0.5, "c": 0.1}])
def test_refinement_stays_inside_utility_constraints(weights):
    data = Dataset(transactions=Transactions.from_records(["abcd", "ab", "cd", "ad", "bc", "ac", "bd", "ef"]))
    utility = UtilityPolicy((("a", "b", "e"), ("c", "d", "f")), 0.5, weights)

    release = Upcta(k=3, utility=utility, refine=True).anonymize(data)

    verify(data, release).require()
    assert len(release.guarantees) == 2
