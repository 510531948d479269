"""[000]: relational values and items of a record together; figures 4 to 7."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from anonset.algorithms import make
from anonset.algorithms.rt.item_step import ItemOutcome, Items, make_step
from anonset.errors import InfeasibleError
from anonset.measure.information_loss import ncp, ul_record
from anonset.measure.workload import Workload, are, random_queries
from anonset.model.arrays import Rows as RowNumbers
from anonset.model.builders import balanced
from anonset.model.dataset import Column, Dataset
from anonset.model.release import Release, Trace
from anonset.verify import verify
from anonset_papers.claims import Check, Claim, Experiment, Judgement, Plot, Reading, Row, Rows, Table, Value
from anonset_papers.figures import HEADERS, Ratio, along, by_setting, done, lines, number, pick, ratios, table
from anonset_papers.materials import Materials, nested
from anonset_papers.rules import always, at_least, at_most, lowest, reaches, untestable
from anonset_papers.trials import cpu_seconds, labelled, timed

TITLE = "(k, k^m)-anonymity of records with relational and set-valued attributes"

QUASI = ("DOBMM", "DOBYY", "RACEX", "EDUCYEAR", "income")
NAMES_AS_NUMBERS = frozenset({"RACEX"})
K, M, DELTA, L = 25, 2, 0.65, 3
SENSITIVE = 0.05  # of the items
SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)  # of the way from the clusters' NCP to 1
ITEM_SHARES = (0.25, 0.35, 0.45, 0.55, 0.65)  # of the way from the lowest UL to that of the clusters
RUM = ("rmerge-r", "rmerge-rt", "rmerge-t")
TUM = ("tmerge-r", "tmerge-rt", "tmerge-t")
RELATIONAL = {"one": 1, "three": 3, "five": 5}  # values that a relational query asks for
JUDGED = "three"
SETTING = f"k={K}, m={M}"


def patients(materials: Materials) -> Dataset:
    """The five attributes of the paper, and diagnoses under a balanced tree of fanout 5; other data keep their columns."""
    data = materials.data("INFORMS")
    known = {column.name for column in data.quasi}
    chosen = [column for column in data.quasi if column.name in QUASI or not known.issuperset(QUASI)]
    assert data.transactions is not None
    columns = tuple(_named(column) if column.name in NAMES_AS_NUMBERS else column for column in chosen)
    plain = replace(data, columns=columns)
    return plain.with_item_hierarchy(balanced(data.transactions.domain, 5))


def with_sensitive(data: Dataset, *, seed: int = 5) -> Dataset:
    """The same records, a random share of their items sensitive."""
    assert data.transactions is not None
    d = len(data.transactions.domain)
    flags = np.zeros(d, np.bool_)
    flags[np.random.default_rng(seed).permutation(d)[: max(1, round(SENSITIVE * d))]] = True
    return replace(data, sensitive_items=flags)


def workloads(data: Dataset, n: int) -> dict[str, Workload]:
    """So many queries for two items, half as many for 1, 3 and 5 relational values and for both, a fifth for each column."""
    names, half, fifth = [column.name for column in data.quasi], max(1, n // 2), max(1, n // 5)
    relational = {
        field: random_queries(data, half, kind="relational", values=min(values, len(names)), seed=0)
        for field, values in RELATIONAL.items()
    }
    by_column = {f"of {name}": random_queries(data, fifth, kind="relational", columns=[name], seed=0) for name in names}
    both = random_queries(data, half, kind="both", values=min(RELATIONAL[JUDGED], len(names)), seed=0)
    return {**relational, **by_column, "items": random_queries(data, n, kind="items", seed=0), "both": both}


def settings(**more: Any) -> dict[str, Any]:
    """The parameters of the paper, with numbers as ranges and a fixed seed."""
    return {"k": K, "m": M, "recoding": "ranges", "seed": 1, **more}


def bounds_on_ncp(data: Dataset, values: Mapping[str, Any], shares: Sequence[float] = SHARES) -> list[float]:
    """Bounds from just above the NCP of the clusters to just below 1."""
    start = ncp(data, make("r-first", values).anonymize(data))
    return [round(start + share * (1.0 - start), 4) for share in shares]


def bounds_on_ul(data: Dataset, values: Mapping[str, Any], shares: Sequence[float] = ITEM_SHARES) -> list[float]:
    """Bounds between the lowest UL that merging reaches and the UL of the clusters."""
    way = make("tmerge-r", values).anonymize(data).trace
    seen = [float(step["ul"]) for step in way if step["action"] == "traded"] or [1.0]
    return [round(min(seen) + share * (max(seen) - min(seen)), 4) for share in shares]


def merged(data: Dataset, algorithm: str, values: Mapping[str, Any], asked: Mapping[str, Workload]) -> dict[str, Value]:
    """The figures of one verified release; where there is none, `outcome` says so."""
    before = time.process_time()
    try:
        release = make(algorithm, values).anonymize(data)
    except InfeasibleError:
        return {"algorithm": algorithm, "outcome": "cannot be met"}
    row: dict[str, Value] = {"algorithm": algorithm, "outcome": "done", "cpu": time.process_time() - before}
    verify(data, release).require()
    sizes = cluster_sizes(release)
    row |= {"ncp": ncp(data, release), "ul": ul_record(data, release), "largest": max(sizes), "clusters": len(sizes)}
    return row | {kind: are(data, release, workload) for kind, workload in asked.items()}


def cluster_sizes(release: Release) -> list[int]:
    """The records of each final cluster."""
    return [int(step["records"]) for step in release.trace if step["action"] == "generalized"]


def _named(column: Column) -> Column:
    """A column of numbers that only name something, without their order."""
    return replace(column, kind="categorical", values=None)


# Data utility: figures 4 to 6.

QUERIES = 300
SUBSET = 4_000
ROUNDING = 1e-6
STAYS = 1.5
LOSE_LEAST = "items lose least by RmR, most by RmT"
LOSE_MOST = "relational values lose most by RmR, least by RmT"
NAMES = {
    "ul": "UL",
    "largest": "largest cluster",
    "one": "ARE, 1 value",
    "three": "ARE, 3 values",
    "five": "ARE, 5 values",
    "items": "ARE, items",
    "both": "ARE, both",
}
SHOWN = ("one", "three", "five", "items", "both")
COLUMNS = ("delta", "algorithm", "ncp", "ul", "largest", "clusters", *SHOWN, "cpu")
QUERY_NOTE = (
    "Numbers become ranges. Queries: 60 to 300 of each kind, each for values (of numbers, a tenth of the "
    "span), two items, or both, that some record has. YouTube, the paper's second dataset, is not at hand."
)
NOTE = f"Items are generalized as sets, as in the paper: by PCTA inside each cluster. {QUERY_NOTE}"
READ_AS = (
    "a relational query asks for 3 of the 5 values of a record; the paper says «random values». Queries for one value are "
    "ruled by race, those for all five count one person each."
)
DIVERSE_NOTE = (
    f"Sensitive: {SENSITIVE:.0%} of the diagnoses, drawn at random; l={L}. Items are generalized by AA, which can keep them "
    f"l-diverse. {QUERY_NOTE}"
)


def rum_bound(materials: Materials) -> Iterator[Row]:
    """Figures 4a to 4c, 6a, 6c."""
    data, values = patients(materials), settings(items="pcta")
    asked = workloads(data, materials.pick(QUERIES, 200))
    for delta in bounds_on_ncp(data, values):
        for algorithm in RUM:
            yield labelled(merged(data, algorithm, {**values, "delta": delta}, asked), delta=delta)


def tum_bound(materials: Materials) -> Iterator[Row]:
    """Figure 4h; the first row is that of the clusters before they are merged."""
    data, values = nested(patients(materials), SUBSET), settings(items="pcta")
    asked = workloads(data, materials.pick(QUERIES, 200))
    yield labelled(merged(data, "r-first", values, asked), delta=1.0)
    for delta in bounds_on_ul(data, values):
        for algorithm in TUM:
            yield labelled(merged(data, algorithm, {**values, "delta": delta}, asked), delta=delta)


def diverse(materials: Materials) -> Iterator[Row]:
    """Figures 5a to 5c."""
    data, values = with_sensitive(patients(materials)), settings(l=L)
    asked = workloads(data, materials.pick(QUERIES, 200))
    for delta in bounds_on_ncp(data, values):
        for algorithm in RUM:
            yield labelled(merged(data, algorithm, {**values, "delta": delta}, asked), delta=delta)


def judge_trade(rows: Rows) -> Judgement:
    """000-1."""
    rows = done(rows)
    within = {f"{row['algorithm']}, δ={row['delta']}": _keeps(row, "ncp") for row in rows}

    def judge(field: str) -> tuple[Check, ...]:
        text = "a small δ favours relational queries"
        return tuple(_from_first_to_last(rows, name, field, text, rises=True) for name in RUM)

    checks = (
        *judge(JUDGED),
        *(_from_first_to_last(rows, name, "items", "a large δ favours item queries", rises=False) for name in RUM),
        always("NCP is at most δ", "NCP <= δ", within),
    )
    return Judgement(checks, _plots(rows), table(rows, _columns(rows), names=NAMES), NOTE, READ_AS, _by_values(rows, judge))


def judge_items_bound(rows: Rows) -> Judgement:
    """000-2."""
    rows = done(rows)
    after = [row for row in rows if row["algorithm"] in TUM]
    within = {f"{row['algorithm']}, δ={row['delta']}": _keeps(row, "ul") for row in after}

    def judge(field: str) -> tuple[Check, ...]:
        text = "a larger δ favours relational data"
        return tuple(_from_first_to_last(after, name, field, text, rises=False) for name in TUM)

    checks = (*judge(JUDGED), always("the loss of items stays low: UL", "UL <= δ", within), _stays_low(after))
    note = (
        f"At most {SUBSET:,} random records, since UL is computed after each merge. δ lies between the lowest UL that "
        f"merging reaches and that of the clusters before. {NOTE}"
    )
    shown = table(rows, _columns(rows), names=NAMES)
    return Judgement(checks, _plots(after), shown, note, READ_AS, _by_values(after, judge))


def judge_order(rows: Rows) -> Judgement:
    """000-3."""
    rows = done(rows)

    def judge(field: str) -> tuple[Check, ...]:
        return (mean_order(LOSE_MOST, rows, field, RUM[::-1]),)

    checks = (mean_order(LOSE_LEAST, rows, "items", RUM), *judge(JUDGED))
    others = (*_by_values(rows, judge), Reading("relational loss as NCP", judge("ncp")))
    plots = _plots(rows, ("items", JUDGED))
    return Judgement(checks, plots, table(rows, _columns(rows), names=NAMES), NOTE, READ_AS, others)


def judge_sizes(rows: Rows) -> Judgement:
    """000-4."""
    rows = done(rows)
    shown = table(rows, _columns(rows), names=NAMES)
    return Judgement(_order_of_sizes(rows), _plots(rows, ("largest", "ul")), shown, NOTE)


def judge_diverse(rows: Rows) -> Judgement:
    """000-5."""
    rows = done(rows)

    def judge(field: str) -> tuple[Check, ...]:
        return (mean_order(LOSE_MOST, rows, field, RUM[::-1]),)

    checks = (mean_order(LOSE_LEAST, rows, "items", RUM), *judge(JUDGED), *_order_of_sizes(rows))
    plots = _plots(rows, ("items", JUDGED, "largest", "ul"))
    others = (*_by_values(rows, judge), Reading("relational loss as NCP", judge("ncp")))
    return Judgement(checks, plots, table(rows, _columns(rows), names=NAMES), DIVERSE_NOTE, READ_AS, others)


def _by_values(rows: Rows, judge: Callable[[str], tuple[Check, ...]]) -> tuple[Reading, ...]:
    """The same about relational queries for other numbers of values, and for one value of each column."""
    found = [
        Reading(f"queries for {n} value{'s' * (n > 1)}", judge(field)) for field, n in RELATIONAL.items() if field != JUDGED
    ]
    columns = dict.fromkeys(name for row in rows for name in row if name.startswith("of "))
    return (*found, *(Reading(f"queries for one value {name}", judge(name)) for name in columns))


def _columns(rows: Rows) -> tuple[str, ...]:
    return (*COLUMNS, *dict.fromkeys(name for row in rows for name in row if name.startswith("of ")))


def _order_of_sizes(rows: Rows) -> tuple[Check, ...]:
    return (
        mean_order("RmR makes the largest clusters, RmRT larger ones than RmT", rows, "largest", RUM[::-1]),
        _slightly(rows),
        mean_order("the larger the clusters, the lower UL", rows, "ul", RUM),
    )


def mean_order(text: str, rows: Rows, field: str, names: Sequence[str]) -> Check:
    """The algorithms' figures rise in this order on average over δ, and so they do at more than half of the δ."""
    found = [figures for figures in by_setting(rows, field, ("delta",)).values() if set(names) <= set(figures)]
    if not found:
        return untestable(text, "no δ gave all figures")
    means = [sum(figures[name] for figures in found) / len(found) for name in names]
    rising = sum(_rises([figures[name] for name in names]) for figures in found)
    ours = ", ".join(f"{name} {mean:.4g}" for name, mean in zip(names, means, strict=True))
    return Check(
        text,
        f"{' < '.join(names)} on average over δ, and at more than half of the δ",
        f"{ours}; at {rising} of {len(found)} δ",
        _rises(means) and 2 * rising > len(found),
    )


