"""[003] 5.3.1 to 5.3.4: UPCTA against COAT under utility constraints; figures 21 to 39."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from anonset.measure.workload import frequent_queries
from anonset.model.dataset import Dataset
from anonset.model.policy import WholeTransactions, groups_at_level, privacy_set, utility_set
from anonset_papers.claims import Check, Claim, Experiment, Judgement, Plot, Row, Rows, Value
from anonset_papers.figures import by_setting, done, lines, pick, ratios, table
from anonset_papers.materials import Materials, nested
from anonset_papers.readings import only, other_readings
from anonset_papers.rules import always, at_least, lowest, reaches, untestable
from anonset_papers.trials import READ_AS, labelled, questions, trial, with_balanced

BOTH = ("coat", "upcta")
REQUIREMENTS = ("UR1", "UR2", "UR3", "UR4", "UR5")
SUPPRESSION = 0.15
LISTED_RECORDS = 30_000
LISTED_REQUIREMENTS = ("UR3", "UR5")
MEDICAL_SUPPRESSION = 0.02
LEAST_SHARE = 0.002  # of the patients, for a code to be kept
SAVINGS = {"WV1": 61.0, "WV2": 33.0}
COLUMNS = ("data", "policy", "requirement", "algorithm", "outcome", "are", "subsets", "ul", "ncp", "largest", "suppressed")
RUN = ("coat", "upcta", "coat, rarest")
SUPPRESSED = (
    "UL is compared where nothing is suppressed: [003] leaves the penalty of a suppressed item to the owner of the data, and "
    "with ours, 1, it drowns all that is generalized."
)
FREQUENT_READ_AS = (
    "queries are 1000 sets drawn from those that at least 5% of the patients hold, answered after each generalized item is "
    "replaced with all its items; COAT generalizes the commonest item of a constraint."
)
LEFT_OUT = "Utility constraints that one of the two cannot meet with 15% suppressed are shown, not compared."


def all_pairs(materials: Materials) -> Iterator[Row]:
    """5^2-anonymity under UR1 .. UR5."""
    for source in ("WV1", "WV2"):
        yield from _requirements(materials, source, "5^2", REQUIREMENTS)


def listed(materials: Materials) -> Iterator[Row]:
    """PR5 and PR9 under UR1 .. UR5; the million pairs of PR5 on WV2 with some records and requirements only."""
    for source in ("WV1", "WV2"):
        for policy in materials.pick(("PR5", "PR9"), ("PR9",)):
            part = source == "WV2" and policy == "PR5"
            yield from _requirements(materials, source, policy, LISTED_REQUIREMENTS if part else REQUIREMENTS)


def whole(materials: Materials) -> Iterator[Row]:
    """Complete 5-anonymity on WV2."""
    yield from _requirements(materials, "WV2", "complete", REQUIREMENTS)


def _requirements(materials: Materials, source: str, policy: str, requirements: tuple[str, ...]) -> Iterator[Row]:
    data = with_balanced(materials.data(source))
    if source == "WV2" and policy == "PR5":
        data = nested(data, LISTED_RECORDS)
    asked = questions(data, materials.pick(1000, 100))
    privacy = None if policy == "5^2" else WholeTransactions() if policy == "complete" else privacy_set(data, policy)
    for requirement in materials.pick(requirements, requirements[-2:]):
        utility = utility_set(data, requirement, suppression=SUPPRESSION)
        for name in BOTH if source == "WV2" and policy == "PR5" else RUN:
            row = _trial(data, name, {"k": 5, "m": 2, "privacy": privacy, "utility": utility}, asked=asked)
            yield labelled(row, data=source, policy=policy, requirement=requirement)


def _trial(data: Dataset, name: str, values: Mapping[str, Any], **more: Any) -> dict[str, Value]:
    algorithm, _, pick = name.partition(", ")
    return {**trial(data, algorithm, {**values, **({"pick": pick} if pick else {})}, **more), "algorithm": name}


def medical(materials: Materials) -> Iterator[Row]:
    """Diagnoses under the chapters of their hierarchy: pairs of codes, frequent sets asked for."""
    data = materials.data("INFORMS")
    tree, t = data.item_hierarchy, data.transactions
    assert tree is not None
    assert t is not None
    common = Dataset(transactions=t.without(t.supports < LEAST_SHARE * len(t)), item_hierarchy=tree)
    utility = groups_at_level(tree, tree.height - 1, suppression=MEDICAL_SUPPRESSION)
    frequent = frequent_queries(common, materials.pick(1000, 100), support=0.05)
    for k in materials.pick((2, 5, 10, 25), (2, 5)):
        for name in RUN:
            row = _trial(common, name, {"k": k, "m": 2, "utility": utility}, frequent=frequent)
            yield labelled(row, data="INFORMS", k=k)


def judge_pairs(rows: Rows) -> Judgement:
    """003-10."""

    def judge(rows: list[Row], field: str) -> tuple[Check, ...]:
        checks = [
            reaches(
                f"UPCTA's error is lower by {percent:g}% on average, {data}",
                mean_saving(pick(rows, data=data), ("requirement",), field),
                percent,
                unit="%",
            )
            for data, percent in SAVINGS.items()
        ]
        return (
            *checks,
            lowest("UPCTA's UL is lower", _generalizing(rows, ("data", "requirement")), "upcta"),
            _same_suppressed(rows),
        )

    found = done(rows)
    note = f"{LEFT_OUT} {SUPPRESSED}"
    return Judgement(
        judge(only(found, BOTH), "are"),
        _plots(found, "5^2"),
        table(rows, COLUMNS),
        note,
        READ_AS,
        other_readings(found, BOTH, judge),
    )


def judge_listed(rows: Rows) -> Judgement:
    """003-11."""
    by = ("data", "policy", "requirement")

    def judge(rows: list[Row], field: str) -> tuple[Check, ...]:
        return (
            lowest("UPCTA's error is lower", by_setting(rows, field, by), "upcta"),
            lowest("UPCTA's UL is lower", _generalizing(rows, by), "upcta"),
            _rises_less(rows, field, "AvgRE"),
            _rises_less(rows, "ul", "UL"),
        )

    found = done(rows)
    plots = (*_plots(found, "PR5"), *_plots(found, "PR9"))
    note = (
        f"PR5 on BMS-WebView-2, a million pairs: {LISTED_RECORDS:,} random records, {' and '.join(LISTED_REQUIREMENTS)} only. "
        f"{LEFT_OUT} {SUPPRESSED}"
    )
    others = other_readings(found, BOTH, judge)
    return Judgement(judge(only(found, BOTH), "are"), plots, table(rows, COLUMNS), note, READ_AS, others)


def judge_whole(rows: Rows, others: Rows) -> Judgement:
    """003-12."""
    listed_rows = pick(done(others), data="WV2", policy="PR9")

    def judge(rows: list[Row], field: str) -> tuple[Check, ...]:
        whole_rows, short = pick(rows, policy="complete"), pick(rows, policy="PR9")
        accurate = ratios(whole_rows, field, "coat", "upcta", ("requirement",))
        return (
            at_least("UPCTA's error is below COAT's (up to 2.5 times)", accurate, 1.0),
            *(
                reaches(
                    f"complete costs {name.upper()} at least 4 times PR9's error",
                    _means(whole_rows, short, name, field),
                    4.0,
                    unit=" times",
                )
                for name in BOTH
            ),
        )

    both = [*done(rows), *listed_rows]
    note = f"Means are over the requirements met under both policies. {LEFT_OUT}"
    return Judgement(
        judge(only(both, BOTH), "are"),
        _plots(both, "complete", sources=("WV2",)),
        table([*rows, *listed_rows], COLUMNS),
        note,
        READ_AS,
        other_readings(both, BOTH, judge),
    )


def judge_medical(rows: Rows) -> Judgement:
    """003-13."""

    def judge(rows: list[Row], field: str) -> tuple[Check, ...]:
        kept = {f"{row['algorithm']}, k={row['k']}": row.get("outcome") == "done" for row in rows}
        rows = done(rows)
        return (
            always("the utility constraints are kept", "a release that the verifier finds to keep them", kept),
            at_least("UPCTA answers at least 2.5 times more accurately", ratios(rows, field, "coat", "upcta", ("k",)), 2.5),
            lowest("UPCTA's NCP is lower", by_setting(rows, "ncp", ("k",)), "upcta"),
            lowest("UPCTA's UL is lower", by_setting(rows, "ul", ("k",)), "upcta"),
        )

    found = done(rows)
    plots = (lines(found, "k", "are", "AvgRE by k, frequent sets"), lines(found, "k", "ncp", "NCP by k"))
    note = (
        "VNEC is not at hand; INFORMS has no visits, so every pair of codes is protected, among codes that at least 0.2% of "
        "the patients have (with rarer ones, chapters alone cannot hide a pair). The constraints are the 18 chapters of ICD-9. "
        "The paper's text says PCTA where only UPCTA takes utility constraints."
    )
    shown = table(rows, ("k", "algorithm", "outcome", "are", "subsets", "ncp", "ul", "largest", "suppressed"))
    others = other_readings(rows, BOTH, judge)
    return Judgement(judge(only(rows, BOTH), "are"), plots, shown, note, FREQUENT_READ_AS, others)


def _generalizing(rows: Rows, by: tuple[str, ...]) -> dict[str, dict[str, float]]:
    """UL by setting, where neither suppresses: a suppressed item counts 1 and drowns all that is generalized."""
    gone = by_setting(rows, "suppressed", by)
    return {place: found for place, found in by_setting(rows, "ul", by).items() if not any(gone.get(place, {}).values())}


def _same_suppressed(rows: Rows) -> Check:
    found = by_setting(rows, "suppressed", ("data", "requirement"))
    both = {place: gone for place, gone in found.items() if set(BOTH) <= set(gone)}
    ours = ", ".join(f"{place}: {gone['coat']:g} and {gone['upcta']:g}" for place, gone in both.items() if any(gone.values()))
    same = {place: gone["coat"] == gone["upcta"] for place, gone in both.items()}
    return always("COAT and UPCTA suppress the same share", "as many items", same, ours=ours)


def mean_saving(rows: Rows, by: tuple[str, ...], field: str = "are") -> float | None:
    """By how many percent UPCTA's figure is below COAT's, on average over the settings that have both."""
    shares = [1.0 - 1.0 / ratio.value for ratio in ratios(rows, field, "coat", "upcta", by) if ratio.value > 0]
    return float(np.mean(shares)) * 100 if shares else None


def _means(rows: Rows, others: Rows, name: str, field: str) -> float | None:
    """The mean error under the first policy over that under the second, over the requirements met under both."""
    mine, theirs = (by_setting(found, field, ("requirement",)) for found in (rows, others))
    shared = [place for place in mine if name in mine[place] and name in theirs.get(place, {})]
    below = sum(theirs[place][name] for place in shared)
    return sum(mine[place][name] for place in shared) / below if below > 0 else None


def _rises_less(rows: Rows, field: str, title: str) -> Check:
    """From the finest requirement that both met to the coarsest."""
    found, said = {}, []
    for data in ("WV1", "WV2"):
        for policy in ("PR5", "PR9"):
            own = pick(rows, data=data, policy=policy)
            figures = _generalizing(own, ("requirement",)) if field == "ul" else by_setting(own, field, ("requirement",))
            both = [figures[name] for name in REQUIREMENTS if len(figures.get(name, {})) == len(BOTH)]
            if len(both) > 1:
                rises = [both[-1][name] - both[0][name] for name in BOTH]
                found[f"{data}, {policy}"] = rises[1] < rises[0]
                said.append(f"{data}, {policy}: {rises[1]:.3g} and {rises[0]:.3g}")
    text = f"UPCTA's {title} rises less with coarser requirements than COAT's"
    if not found:
        return untestable(text, "fewer than two requirements were met by both")
    return always(text, "the smaller rise from the finest requirement to the coarsest", found, ours="; ".join(said))


def _plots(rows: Rows, policy: str, sources: tuple[str, ...] = ("WV1", "WV2")) -> tuple[Plot, ...]:
    make = partial(lines, x="requirement")
    return tuple(
        make(pick(rows, data=data, policy=policy), y=field, title=f"{title}, {policy}, {data}")
        for data in sources
        for field, title in (("are", "AvgRE"), ("ul", "UL"))
    )


ALL_PAIRS = Experiment("UPCTA and COAT, 5^2", ("WV1", "WV2"), all_pairs)
LISTED = Experiment("UPCTA and COAT, PR5 and PR9", ("WV1", "WV2"), listed)
WHOLE = Experiment("UPCTA and COAT, complete", ("WV2",), whole)
MEDICAL = Experiment("UPCTA and COAT on diagnoses", ("INFORMS",), medical)

CLAIMS = (
    Claim(
        "003-10",
        "UPCTA's error is 61% and 33% lower than COAT's on average, and its UL lower",
        "BMS-WebView-1 and 2, UR1..UR5, 5^2-anonymity, s=15% (figures 21 to 24)",
        (ALL_PAIRS,),
        judge_pairs,
    ),
    Claim(
        "003-11",
        "The same with PR5 and PR9; UPCTA's scores rise less with coarser requirements",
        "BMS-WebView-1 and 2, UR1..UR5, k=5, s=15% (figures 25 to 32)",
        (LISTED,),
        judge_listed,
    ),
    Claim(
        "003-12",
        "Complete 5-anonymity: UPCTA is up to 2.5 times more accurate than COAT; it costs both 4 to 5 times PR9's error",
        "BMS-WebView-2, UR1..UR5, s=15% (figures 33, 34)",
        (WHOLE, LISTED),
        judge_whole,
    ),
    Claim(
        "003-13",
        "Medical codes with 18 disease groups as utility constraints: these are kept; 2.5 to 3.8 times more accurate than COAT",
        "VNEC, VNEC_kc, k=2..25, s=2% (figures 35 to 39)",
        (MEDICAL,),
        judge_medical,
    ),
)
