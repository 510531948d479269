"""[003] 5.2.1: PCTA against Apriori and COAT under k^m-anonymity; figures 7 to 12."""

from collections.abc import Iterator

from anonset_papers.claims import Check, Claim, Experiment, Judgement, Plot, Row, Rows
from anonset_papers.figures import Ratio, along, by_setting, done, lines, number, pick, ratios, table
from anonset_papers.materials import Materials
from anonset_papers.rules import always, at_least, ordered, untestable
from anonset_papers.sweeps import ALGORITHMS, SWEEP_WV1, SWEEP_WV2
from anonset_papers.trials import SAME_WORKLOAD, WORKLOAD_NOTE, labelled, questions, trial, with_balanced

MOST_K = 50
K_COLUMNS = ("data", "k", "algorithm", "are", "held", "ul", "ncp", "largest")
M_COLUMNS = ("data", "m", "algorithm", "are", "held", "ul", "ncp", "largest")


def sweep_m(materials: Materials) -> Iterator[Row]:
    """k=5 and sets of up to 1, 2 and 3 items."""
    for source in ("WV1", "WV2"):
        data = with_balanced(materials.data(source))
        asked = questions(data, materials.pick(1000, 100))
        for m in (1, 2, 3):
            for algorithm in ALGORITHMS:
                yield labelled(trial(data, algorithm, {"k": 5, "m": m}, asked=asked), data=source, m=m)


def judge_accuracy(*sweeps: Rows) -> Judgement:
    """003-1."""
    rows = _up_to_50(*sweeps)
    return Judgement(
        _more_accurate(rows, ("data", "k"), 7.0, 2.0),
        tuple(_by_k(rows, data, "are", "AvgRE") for data in ("WV1", "WV2")),
        table(rows, K_COLUMNS),
        f"{WORKLOAD_NOTE} {_held_note(rows, ('data', 'k'))}",
    )


def judge_deterioration(*sweeps: Rows) -> Judgement:
    """003-2."""
    rows = _up_to_50(*sweeps)
    rises = {(data, name): _rise(pick(rows, data=data, algorithm=name)) for data in ("WV1", "WV2") for name in ALGORITHMS}
    checks = tuple(_rises_more(rises, name, title) for name, title in (("aa", "Apriori"), ("coat", "COAT")))
    plots = tuple(_by_k(rows, data, "are", "AvgRE") for data in ("WV1", "WV2"))
    return Judgement(checks, plots, table(rows, K_COLUMNS), SAME_WORKLOAD)


def judge_m(rows: Rows) -> Judgement:
    """003-3."""
    rows = pick(done(rows), data="WV1")
    grows: dict[str, bool] = {}
    for name in ALGORITHMS:
        ms, errors = along(pick(rows, algorithm=name), "m", "are")
        grows |= {f"{name}, m={b:g}": p <= q for b, p, q in zip(ms[1:], errors[:-1], errors[1:], strict=True)}
    checks = (*_more_accurate(rows, ("m",), 8.0, 1.6), always("the error grows with m", "no lower than for m - 1", grows))
    plots = (lines(rows, "m", "are", "AvgRE by m, WV1", log=True),)
    return Judgement(checks, plots, table(rows, M_COLUMNS), f"{SAME_WORKLOAD} {_held_note(rows, ('m',))}")


def judge_loss(on_wv1: Rows, on_wv2: Rows, by_m: Rows) -> Judgement:
    """003-4."""
    rows, others = _up_to_50(on_wv1, on_wv2), done(by_m)
    text = "UL: PCTA below COAT below Apriori"
    names = ("pcta", "coat", "aa")
    checks = (
        ordered(f"{text}, for every k", by_setting(rows, "ul", ("data", "k")), names),
        ordered(f"{text}, for m = 2 and 3", by_setting(_not_one(others), "ul", ("data", "m")), names),
    )
    plots = tuple(_by_k(rows, data, "ul", "UL") for data in ("WV1", "WV2"))
    plots += tuple(lines(pick(others, data=data), "m", "ul", f"UL by m, {data}") for data in ("WV1", "WV2"))
    note = (
        "UL is compared as a power of two. Where single items are protected (m = 1) COAT and PCTA have one item to choose "
        "from and do the same: these runs are shown, not compared."
    )
    return Judgement(checks, plots, table([*rows, *others], ("data", "k", "m", "algorithm", "ul", "largest")), note)


