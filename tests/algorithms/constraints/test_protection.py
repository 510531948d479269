"""What cannot be met is told early, with the constraint, the utility constraints and the way out."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from anonset.algorithms.constraints.pcta import Coat, Pcta, Upcta
from anonset.errors import InfeasibleError, InputError, ParameterError
from anonset.model.dataset import Dataset, Transactions
from anonset.model.policy import AllItemsets, Itemsets, UtilityPolicy, WholeTransactions
from anonset.verify import verify
from strategies import transactions

DATA = Dataset(transactions=Transactions.from_records(["abcdef", "abeg", "ae", "bfg", "ab", "cf"]))
GROUPS = (("a",), ("b", "c"), ("d", "e", "f"), ("g",))


def never(done):
    raise AssertionError("the run had begun")


@pytest.mark.parametrize("kind", [Upcta, Coat])
def test_a_constraint_that_no_generalization_meets_is_named_before_the_run(kind):
    algorithm = kind(k=3, privacy=Itemsets((("g",),)), utility=UtilityPolicy(GROUPS))

    with pytest.raises(InfeasibleError) as error:
        algorithm.anonymize(DATA, progress=never)

    assert str(error.value) == (
        "the privacy constraint (g) reaches 2 of the k=3 required records with its items generalized as far as the utility "
        "constraints (g) allow; allow suppression of at least 1 of 7 items (0.1429; 0 is set), or let the items of (g) and "
        "(a) be generalized together"
    )


def test_the_suggested_suppression_and_the_suggested_groups_help():
    privacy = Itemsets((("g",),))

    by_suppression = Upcta(k=3, privacy=privacy, utility=UtilityPolicy(GROUPS, 0.1429)).anonymize(DATA)
    joined = UtilityPolicy((("a", "g"), ("b", "c"), ("d", "e", "f")))
    by_joining = Upcta(k=3, privacy=privacy, utility=joined).anonymize(DATA)

    verify(DATA, by_suppression).require()
    verify(DATA, by_joining).require()
    assert len(by_joining.items.suppressed) == 0


def test_the_suggested_share_is_rounded_up():
    data = Dataset(transactions=Transactions.from_records(["abcdefg"] * 3 + ["h", "i"]))
    groups = (("a", "b", "c", "d", "e", "f", "g"), ("h",), ("i",))

    with pytest.raises(InfeasibleError, match=r"at least 2 of 9 items \(0\.2223; 0 is set\)"):
        Upcta(k=3, utility=UtilityPolicy(groups)).anonymize(data)

    assert len(Upcta(k=3, utility=UtilityPolicy(groups, 0.2223)).anonymize(data).items.suppressed) == 2


def test_too_many_items_in_rare_utility_constraints():
    records = ["ab", "ab", "ab", "c", "d", "ef"]
    utility = UtilityPolicy((("a", "b"), ("c",), ("d",), ("e", "f")), 0.5)

    with pytest.raises(InfeasibleError, match=r"at least 4 of 6 items \(0\.6667; 0\.5 is set\)"):
        Upcta(k=3, utility=utility).anonymize(Dataset(transactions=Transactions.from_records(records)), progress=never)


def test_a_run_that_suppresses_too_much_says_what_it_was_about():
    records = ["ab", "cd", "ef", "a", "a", "b", "b", "c", "c", "d", "d", "e", "e", "f", "f"]
    singles = UtilityPolicy(tuple((name,) for name in "abcdef"), 0.2)

    with pytest.raises(InfeasibleError, match=r"privacy constraint \(c, d\) reaches 1 of the k=3 .* at least 2 of 6 items"):
        Upcta(k=3, utility=singles, privacy=AllItemsets(2)).anonymize(Dataset(transactions=Transactions.from_records(records)))


@pytest.mark.parametrize("privacy", [AllItemsets(2), WholeTransactions()])
def test_fewer_than_k_records_with_items(privacy):
    data = Dataset(transactions=Transactions.from_records(["ab", "a", "", "", ""]))

    with pytest.raises(InfeasibleError, match="only 2 records hold linkable items; lower k"):
        Pcta(k=3, privacy=privacy).anonymize(data, progress=never)


def test_a_constraint_that_occurs_nowhere_needs_nothing():
    data = Dataset(transactions=Transactions.from_records(["a", "b", "", "", ""]))

    release = Pcta(k=3, privacy=Itemsets((("a", "b"),))).anonymize(data)

    assert release.items.labels.texts == ("a", "b")


@given(transactions(min_records=2), st.integers(2, 4), st.data())
def test_refused_before_the_run_means_impossible(t, k, draw):
    """With no suppression a refusal is final: even each utility constraint as one item leaves a constraint open."""
    assume(k <= len(t))
    data = Dataset(transactions=t)
    group = draw.draw(st.lists(st.integers(0, 2), min_size=len(t.domain), max_size=len(t.domain)))
    groups = [tuple(n for n, g in zip(t.domain, group, strict=True) if g == u) for u in range(3)]
    utility = UtilityPolicy(tuple(g for g in groups if g))
    coarse = [frozenset(u for n, u in zip(t.domain, group, strict=True) if n in record) for record in t.records()]
    pairs = [frozenset(p) for p in ([0], [1], [2], [0, 1], [0, 2], [1, 2])]
    possible = all(sum(p <= record for record in coarse) not in range(1, k) for p in pairs)
    try:
        release = Upcta(k=k, utility=utility).anonymize(data)
    except InfeasibleError:
        assert not possible
    else:
        assert possible
        verify(data, release).require()


def test_a_name_instead_of_a_policy_is_refused():
    with pytest.raises(ParameterError, match="privacy must be a policy"):
        Pcta(k=2, privacy="all")
    with pytest.raises(ParameterError, match="utility must be a policy"):
        Upcta(k=2, utility=AllItemsets(2))


def test_unknown_sensitive_and_uncovered_items_are_input_errors():
    flags = np.array([name == "g" for name in DATA.transactions.domain])
    sensitive = Dataset(transactions=DATA.transactions, sensitive_items=flags)

    with pytest.raises(InputError, match=r"name 'x', 'y', not in the data.*Itemsets\.among"):
        Pcta(k=2, privacy=Itemsets((("x", "a"), ("y",)))).anonymize(DATA)
    with pytest.raises(InputError, match="'g', sensitive and so not linkable"):
        Pcta(k=2, privacy=Itemsets((("g", "a"),))).anonymize(sensitive)
    with pytest.raises(InputError, match=r"5 items are in no utility constraint, e\.g\. 'c'.*completed"):
        Upcta(k=2, utility=UtilityPolicy((("a", "b"),))).anonymize(DATA)


def test_sensitive_items_are_published_as_they_are_and_protect_nobody():
    flags = np.array([name in "dg" for name in DATA.transactions.domain])
    data = Dataset(transactions=DATA.transactions, sensitive_items=flags)

    release = Pcta(k=3).anonymize(data)

    assert {"d", "g"} <= set(release.items.labels.texts)
    assert all(not {"d", "g"} & set(row["members"]) for row in release.trace)
    verify(data, release).require()
