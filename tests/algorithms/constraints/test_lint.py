"""Policies are linted before a run."""

import numpy as np

from anonset.algorithms.constraints.lint import PolicyRemark, lint, lint_request
from anonset.algorithms.constraints.pcta import Pcta, Upcta
from anonset.algorithms.identity import Identity
from anonset.model.dataset import Dataset, Transactions
from anonset.model.policy import AllItemsets, Itemsets, UtilityPolicy, WholeTransactions

DATA = Dataset(transactions=Transactions.from_records(["abcdef", "abeg", "ae", "bfg", "ab", "cf"]))
GROUPS = (("a",), ("b", "c"), ("d", "e", "f"), ("g",))


def test_unknown_items_of_privacy_constraints_are_an_error():
    (remark,) = lint(DATA, Itemsets((("a", "x"),)), None, 2)

    assert remark.level == "error"
    assert "'x', not in the data" in remark.text


def test_sensitive_items_of_privacy_constraints_are_an_error():
    flags = np.array([name == "g" for name in DATA.transactions.domain])

    (remark,) = lint(Dataset(transactions=DATA.transactions, sensitive_items=flags), Itemsets((("g",),)), None, 2)

    assert (remark.level, "sensitive" in remark.text) == ("error", True)


def test_items_without_a_utility_constraint_are_an_error_and_unknown_ones_a_warning():
    remarks = lint(DATA, AllItemsets(1), UtilityPolicy((("a", "z"), ("b",))), 2)

    assert [remark.level for remark in remarks] == ["warning", "error"]
    assert "'z'" in remarks[0].text
    assert remarks[1].text.startswith("5 items are in no utility constraint, e.g. 'c'")


def test_a_constraint_that_cannot_be_met_is_an_error_or_a_warning_where_suppression_is_allowed():
    privacy = Itemsets((("g",), ("b", "e", "f")))

    strict = lint(DATA, privacy, UtilityPolicy(GROUPS), 3)
    lenient = lint(DATA, privacy, UtilityPolicy(GROUPS, 0.15), 3)

    assert [remark.level for remark in strict] == ["infeasible", "note"]
    assert [remark.level for remark in lenient] == ["warning", "note"]
    assert strict[0].text.startswith("the privacy constraint (g) reaches 2 of the k=3 required records")


def test_how_many_constraints_are_open_and_their_supports():
    privacy = Itemsets((("g",), ("b", "e", "f"), ("a",), ("d", "g")))

    assert lint(DATA, privacy, None, 3) == (
        PolicyRemark("note", "2 of 4 privacy constraints are open for k=3: 1 with support 1, 1 with support 2"),
    )
    assert lint(DATA, AllItemsets(3), None, 2) == (
        PolicyRemark("note", "14 sets of at most 2 items are open for k=2: 14 with support 1"),
    )
    assert lint(DATA, WholeTransactions(), None, 1) == (
        PolicyRemark("note", "nothing is open for k=1: the data satisfy the privacy policy as they are"),
    )


def test_more_than_there_are_is_an_error():
    assert lint(DATA, AllItemsets(1), None, 7)[0] == PolicyRemark("infeasible", "k=7 exceeds the 6 records of the dataset")


def test_larger_sets_than_those_counted_are_not_said_to_be_protected():
    data = Dataset(transactions=Transactions.from_records(["abc", "ab", "ac", "bc"]))

    assert lint(data, AllItemsets(2), None, 2)[-1].text.startswith("nothing is open for k=2")
    assert lint(data, AllItemsets(3), None, 2)[-1].text == (
        "no set of at most 2 items is open for k=2; larger ones were not counted"
    )


def test_the_policies_of_an_algorithm_are_linted_where_it_follows_any():
    assert lint_request(Pcta(3, 2), DATA) == lint(DATA, AllItemsets(2), None, 3)
    assert lint_request(Upcta(3, utility=UtilityPolicy(GROUPS)), DATA) == lint(DATA, AllItemsets(2), UtilityPolicy(GROUPS), 3)
    assert lint_request(Identity(2), DATA) == ()
