"""[000] section 6, efficiency and algorithmic choices: figure 7."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from anonset.algorithms import make
from anonset.algorithms.rt.items import Items, Outcome
from anonset.algorithms.rt.steps import make_step
from anonset.errors import InfeasibleError
from anonset.measure.ul_record import ul_record
from anonset.model.arrays import Rows as Records
from anonset.model.dataset import Dataset
from anonset.model.release import Trace
from anonset_papers.claims import Check, Claim, Experiment, Judgement, Reading, Row, Rows, Table, Value
from anonset_papers.figures import HEADERS, Ratio, along, by_setting, done, lines, pick, ratios, table
from anonset_papers.materials import Materials, nested
from anonset_papers.paper_000_runs import (
    DELTA,
    RUM,
    SETTING,
    K,
    M,
    bounds_on_ncp,
    bounds_on_ul,
    patients,
    settings,
)
from anonset_papers.rules import always, at_least, at_most, lowest, reaches, untestable
from anonset_papers.trials import cpu_seconds, labelled, timed

RECORDS = (2_000, 4_000, 6_000, 8_000, 10_000)
K_VALUES = (15, 20, 30, 50)
SUBSET = 4_000
UP_TO_2_2 = 2.0
TEN_TIMES = 10.0
SAME_UL = 0.05
ROUNDING = 1e-12
NEARNESS = {"btd": "", "ul": ", by UL"}
TIME_NOTE = (
    "CPU seconds in one process, warm kernels, the least of five runs. Items are generalized by AA: PCTA takes ten times as "
    "long as the merging, whose time is compared."
)
ORDERS = {"rmerge-r": 1, "rmerge-t": 1, "rmerge-rt": 2}  # that an algorithm puts the other clusters in
STEPS_READ_AS = (
    "time is counted in steps: for each merge the seed's union with every other cluster, once for each order that it is put in "
    "(RmRT computes two). A run of ours takes 0.03 to 0.3 s, half of it for what is not merging."
)
ONE_SIDED = "BTD must not lose more than UL proximity, by .05; that it loses less is no harm."
WAY_READ_AS = (
    "items are generalized by AA. The claim rests on a T that finds the mapping with the least UL (Property 3); PCTA is a "
    "greedy search that may miss it."
)
BTD_NOTE = (
    "Items are generalized by AA: with PCTA, which finds sets as the paper does, one run by UL takes a minute or more. "
    "CPU seconds in one process, warm kernels; by BTD the least of three runs."
)
MERGE_NOTE = (
    f"With δ = 1 no bound stops a merge, so Rum-bound and Tum-bound merge alike. At most {SUBSET:,} random records. UL is "
    "that of the item step (PCTA or AA) run anew on each merged cluster. Our algorithms keep the items of the parts where "
    "the union would lose more, so that what they publish never gets worse; here this is left out, as in the paper."
)


def times(materials: Materials) -> Iterator[Row]:
    """Figures 7a and 7b."""
    whole, repeats = patients(materials), materials.pick(5, 1)
    sizes = materials.pick(RECORDS, (500, 1_000, 1_500))
    for records in sizes:
        for row in _timed(nested(whole, records), K, repeats):
            yield labelled(row, by="records", records=records, k=K)
    for k in K_VALUES:
        for row in _timed(nested(whole, sizes[-1]), k, repeats):
            yield labelled(row, by="k", records=sizes[-1], k=k)


def _timed(data: Dataset, k: int, repeats: int) -> Iterator[dict[str, Value]]:
    values = settings(k=k)
    start = timed(data, "r-first", values, repeats=repeats)
    for algorithm in RUM:
        asked = {**values, "delta": DELTA}
        yield timed(data, algorithm, asked, repeats=repeats) | unions_looked_at(data, algorithm, asked)
    yield {**start, "algorithm": "no merging"}


def unions_looked_at(data: Dataset, algorithm: str, values: Mapping[str, Any]) -> dict[str, Value]:
    """The unions of a seed with another cluster, over all merges and the last try, once for each order."""
    try:
        trace = make(algorithm, values).anonymize(data).trace
    except InfeasibleError:
        return {}
    clusters = sum(step["action"] == "formed" for step in trace) - sum(step["action"] == "joined" for step in trace)
    merges = sum(step["action"] == "merged" for step in trace)
    return {"steps": ORDERS[algorithm] * sum(clusters - done - 1 for done in range(min(merges + 1, clusters)))}


def proximity(materials: Materials) -> Iterator[Row]:
    """Figures 7c to 7f."""
    data, values = nested(patients(materials), materials.pick(SUBSET, 800)), settings()
    on_ncp = bounds_on_ncp(data, values, materials.pick((0.5, 0.7, 0.9), (0.7,)))
    on_ul = bounds_on_ul(data, values, materials.pick((0.25, 0.45, 0.65), (0.45,)))
    for algorithm in ("rmerge-t", "rmerge-rt", "tmerge-t", "tmerge-rt"):
        for delta in on_ncp if algorithm in RUM else on_ul:
            for near, runs in (("btd", 3), ("ul", 1)):
                row = _by(data, algorithm, {**values, "delta": delta, "proximity": near}, runs)
                yield labelled(row, delta=delta, kind=algorithm, near=near)


def _by(data: Dataset, algorithm: str, values: Mapping[str, Any], runs: int) -> dict[str, Value]:
    shown, ready = algorithm + NEARNESS[values["proximity"]], make(algorithm, values)
    try:
        lost = ul_record(data, ready.anonymize(data))
    except InfeasibleError:
        return {"algorithm": shown, "outcome": "cannot be met"}
    return {
        "algorithm": shown,
        "outcome": "done",
        "ul": lost,
        "cpu": min(cpu_seconds(lambda: ready.anonymize(data)) for _ in range(runs)),
    }


def on_the_way(materials: Materials) -> Iterator[Row]:
    """Figures 7g and 7h: UL after each merge, two ways to generalize items."""
    data = nested(patients(materials), materials.pick(SUBSET, 800))
    for algorithm in RUM:
        trace = make(algorithm, settings(delta=1.0)).anonymize(data).trace
        for items in ("pcta", "aa"):
            for merges, lost in enumerate(losses_after_merges(data, trace, items)):
                yield {"algorithm": f"{algorithm}, {items}", "merges": merges, "ul": lost}


def losses_after_merges(data: Dataset, trace: Trace, items: str) -> Iterator[float]:
    """UL before any merge and after each, with the items of a merged cluster generalized anew."""
    step = Items(make_step(data, items, K, M, 1), exact_weight=1.0)
    rows = {int(t["cluster"]): np.array(t["rows"], np.int64) for t in trace if t["action"] == "formed"}
    found = step.outcomes(list(rows.values()))
    lost = {name: _lost(outcome, rows[name]) for name, outcome in zip(rows, found, strict=True)}
    yield sum(lost.values()) / len(data)
    for t in trace:
        if t["action"] in ("joined", "merged"):
            first, second = t["from"]
            union = np.concatenate([rows.pop(first), rows.pop(second)])
            del lost[first], lost[second]
            rows[t["cluster"]], lost[t["cluster"]] = union, _lost(step.outcome(union), union)
            yield sum(lost.values()) / len(data)


def _lost(outcome: Outcome | None, rows: Records) -> float:
    """UL summed over the records; a cluster that cannot be protected on its own loses everything."""
    return float(len(rows)) if outcome is None else outcome.lost


def judge_times(rows: Rows) -> Judgement:
    """000-6."""
    rows = done(rows)
    sized, by_k = pick(rows, by="records"), pick(rows, by="k")
    plots = (
        lines(_merging(sized), "records", "steps", f"Steps by records, k={K}"),
        lines(_merging(by_k), "k", "steps", "Steps by k"),
        lines(sized, "records", "cpu", f"Time by records, k={K}"),
        lines(by_k, "k", "cpu", "Time by k"),
    )
    note = f"{TIME_NOTE} δ={DELTA:g}. «no merging»: the clusters, their items generalized."
    shown = table(rows, ("records", "k", "algorithm", "steps", "cpu"))
    others = (Reading("CPU seconds of our implementation", _times(sized, by_k, "cpu")),)
    return Judgement(_times(sized, by_k, "steps"), plots, shown, note, STEPS_READ_AS, others)


def _times(sized: list[Row], by_k: list[Row], y: str) -> tuple[Check, ...]:
    merging = by_setting(_merging(sized), y, ("records",))
    faster = max((r.value for r in ratios([*sized, *by_k], y, "rmerge-r", "rmerge-t", ("by", "records", "k"))), default=None)
    return (
        lowest("RmT is the quickest", merging, "rmerge-t"),
        _slowest(merging, "rmerge-rt"),
        *(_falls(by_k, name, y) for name in RUM),
        reaches("RmT is up to 2.2 times quicker than RmR", faster, UP_TO_2_2, unit=" times"),
    )


def _merging(rows: Rows) -> list[Row]:
    return [row for row in rows if row["algorithm"] in RUM]


def judge_proximity(rows: Rows) -> Judgement:
    """000-7."""
    rows = done(rows)
    by_loss = [{**row, "algorithm": row["near"]} for row in rows]
    found = by_setting(by_loss, "ul", ("kind", "delta")).items()
    more = [Ratio(name, figures["btd"] - figures["ul"]) for name, figures in found if {"btd", "ul"} <= set(figures)]
    apart = [Ratio(ratio.setting, abs(ratio.value)) for ratio in more]
    checks = (
        at_most("no more UL by BTD than by UL", more, SAME_UL, unit=" more"),
        at_least("BTD is at least 10 times quicker", ratios(by_loss, "cpu", "ul", "btd", ("kind", "delta")), TEN_TIMES),
    )
    others = (Reading("the same UL, either way", (at_most("the same UL by BTD as by UL", apart, SAME_UL, unit=" apart"),)),)
    plots = tuple(
        lines(own, "delta", field, f"{text} by δ, {bound}-bound", x_label="δ", y_label=text, log=field == "cpu")
        for bound, own in (("Rum", _of(rows, "rmerge")), ("Tum", _of(rows, "tmerge")))
        for field, text in (("ul", "UL"), ("cpu", "CPU s"))
    )
    shown = table(rows, ("algorithm", "delta", "ul", "cpu"), names={"ul": "UL"})
    return Judgement(checks, plots, shown, BTD_NOTE, ONE_SIDED, others)


def judge_way(rows: Rows) -> Judgement:
    """000-8."""
    names = tuple(dict.fromkeys(str(row["algorithm"]) for row in rows))
    ways = {name: along(pick(rows, algorithm=name), "merges", "ul")[1] for name in names}
    plots = (lines(rows, "merges", "ul", "UL by merges, δ = 1", x_label="merges", y_label="UL"),)
    summary = Table(
        ("algorithm", "merges", "UL before", "UL after", "merges that raise UL", "largest rise"),
        tuple(
            (name, len(way) - 1, way[0], way[-1], len(_raising(way)), max(_raising(way), default=0.0))
            for name, way in ways.items()
        ),
    )
    by_aa, by_pcta = (
        tuple(_never_rises(name, way) for name, way in ways.items() if name.endswith(f", {items}")) for items in ("aa", "pcta")
    )
    return Judgement(by_aa, plots, summary, MERGE_NOTE, WAY_READ_AS, (Reading("items generalized by PCTA", by_pcta),))


def _never_rises(name: str, way: list[float]) -> Check:
    text = f"UL never rises as clusters merge: {name}"
    if len(way) < 2:
        return untestable(text, "nothing was merged")
    raising = _raising(way)
    ours = f"{len(raising)} of {len(way) - 1} merges raise it" + (f", by at most {max(raising):.2g}" if raising else "")
    return Check(text, "no merge raises UL", f"{ours}; {way[0]:.3g} before, {way[-1]:.3g} after all", not raising)


def _raising(way: list[float]) -> list[float]:
    return [b - a for a, b in pairwise(way) if b > a + ROUNDING]


def _slowest(figures: Mapping[str, Mapping[str, float]], name: str) -> Check:
    found = {
        place: all(own[name] > own[other] for other in own if other != name) for place, own in figures.items() if name in own
    }
    return always("RmRT is the slowest", f"{name} has the highest", found)


def _falls(rows: Rows, name: str, y: str) -> Check:
    text = f"falls with k: {name}"
    ks, figures = along(pick(rows, algorithm=name), "k", y)
    if len(ks) < 2:
        return untestable(text, "fewer than two k")
    ours = f"{figures[0]:.4g} at k={ks[0]:g}, {figures[-1]:.4g} at k={ks[-1]:g}"
    return Check(text, f"fewer {HEADERS[y]} for the largest k than for the smallest", ours, figures[-1] < figures[0])


def _of(rows: Rows, prefix: str) -> list[Row]:
    return [row for row in rows if str(row["kind"]).startswith(prefix)]


TIMES = Experiment("merging by records and by k", ("INFORMS",), times)
PROXIMITY = Experiment("BTD or UL as proximity", ("INFORMS",), proximity)
WAY = Experiment("UL by merges", ("INFORMS",), on_the_way)

CLAIMS = (
    Claim(
        "000-6",
        "RmT is the quickest and RmRT the slowest; time falls with k; RmT is up to 2.2 times quicker than RmR",
        "INFORMS, nested subsets of 2K to 10K records; k=15..50 (figures 7a, 7b)",
        (TIMES,),
        judge_times,
    ),
    Claim(
        "000-7",
        "BTD gives the same UL as UL proximity, at least 10 times quicker, also for Tum-bound",
        f"INFORMS, 4K records, {SETTING} (figures 7c to 7f)",
        (PROXIMITY,),
        judge_proximity,
    ),
    Claim(
        "000-8",
        "UL never rises as clusters merge",
        f"INFORMS, 4K records, {SETTING}, δ = 1 (figures 7g, 7h)",
        (WAY,),
        judge_way,
    ),
)
