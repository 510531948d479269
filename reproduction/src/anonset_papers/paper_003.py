"""[003]: clustering-based anonymization of transactions; its claims in the order of its experiment section."""

from collections.abc import Iterator
from itertools import pairwise

from anonset.model.policy import WholeTransactions, privacy_set
from anonset_papers import paper_003_time, paper_003_utility
from anonset_papers.claims import Check, Claim, Experiment, Judgement, Plot, Row, Rows
from anonset_papers.figures import along, by_setting, done, lines, number, pick, ratios, table
from anonset_papers.materials import Materials, nested
from anonset_papers.readings import only, other_readings
from anonset_papers.rules import always, at_least, lowest, ordered, untestable
from anonset_papers.sweeps import ALGORITHMS, RUNS, SWEEP_WV1, SWEEP_WV2, run_of, with_leaves
from anonset_papers.trials import COAT_READ_AS, READ_AS, labelled, questions

TITLE = "PCTA and UPCTA: utility-guided clustering-based transaction data anonymization"


# Section 5.2.1: PCTA against Apriori and COAT under k^m-anonymity; figures 7 to 12.

MOST_K = 50
K_COLUMNS = ("data", "k", "algorithm", "are", "subsets", "drawn", "ul", "ncp", "largest")
M_COLUMNS = ("data", "m", "algorithm", "are", "subsets", "drawn", "ul", "ncp", "largest")


def sweep_m(materials: Materials) -> Iterator[Row]:
    """k=5 and sets of up to 1, 2 and 3 items; queries on WV1 only, as in the paper."""
    for source in ("WV1", "WV2"):
        data = with_leaves(materials.data(source))
        asked = questions(data["id"], materials.pick(1000, 100)) if source == "WV1" else None
        for m in (1, 2, 3):
            for name in RUNS:
                yield labelled(run_of(name, data, {"k": 5, "m": m}, asked=asked), data=source, m=m)


def judge_accuracy(*sweeps: Rows) -> Judgement:
    """003-1."""
    rows = _up_to_50(*sweeps)

    def judge(rows: list[Row], field: str) -> tuple[Check, ...]:
        return _more_accurate(rows, field, ("data", "k"), 7.0, 2.0)

    return Judgement(
        judge(only(rows, ALGORITHMS), "are"),
        tuple(_by_k(rows, data, "are", "AvgRE") for data in ("WV1", "WV2")),
        table(rows, K_COLUMNS),
        _factors(only(rows, ALGORITHMS)),
        READ_AS,
        other_readings(rows, ALGORITHMS, judge),
    )


def judge_deterioration(*sweeps: Rows) -> Judgement:
    """003-2."""
    rows = _up_to_50(*sweeps)

    def judge(rows: list[Row], field: str) -> tuple[Check, ...]:
        rises = {
            (data, name): _rise(pick(rows, data=data, algorithm=name), field) for data in ("WV1", "WV2") for name in ALGORITHMS
        }
        return tuple(_rises_more(rises, name, title) for name, title in (("aa", "Apriori"), ("coat", "COAT")))

    plots = tuple(_by_k(rows, data, "are", "AvgRE") for data in ("WV1", "WV2"))
    others = other_readings(rows, ALGORITHMS, judge)
    return Judgement(judge(only(rows, ALGORITHMS), "are"), plots, table(rows, K_COLUMNS), "", READ_AS, others)


def judge_m(rows: Rows) -> Judgement:
    """003-3."""
    rows = pick(done(rows), data="WV1")

    def judge(rows: list[Row], field: str) -> tuple[Check, ...]:
        grows: dict[str, bool] = {}
        for name in ALGORITHMS:
            ms, errors = along(pick(rows, algorithm=name), "m", field)
            grows |= {f"{name}, m={b:g}": p <= q for b, p, q in zip(ms[1:], errors[:-1], errors[1:], strict=True)}
        more = _more_accurate(rows, field, ("m",), 8.0, 1.6)
        return (*more, always("the error grows with m", "no lower than for m - 1", grows))

    plots = (lines(rows, "m", "are", "AvgRE by m, WV1", log=True),)
    others = other_readings(rows, ALGORITHMS, judge)
    return Judgement(judge(only(rows, ALGORITHMS), "are"), plots, table(rows, M_COLUMNS), "", READ_AS, others)


