"""[003] 5.2.4 and 5.3.5: how long Apriori, COAT, PCTA and UPCTA take; figures 19, 20, 40 to 42."""

from collections.abc import Iterator, Mapping
from typing import Any

from anonset.algorithms import make
from anonset.algorithms.constraints.clusters import ItemClusters
from anonset.errors import InfeasibleError
from anonset.model.arrays import Ids
from anonset.model.dataset import Dataset
from anonset.model.policy import utility_set
from anonset_papers.claims import Check, Claim, Experiment, Judgement, Reading, Row, Rows, Value
from anonset_papers.figures import HEADERS, along, by_setting, done, lines, pick, renamed, table
from anonset_papers.materials import Materials, nested
from anonset_papers.paper_003_utility import BOTH, REQUIREMENTS, SUPPRESSION, mean_saving
from anonset_papers.readings import only, other_readings
from anonset_papers.rules import lowest, ordered, reaches, untestable
from anonset_papers.trials import RAREST, labelled, timed, with_balanced

NAMES = ("aa", "coat", "pcta")
RECORDS = (10_000, 20_000, 30_000, 40_000, 50_000, 59_602)
K_VALUES = (2, 5, 10, 25, 50)
REQUIREMENT = "UR2"
ABOUT_65 = 50.0  # percent
NOTE = "CPU seconds in one process, warm kernels, the least of five runs. Apriori runs in the paper's order."
READ_AS = (
    "what is quicker is timed; what grows is counted in steps, the merges that an algorithm looks at: for each item that it "
    "may merge, the items it may be merged with. COAT generalizes the commonest item of a constraint, which no paper states."
)
TIMED = "CPU seconds throughout"
COUNTED = "steps throughout"
RUNS: Mapping[str, tuple[str, dict[str, Value]]] = {
    "aa": ("aa", {"order": "paper"}),
    "aa, lazy": ("aa", {}),
    "coat": ("coat", {"pick": "commonest"}),
    "pcta": ("pcta", {}),
    "coat, rarest": ("coat", {"pick": "rarest"}),
}
UNDER_RUNS: Mapping[str, tuple[str, dict[str, Value]]] = {
    "coat": ("coat", {"pick": "commonest"}),
    "upcta": ("upcta", {}),
    "coat, rarest": ("coat", {"pick": "rarest"}),
}


def by_records(materials: Materials) -> Iterator[Row]:
    """k=5, all pairs: nested random subsets of WV1."""
    whole = with_balanced(materials.data("WV1"))
    for records in materials.pick(RECORDS, (500, 1_500)):
        for row in _pairs(materials, nested(whole, records), 5):
            yield labelled(row, records=records)


def by_k(materials: Materials) -> Iterator[Row]:
    """All pairs of WV1 by k."""
    data = with_balanced(materials.data("WV1"))
    for k in materials.pick(K_VALUES, (2, 10)):
        for row in _pairs(materials, data, k):
            yield labelled(row, k=k)


def under_requirements(materials: Materials) -> Iterator[Row]:
    """COAT and UPCTA on WV1: by records, by k and by requirement."""
    whole, repeats = with_balanced(materials.data("WV1")), materials.pick(5, 1)
    settings = [(records, 5, REQUIREMENT) for records in materials.pick(RECORDS, (1_500,))]
    settings += [(len(whole), k, REQUIREMENT) for k in materials.pick(K_VALUES, (2, 10))]
    settings += [(len(whole), 5, requirement) for requirement in REQUIREMENTS]
    for records, k, requirement in dict.fromkeys(settings):
        data = nested(whole, records)
        utility = utility_set(data, requirement, suppression=SUPPRESSION)
        for shown, (algorithm, more) in UNDER_RUNS.items():
            values = {"k": k, "m": 2, "utility": utility, **more}
            row = timed(data, algorithm, values, repeats=repeats) | merges_looked_at(data, algorithm, values)
            yield labelled({**row, "algorithm": shown}, records=records, k=k, requirement=requirement)


