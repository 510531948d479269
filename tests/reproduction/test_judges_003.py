"""Each claim of [003] on made-up figures: such that it holds, and such that it does not."""

from itertools import product

from anonset_papers.claims import answer_of
from anonset_papers.papers import claims_of

CLAIMS = {claim.id: claim for claim in claims_of(("003",))}
KS = (2, 5, 50)
POLICIES = ("PR1", "PR2", "PR3", "PR4", "PR5")
REQUIREMENTS = ("UR1", "UR2", "UR3", "UR4", "UR5")


def answer(id, *experiments):
    return answer_of(CLAIMS[id].judge(*experiments).checks)


def read_otherwise(id, name, *experiments):
    """The answer under another reading, by a part of its name."""
    (reading,) = [reading for reading in CLAIMS[id].judge(*experiments).others if name in reading.name]
    return answer_of(reading.checks)


def rows(figures, **settings):
    """A row for every combination of settings and every algorithm: figures(setting, algorithm) gives its fields."""
    names = list(settings)
    found = []
    for values in product(*settings.values()):
        setting = dict(zip(names, values, strict=True))
        found += [{**setting, "algorithm": name, **fields} for name, fields in figures(**setting).items()]
    return found


def changed(table, change, **where):
    """The rows with some fields changed where the rest is as given."""
    return [{**row, **change} if all(row[n] == v for n, v in where.items()) else row for row in table]


def three(data="WV1", k=5, m=2, **_):
    error = 0.1 * k * m
    return {
        "aa": {"are": 20 * error, "subsets": 2.0, "ul": -10.0, "ncp": 0.3, "largest": 100},
        "coat": {"are": 3 * error, "subsets": 1.5, "ul": -20.0, "ncp": 0.2, "largest": 50},
        "pcta": {"are": error, "subsets": 1.0, "ul": -30.0, "ncp": 0.1, "largest": 10},
    }


SWEEPS = [rows(three, data=(data,), k=(*KS, 100)) for data in ("WV1", "WV2")]
BY_M = rows(three, data=("WV1", "WV2"), m=(1, 2, 3))


def test_003_1_seven_and_two_times_at_every_k():
    assert answer("003-1", *SWEEPS) == "holds"
    assert answer("003-1", SWEEPS[0], changed(SWEEPS[1], {"are": 3.0}, algorithm="aa", k=5)) == "does not hold"
    assert answer("003-1", SWEEPS[0], changed(SWEEPS[1], {"are": 1.2}, algorithm="coat", k=5)) == "does not hold"
    assert answer("003-1", SWEEPS[0], changed(SWEEPS[1], {"are": 0.1}, algorithm="coat", k=100)) == "holds"  # beyond 50


def test_003_1_other_readings_are_judged_by_the_same_rule():
    other = changed(SWEEPS[0], {"subsets": 0.5}, algorithm="aa")
    assert answer("003-1", other, SWEEPS[1]) == "holds"
    assert read_otherwise("003-1", "share of subsets", other, SWEEPS[1]) == "does not hold"
    rarest = [{**row, "algorithm": "coat, rarest", "are": 0.01} for row in SWEEPS[0] if row["algorithm"] == "coat"]
    assert answer("003-1", [*SWEEPS[0], *rarest], SWEEPS[1]) == "holds"
    assert read_otherwise("003-1", "rarest", [*SWEEPS[0], *rarest], SWEEPS[1]) == "does not hold"
    by_support = [{**row, "algorithm": "aa, support", "are": 1e6} for row in SWEEPS[0] if row["algorithm"] == "aa"]
    assert read_otherwise("003-1", "order of their supports", [*SWEEPS[0], *by_support], SWEEPS[1]) == "holds"


def test_003_2_others_deteriorate_faster():
    assert answer("003-2", *SWEEPS) == "holds"
    assert answer("003-2", SWEEPS[0], changed(SWEEPS[1], {"are": 2.0}, algorithm="coat", k=50)) == "does not hold"


def test_003_3_eight_and_1_6_times_for_every_m():
    assert answer("003-3", BY_M) == "holds"
    assert answer("003-3", changed(BY_M, {"are": 1.5}, algorithm="coat", m=2)) == "does not hold"
    assert answer("003-3", changed(BY_M, {"are": 100.0}, algorithm="aa", m=1)) == "does not hold"  # does not grow