def _rises(figures: Sequence[float]) -> bool:
    return all(a < b for a, b in pairwise(figures))


def _slightly(rows: Rows) -> Check:
    text = "RmRT's clusters are only slightly larger than RmT's"
    found = [figures for figures in by_setting(rows, "largest", ("delta",)).values() if set(RUM) <= set(figures)]
    if not found:
        return untestable(text, "no δ gave all figures")
    r, rt, t = (sum(figures[name] for figures in found) / len(found) for name in RUM)
    rule = "on average over δ the largest is nearer to RmT's than to RmR's"
    return Check(text, rule, f"RmT {t:.4g}, RmRT {rt:.4g}, RmR {r:.4g}", abs(rt - t) < abs(r - rt))


def _from_first_to_last(rows: Rows, name: str, field: str, text: str, *, rises: bool) -> Check:
    said = f"{text}: {name}"
    deltas, figures = along(pick(rows, algorithm=name), "delta", field)
    if len(deltas) < 2:
        return untestable(said, "fewer than two δ could be met")
    rule = f"ARE is {'higher' if rises else 'lower'} at the largest δ than at the smallest"
    ours = f"{figures[0]:.4g} at δ={deltas[0]:g}, {figures[-1]:.4g} at δ={deltas[-1]:g}"
    return Check(said, rule, ours, figures[-1] != figures[0] and (figures[-1] > figures[0]) == rises)


