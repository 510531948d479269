"""[000] section 6, benefits of algorithmic choices: figures 7c to 7h."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from anonset.algorithms import make
from anonset.algorithms.rt.item_step import ItemOutcome, Items, make_step
from anonset.errors import InfeasibleError
from anonset.measure.information_loss import ul_record
from anonset.model.arrays import Rows as Records
from anonset.model.dataset import Dataset
from anonset.model.release import Trace
from anonset_papers.claims import Check, Claim, Experiment, Judgement, Reading, Row, Rows, Table, Value
from anonset_papers.figures import Ratio, along, by_setting, done, lines, pick, ratios, table
from anonset_papers.materials import Materials, nested
from anonset_papers.paper_000_runs import RUM, SETTING, K, M, bounds_on_ncp, bounds_on_ul, patients, settings
from anonset_papers.rules import at_least, at_most, untestable
from anonset_papers.trials import cpu_seconds, labelled

SUBSET = 4_000
FEW = 1_500  # records whose unions are all generalized by PCTA
TEN_TIMES = 10.0
SAME_UL = 0.05
ROUNDING = 1e-12
NEARNESS = {"btd": "", "ul": ", by UL"}
ONE_SIDED = "BTD must not lose more than UL proximity, by .05; that it loses less is no harm."
WAY_READ_AS = (
    "items are generalized by AA. The claim rests on a T that finds the mapping with the least UL (Property 3); PCTA is a "
    "greedy search that may miss it."
)
BTD_NOTE = (
    f"At most {FEW:,} random records: with PCTA, which finds sets as the paper does, UL proximity generalizes the items of "
    "every union anew. CPU seconds in one process, warm kernels; by BTD the least of three runs."
)
MERGE_NOTE = (
    f"With δ = 1 no bound stops a merge, so Rum-bound and Tum-bound merge alike. At most {SUBSET:,} random records. UL is "
    "that of the item step (PCTA or AA) run anew on each merged cluster. Our algorithms keep the items of the parts where "
    "the union would lose more, so that what they publish never gets worse; here this is left out, as in the paper."
)


def proximity(materials: Materials) -> Iterator[Row]:
    """Figures 7c to 7f: items by PCTA on few records, by AA on more."""
    whole = patients(materials)
    for items, records in (("pcta", FEW), ("aa", SUBSET)):
        data, values = nested(whole, materials.pick(records, 800)), settings(items=items)
        on_ncp = bounds_on_ncp(data, values, materials.pick((0.5, 0.7, 0.9), (0.7,)))
        on_ul = bounds_on_ul(data, values, materials.pick((0.25, 0.65), (0.45,)))
        for algorithm in ("rmerge-t", "rmerge-rt", "tmerge-t", "tmerge-rt"):
            for delta in on_ncp if algorithm in RUM else on_ul:
                for near in ("btd", "ul"):
                    row = _by(data, algorithm, {**values, "delta": delta, "proximity": near}, 3 if near == "btd" else 1)
                    yield labelled(row, delta=delta, kind=algorithm, near=near, items=items)


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


def _lost(outcome: ItemOutcome | None, rows: Records) -> float:
    """UL summed over the records; a cluster that cannot be protected on its own loses everything."""
    return float(len(rows)) if outcome is None else outcome.lost


def judge_proximity(rows: Rows) -> Judgement:
    """000-7."""
    rows = done(rows)
    by_pcta, by_aa = pick(rows, items="pcta"), pick(rows, items="aa")
    more = _more_by_btd(by_pcta)
    apart = [Ratio(ratio.setting, abs(ratio.value)) for ratio in more]
    others = (
        Reading("the same UL, either way", (at_most("the same UL by BTD as by UL", apart, SAME_UL, unit=" apart"),)),
        Reading(f"items generalized by AA, {SUBSET:,} records", _as_good_and_quicker(by_aa)),
    )
    plots = tuple(
        lines(own, "delta", field, f"{text} by δ, {bound}-bound", x_label="δ", y_label=text, log=field == "cpu")
        for bound, own in (("Rum", _of(by_pcta, "rmerge")), ("Tum", _of(by_pcta, "tmerge")))
        for field, text in (("ul", "UL"), ("cpu", "CPU s"))
    )
    shown = table(rows, ("items", "algorithm", "delta", "ul", "cpu"), names={"ul": "UL"})
    return Judgement(_as_good_and_quicker(by_pcta), plots, shown, BTD_NOTE, ONE_SIDED, others)


def _as_good_and_quicker(rows: Rows) -> tuple[Check, ...]:
    by_loss = [{**row, "algorithm": row["near"]} for row in rows]
    return (
        at_most("no more UL by BTD than by UL", _more_by_btd(rows), SAME_UL, unit=" more"),
        at_least("BTD is at least 10 times quicker", ratios(by_loss, "cpu", "ul", "btd", ("kind", "delta")), TEN_TIMES),
    )


def _more_by_btd(rows: Rows) -> list[Ratio]:
    """The UL reached by BTD less that reached by UL proximity."""
    found = by_setting([{**row, "algorithm": row["near"]} for row in rows], "ul", ("kind", "delta")).items()
    return [Ratio(name, figures["btd"] - figures["ul"]) for name, figures in found if {"btd", "ul"} <= set(figures)]


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


def _of(rows: Rows, prefix: str) -> list[Row]:
    return [row for row in rows if str(row["kind"]).startswith(prefix)]


PROXIMITY = Experiment("BTD or UL as proximity", ("INFORMS",), proximity)
WAY = Experiment("UL by merges", ("INFORMS",), on_the_way)

CLAIMS = (
    Claim(
        "000-7",
        "BTD gives the same UL as UL proximity, at least 10 times quicker, also for Tum-bound",
        f"INFORMS, some thousand records, {SETTING} (figures 7c to 7f)",
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
