"""[004]: its runs on a few made-up records, and each claim on figures such that it holds, and such that it does not."""

from functools import cache

import numpy as np
import pytest

from anonset.measure.uncertain import draw_queries
from anonset.model.dataset import Dataset
from anonset_papers.claims import answer_of
from anonset_papers.lookalikes import like_chess
from anonset_papers.materials import Materials
from anonset_papers.paper_004 import ALGORITHMS, lost, multiplied, power, with_occupations
from anonset_papers.papers import claims_of

CLAIMS = {claim.id: claim for claim in claims_of(("004",))}
BOARDS = like_chess(120)


def answer(id, *experiments):
    return answer_of(CLAIMS[id].judge(*experiments).checks)


def test_boards_of_the_stand_in_have_one_value_an_attribute():
    assert (BOARDS.lengths == 37).all()
    assert len(BOARDS.domain) == 75
    np.testing.assert_array_equal(BOARDS.items, like_chess(120).items)
    assert len(np.unique(BOARDS.items.reshape(120, 37), axis=0)) > 100


def test_copies_are_changed_a_little_and_the_first_is_not():
    many = multiplied(BOARDS, 3)

    records, own = list(many.records()), list(BOARDS.records())
    assert len(many) == 360
    assert records[:120] == own
    kept = [len(records[120 + r] & own[r]) / 37 for r in range(120)]
    assert 0.9 < np.mean(kept) < 1.0
    assert records[120:240] != records[240:]
    assert many.domain == BOARDS.domain


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_run_gives_the_figures_of_a_verified_release(algorithm):
    data = with_occupations(Dataset(transactions=BOARDS))

    row = lost(data, algorithm, 2, draw_queries(data, 10, present=3, absent=4))

    assert row["outcome"] == "done"
    assert 0 < row["er"] < 0.3
    assert 0 <= row["qe1"] < 1
    assert 0 <= row["qe2"] < 1


def test_what_cannot_be_met_is_an_outcome():
    data = with_occupations(Dataset(transactions=BOARDS))

    assert lost(data, "nr-k", 1_000, ())["outcome"] == "cannot be met"


@cache
def rows_from(run):
    boards = Dataset(transactions=BOARDS)
    return list(run(Materials(quick=True, _loaded={"CHESS": boards, "PUMSB": boards})))


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=lambda claim: claim.id)
def test_every_claim_is_judged_on_made_up_records(claim):
    found = claim.judge(*(rows_from(experiment.run) for experiment in claim.experiments))

    assert found.checks
    assert found.plots
    assert found.table.rows
    assert found.note


def errors(data, **figures):
    """Rows of all four algorithms; nr-k and nr-l have half of every figure unless told otherwise."""
    return [
        {"data": data, "k": k, "algorithm": name, "broken": 0, **{f: figures.get(f, base)[name] for f in ("er", "qe1", "qe2")}}
        for k in (2, 4)
        for base in ({"gray-ring": 2.0, "nr-k": 1.0, "cahd": 2.0, "nr-l": 1.0, "nr-l, greedy": 3.0},)
        for name in ALGORITHMS
    ]


REVERSED = {"gray-ring": 1.0, "nr-k": 2.0, "cahd": 1.0, "nr-l": 2.0, "nr-l, greedy": 0.5}
DIVERSE_REVERSED = {"gray-ring": 2.0, "nr-k": 1.0, "cahd": 1.0, "nr-l": 1.0, "nr-l, greedy": 1.0}


def test_004_1_and_2_fewer_bits_are_flipped():
    good = errors("CHESS"), errors("PUMSB")
    assert answer("004-1", *good) == answer("004-2", *good) == "holds"
    bad = errors("CHESS"), errors("PUMSB", er=REVERSED)
    assert answer("004-1", *bad) == answer("004-2", *bad) == "does not hold"
    tied = errors("CHESS", er=DIVERSE_REVERSED), errors("PUMSB")
    assert answer("004-1", *tied) == "holds"
    assert answer("004-2", *tied) == "does not hold"
    assert answer("004-1", [], []) == "cannot be tested here"
    for found, wanted in ((good, "does not hold"), ((errors("CHESS", er=REVERSED), errors("PUMSB", er=REVERSED)), "holds")):
        judged = CLAIMS["004-2"].judge(*found)
        assert [answer_of(reading.checks) for reading in judged.others] == [wanted]  # the paper's own graph
        assert "greedy" in judged.stand_in


@pytest.mark.parametrize("field", ["qe1", "qe2"])
def test_004_3_both_types_of_queries_are_answered_better(field):
    assert answer("004-3", errors("CHESS"), errors("PUMSB")) == "holds"
    assert answer("004-3", errors("CHESS", **{field: REVERSED}), errors("PUMSB")) == "does not hold"
    assert answer("004-3", errors("CHESS"), errors("PUMSB", **{field: DIVERSE_REVERSED})) == "does not hold"


def walked(at_k=2.0, first=3.0, last=8.0):
    """Closed walks take a second; backtracking so many times as long."""
    settings = [("k", 100, 4, at_k), ("k", 100, 8, at_k), ("records", 50, 16, first), ("records", 800, 16, last)]
    return [
        {"by": by, "records": n, "k": k, "algorithm": walk, "steps": cpu, "cpu": 1.0}
        for by, n, k, slower in settings
        for walk, cpu in (("closed", 1.0), ("backtracking", slower), ("halving", 0.5))
    ]


def test_004_4_closed_walks_are_quicker_and_more_so_on_large_data():
    assert answer("004-4", walked()) == "holds"
    assert answer("004-4", walked(at_k=0.9)) == "does not hold"
    assert answer("004-4", walked(first=0.9)) == "does not hold"
    assert answer("004-4", walked(last=4.0)) == "does not hold"
    assert answer("004-4", []) == "cannot be tested here"
    (timed,) = CLAIMS["004-4"].judge(walked()).others
    assert answer_of(timed.checks) == "does not hold"


def grown(slower=10.0, power=1.0):
    return [
        {"records": n, "algorithm": name, "cpu": cpu}
        for n in (10, 20, 40)
        for name, cpu in (("cahd", 0.01 * n), ("nr-l", 0.01 * slower * n**power))
    ]


def test_004_5_slower_and_growing_alike():
    assert answer("004-5", grown()) == "holds"
    assert answer("004-5", grown(slower=0.5)) == "does not hold"
    assert answer("004-5", grown(power=1.5)) == "does not hold"
    assert answer("004-5", []) == "cannot be tested here"


def test_powers_are_slopes_of_logarithms():
    assert power([1, 2, 4], [3, 12, 48]) == pytest.approx(2.0)
    assert power([1], [3]) is None