def _stays_low(rows: Rows) -> Check:
    text = "the loss of items stays low as δ grows: ARE"
    found = []
    for name in TUM:
        deltas, figures = along(pick(rows, algorithm=name), "delta", "items")
        if len(deltas) > 1 and figures[0] > 0:
            found.append(Ratio(name, max(figures) / figures[0]))
    return at_most(text, found, STAYS, unit=" times that at the smallest δ")


def _keeps(row: Row, field: str) -> bool:
    return number(row, field) <= number(row, "delta") + ROUNDING


def _plots(rows: Rows, fields: Sequence[str] = SHOWN) -> tuple[Plot, ...]:
    return tuple(
        lines(rows, "delta", field, f"{NAMES.get(field, field)} by δ", x_label="δ", y_label=NAMES.get(field, field))
        for field in fields
    )


RUM_BOUND = Experiment("Rum-bound by δ", ("INFORMS",), rum_bound)
TUM_BOUND = Experiment("Tum-bound by δ", ("INFORMS",), tum_bound)
DIVERSE = Experiment("(k, l^m)-diversity by δ", ("INFORMS",), diverse)

UTILITY_CLAIMS = (
    Claim(
        "000-1",
        "Rum-bound: a small δ favours relational queries, a large δ item queries; NCP is at most δ",
        f"INFORMS, {SETTING} (figures 4a to 4c)",
        (RUM_BOUND,),
        judge_trade,
    ),
    Claim(
        "000-2",
        "Tum-bound: a larger δ favours relational data, and the loss of items stays low",
        f"INFORMS, {SETTING} (figure 4h)",
        (TUM_BOUND,),
        judge_items_bound,
    ),
    Claim(
        "000-3",
        "RmR has the lowest loss of items and the highest of relational values, RmT the opposite, RmRT is between",
        f"INFORMS, {SETTING} (figure 4)",
        (RUM_BOUND,),
        judge_order,
    ),
    Claim(
        "000-4",
        "RmR makes the largest clusters, RmRT slightly larger ones than RmT; larger clusters have lower UL",
        f"INFORMS, {SETTING} (figures 6a, 6c)",
        (RUM_BOUND,),
        judge_sizes,
    ),
    Claim(
        "000-5",
        "The (k, l^m)-diverse versions stand in the same order",
        f"INFORMS, {SETTING}, some diagnoses sensitive (figure 5)",
        (DIVERSE,),
        judge_diverse,
    ),
)


