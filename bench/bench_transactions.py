"""How the hierarchy-based algorithms grow with the records, what vpa saves in memory, and [002] figures 8 to 10 in miniature.

CPU seconds with warm kernels. Run: python bench/bench_transactions.py > bench/results/transactions_speed.md
"""

import multiprocessing
import os
import time
from pathlib import Path

import numpy as np

from anonset.algorithms import make
from anonset.data import read
from anonset.measure.information_loss import ncp_items
from anonset.model.builders import balanced
from anonset.model.dataset import Dataset, Transactions
from anonset.model.schema import Schema
from lookalikes import like_retail

DATA = Path(os.environ.get("ANONSET_DATA", Path(__file__).parents[2] / "shared" / "data"))


def figures_8_to_10():
    """BMS-WebView-2 folded to 40 items by modulo, k = 100, m = 3, fanout 4."""
    whole = read(DATA / "transactions" / "bms_webview_2.dat.gz").transactions
    names = [str(i) for i in range(40)]
    print("\n## BMS-WebView-2 folded to 40 items, k = 100, m = 3, fanout 4 ([002] figures 8 to 10)\n")
    for records in (500, 2_000, 5_000, 10_000, 15_000):  # the first for warm kernels
        rows = [{str(int(name) % 40) for name in record} for record in whole.take(np.arange(records)).records()]
        data = Dataset(transactions=Transactions.from_records(rows, domain=names)).with_item_hierarchy(balanced(names, 4))
        found = []
        for id in ("oa", "da", "aa"):
            algorithm = make(id, {"k": 100, "m": 3})
            before = time.process_time()
            release = algorithm.anonymize(data)
            found.append(f"{id} NCP {ncp_items(data, release):.5f} in {time.process_time() - before:.3f} s")
        if records > 500:
            print(f"- {records:,} records: {', '.join(found)}")


def growth():
    """The first 1x, 3x and 10x records of BMS-WebView-2, k = 5."""
    data = read(DATA / "transactions" / "bms_webview_2.dat.gz", schema=Schema(item_hierarchy="balanced:5,order=id"))
    n = len(data)
    print("\n## 1, 3 and 10 tenths of the records of BMS-WebView-2, k = 5\n")
    for id, values in (
        ("aa", {"m": 2}),
        ("aa", {"m": 3}),
        ("da", {"m": 2}),
        ("vpa", {"m": 2}),
        ("lra", {"m": 2}),
        ("aa", {"m": 2, "refine": True}),
        ("partition", {}),
    ):
        algorithm = make(id, {"k": 5, **values})
        algorithm.anonymize(data.take(np.arange(500)))
        found = []
        for records in (n // 10, 3 * n // 10, n):
            part = data.take(np.arange(records))
            found.append(min(cpu(algorithm, part) for _ in range(3)))
        shown = ", ".join(f"{seconds:.3f} s ({seconds / found[0]:.1f}x)" for seconds in found)
        print(f"- {' '.join([id, *(f'{name}={value}' for name, value in values.items())])}: {shown}", flush=True)


def cpu(algorithm, data):
    before = time.process_time()
    algorithm.anonymize(data)
    return time.process_time() - before


def peak(id, records, out):
    """Run in a process of its own: CPU seconds, NCP and the memory that the algorithm adds to what was there, in MB."""
    t = like_retail(records)
    data = Dataset(transactions=t).with_item_hierarchy(balanced(t.domain, 5))
    algorithm = make(id, {"k": 5, "m": 2})
    algorithm.anonymize(data.take(np.arange(500)))
    del t
    Path("/proc/self/clear_refs").write_text("5")
    before, there = time.process_time(), memory("VmRSS")
    release = algorithm.anonymize(data)
    out.put((time.process_time() - before, ncp_items(data, release), memory("VmHWM") - there))


def memory(field):
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith(field))


def large_domain():
    context = multiprocessing.get_context("spawn")
    print("\n## A look-alike of the retail data, 16,470 items, k = 5, m = 2\n")
    for records in (88_162, 500_000):
        for id in ("aa", "vpa"):
            out = context.Queue()
            process = context.Process(target=peak, args=(id, records, out))
            process.start()
            seconds, loss, added = out.get()
            process.join()
            print(f"- {id}, {records:,} records: {seconds:.2f} s, NCP {loss:.4f}, {added:.0f} MB of memory added at the peak")


if __name__ == "__main__":
    print("# Hierarchy-based algorithms: how fast")
    figures_8_to_10()
    growth()
    large_domain()
