"""[003] 5.2.4 and 5.3.5: how long Apriori, COAT, PCTA and UPCTA take; figures 19, 20, 40 to 42."""

from collections.abc import Iterator, Mapping

from anonset.model.dataset import Dataset
from anonset.model.policy_generators import utility_set
from anonset_papers.claims import Check, Claim, Experiment, Judgement, Row, Rows, Value
from anonset_papers.figures import along, by_setting, done, lines, pick, table
from anonset_papers.materials import Materials, nested
from anonset_papers.paper_003_utility import BOTH, REQUIREMENTS, SUPPRESSION, mean_saving
from anonset_papers.rules import always, lowest, ordered, reaches, untestable
from anonset_papers.trials import labelled, timed, with_balanced

RECORDS = (10_000, 20_000, 30_000, 40_000, 50_000, 59_602)
K_VALUES = (2, 5, 10, 25, 50)
REQUIREMENT = "UR3"
ABOUT_65 = 50.0  # percent
NOTE = "CPU seconds in one process, warm kernels, the least of five runs. Apriori runs in the paper's order."
RUNS: Mapping[str, tuple[str, dict[str, Value]]] = {
    "aa": ("aa", {"order": "paper"}),
    "aa, lazy": ("aa", {}),
    "coat": ("coat", {}),
    "pcta": ("pcta", {}),
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
        for algorithm in BOTH:
            row = timed(data, algorithm, {"k": k, "m": 2, "utility": utility}, repeats=repeats)
            yield labelled(row, records=records, k=k, requirement=requirement)


def _pairs(materials: Materials, data: Dataset, k: int) -> Iterator[dict[str, Value]]:
    for shown, (algorithm, more) in RUNS.items():
        row = timed(data, algorithm, {"k": k, "m": 2, **more}, repeats=materials.pick(5, 1))
        yield {**row, "algorithm": shown}


def judge_records(rows: Rows) -> Judgement:
    """003-8."""
    rows = done(rows)
    check = ordered(
        "COAT is quicker than PCTA, PCTA than Apriori", by_setting(rows, "cpu", ("records",)), ("coat", "pcta", "aa")
    )
    plots = (lines(rows, "records", "cpu", "Time by records"),)
    return Judgement((check,), plots, table(rows, ("records", "algorithm", "cpu")), NOTE)


def judge_k(rows: Rows) -> Judgement:
    """003-9."""
    rows = done(rows)
    times = by_setting(rows, "cpu", ("k",))
    quicker = [1.0 - found["pcta"] / found["coat"] for found in times.values() if {"pcta", "coat"} <= set(found)]
    checks = (
        _trend(rows, "aa", "Apriori's time falls with k", rises=False),
        _trend(rows, "coat", "COAT's time rises with k", rises=True),
        _trend(rows, "pcta", "PCTA's time rises with k", rises=True),
        Check(
            "PCTA is quicker than COAT (up to 44%)",
            "less CPU time at some k",
            f"up to {max(quicker):.0%} less",
            max(quicker) > 0,
        )
        if quicker
        else untestable("PCTA is quicker than COAT", "no figures"),
    )
    plots = (lines(rows, "k", "cpu", "Time by k"),)
    return Judgement(checks, plots, table(rows, ("k", "algorithm", "cpu")), NOTE)


def judge_requirements(rows: Rows) -> Judgement:
    """003-14."""
    rows_done = done(rows)
    most = max((int(row["records"]) for row in rows_done), default=0)
    sized = pick(rows_done, k=5, requirement=REQUIREMENT)
    by_k_rows = pick(rows_done, records=most, requirement=REQUIREMENT)
    finer = sorted(pick(rows_done, records=most, k=5), key=lambda row: str(row["requirement"]))
    saving = mean_saving([{**row, "algorithm": _swapped(row)} for row in sized], ("records",), "cpu")
    checks = (
        lowest("COAT is quicker than UPCTA at every size", by_setting(sized, "cpu", ("records",)), "coat"),
        reaches("COAT needs about 65% less time on average", saving, ABOUT_65, unit="%"),
        *(_sublinear(by_k_rows, name) for name in BOTH),
        *(_coarser_is_slower(finer, name) for name in BOTH),
    )
    plots = (
        lines(sized, "records", "cpu", f"Time by records, {REQUIREMENT}"),
        lines(by_k_rows, "k", "cpu", f"Time by k, {REQUIREMENT}"),
        lines(finer, "requirement", "cpu", "Time by requirement, k=5"),
    )
    note = f"{NOTE} {REQUIREMENT} instead of UR2, which COAT cannot meet on the subsets with 15% suppressed."
    return Judgement(checks, plots, table(rows, ("records", "k", "requirement", "algorithm", "outcome", "cpu")), note)


def _swapped(row: Row) -> str:
    """`mean_saving` says how far the second is below the first: here COAT's time below UPCTA's."""
    return {"coat": "upcta", "upcta": "coat"}[str(row["algorithm"])]


def _trend(rows: Rows, name: str, text: str, *, rises: bool) -> Check:
    ks, times = along(pick(rows, algorithm=name), "k", "cpu")
    if len(ks) < 2:
        return untestable(text, "fewer than two k")
    rule = f"{'more' if rises else 'less'} time for the largest k than for the smallest"
    return Check(text, rule, f"{times[-1] / times[0]:.3g} times", (times[-1] > times[0]) == rises)


def _sublinear(rows: Rows, name: str) -> Check:
    ks, times = along(pick(rows, algorithm=name), "k", "cpu")
    text = f"{name.upper()}'s time grows sublinearly with k"
    if len(ks) < 2:
        return untestable(text, "fewer than two k")
    factor, grown = ks[-1] / ks[0], times[-1] / times[0]
    return Check(text, f"less than {factor:.3g} times from k={ks[0]:g} to k={ks[-1]:g}", f"{grown:.3g} times", grown < factor)


def _coarser_is_slower(rows: Rows, name: str) -> Check:
    own = by_setting(pick(rows, algorithm=name), "cpu", ("requirement",))
    text = f"{name.upper()} is slower under coarser requirements"
    if len(own) < 2:
        return untestable(text, "fewer than two requirements were met")
    first, *_, last = own
    slower = own[last][name] > own[first][name]
    ours = f"{own[last][name] / own[first][name]:.3g} times from {first} to {last}"
    return always(text, "more time under the coarsest requirement than under the finest", {ours: slower}, ours=ours)


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