# Efficiency: figures 7a and 7b.

RECORDS = (2_000, 4_000, 6_000, 8_000, 10_000)
K_VALUES = (15, 20, 30, 50)
UP_TO_2_2 = 2.0
TIME_NOTE = (
    "CPU seconds in one process, warm kernels, the least of five runs. Items are generalized by AA: PCTA takes ten times as "
    "long as the merging, whose time is compared."
)
ORDERS = {"rmerge-r": 1, "rmerge-t": 1, "rmerge-rt": 2}  # that an algorithm puts the other clusters in
STEPS_READ_AS = (
    "time is counted in steps: for each merge the seed's union with every other cluster, once for each order that it is put in "
    "(RmRT computes two). A run of ours takes 0.03 to 0.3 s, half of it for what is not merging."
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


TIMES = Experiment("merging by records and by k", ("INFORMS",), times)

TIME_CLAIMS = (
    Claim(
        "000-6",
        "RmT is the quickest and RmRT the slowest; time falls with k; RmT is up to 2.2 times quicker than RmR",
        "INFORMS, nested subsets of 2K to 10K records; k=15..50 (figures 7a, 7b)",
        (TIMES,),
        judge_times,
    ),
)


# Benefits of algorithmic choices: figures 7c to 7h.

FEW = 1_500  # records whose unions are all generalized by PCTA
TEN_TIMES = 10.0
SAME_UL = 0.05
UL_ROUNDING = 1e-12
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


def _lost(outcome: ItemOutcome | None, rows: RowNumbers) -> float:
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
    return [b - a for a, b in pairwise(way) if b > a + UL_ROUNDING]


def _of(rows: Rows, prefix: str) -> list[Row]:
    return [row for row in rows if str(row["kind"]).startswith(prefix)]


PROXIMITY = Experiment("BTD or UL as proximity", ("INFORMS",), proximity)
WAY = Experiment("UL by merges", ("INFORMS",), on_the_way)

CHOICE_CLAIMS = (
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


CLAIMS = (*UTILITY_CLAIMS, *TIME_CLAIMS, *CHOICE_CLAIMS)