def merges_looked_at(data: Dataset, algorithm: str, values: Mapping[str, Any]) -> dict[str, Value]:
    """The merges that a constraint-based algorithm compares in all; nothing for others."""
    if algorithm not in ("coat", "pcta", "upcta"):
        return {}
    count, whole = 0, ItemClusters.cheapest_merge

    def counting(self: ItemClusters, clusters: Ids) -> tuple[int, int] | None:
        nonlocal count
        alive = self.groups[self.supports > 0]
        count += sum(int((alive == self.groups[a]).sum()) - 1 for a in clusters.tolist())
        return whole(self, clusters)

    ItemClusters.cheapest_merge = counting  # type: ignore[method-assign]
    try:
        make(algorithm, values).anonymize(data)
    except InfeasibleError:
        return {}
    finally:
        ItemClusters.cheapest_merge = whole  # type: ignore[method-assign]
    return {"steps": count}


def _pairs(materials: Materials, data: Dataset, k: int) -> Iterator[dict[str, Value]]:
    for shown, (algorithm, more) in RUNS.items():
        values = {"k": k, "m": 2, **more}
        row = timed(data, algorithm, values, repeats=materials.pick(5, 1)) | merges_looked_at(data, algorithm, values)
        yield {**row, "algorithm": shown}


def judge_records(rows: Rows) -> Judgement:
    """003-8."""
    rows = done(rows)

    def judge(rows: list[Row], field: str) -> tuple[Check, ...]:
        found = by_setting(rows, field, ("records",))
        return (ordered("COAT is quicker than PCTA, PCTA than Apriori", found, ("coat", "pcta", "aa")),)

    steps = ordered("COAT looks at fewer merges than PCTA", by_setting(rows, "steps", ("records",)), ("coat", "pcta"))
    others = (
        Reading("steps, which Apriori has none of", (steps,)),
        *other_readings(rows, NAMES, judge, field="cpu", errors={}),
    )
    plots = (lines(rows, "records", "cpu", "Time by records"),)
    shown = table(rows, ("records", "algorithm", "cpu", "steps"))
    return Judgement(judge(only(rows, NAMES), "cpu"), plots, shown, NOTE, READ_AS, others)


def judge_k(rows: Rows) -> Judgement:
    """003-9."""
    rows = done(rows)

    def judge(rows: list[Row], field: str) -> tuple[Check, ...]:
        times = by_setting(rows, "cpu", ("k",))
        quicker = [1.0 - found["pcta"] / found["coat"] for found in times.values() if {"pcta", "coat"} <= set(found)]
        text = "PCTA is quicker than COAT (up to 44%)"
        return (
            _trend(rows, "aa", "Apriori's time falls with k", "cpu", rises=False),
            _trend(rows, "coat", "COAT rises with k", field, rises=True),
            _trend(rows, "pcta", "PCTA rises with k", field, rises=True),
            Check(text, "less CPU time at some k", f"up to {max(quicker):.0%} less", max(quicker) > 0)
            if quicker
            else untestable(text, "no figures"),
        )

    others = (
        Reading(TIMED, judge(only(rows, NAMES), "cpu")),
        *other_readings(rows, NAMES, judge, field="steps", errors={}),
    )
    plots = (lines(rows, "k", "cpu", "Time by k"), lines([row for row in rows if "steps" in row], "k", "steps", "Steps by k"))
    shown = table(rows, ("k", "algorithm", "cpu", "steps"))
    return Judgement(judge(only(rows, NAMES), "steps"), plots, shown, NOTE, READ_AS, others)


