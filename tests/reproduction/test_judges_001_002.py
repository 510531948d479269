"""Each claim of [001] and [002] on made-up figures: such that it holds, and such that it does not."""

import pytest

from anonset_papers.claims import answer_of
from anonset_papers.papers import claims_of

CLAIMS = {claim.id: claim for claim in claims_of()}
KS = (2, 5, 10, 20, 50)


def answer(id, *experiments):
    return answer_of(CLAIMS[id].judge(*experiments).checks)


def read_otherwise(id, name, *experiments):
    """The answer under another reading, by a part of its name."""
    (reading,) = [reading for reading in CLAIMS[id].judge(*experiments).others if name in reading.name]
    return answer_of(reading.checks)


def curve(name, errors, data="WV2", **fixed):
    """Rows of one algorithm over k with these errors; the risk is 1 / k."""
    return [
        {
            "data": data,
            "algorithm": name,
            "k": k,
            "risk-protected": 1 / k,
            "are": e,
            "subsets": e,
            "pick": "commonest",
            "ul": -100.0 + e,
            "ncp": 0.1,
            **fixed,
        }
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
    rarest = [{**row, "data": data, "pick": "rarest"} for row in one for data in "AB"]
    assert answer("001-1", one + two + rarest) == "holds"
    assert read_otherwise("001-1", "rarest", one + two + rarest) == "does not hold"


def test_001_2_shapes_differ_and_each_has_a_knee():
    assert answer("001-2", maps()) == "holds"
    same = curve("aa", [1, 2, 6, 7, 8]) + curve("coat", [10, 20, 60, 70, 80])
    assert answer("001-2", same) == "does not hold"


def test_001_3_pcta_is_best_at_every_risk():
    assert answer("001-3", maps()) == "holds"
    assert answer("001-3", maps(pcta=5.0)) == "does not hold"
    one_label = [{**row, "ul": 0.0} if row["algorithm"] == "coat" else row for row in maps()]  # all items one: the worst
    assert read_otherwise("001-3", "UL", one_label) == "holds"
    assert read_otherwise("001-3", "UL", [{**row, "ul": -1.0} for row in one_label]) == "does not hold"


def small(x, values, *, steps, nodes=None, ncp=None, cuts=None):
    """Rows of OA, DA and AA: steps maps each to its steps over the values; all take the same time."""
    nodes, ncp = nodes or {}, ncp or {}
    flat = [1.0] * len(values)
    rows = []
    for i, value in enumerate(values):
        for name in ("oa", "da", "aa"):
            row = {"algorithm": name, x: value, "folded": "by appearance", "steps": steps[name][i], "cpu": 1.0}
            row |= {"nodes": nodes.get(name, flat)[i], "ncp": ncp.get(name, flat)[i]}
            rows.append({**row, "cuts": cuts[i]} if name == "oa" and cuts else row)
    return rows


RECORDS = (2_000, 5_000, 10_000, 15_000)
GROWING = {"oa": [2, 5, 10, 15], "da": [2.2, 5.2, 10.1, 15.1], "aa": [0.2, 2, 6, 12]}
TREES = {"oa": [10, 10, 10, 10], "da": [10, 10, 10, 10], "aa": [2, 4, 6, 8]}


def test_002_1_linear_alike_and_aa_catching_up():
    assert answer("002-1", small("records", RECORDS, steps=GROWING, nodes=TREES)) == "holds"
    assert answer("002-1", small("records", RECORDS, steps={**GROWING, "aa": [0.2, 2, 6, 15]}, nodes=TREES)) == "holds"
    for name, steps in (
        ("oa", [2, 4, 40, 400]),  # not linear, not alike
        ("da", [20, 50, 100, 150]),  # not alike
        ("aa", [3, 6, 12, 18]),  # not quicker
        ("aa", [2, 5, 10, 15]),  # nowhere quicker
        ("aa", [2, 4, 6, 8]),  # does not catch up
    ):
        assert answer("002-1", small("records", RECORDS, steps={**GROWING, name: steps}, nodes=TREES)) == "does not hold"
    assert answer("002-1", small("records", RECORDS, steps=GROWING, nodes={**TREES, "aa": [8, 6, 4, 2]})) == "does not hold"
    timed = small("records", RECORDS, steps=GROWING, nodes=TREES)
    assert read_otherwise("002-1", "CPU seconds", timed) == "does not hold"  # it does not grow


@pytest.mark.parametrize("name", ["da", "aa"])
def test_002_2_the_same_loss(name):
    assert answer("002-2", small("records", RECORDS, steps=GROWING)) == "holds"
    assert answer("002-2", small("records", RECORDS, steps=GROWING, ncp={name: [1, 1, 1.1, 1]})) == "does not hold"
    odd = [{**row, "folded": "by id"} for row in small("records", RECORDS, steps=GROWING, ncp={name: [1, 1, 1.1, 1]})]
    assert answer("002-2", [*small("records", RECORDS, steps=GROWING), *odd]) == "holds"


def test_002_3_linear_and_exponential_growth_with_the_domain():
    steps = {"oa": [1, 1.3, 1.6], "da": [1, 1.3, 1.6], "aa": [1, 1.2, 1.5]}
    nodes = {"oa": [1, 3, 9], "da": [1, 3, 9], "aa": [1, 2, 3]}

    def judged(steps=steps, nodes=nodes, ncp=None, cuts=(1, 5, 25)):
        return answer("002-3", small("items", (40, 50, 60), steps=steps, nodes=nodes, ncp=ncp, cuts=cuts))

    assert judged() == "holds"
    assert judged(cuts=(1, 2, 2.9)) == "does not hold"
    assert judged(steps={**steps, "aa": [1, 5, 25]}) == "does not hold"
    assert judged(steps={**steps, "da": [1, 2, 3.1]}) == "does not hold"
    assert judged(ncp={"da": [1, 2, 2]}) == "does not hold"
    assert judged(nodes={**nodes, "aa": [1, 5, 25]}) == "does not hold"
    assert judged(ncp={"aa": [1, 2, 2]}) == "does not hold"


def test_002_4_linear_and_exponential_growth_with_m():
    trees = {"oa": [1, 5, 25, 125], "da": [1, 4, 16, 64], "aa": [1, 20, 42, 9]}
    flat = {"oa": [1, 1, 1, 1], "da": [1, 1, 1, 1], "aa": [1, 1, 1, 1]}

    def judged(ncp=None, **other):
        return answer("002-4", small("m", (1, 2, 3, 4), steps=flat, nodes={**trees, **other}, ncp=ncp))

    assert judged() == "holds"
    assert judged(aa=[1, 2, 3, 4]) == "holds"
    assert judged(da=[1, 2, 4, 8]) == "does not hold"  # only doubles
    assert judged(oa=[1, 5, 25, 40]) == "does not hold"
    assert judged(aa=[1, 2, 4, 8]) == "does not hold"
    assert judged(aa=[1, 5, 25, 125]) == "does not hold"
    assert judged(ncp={"aa": [1, 1, 1.02, 1]}) == "does not hold"


def pos(k=5, h=6, m=3, **figures):
    base = {"leaves": "support", "ncp": 0.01, "steps": 1.0, "cpu": 1.0, "mb": 10.0, "lazy": 0.1, "lazy_ncp": 0.01}
    return {"algorithm": "aa", "data": "POS", "k": k, "h": h, "m": m, **base, **figures}


def test_002_5_at_most_three_percent():
    views = [{"algorithm": "aa", "data": data, "leaves": "support", "ncp": 0.03, "cpu": 1.0} for data in ("WV1", "WV2")]

    assert answer("002-5", [pos(), pos(m=4, ncp=0.5)], views) == "holds"
    assert answer("002-5", [pos()], [*views, {**views[0], "ncp": 0.031}]) == "does not hold"
    by_id = {**views[0], "leaves": "id", "ncp": 0.1}
    assert answer("002-5", [pos()], [*views, by_id]) == "holds"
    assert read_otherwise("002-5", "ids", [pos()], [*views, by_id]) == "does not hold"


def test_002_6_neither_time_nor_memory_depends_on_k():
    rows = [pos(k=k, steps=1.0 + k / 200) for k in KS]

    assert answer("002-6", rows) == "holds"
    assert answer("002-6", [*rows, pos(k=100, steps=3.0)]) == "does not hold"
    assert answer("002-6", [*rows, pos(k=100, mb=20.0)]) == "does not hold"


def test_002_7_lower_hierarchies_are_quicker_and_worse():
    rows = [pos(h=4, steps=1.0, ncp=0.9), pos(h=5, steps=2.0, ncp=0.02), pos(h=6, steps=3.0, ncp=0.01)]

    assert answer("002-7", rows) == "holds"
    assert answer("002-7", [{**rows[0], "steps": 5.0}, *rows[1:]]) == "does not hold"
    assert answer("002-7", [{**rows[0], "ncp": 0.0}, *rows[1:]]) == "does not hold"
    assert read_otherwise("002-7", "CPU seconds", rows) == "does not hold"


def test_002_8_a_larger_m_is_slower_and_slightly_worse():
    rows = [pos(m=m, steps=float(m), lazy_ncp=0.005 * m) for m in (1, 2, 3, 4)]

    assert answer("002-8", rows) == "holds"
    assert answer("002-8", [*rows[:3], pos(m=4, steps=1.0, lazy_ncp=0.02)]) == "does not hold"
    assert answer("002-8", [*rows[:3], pos(m=4, steps=4.0, lazy_ncp=0.0)]) == "does not hold"
    assert answer("002-8", [*rows[:3], pos(m=4, steps=4.0, lazy_ncp=0.5)]) == "does not hold"