def test_003_4_the_order_of_losses():
    assert answer("003-4", *SWEEPS, BY_M) == "holds"
    assert answer("003-4", *SWEEPS, changed(BY_M, {"ul": -20.0}, algorithm="pcta", m=1)) == "holds"  # one item: no choice
    assert answer("003-4", *SWEEPS, changed(BY_M, {"ul": -20.0}, algorithm="pcta", m=2)) == "does not hold"
    assert answer("003-4", changed(SWEEPS[0], {"ul": -40.0}, algorithm="coat"), SWEEPS[1], BY_M) == "does not hold"


def test_003_5_the_gap_widens_with_the_policy():
    def figures(policy, **_):
        strict = float(policy[2])
        return {"aa": {"are": 50.0, "ul": 0.0}, "coat": {"are": 3 * strict, "ul": -1.0}, "pcta": {"are": strict, "ul": -2.0}}

    table = rows(figures, data=("WV1",), policy=POLICIES)

    assert answer("003-5", table) == "holds"
    assert answer("003-5", changed(table, {"are": 6.0}, algorithm="coat", policy="PR5")) == "does not hold"
    assert answer("003-5", changed(table, {"are": 0.5}, algorithm="aa")) == "does not hold"


def test_003_6_and_7_the_lowest_losses():
    by_policy = rows(three, data=("WV1", "WV2"), policy=("PR6", "PR9"))
    by_k = rows(three, data=("WV1", "WV2"), k=(2, 10, 25))

    for id, table in (("003-6", by_policy), ("003-7", by_k)):
        assert answer(id, table) == "holds"
        assert answer(id, changed(table, {"ncp": 0.05}, algorithm="coat", data="WV1")) == "does not hold"
        assert answer(id, changed(table, {"ul": -50.0}, algorithm="aa", data="WV2")) == "does not hold"
    assert answer("003-7", changed(by_k, {"largest": 5}, algorithm="coat", k=10)) == "does not hold"
    assert answer("003-7", changed(by_k, {"largest": 5}, algorithm="coat", k=2)) == "holds"


def test_003_8_times_by_records():
    figures = {"aa": {"cpu": 3.0}, "pcta": {"cpu": 2.0, "steps": 9}, "coat": {"cpu": 1.0, "steps": 10}}
    table = rows(lambda records: figures, records=(10, 20))

    assert answer("003-8", table) == "holds"
    assert read_otherwise("003-8", "steps", table) == "does not hold"
    assert answer("003-8", changed(table, {"cpu": 1.5}, algorithm="aa", records=20)) == "does not hold"


def test_003_9_times_by_k():
    def figures(k):
        return {
            "aa": {"cpu": 9.0 - k / 50},
            "pcta": {"cpu": 1.0 - k / 99, "steps": 10 + k},
            "coat": {"cpu": 1.0 - k / 100, "steps": 20 + k},
        }

    table = rows(figures, k=KS)

    assert answer("003-9", table) == "holds"
    assert read_otherwise("003-9", "CPU seconds", table) == "does not hold"
    assert answer("003-9", changed(table, {"cpu": 20.0}, algorithm="aa", k=50)) == "does not hold"
    assert answer("003-9", changed(table, {"steps": 1}, algorithm="pcta", k=50)) == "does not hold"
    assert answer("003-9", changed(table, {"steps": 1}, algorithm="coat", k=50)) == "does not hold"
    assert answer("003-9", changed(table, {"cpu": 0.2}, algorithm="coat")) == "does not hold"


def two(requirement="UR1", data="WV1", policy="5^2", **_):
    coarse = float(requirement[2])
    factor = 8.0 if policy == "complete" else 1.0
    return {
        "coat": {"are": 3 * factor * coarse, "ul": -10.0 + 2 * coarse, "outcome": "done", "suppressed": 0},
        "upcta": {"are": factor * coarse, "ul": -20.0 + coarse, "outcome": "done", "suppressed": 0},
    }