def judge_requirements(rows: Rows) -> Judgement:
    """003-14."""
    found = done(rows)
    most = max((int(row["records"]) for row in found), default=0)

    def judge(rows: list[Row], compared: str, grown: str) -> tuple[Check, ...]:
        sized = pick(rows, k=5, requirement=REQUIREMENT)
        by_k_rows = pick(rows, records=most, requirement=REQUIREMENT)
        finer = sorted(pick(rows, records=most, k=5), key=lambda row: str(row["requirement"]))
        saving = mean_saving([{**row, "algorithm": _swapped(row)} for row in sized], ("records",), compared)
        return (
            lowest("COAT is quicker than UPCTA at every size", by_setting(sized, compared, ("records",)), "coat"),
            reaches("COAT needs about 65% less on average", saving, ABOUT_65, unit="%"),
            *(_sublinear(by_k_rows, name, grown) for name in BOTH),
            *(_coarser_is_slower(finer, name, grown) for name in BOTH),
        )

    mine = only(found, BOTH)
    rarest = only(renamed(found, {"coat": "coat, rarest"}), BOTH)
    others = (
        Reading(TIMED, judge(mine, "cpu", "cpu")),
        Reading(COUNTED, judge(mine, "steps", "steps")),
        Reading(RAREST, judge(rarest, "cpu", "steps")),
    )
    plots = (
        lines(pick(found, k=5, requirement=REQUIREMENT), "records", "cpu", f"Time by records, {REQUIREMENT}"),
        lines(pick(found, records=most, requirement=REQUIREMENT), "k", "steps", f"Steps by k, {REQUIREMENT}"),
        lines(pick(found, records=most, k=5), "requirement", "steps", "Steps by requirement, k=5"),
    )
    shown = table(rows, ("records", "k", "requirement", "algorithm", "outcome", "cpu", "steps"))
    return Judgement(judge(mine, "cpu", "steps"), plots, shown, NOTE, READ_AS, others)


def _swapped(row: Row) -> str:
    """`mean_saving` says how far the second is below the first: here COAT's time below UPCTA's."""
    return {"coat": "upcta", "upcta": "coat"}[str(row["algorithm"])]


def _trend(rows: Rows, name: str, text: str, y: str, *, rises: bool) -> Check:
    ks, figures = along(pick(rows, algorithm=name), "k", y)
    if len(ks) < 2:
        return untestable(text, "fewer than two k")
    rule = f"{'more' if rises else 'less'} {HEADERS[y]} for the largest k than for the smallest"
    return Check(text, rule, f"{figures[-1] / figures[0]:.3g} times", (figures[-1] > figures[0]) == rises)


def _sublinear(rows: Rows, name: str, y: str) -> Check:
    """It grows, but by less than k does."""
    ks, figures = along(pick(rows, algorithm=name), "k", y)
    text = f"{name.upper()} grows sublinearly with k"
    if len(ks) < 2:
        return untestable(text, "fewer than two k")
    factor, grown = ks[-1] / ks[0], figures[-1] / figures[0]
    rule = f"{HEADERS[y]}: more, but less than {factor:.3g} times from k={ks[0]:g} to k={ks[-1]:g}"
    return Check(text, rule, f"{grown:.3g} times", 1.0 < grown < factor)


def _coarser_is_slower(rows: Rows, name: str, y: str) -> Check:
    own = by_setting(pick(rows, algorithm=name), y, ("requirement",))
    text = f"{name.upper()} is slower under coarser requirements"
    if len(own) < 2:
        return untestable(text, "fewer than two requirements were met")
    first, *_, last = own
    ours = f"{own[last][name] / own[first][name]:.3g} times from {first} to {last}"
    rule = f"more {HEADERS[y]} under the coarsest requirement than under the finest"
    return Check(text, rule, ours, own[last][name] > own[first][name])


BY_RECORDS = Experiment("time by records", ("WV1",), by_records)
BY_K = Experiment("time by k", ("WV1",), by_k)
UNDER = Experiment("time of COAT and UPCTA", ("WV1",), under_requirements)

CLAIMS = (
    Claim(
        "003-8",
        "Time by records: COAT below PCTA below Apriori",
        "BMS-WebView-1, nested subsets, all 2-itemsets (figure 19)",
        (BY_RECORDS,),
        judge_records,
    ),
    Claim(
        "003-9",
        "Time by k: Apriori falls slightly, COAT and PCTA rise; PCTA is up to 44% quicker than COAT",
        "BMS-WebView-1, all 2-itemsets, k=2..50 (figure 20)",
        (BY_K,),
        judge_k,
    ),
)
CLAIMS_UNDER = (
    Claim(
        "003-14",
        "COAT needs about 65% less time than UPCTA; both grow sublinearly with k; coarser requirements are slower",
        "BMS-WebView-1, subsets, k=2..50, UR1..UR5 (figures 40 to 42)",
        (UNDER,),
        judge_requirements,
    ),
)