def judge_loss(on_wv1: Rows, on_wv2: Rows, by_m: Rows) -> Judgement:
    """003-4."""
    rows, others = _up_to_50(on_wv1, on_wv2), done(by_m)
    names = ("pcta", "coat", "aa")

    def judge(rows: list[Row], field: str) -> tuple[Check, ...]:
        by_k, sized = [row for row in rows if "k" in row], [row for row in rows if number(row, "m") > 1 and "k" not in row]
        text = "UL: PCTA below COAT below Apriori"
        return (
            ordered(f"{text}, for every k", by_setting(by_k, field, ("data", "k")), names),
            ordered(f"{text}, for m = 2 and 3", by_setting(sized, field, ("data", "m")), names),
        )

    both = [*({**row, "m": 2} for row in rows), *others]
    plots = tuple(_by_k(rows, data, "ul", "UL") for data in ("WV1", "WV2"))
    plots += tuple(lines(pick(others, data=data), "m", "ul", f"UL by m, {data}") for data in ("WV1", "WV2"))
    note = (
        "UL is compared as a power of two. Where single items are protected (m = 1) COAT and PCTA have one item to choose "
        "from and do the same: these runs are shown, not compared."
    )
    shown = table([*rows, *others], ("data", "k", "m", "algorithm", "ul", "largest"))
    return Judgement(
        judge(only(both, ALGORITHMS), "ul"),
        plots,
        shown,
        note,
        READ_AS,
        other_readings(both, ALGORITHMS, judge, field="ul", errors={}),
    )


def _more_accurate(rows: Rows, field: str, by: tuple[str, ...], apriori: float, coat: float) -> tuple[Check, Check]:
    return (
        at_least(f"Apriori's error is at least {apriori:g} times PCTA's", ratios(rows, field, "aa", "pcta", by), apriori),
        at_least(f"COAT's error is at least {coat:g} times PCTA's", ratios(rows, field, "coat", "pcta", by), coat),
    )


def _factors(rows: Rows) -> str:
    """The factors that Apriori's error is of PCTA's, setting by setting."""
    found = ratios(rows, "are", "aa", "pcta", ("data", "k"))
    return "Apriori's error over PCTA's: " + ", ".join(f"{ratio.value:.1f} ({ratio.setting})" for ratio in found) + "."


def _up_to_50(*sweeps: Rows) -> list[Row]:
    return [row for row in done(*sweeps) if number(row, "k") <= MOST_K]


def _by_k(rows: Rows, data: str, y: str, title: str) -> Plot:
    return lines(pick(rows, data=data), "k", y, f"{title} by k, {data}", log=y == "are")


def _rise(rows: Rows, field: str) -> float | None:
    _, errors = along(rows, "k", field)
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

