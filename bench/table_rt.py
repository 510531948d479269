"""RT algorithms on the patients of INFORMS 2005: losses, clusters, time; every release verified. Writes bench/results/rt.md.

Run: python bench/table_rt.py [section ...]      sections: bounds trade refine near diversity hierarchy peers growth
"""

import os
import re
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from algorithms.rt.informs import informs
from anonset.algorithms import make
from anonset.errors import InfeasibleError
from anonset.measure.information_loss import ncp, ncp_items, ul_record
from anonset.measure.workload import are, random_queries
from anonset.model.dataset import Column, Dataset, Transactions
from anonset.verify import verify

DATA = Path(os.environ.get("ANONSET_DATA", Path(__file__).parents[2] / "shared" / "data"))
OUT = Path(__file__).parent / "results" / "rt.md"
RMERGE, TMERGE = ("rmerge-r", "rmerge-t", "rmerge-rt"), ("tmerge-r", "tmerge-t", "tmerge-rt")
HEAD = ("algorithm", "bound", "NCP", "UL", "item NCP", "clusters", "smallest", "median", "largest", "CPU s", "wall s", "holds")
SEED = 1


def run(data, name, verified=True, **values):
    """The release, and one row of the table."""
    before, wall = time.process_time(), time.perf_counter()
    release = make(name, {"seed": SEED, **values} if name != "t-first" else values).anonymize(data)
    cpu, wall = time.process_time() - before, time.perf_counter() - wall
    sizes = np.array([row["records"] for row in release.trace if row["action"] == "generalized"])
    shown = [f"{x:.4f}" for x in (ncp(data, release), ul_record(data, release), ncp_items(data, release))]
    spread = [len(sizes), sizes.min(), int(np.median(sizes)), sizes.max()]
    holds = ("yes" if verify(data, release).holds else "NO") if verified else "-"
    bound = values.get("delta")
    row = [name, "auto" if bound is None else f"{bound:.4g}", *shown, *spread, f"{cpu:.2f}", f"{wall:.2f}", holds]
    print(*row, flush=True)
    return release, row


def lowest(data, name, **values):
    """The lowest bound an algorithm reaches, as it says itself."""
    try:
        make(name, {"seed": SEED, "delta": 0.0, **values}).anonymize(data)
    except InfeasibleError as error:
        return float(re.search(r"found is ([\d.]+)", str(error))[1])
    return 0.0


def bounds(data):
    rows = [run(data, "r-first", k=25)[1], run(data, "t-first", k=25)[1]]
    for name in RMERGE:
        for delta in (lowest(data, name, k=25), 0.2, 0.35, 0.5, 0.65, 0.8, 0.95, 1.0):
            rows.append(run(data, name, k=25, delta=delta)[1])
    for name in TMERGE:
        for delta in (lowest(data, name, k=25), 0.35, 0.5, 0.65, 0.8, 0.95, 1.0):
            rows.append(run(data, name, k=25, delta=delta)[1])
    rows += [run(data, name, k=25)[1] for name in (*RMERGE, *TMERGE)]
    return table("All records, k = 25, m = 2: bounds from the lowest reachable to 1, and the knee", HEAD, rows)


def trade(data):
    """Average relative error of the paper's workloads: 100 queries of each kind."""
    queries = {kind: random_queries(data, 100, kind=kind, seed=3) for kind in ("relational", "items", "both")}
    rows = []
    for name in RMERGE:
        for delta in (0.35, 0.65, 0.95):
            release, row = run(data, name, k=25, delta=delta)
            rows.append([*row[:4], *(f"{are(data, release, workload):.3f}" for workload in queries.values())])
    head = (*HEAD[:4], "ARE quasi", "ARE items", "ARE both")
    return table("Queries ([000] figure 4): 100 for one quasi value, 100 for two items, 100 for both", head, rows)


def refine(data):
    rows = []
    for name, delta in [(name, 0.65) for name in RMERGE] + [(name, 0.5) for name in TMERGE]:
        rows.append(run(data, name, k=25, delta=delta)[1])
        row = run(data, name, k=25, delta=delta, refine=True)[1]
        rows.append([f"{row[0]} refined", *row[1:]])
    return table("Refinement: neither loss may rise", HEAD, rows)


def near(data):
    some = data.take(np.sort(np.random.default_rng(0).permutation(len(data))[:4000]))
    rows = []
    for name, deltas in [("rmerge-t", (0.55, 0.75, 0.95)), ("rmerge-rt", (0.55, 0.75, 0.95)), ("tmerge-t", (0.6, 0.4))]:
        for delta in deltas:
            pair = [run(some, name, k=25, delta=delta, proximity=by)[1] for by in ("btd", "ul")]
            rows += [[f"{row[0]}, {by}", *row[1:]] for by, row in zip(("btd", "ul"), pair, strict=True)]
            rows[-1][0] += f" ({float(pair[1][9]) / float(pair[0][9]):.0f} x the time)"
    return table("4,000 records: clusters ordered by BTD, or by the true UL of the union ([000] figure 7)", HEAD, rows)


