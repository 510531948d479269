"""The eight algorithms of [000] with items = pcta against rt-search at equal NCP, all verified: bench/results/rt_ours.md.

Run: python bench/table_rt_ours.py [dataset ...] [k=5 ...] [m=2 ...] [ours]      datasets: informs5 informs3 synthea
With `ours` the rows of the eight are kept as the file has them: they change with neither seed nor time.
"""

import os
import re
import sys
import time
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from algorithms.rt.informs import informs
from anonset.algorithms import make
from anonset.algorithms.rt.base import prepare, release_clusters
from anonset.algorithms.rt.cluster_merge import TOLERANCE, QuasiMeasure, merges
from anonset.algorithms.rt.item_step import join
from anonset.data import Schema, read
from anonset.errors import InfeasibleError
from anonset.measure.information_loss import ncp
from anonset.measure.workload import RecordIndex, Workload, count_queries, random_queries
from anonset.verify import verify

DATA = Path(os.environ.get("ANONSET_DATA", Path(__file__).parents[2] / "shared" / "data"))
OUT = Path(__file__).parent / "results" / "rt_ours.md"
BOUNDS, SEED, STEPS = (0.1, 0.2, 0.4), 1, "8+16"
COMMON = 20  # records that a common query counts at least
NAMES = ("r-first", "t-first", "rmerge-r", "rmerge-t", "rmerge-rt", "tmerge-r", "tmerge-t", "tmerge-rt")


def informs5():
    return informs(DATA, item_hierarchy=DATA / "rt" / "informs05_hierarchies" / "items.csv")


def informs3():
    data = informs5()
    kept = {"DOBYY", "RACEX", "EDUCYEAR"}
    return replace(data, columns=tuple(c for c in data.columns if c.name in kept))


def synthea():
    quasi = ("birth_year", "gender", "race", "ethnicity", "marital")
    schema = Schema(quasi=quasi, identifier=("city", "zip"), items=("items",), kinds={"birth_year": "numeric"})
    return read(DATA / "rt" / "synthea_ma.csv.gz", schema=schema)


def workloads(data):
    """Queries for a value and items together, of other seeds than the search draws: two items, one, and common ones."""
    found = {"2 items": random_queries(data, 400, kind="both", seed=103)}
    found["1 item"] = random_queries(data, 400, kind="both", items=1, seed=104)
    many = Workload(random_queries(data, 4000, seed=105).queries + random_queries(data, 400, items=1, seed=106).queries)
    index = RecordIndex(data)
    found["common"] = Workload(tuple(query for query in many.queries if index.count(query) >= COMMON)[-400:])
    return found


@cache
def unbound(data, name, k, m):
    """The release of an algorithm without a bound, made once."""
    return make(name, {"k": k, "m": m, "items": "pcta"} | ({} if name == "t-first" else {"seed": SEED})).anonymize(data)


def theirs(data, name, k, m, bound):
    """The release of a paper's algorithm with NCP within the bound, as far as it merges within it."""
    if name in ("r-first", "t-first"):
        return unbound(data, name, k, m)
    values = {"k": k, "m": m, "items": "pcta", "seed": SEED}
    if name.startswith("tmerge"):
        return on_the_way(data, name, values, bound)
    return make(name, values | {"delta": bound}).anonymize(data)


def on_the_way(data, name, values, bound):
    """The last state with NCP within the bound on the way of a Tum-bound algorithm."""
    algorithm = make(name, values)
    start = prepare(algorithm, data, lambda done: None)
    parts = algorithm.cluster_parts(data, start)
    history = {c: [outcome] for c, outcome in start.outcomes.items()}
    for step in merges(parts.fresh(), algorithm.by, QuasiMeasure("ncp", len(data), values["k"]), rejoin=parts.joined):
        if step.lost > (bound + TOLERANCE) * len(data):
            break
        history[step.name] = history.pop(step.seed) + history.pop(step.partner)
    before = {c: join(outcomes) for c, outcomes in history.items()}
    found = dict(zip(before, start.items.outcomes([outcome.rows for outcome in before.values()]), strict=True))
    better = {c: found[c] if found[c] and found[c].lost <= old.lost else old for c, old in before.items()}
    return release_clusters(algorithm, data, start.quasi, start.items, better, start.trace, lambda done: None)


def measured(data, made, queries, cpu):
    """NCP, the share of exact items, the errors by each workload and estimator, CPU seconds, and whether the promise holds."""
    exact = (made.items.labels.sizes[made.items.shown] == 1).sum() / len(data.transactions.items)
    errors = {
        (title, by): float(count_queries(data, made, workload, estimator=by).relative_errors().mean())
        for title, workload in queries.items()
        for by in ("uniform", "subsets")
    }
    return ncp(data, made), exact, errors, cpu, verify(data, made).holds


