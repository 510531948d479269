"""A release says why each item was generalized or suppressed."""

import json

from hypothesis import assume, given
from hypothesis import strategies as st

from anonset.algorithms.constraints.pcta import Coat, Pcta, Upcta
from anonset.algorithms.explanation import explain_items
from anonset.errors import InfeasibleError
from anonset.model.dataset import Dataset, Transactions
from anonset.model.policy import Itemsets, UtilityPolicy
from strategies import transactions

DATA = Dataset(transactions=Transactions.from_records(["abcdef", "abeg", "ae", "bfg", "ab", "cf"]))
UTILITY = UtilityPolicy((("a",), ("b", "c"), ("d", "e", "f"), ("g",)), 0.15)


def test_members_support_and_constraint_of_each_generalized_and_suppressed_item():
    release = Upcta(k=3, privacy=Itemsets((("b", "e", "f"), ("g",))), utility=UTILITY).anonymize(DATA)

    because = [{"constraint": ["b", "e", "f"], "support": 1}]
    assert release.trace == (
        {"action": "generalized", "item": "(b,c)", "members": ["b", "c"], "support": 5, "k": 3, "because": because},
        {"action": "generalized", "item": "(d,e,f)", "members": ["d", "e", "f"], "support": 5, "k": 3, "because": because},
        {
            "action": "suppressed",
            "item": "g",
            "members": ["g"],
            "support": 0,
            "k": 3,
            "because": [{"constraint": ["g"], "support": 2}],
        },
    )
    assert explain_items(release.items.labels.texts, release.trace) == (
        "1 items are published as they are, 5 as 2 generalized items, 1 are suppressed.",
        "(b,c) stands for 2 items and is in 5 records: b and e and f had support 1, 3 are asked for.",
        "(d,e,f) stands for 3 items and is in 5 records: b and e and f had support 1, 3 are asked for.",
        "g is suppressed: g had support 2, 3 are asked for.",
    )


@given(transactions(min_records=3), st.integers(2, 4), st.booleans(), st.sampled_from([Pcta, Coat]))
def test_every_generalized_item_has_a_reason_and_its_true_support(t, k, refine, kind):
    assume(k <= len(t))
    try:
        release = kind(k=k, refine=refine).anonymize(Dataset(transactions=t))
    except InfeasibleError:
        return
    items = release.items
    supports = {text: int((items.shown == a).sum()) for a, text in enumerate(items.labels.texts)}
    large = {text for text, size in zip(items.labels.texts, items.labels.sizes, strict=True) if size > 1}

    assert json.loads(json.dumps(release.trace)) == list(release.trace)
    assert {row["item"] for row in release.trace} == large
    assert all(row["support"] == supports[row["item"]] for row in release.trace)
    assert all(row["because"] and all(0 < reason["support"] < k for reason in row["because"]) for row in release.trace)
    assert len(explain_items(items.labels.texts, release.trace)) == 1 + len(large)
