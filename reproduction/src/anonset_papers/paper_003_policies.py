"""[003] 5.2.2 and 5.2.3: PCTA under privacy constraints of several kinds and complete k-anonymity; figures 13 to 18."""

from collections.abc import Iterator
from itertools import pairwise

from anonset.model.policy import WholeTransactions
from anonset.model.policy_generators import privacy_set
from anonset_papers.claims import Check, Claim, Experiment, Judgement, Row, Rows
from anonset_papers.figures import by_setting, done, lines, number, pick, ratios, table
from anonset_papers.materials import Materials, nested
from anonset_papers.readings import only, other_readings
from anonset_papers.rules import always, at_least, lowest, untestable
from anonset_papers.sweeps import ALGORITHMS, run_of, with_leaves
from anonset_papers.trials import COAT_READ_AS, READ_AS, labelled, questions

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

CLAIMS = (
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
