"""One table of NCP, CPU seconds and memory: datasets x algorithms x k x m, every release verified.

Run: python bench/table_transactions.py [DATASET ...]. Writes bench/results/transactions.md. Hierarchies have fanout 5 in order
of item id; groceries has a real one.
"""

import multiprocessing
import os
import sys
import time
from pathlib import Path

from anonset.algorithms import make
from anonset.data import read
from anonset.measure.information_loss import ncp_items
from anonset.model.schema import Schema
from anonset.verify import verify

DATA = Path(os.environ.get("ANONSET_DATA", Path(__file__).parents[2] / "shared" / "data"))
OUT = Path(__file__).parent / "results" / "transactions.md"
HIERARCHY = {"groceries": str(DATA / "hierarchies" / "groceries.csv")}
DATASETS = ("bms_webview_1", "bms_webview_2", "groceries", "chess", "mushroom", "t10i4d100k")
ALGORITHMS = {
    "aa": ("aa", {}),
    "aa refine": ("aa", {"refine": True}),
    "da": ("da", {}),
    "vpa": ("vpa", {}),
    "lra": ("lra", {}),
    "partition": ("partition", {}),
}
KS, MS = (2, 5, 10, 25, 50), (1, 2, 3)


def memory():
    """The highest memory since it was last forgotten, in MB."""
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM"))


def rows_of(name, out):
    """Run in a process of its own: a row for each algorithm and k, with a cell for each m."""
    data = read(
        DATA / "transactions" / f"{name}.dat.gz", schema=Schema(item_hierarchy=HIERARCHY.get(name, "balanced:5,order=id"))
    )
    for title, (id, options) in ALGORITHMS.items():
        for k in KS:
            cells = []
            for m in MS if id != "partition" else (None,):
                values = {"k": k, **options} | ({} if m is None else {"m": m})
                cells.append(cell(data, make(id, values)))
            out.put((name, title, k, cells))
    out.put(None)


def cell(data, algorithm):
    if algorithm.k == KS[0]:
        algorithm.anonymize(data.take(range(2_000)) if len(data) > 2_000 else data)  # compiled kernels
    Path("/proc/self/clear_refs").write_text("5")
    before = time.process_time()
    release = algorithm.anonymize(data)
    seconds, peak = time.process_time() - before, memory()
    parts = f", {release.trace[0]['parts']} parts" if release.trace else ""
    holds = "" if verify(data, release).holds else " NOT VERIFIED"
    return f"{ncp_items(data, release):.4f} ({seconds:.2f} s, {peak:.0f} MB{parts}){holds}"


def main(datasets):
    lines = [
        "# Hierarchy-based algorithms: what is lost",
        "",
        "NCP (CPU seconds, peak memory with data and interpreter, parts) of releases that were all verified, by m.",
        "`partition` promises complete-k, so it has no m.",
        "",
        "| dataset | algorithm | k | m = 1 | m = 2 | m = 3 |",
        "|---|---|---|---|---|---|",
    ]
    context = multiprocessing.get_context("spawn")
    for name in datasets:
        out = context.Queue()
        process = context.Process(target=rows_of, args=(name, out))
        process.start()
        while (row := out.get()) is not None:
            dataset, title, k, cells = row
            lines.append(f"| {dataset} | {title} | {k} | {' | '.join(cells if len(cells) > 1 else cells * 3)} |")
            print(lines[-1], flush=True)
        process.join()
        OUT.parent.mkdir(exist_ok=True)
        OUT.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:] or DATASETS)
