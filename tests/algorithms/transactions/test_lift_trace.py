"""Why items were lifted: reasons by item, in words, and never too many."""

import numpy as np
from hypothesis import given

from anonset.algorithms import make
from anonset.algorithms.explanation import explain
from anonset.algorithms.transactions._kernels.occurrences import rarest_partners
from anonset.algorithms.transactions.lift_trace import ITEMS
from anonset.model.dataset import Dataset, Transactions
from anonset.model.hierarchy import Hierarchy
from strategies import transactions

TREE = Hierarchy(("a", "b", "c", "d", "a-b", "c-d", "*"), np.array([4, 4, 5, 5, 6, 6, -1], np.int32))


def test_a_sentence_names_the_item_that_made_a_pair_rare():
    records = ["ac", "ac", "bc", "bc", "ad", "bd", "d", "d"]
    data = Dataset(transactions=Transactions.from_records(records, TREE.leaves)).with_item_hierarchy(TREE)

    release = make("lift", {"k": 2}).anonymize(data)
    lines = explain(release.items.labels.named(release.items.domain), release.trace)

    assert lines[0].startswith("85.7% of 14 item occurrences are published as they are; 2, of 2 items, are not")
    assert lines[1] == "a is lifted in 1 of 3 records, to a-b (1): 1 records have it with d."


def test_an_item_that_is_rare_by_itself_is_said_to_be():
    data = Dataset(transactions=Transactions.from_records(["a", "b", "cd", "cd"], TREE.leaves)).with_item_hierarchy(TREE)

    release = make("lift", {"k": 2}).anonymize(data)

    assert explain({}, release.trace)[1] == "a is lifted in 1 of 1 records, to a-b (1): only 1 records have it."


def test_a_trace_stays_short():
    names = [f"i{n}" for n in range(3 * ITEMS)]
    data = Dataset(transactions=Transactions.from_records([[name] for name in names], names))

    assert len(make("lift", {"k": 2}).anonymize(data).trace) == ITEMS + 1


@given(transactions())
def test_partners_are_those_that_the_fewest_records_hold_beside_an_item(t):
    wanted = np.arange(len(t.items)) % 3 > 0

    partner, support = rarest_partners(t.offsets, t.items, wanted, np.ones(len(t.domain), np.bool_))

    rows = [set(t.items[t.offsets[r] : t.offsets[r + 1]].tolist()) for r in range(len(t))]
    owner = np.repeat(np.arange(len(t)), t.lengths)
    for p, item in enumerate(t.items.tolist()):
        others = {j: sum({item, j} <= row for row in rows) for j in rows[owner[p]] - {item}}
        if not wanted[p]:
            assert (partner[p], support[p]) == (-1, 0)
        elif others:
            assert support[p] == min(others.values()) == others[int(partner[p])]
        else:
            assert (partner[p], support[p]) == (-1, sum(item in row for row in rows))