def diversity(data):
    flags = np.zeros(len(data.transactions.domain), np.bool_)
    flags[np.random.default_rng(5).permutation(len(flags))[: len(flags) // 20]] = True
    hidden = replace(data, sensitive_items=flags)
    make("rmerge-r", {"k": 25, "l": 3, "seed": 0}).anonymize(hidden.take(np.arange(2000)))  # compile
    rows = [run(hidden, name, k=25, l=3, delta=0.65)[1] for name in RMERGE]
    rows += [run(hidden, name, k=25, l=3, delta=0.5)[1] for name in TMERGE]
    title = f"(k, l^m)-diversity: {flags.sum()} of {len(flags)} diagnoses (5%) sensitive, l = 3"
    return table(title, HEAD, rows)


def hierarchy(data):
    coded = informs(DATA, item_hierarchy=DATA / "rt" / "informs05_hierarchies" / "items.csv")
    rows = []
    for name in RMERGE:
        rows.append(run(coded, name, k=25, delta=0.65)[1])
        row = run(coded, name, k=25, delta=0.65, refine=True)[1]
        rows.append([f"{name} refined", *row[1:]])
        row = run(coded, name, k=25, delta=0.65, items="pcta")[1]
        rows.append([f"{name}, items = pcta", *row[1:]])
    return table("Items under the ICD-9 hierarchy: above a rare chapter there is only the root", HEAD, rows)


def peers(data):
    some = data.take(np.sort(np.random.default_rng(0).permutation(len(data))[:10_003]))
    coded = informs(DATA, item_hierarchy=DATA / "rt" / "informs05_hierarchies" / "items.csv")
    coded = coded.take(np.sort(np.random.default_rng(0).permutation(len(data))[:10_003]))
    rows = []
    for name, other in (("rmerge-r", "429"), ("rmerge-t", "> 600"), ("rmerge-rt", "none")):
        for title, source, refined in (("balanced", some, False), ("ICD-9", coded, False), ("ICD-9, refined", coded, True)):
            row = run(source, name, k=5, delta=0.65, refine=refined)[1]
            times = "" if other == "none" else f"{float(other.strip('> ')) / float(row[9]):.0f}"
            rows.append([f"{name}, {title}", *row[1:], other, times])
    return table(
        "10,003 records, k = 5, m = 2, delta 0.65, against another tool's seconds (times: of CPU)",
        (*HEAD, "other s", "times"),
        rows,
    )


def growth(data):
    rows = []
    for times in (1, 3, 10):
        grown = lookalike(data, times) if times > 1 else data
        for name in ("rmerge-r", "rmerge-t", "rmerge-rt"):
            row = run(grown, name, k=25, delta=0.65)[1]
            rows.append([f"{name}, {len(grown):,} records", *row[1:]])
        row = run(grown, "rmerge-t", k=25, delta=0.65, compare=500)[1]
        rows.append([f"rmerge-t in parts of 500 clusters, {len(grown):,} records", *row[1:]])
    return table("Growth; above `compare` = 4,096 clusters they merge in parts cut at medians", HEAD, rows)


def lookalike(data, times, seed=0):
    """Records drawn again, with birth year, income and a tenth of the items changed a little."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, len(data), times * len(data))
    drawn = data.take(rows)
    shift = {"DOBYY": 2, "income": 30}
    columns = tuple(
        Column(c.name, c.role, c.kind, shifted(c.codes, shift[c.name], len(c.domain), rng), c.domain, c.values, c.hierarchy)
        if c.name in shift
        else c
        for c in drawn.columns
    )
    t = drawn.transactions
    items = np.where(rng.random(len(t.items)) < 0.1, rng.permutation(t.items), t.items)
    owner = np.repeat(np.arange(len(t)), t.lengths)
    key = np.unique(owner * len(t.domain) + items)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(key // len(t.domain), minlength=len(t)))]).astype(np.int64)
    baskets = Transactions(offsets, (key % len(t.domain)).astype(np.int32), t.domain)
    return Dataset(columns, baskets, data.item_hierarchy)


def shifted(codes, by, d, rng):
    return np.clip(codes + rng.integers(-by, by + 1, len(codes)), 0, d - 1).astype(np.int32)


def table(title, head, rows):
    lines = [f"## {title}", "", f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return "\n".join([*lines, *(f"| {' | '.join(map(str, row))} |" for row in rows), ""])


SECTIONS = (bounds, trade, refine, near, diversity, hierarchy, peers, growth)
NOTE = """# RT algorithms on INFORMS 2005

26,735 patients; month and year of birth, race, years of education and income are quasi (numbers as ranges, equal weights),
599 diagnoses under a balanced tree of fanout 5, as in the paper.
UL is `ul-record`: a record with one item always counts 1, so 0.274 is a floor here.
Written by `python bench/table_rt.py`; seconds are those of a shared machine with two cores.
"""


def main():
    wanted = sys.argv[1:] or [section.__name__ for section in SECTIONS]
    old = OUT.read_text() if OUT.exists() else NOTE
    parts = {part.split("\n", 1)[0]: part for part in re.split(r"(?m)^## ", old)[1:]}
    kept = [parts.get(key) for key in parts]
    data = informs(DATA)
    for name in ("rmerge-rt", "tmerge-r"):  # compile
        make(name, {"k": 25, "seed": 0, "refine": True}).anonymize(data.take(np.arange(2000)))
    fresh = {section.__name__: section(data) for section in SECTIONS if section.__name__ in wanted}
    texts = [*(f"## {part}" for part in kept if part), *fresh.values()]
    by_title = {text.split("\n", 1)[0].strip(): text.rstrip() + "\n" for text in texts}
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text("\n".join([NOTE, *by_title.values()]))


if __name__ == "__main__":
    main()