def kept(title, k, m):
    """The measured rows of the eight that the file has, by bound and algorithm."""
    text = OUT.read_text().split(f"\n## {title}, k = {k}, m = {m}\n")[1].split("\n## ")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("| 0")]
    return {(row[0], row[1]): row for row in rows if row[1] in NAMES}


def reread(cells):
    """A row of the file as it was measured; None where the bound could not be reached."""
    if not cells[-1]:
        return None
    kinds = [(title, by) for title in ("2 items", "1 item", "common") for by in ("uniform", "subsets")]
    errors = dict(zip(kinds, map(float, cells[4:10]), strict=True))
    return float(cells[2].split()[0]), float(cells[3]), errors, float(cells[10]), cells[11] == "yes"


def table(title, data, k, m, bounds, before):
    queries = workloads(data)
    print(title, {name: len(workload) for name, workload in queries.items()}, flush=True)
    heads = [f"{name}, {by}" for name in queries for by in ("uniform", "subsets")]
    head = ("bound", "algorithm", "NCP", "exact", *heads, "CPU s", "holds")
    lines = [f"## {title}, k = {k}, m = {m}", "", f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    for bound in bounds:
        rows = []
        for name in (*NAMES, "rt-search"):
            if old := before.get((f"{bound:g}", name)):
                lines.append(f"| {' | '.join(old)} |")
                rows += [(name, found)] if (found := reread(old)) else []
                continue
            start = time.process_time()
            try:
                made = ours(data, k, m, bound) if name == "rt-search" else theirs(data, name, k, m, bound)
            except InfeasibleError as error:
                lines.append(f"| {bound:g} | {name} | {re.sub('.*: ', '', str(error))} |" + " |" * (len(head) - 3))
                continue
            rows.append((name, measured(data, made, queries, time.process_time() - start)))
            lines.append(line(bound, *rows[-1]))
            print(lines[-1], flush=True)
        lines.append(ratios(bound, rows, len(head)))
        print(lines[-1], flush=True)
    return "\n".join([*lines, ""])


def ours(data, k, m, bound):
    return make("rt-search", {"k": k, "m": m, "values": 1, "delta": bound, "seed": SEED, "steps": STEPS}).anonymize(data)


def line(bound, name, found):
    loss, exact, errors, cpu, holds = found
    shown = [f"{error:.3f}" for error in errors.values()]
    beyond = "" if loss <= bound + 1e-6 else " (beyond)"
    cells = (f"{bound:g}", name, f"{loss:.4f}{beyond}", f"{exact:.3f}", *shown, f"{cpu:.1f}", "yes" if holds else "NO")
    return f"| {' | '.join(cells)} |"


def ratios(bound, rows, width):
    """How many times the error of the best of the eight within the bound is ours."""
    *others, (_, own) = rows
    within = [found for _, found in others if found[0] <= bound + 1e-6]
    if not within:
        return f"| {bound:g} | **none of the eight is within** |" + " |" * (width - 2)
    times = [f"{min(found[2][kind] for found in within) / max(error, 1e-9):.2f}" for kind, error in own[2].items()]
    return f"| {bound:g} | **best of the eight / rt-search** | | | {' | '.join(times)} | | |"


NOTE = """# rt-search against the eight algorithms of [000]

Each query asks for one quasi value (a tenth of a numeric column's span) and for two items, for one item, or for one or two
and counts at least 20 records (common). Errors are mean relative errors by the estimators `uniform` and `subsets`.
The eight generalize items by `pcta`; Tum-bound ones are taken at the last state of their way within the bound on NCP.
rt-search has `aim` = `queries` with queries of its own for one value and one or two items (another seed), and so many starts
and rounds: {steps}. Seed {seed}.
"(beyond)" marks a release whose NCP exceeds the bound: it is not compared.
Written by `python bench/table_rt_ours.py`; CPU seconds of a busy machine with two cores.
"""


def main():
    wanted = [name for name in sys.argv[1:] if "=" not in name and name != "ours"] or ["informs5", "informs3", "synthea"]
    ks, ms = ([int(name[2:]) for name in sys.argv[1:] if name.startswith(f"{key}=")] for key in "km")
    for name in wanted:
        data = globals()[name]()
        title = f"{name}: {len(data):,} records, {', '.join(c.name for c in data.quasi)}"
        for k, m in product(ks or [5], ms or [2]):
            section = table(title, data, k, m, BOUNDS, kept(title, k, m) if "ours" in sys.argv else {})
            old = OUT.read_text().split("\n## ")[1:] if OUT.exists() else []
            sections = {section.split("\n")[0]: f"## {section.rstrip()}\n" for section in old}
            sections[section.split("\n")[0][3:]] = section
            OUT.write_text(NOTE.format(steps=STEPS, seed=SEED) + "\n" + "\n".join(sections[key] for key in sorted(sections)))


if __name__ == "__main__":
    main()