def _more_accurate(rows: Rows, by: tuple[str, ...], apriori: float, coat: float) -> tuple[Check, Check]:
    return (
        at_least(f"Apriori's error is at least {apriori:g} times PCTA's", ratios(rows, "are", "aa", "pcta", by), apriori),
        at_least(f"COAT's error is at least {coat:g} times PCTA's", ratios(rows, "are", "coat", "pcta", by), coat),
    )


def _held_note(rows: Rows, by: tuple[str, ...]) -> str:
    """How the same ratios come out for sets that some record holds."""
    said = {name: ratios(rows, "held", over, "pcta", by) for name, over in (("Apriori", "aa"), ("COAT", "coat"))}
    texts = [f"{name} {_range(found)} times PCTA's error" for name, found in said.items() if found]
    return f"For held sets: {' and '.join(texts)}." if texts else ""


def _range(found: list[Ratio]) -> str:
    values = [ratio.value for ratio in found]
    return f"{min(values):.3g} to {max(values):.3g}"


def _up_to_50(*sweeps: Rows) -> list[Row]:
    return [row for row in done(*sweeps) if number(row, "k") <= MOST_K]


def _not_one(rows: Rows) -> list[Row]:
    return [row for row in rows if number(row, "m") > 1]


def _by_k(rows: Rows, data: str, y: str, title: str) -> Plot:
    return lines(pick(rows, data=data), "k", y, f"{title} by k, {data}", log=y == "are")


def _rise(rows: Rows) -> float | None:
    _, errors = along(rows, "k", "are")
    return errors[-1] - errors[0] if len(errors) > 1 else None


def _rises_more(rises: dict[tuple[str, str], float | None], name: str, title: str) -> Check:
    text = f"{title} deteriorates faster with k than PCTA"
    found, said = {}, []
    for data in ("WV1", "WV2"):
        own, other = rises[data, "pcta"], rises[data, name]
        if own is not None and other is not None:
            found[data] = other > own
            said.append(f"{data}: {other:.3g} and {own:.3g}")
    if not found:
        return untestable(text, "fewer than two k")
    return always(text, "AvgRE rises by more from the smallest to the largest k", found, ours="; ".join(said))


SWEEP_M = Experiment("m on WV1 and WV2", ("WV1", "WV2"), sweep_m)

CLAIMS = (
    Claim(
        "003-1",
        "PCTA answers queries at least 7 and 2 times (up to 26 and 6 times) more accurately than Apriori and COAT",
        "BMS-WebView-1 and 2, all 2-itemsets protected, k=2..50, AvgRE of 1000 5-itemset queries (figures 7, 8)",
        (SWEEP_WV1, SWEEP_WV2),
        judge_accuracy,
    ),
    Claim(
        "003-2",
        "Apriori and COAT deteriorate much faster with k than PCTA",
        "as 003-1 (figures 7, 8)",
        (SWEEP_WV1, SWEEP_WV2),
        judge_deterioration,
    ),
    Claim(
        "003-3",
        "For m=1..3 PCTA's error is at least 8 times below Apriori's and 1.6 times below COAT's; loss grows with m",
        "BMS-WebView-1, k=5 (figure 10)",
        (SWEEP_M,),
        judge_m,
    ),
    Claim(
        "003-4",
        "PCTA's UL is below COAT's, and COAT's below Apriori's, for all k and m",
        "BMS-WebView-1 and 2 (figures 9, 11, 12)",
        (SWEEP_WV1, SWEEP_WV2, SWEEP_M),
        judge_loss,
    ),
)
