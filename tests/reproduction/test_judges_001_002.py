"""Each claim of [001] and [002] on made-up figures: such that it holds, and such that it does not."""

import pytest

from anonset_papers.claims import answer_of
from anonset_papers.papers import claims_of

CLAIMS = {claim.id: claim for claim in claims_of()}
KS = (2, 5, 10, 20, 50)


def answer(id, *experiments):
    return answer_of(CLAIMS[id].judge(*experiments).checks)


def curve(name, errors, data="WV2", **fixed):
    """Rows of one algorithm over k with these errors; the risk is 1 / k."""
    return [
        {"data": data, "algorithm": name, "k": k, "risk": 1 / k, "are": e, "held": e, "ul": -100.0 + e, "ncp": 0.1, **fixed}
        for k, e in zip(KS, errors, strict=True)
    ]


def maps(pcta=1.0):
    """Curves of three different shapes, each with a knee."""
    return [
        *curve("aa", [4, 8, 20, 40, 50]),
        *curve("coat", [2, 9, 10, 11, 12]),
        *curve("pcta", [pcta * e for e in (0.2, 0.21, 0.3, 0.4, 4)]),
    ]


def test_001_1_curves_of_two_sets_differ_in_shape_and_level():
    one, two = curve("coat", [1, 2, 6, 7, 8], data="A"), curve("coat", [4, 4.2, 4.5, 30, 40], data="B")

    assert answer("001-1", one + two) == "holds"
    assert answer("001-1", one + [{**row, "data": "B"} for row in one]) == "does not hold"
    assert answer("001-1", one) == "cannot be tested here"


def test_001_2_shapes_differ_and_each_has_a_knee():
    assert answer("001-2", maps()) == "holds"
    same = curve("aa", [1, 2, 6, 7, 8]) + curve("coat", [10, 20, 60, 70, 80])
    assert answer("001-2", same) == "does not hold"


def test_001_3_pcta_is_best_at_every_risk():
    assert answer("001-3", maps()) == "holds"
    assert answer("001-3", maps(pcta=5.0)) == "does not hold"


def small(x, values, *, cpu, nodes=None, ncp=None):
    """Rows of OA, DA and AA: cpu maps each to its times over the values."""
    nodes, ncp = nodes or {}, ncp or {}
    flat = [1.0] * len(values)
    return [
        {"algorithm": name, x: value, "cpu": cpu[name][i], "nodes": nodes.get(name, flat)[i], "ncp": ncp.get(name, flat)[i]}
        for i, value in enumerate(values)
        for name in ("oa", "da", "aa")
    ]


RECORDS = (2_000, 5_000, 10_000, 15_000)
GROWING = {"oa": [2, 5, 10, 15], "da": [2.2, 5.2, 10.1, 15.1], "aa": [0.2, 2, 6, 12]}
TREES = {"oa": [10, 10, 10, 10], "da": [10, 10, 10, 10], "aa": [2, 4, 6, 8]}


def test_002_1_linear_alike_and_aa_catching_up():
    assert answer("002-1", small("records", RECORDS, cpu=GROWING, nodes=TREES)) == "holds"
    for name, times in (
        ("oa", [2, 4, 40, 400]),  # not linear, not alike
        ("da", [20, 50, 100, 150]),  # not alike
        ("aa", [3, 6, 12, 18]),  # not quicker
        ("aa", [2, 4, 6, 8]),  # does not catch up
    ):
        assert answer("002-1", small("records", RECORDS, cpu={**GROWING, name: times}, nodes=TREES)) == "does not hold"
    assert answer("002-1", small("records", RECORDS, cpu=GROWING, nodes={**TREES, "aa": [8, 6, 4, 2]})) == "does not hold"


@pytest.mark.parametrize("name", ["da", "aa"])
def test_002_2_the_same_loss(name):
    assert answer("002-2", small("records", RECORDS, cpu=GROWING)) == "holds"
    assert answer("002-2", small("records", RECORDS, cpu=GROWING, ncp={name: [1, 1, 1.1, 1]})) == "does not hold"