def test_003_10_lower_on_average_and_in_loss():
    table = rows(two, data=("WV1", "WV2"), policy=("5^2",), requirement=REQUIREMENTS)

    assert answer("003-10", table) == "holds"
    assert answer("003-10", changed(table, {"are": 0.1}, algorithm="coat", data="WV1")) == "does not hold"
    assert answer("003-10", changed(table, {"ul": 0.0}, algorithm="upcta", data="WV2")) == "does not hold"
    some = changed(table, {"suppressed": 72, "ul": 6.0}, requirement="UR1")  # as many, and UL tells nothing
    assert answer("003-10", some) == "holds"
    assert answer("003-10", changed(some, {"suppressed": 73}, requirement="UR1", algorithm="coat")) == "does not hold"
    unmet = [{**row, "outcome": "cannot be met"} if row["requirement"] == "UR1" else row for row in table]
    assert answer("003-10", unmet) == "holds"
    assert answer("003-10", [{**row, "outcome": "cannot be met"} for row in table]) == "cannot be tested here"


def test_003_11_scores_rise_less():
    table = rows(two, data=("WV1", "WV2"), policy=("PR5", "PR9"), requirement=REQUIREMENTS)

    assert answer("003-11", table) == "holds"
    assert answer("003-11", changed(table, {"are": 0.0}, algorithm="coat", requirement="UR5")) == "does not hold"
    steep = changed(table, {"are": 0.0}, algorithm="upcta", requirement="UR1")
    steep = changed(steep, {"are": 14.9}, algorithm="upcta", requirement="UR5")
    assert answer("003-11", steep) == "does not hold"


def test_003_12_complete_costs_more():
    whole = rows(two, data=("WV2",), policy=("complete",), requirement=REQUIREMENTS)
    listed = rows(two, data=("WV1", "WV2"), policy=("PR5", "PR9"), requirement=REQUIREMENTS)

    assert answer("003-12", whole, listed) == "holds"
    assert answer("003-12", whole, changed(listed, {"are": 9.0}, policy="PR9")) == "does not hold"
    assert answer("003-12", changed(whole, {"are": 0.1}, algorithm="coat"), listed) == "does not hold"


def test_003_13_constraints_are_kept_and_counts_nearer():
    def figures(k):
        return {
            "coat": {"are": 3.0, "ncp": 0.2, "ul": -1.0, "outcome": "done"},
            "upcta": {"are": 1.0, "ncp": 0.1, "ul": -2.0, "outcome": "done"},
        }

    table = rows(figures, k=KS)

    assert answer("003-13", table) == "holds"
    assert answer("003-13", changed(table, {"are": 2.0}, algorithm="coat", k=5)) == "does not hold"
    assert answer("003-13", [*table, {"k": 99, "algorithm": "coat", "outcome": "cannot be met"}]) == "does not hold"


def test_003_14_times_of_coat_and_upcta():
    def figures(requirement, k, records):
        grown = records * k**0.5 * float(requirement[2])
        return {
            "coat": {"cpu": grown, "steps": 2 * grown, "outcome": "done"},
            "upcta": {"cpu": 3 * grown, "steps": 2 * grown, "outcome": "done"},
        }

    table = rows(figures, requirement=("UR2",), k=(5,), records=(10, 20))
    table += rows(figures, requirement=("UR2",), k=(2, 50), records=(20,))
    table += rows(figures, requirement=("UR1", "UR5"), k=(5,), records=(20,))

    assert answer("003-14", table) == "holds"
    assert read_otherwise("003-14", "CPU seconds throughout", table) == "holds"
    assert read_otherwise("003-14", "steps throughout", table) == "does not hold"  # as many steps
    assert answer("003-14", changed(table, {"cpu": 1e9}, algorithm="coat", records=10)) == "does not hold"
    assert answer("003-14", changed(table, {"steps": 1e9}, algorithm="upcta", k=50)) == "does not hold"  # not sublinear
    assert answer("003-14", changed(table, {"steps": 1}, algorithm="upcta", k=50)) == "does not hold"  # does not grow
    assert answer("003-14", changed(table, {"steps": 1e-9}, algorithm="upcta", requirement="UR5")) == "does not hold"