KM_CLAIMS = (
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


# Sections 5.2.2 and 5.2.3: PCTA under privacy constraints of several kinds and complete k-anonymity; figures 13 to 18.

SOME_PAIRS = ("PR1", "PR2", "PR3", "PR4", "PR5")
SIZES = ("PR6", "PR7", "PR8", "PR9")
LONGEST = 4  # items of an itemset of PR6 .. PR9
COMPLETE_RECORDS = 30_000
BAD_FROM = 10
PR_COLUMNS = ("data", "policy", "algorithm", "are", "subsets", "drawn", "ul", "ncp", "largest")
COATS = ("coat", "pcta", "coat, rarest", "coat, first")


def some_pairs(materials: Materials) -> Iterator[Row]:
    """PR1 .. PR5 on WV1; Apriori, which takes no policy, protects all pairs."""
    data = with_leaves(materials.data("WV1"))
    asked = questions(data["id"], materials.pick(1000, 100))
    apriori = [run_of(name, data, {"k": 5, "m": 2}, asked=asked) for name in ("aa", "aa, support")]
    for policy in materials.pick(SOME_PAIRS, SOME_PAIRS[:2]):
        for row in apriori:
            yield labelled(row, data="WV1", policy=policy)
        privacy = privacy_set(data["id"], policy)
        for name in COATS:
            yield labelled(run_of(name, data, {"k": 5, "privacy": privacy}, asked=asked), data="WV1", policy=policy)


def sizes(materials: Materials) -> Iterator[Row]:
    """PR6 .. PR9: 1000 itemsets of up to 4 items; Apriori protects all sets of up to 4."""
    for source in ("WV1", "WV2"):
        data = with_leaves(materials.data(source))
        apriori = [run_of(name, data, {"k": 5, "m": LONGEST}) for name in ("aa", "aa, support")]
        for policy in materials.pick(SIZES, SIZES[:1]):
            for row in apriori:
                yield labelled(row, data=source, policy=policy)
            privacy = privacy_set(data["id"], policy)
            for name in COATS:
                yield labelled(run_of(name, data, {"k": 5, "privacy": privacy}), data=source, policy=policy)


def complete(materials: Materials) -> Iterator[Row]:
    """Complete k-anonymity: whole transactions; Apriori with m as long as the longest."""
    for source in ("WV1", "WV2"):
        whole = materials.data(source)
        data = with_leaves(nested(whole, COMPLETE_RECORDS) if source == "WV2" else whole)
        longest = int(data["id"].linkable.lengths.max())
        for k in materials.pick((2, 5, 10, 25), (2, 10)):
            yield labelled(run_of("aa", data, {"k": k, "m": longest}), data=source, k=k)
            for name in ("coat", "pcta", "coat, rarest"):
                yield labelled(run_of(name, data, {"k": k, "privacy": WholeTransactions()}), data=source, k=k)


def judge_pairs(rows: Rows) -> Judgement:
    """003-5."""
    rows = done(rows)

    def judge(rows: list[Row], field: str) -> tuple[Check, ...]:
        errors = by_setting(rows, field, ("policy",))
        gaps = {name: found["coat"] - found["pcta"] for name, found in errors.items() if {"coat", "pcta"} <= set(found)}
        return (
            at_least("PCTA's error is below Apriori's (up to 26 times)", ratios(rows, field, "aa", "pcta", ("policy",)), 1.0),
            at_least("PCTA's error is below COAT's (up to 2.5 times)", ratios(rows, field, "coat", "pcta", ("policy",)), 1.0),
            _widens(gaps),
        )

    plots = (
        lines(rows, "policy", "are", "AvgRE by policy, WV1", log=True),
        lines(rows, "policy", "ul", "UL by policy, WV1"),
    )
    others = other_readings(rows, ALGORITHMS, judge)
    return Judgement(judge(only(rows, ALGORITHMS), "are"), plots, table(rows, PR_COLUMNS), "", READ_AS, others)


def judge_sizes(rows: Rows) -> Judgement:
    """003-6."""
    rows = done(rows)

    def judge(rows: list[Row], field: str) -> tuple[Check, ...]:
        return _lowest_losses(rows, ("data", "policy"))

    plots = (
        lines(pick(rows, data="WV1"), "policy", "ncp", "NCP by policy, WV1"),
        lines(pick(rows, data="WV2"), "policy", "ul", "UL by policy, WV2"),
    )
    note = "Itemsets are drawn from random records, so that each occurs. Apriori protects all sets of up to 4 items."
    others = other_readings(rows, ALGORITHMS, judge, errors={})
    return Judgement(judge(only(rows, ALGORITHMS), ""), plots, table(rows, PR_COLUMNS), note, COAT_READ_AS, others)


def judge_complete(rows: Rows) -> Judgement:
    """003-7."""
    rows = done(rows)

    def judge(rows: list[Row], field: str) -> tuple[Check, ...]:
        late = [row for row in rows if number(row, "k") >= BAD_FROM]
        text = "from k=10 on Apriori and COAT make larger items than PCTA"
        return (*_lowest_losses(rows, ("data", "k")), lowest(text, by_setting(late, "largest", ("data", "k")), "pcta"))

    plots = (
        lines(pick(rows, data="WV1"), "k", "ncp", "NCP by k, complete, WV1"),
        lines(pick(rows, data="WV2"), "k", "ul", "UL by k, complete, WV2"),
    )
    note = f"BMS-WebView-2: {COMPLETE_RECORDS:,} random records. Apriori with m the size of the largest transaction."
    shown = table(rows, ("data", "k", "algorithm", "ncp", "ul", "largest"))
    others = other_readings(rows, ALGORITHMS, judge, errors={})
    return Judgement(judge(only(rows, ALGORITHMS), ""), plots, shown, note, COAT_READ_AS, others)


def _lowest_losses(rows: Rows, by: tuple[str, ...]) -> tuple[Check, ...]:
    return tuple(
        lowest(f"PCTA has the lowest {title}", by_setting(rows, field, by), "pcta")
        for field, title in (("ncp", "NCP"), ("ul", "UL"))
    )


def _widens(gaps: dict[str, float]) -> Check:
    text = "the gap to COAT widens with stricter policies"
    if len(gaps) < 2:
        return untestable(text, "fewer than two policies")
    names = list(gaps)
    found = {later: gaps[earlier] <= gaps[later] for earlier, later in pairwise(names)}
    said = ", ".join(f"{gap:.3g}" for gap in gaps.values())
    return always(text, "COAT's error less PCTA's is no smaller than for the policy before", found, ours=f"gaps {said}")


SOME = Experiment("PR1..PR5", ("WV1",), some_pairs)
BY_SIZE = Experiment("PR6..PR9", ("WV1", "WV2"), sizes)
COMPLETE = Experiment("complete k", ("WV1", "WV2"), complete)

POLICY_CLAIMS = (
    Claim(
        "003-5",
        "PR1..PR5: PCTA has up to 26 and 2.5 times lower error than Apriori and COAT; the gap to COAT widens from PR1 to PR5",
        "BMS-WebView-1, k=5 (figures 13, 14)",
        (SOME,),
        judge_pairs,
    ),
    Claim(
        "003-6",
        "PR6..PR9: PCTA has the lowest NCP and UL",
        "BMS-WebView-1 and 2, k=5 (figures 15, 16)",
        (BY_SIZE,),
        judge_sizes,
    ),
    Claim(
        "003-7",
        "Complete k-anonymity: PCTA has the lowest NCP and UL; Apriori and COAT lose much from k=10 on",
        "BMS-WebView-1 and 2 (figures 17, 18)",
        (COMPLETE,),
        judge_complete,
    ),
)


CLAIMS = (
    *KM_CLAIMS,
    *POLICY_CLAIMS,
    *paper_003_time.CLAIMS,
    *paper_003_utility.CLAIMS,
    *paper_003_time.CLAIMS_UNDER,
)
