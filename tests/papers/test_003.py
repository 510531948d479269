"""[003]: the dataset of figure 1 (printed in [001], figure 1) and the examples 3, 4, 8 and 9 on it."""

import numpy as np
import pytest

from anonset.algorithms.constraints.pcta import Pcta, Upcta
from anonset.algorithms.recoding import group_text, items_in_groups
from anonset.measure.information_loss import ul
from anonset.model.dataset import Dataset, Transactions
from anonset.model.guarantees import Constraints, UtilityConstraints
from anonset.model.policy import Itemsets, UtilityPolicy
from anonset.model.release import Provenance, Release
from anonset.verify import verify

FIGURE_1A = Dataset(transactions=Transactions.from_records(["abcdef", "abeg", "ae", "bfg", "ab", "cf"]))
PAPERS_RESULT = ["ab", "c", "def", "g"]  # figure 1(e)


def published(groups, guarantees=()):
    """The data of figure 1 with the given items published as one."""
    domain = FIGURE_1A.transactions.domain
    group_of = np.array([next(g for g, group in enumerate(groups) if name in group) for name in domain], np.int32)
    items = items_in_groups(FIGURE_1A, group_of, [group_text(group) for group in groups])
    return Release((), items, guarantees, Provenance("paper"), np.arange(6, dtype=np.int64))


def shown(release):
    labels, items = release.items.labels, release.items
    return [{labels.texts[a] for a in items.shown[items.offsets[r] : items.offsets[r + 1]]} for r in range(len(items))]


def test_example_3_utility_loss_of_a_b():
    exact = published("abcdefg")
    merged = published(["ab", *"cdefg"])

    lost = ul(FIGURE_1A, merged) - ul(FIGURE_1A, exact) + 2 * (1 / 127) * (4 / 6)  # (a) and (b) no longer count

    assert lost == pytest.approx(3 / 127 * 5 / 6)


def test_example_4_a_and_d_are_in_five_records_of_figure_1d():
    holding = sum({"(a,b,c)", "(d,e,f,g)"} <= record for record in shown(published(["abc", "defg"])))

    assert holding == 5


EXAMPLE_8 = Itemsets((("a", "b", "e", "f"),))


def test_example_8_the_constraint_holds():
    release = Pcta(k=3, privacy=EXAMPLE_8).anonymize(FIGURE_1A)

    assert release.guarantees == (Constraints(3, EXAMPLE_8.itemsets),)
    verify(FIGURE_1A, release).require()


def test_example_8_split_again_it_costs_no_more_than_the_papers_result():
    """Algorithm 1 alone costs 103/762 here, and with any other way to break its ties more; the paper's result, 54/762,
    does not follow from it. Splitting again where the constraint allows it comes down to 32/762."""
    papers = published(PAPERS_RESULT, (Constraints(3, EXAMPLE_8.itemsets),))
    verify(FIGURE_1A, papers).require()

    plain = Pcta(k=3, privacy=EXAMPLE_8).anonymize(FIGURE_1A)
    refined = Pcta(k=3, privacy=EXAMPLE_8, refine=True).anonymize(FIGURE_1A)

    verify(FIGURE_1A, refined).require()
    losses = [ul(FIGURE_1A, release) * 762 for release in (refined, papers, plain)]
    assert losses == pytest.approx([32, 54, 103])


def test_example_9_g_is_suppressed_and_b_c_and_d_e_f_are_generalized():
    privacy = Itemsets((("b", "e", "f"), ("g",)))
    utility = UtilityPolicy((("a",), ("b", "c"), ("d", "e", "f"), ("g",)), suppression=0.15)

    release = Upcta(k=3, privacy=privacy, utility=utility).anonymize(FIGURE_1A)

    assert shown(release) == [
        {"a", "(b,c)", "(d,e,f)"},
        {"a", "(b,c)", "(d,e,f)"},
        {"a", "(d,e,f)"},
        {"(b,c)", "(d,e,f)"},
        {"a", "(b,c)"},
        {"(b,c)", "(d,e,f)"},
    ]
    assert [release.items.domain[i] for i in release.items.suppressed] == ["g"]
    assert release.guarantees == (Constraints(3, privacy.itemsets), UtilityConstraints(utility.groups, 0.15))
    verify(FIGURE_1A, release).require()
