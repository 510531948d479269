"""[000] section 6, efficiency: figures 7a and 7b."""

from collections.abc import Iterator, Mapping
from typing import Any

from anonset.algorithms import make
from anonset.errors import InfeasibleError
from anonset.model.dataset import Dataset
from anonset_papers.claims import Check, Claim, Experiment, Judgement, Reading, Row, Rows, Value
from anonset_papers.figures import HEADERS, along, by_setting, done, lines, pick, ratios, table
from anonset_papers.materials import Materials, nested
from anonset_papers.paper_000_runs import (
    DELTA,
    RUM,
    K,
    patients,
    settings,
)
from anonset_papers.rules import always, lowest, reaches, untestable
from anonset_papers.trials import labelled, timed

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

CLAIMS = (
    Claim(
        "000-6",
        "RmT is the quickest and RmRT the slowest; time falls with k; RmT is up to 2.2 times quicker than RmR",
        "INFORMS, nested subsets of 2K to 10K records; k=15..50 (figures 7a, 7b)",
        (TIMES,),
        judge_times,
    ),
)