def test_002_3_linear_and_exponential_growth_with_the_domain():
    cpu = {"oa": [1, 5, 25], "da": [1, 1.3, 1.6], "aa": [1, 1.2, 1.5]}
    nodes = {"oa": [1, 3, 9], "da": [1, 3, 9], "aa": [1, 2, 3]}

    def judged(cpu=cpu, nodes=nodes, ncp=None):
        return answer("002-3", small("items", (40, 50, 60), cpu=cpu, nodes=nodes, ncp=ncp))

    assert judged() == "holds"
    assert judged(cpu={**cpu, "oa": [1, 1, 1]}) == "does not hold"
    assert judged(cpu={**cpu, "aa": [1, 5, 25]}) == "does not hold"
    assert judged(nodes={**nodes, "aa": [1, 5, 25]}) == "does not hold"
    assert judged(ncp={"aa": [1, 2, 2]}) == "does not hold"


def test_002_4_linear_and_exponential_growth_with_m():
    cpu = {"oa": [1, 5, 25, 125], "da": [1, 4, 16, 64], "aa": [1, 2, 3, 4]}

    assert answer("002-4", small("m", (1, 2, 3, 4), cpu=cpu)) == "holds"
    assert answer("002-4", small("m", (1, 2, 3, 4), cpu={**cpu, "da": [1, 2, 3, 4]})) == "does not hold"
    assert answer("002-4", small("m", (1, 2, 3, 4), cpu={**cpu, "aa": [1, 5, 25, 125]})) == "does not hold"
    assert answer("002-4", small("m", (1, 2, 3, 4), cpu=cpu, ncp={"aa": [1, 1, 1.02, 1]})) == "does not hold"


def pos(k=5, h=6, m=3, **figures):
    base = {"ncp": 0.01, "cpu": 1.0, "mb": 10.0, "lazy": 0.1, "lazy_ncp": 0.01}
    return {"algorithm": "aa", "data": "POS", "k": k, "h": h, "m": m, **base, **figures}


def test_002_5_at_most_three_percent():
    views = [{"algorithm": "aa", "data": data, "ncp": 0.03, "cpu": 1.0} for data in ("WV1", "WV2")]

    assert answer("002-5", [pos(), pos(m=4, ncp=0.5)], views) == "holds"
    assert answer("002-5", [pos()], [*views, {**views[0], "ncp": 0.031}]) == "does not hold"


def test_002_6_neither_time_nor_memory_depends_on_k():
    rows = [pos(k=k, cpu=1.0 + k / 200) for k in KS]

    assert answer("002-6", rows) == "holds"
    assert answer("002-6", [*rows, pos(k=100, cpu=3.0)]) == "does not hold"
    assert answer("002-6", [*rows, pos(k=100, mb=20.0)]) == "does not hold"


def test_002_7_lower_hierarchies_are_quicker_and_worse():
    rows = [pos(h=4, cpu=1.0, ncp=0.9), pos(h=5, cpu=2.0, ncp=0.02), pos(h=6, cpu=3.0, ncp=0.01)]

    assert answer("002-7", rows) == "holds"
    assert answer("002-7", [{**rows[0], "cpu": 5.0}, *rows[1:]]) == "does not hold"
    assert answer("002-7", [{**rows[0], "ncp": 0.0}, *rows[1:]]) == "does not hold"


def test_002_8_a_larger_m_is_slower_and_slightly_worse():
    rows = [pos(m=m, cpu=float(m), ncp=0.005 * m) for m in (1, 2, 3, 4)]

    assert answer("002-8", rows) == "holds"
    assert answer("002-8", [*rows[:3], pos(m=4, cpu=1.0, ncp=0.02)]) == "does not hold"
    assert answer("002-8", [*rows[:3], pos(m=4, cpu=4.0, ncp=0.0)]) == "does not hold"
    assert answer("002-8", [*rows[:3], pos(m=4, cpu=4.0, ncp=0.5)]) == "does not hold"
