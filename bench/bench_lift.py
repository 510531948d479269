"""How fast lift is: against aa in one process, and how it grows with the records and with m.

CPU seconds with warm kernels. Run: python bench/bench_lift.py > bench/results/lift_speed.md
"""

import os
import time
from pathlib import Path

import numpy as np

from anonset.algorithms import make
from anonset.data import read
from anonset.model.builders import Material, build
from anonset.model.dataset import Dataset
from anonset.model.schema import Schema
from anonset_papers.lookalikes import like_bms_webview_2

DATA = Path(os.environ.get("ANONSET_DATA", Path(__file__).parents[2] / "shared" / "data"))
RUNS = {"star": {}, "drop": {"residue": "drop", "residue_limit": 1.0}, "ncp": {"minimize": "ncp"}}


def cpu(algorithm, data, times=3):
    found = []
    for _ in range(times):
        before = time.process_time()
        algorithm.anonymize(data)
        found.append(time.process_time() - before)
    return min(found)


def memory(field):
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith(field))


def against_aa():
    for tree in ("balanced:5,order=id", "balanced:5"):
        data = read(DATA / "transactions" / "bms_webview_2.dat.gz", schema=Schema(item_hierarchy=tree))
        print(f"\n## BMS-WebView-2, {tree}, k = 5\n")
        for m in (2, 3):
            base = make("aa", {"k": 5, "m": m})
            base.anonymize(data.take(np.arange(500)))
            seconds = cpu(base, data)
            print(f"- m = {m}: aa {seconds:.3f} s", flush=True)
            for title, values in RUNS.items() if m == 2 else (("star", {}),):
                algorithm = make("lift", {"k": 5, "m": m, **values})
                algorithm.anonymize(data.take(np.arange(500)))
                taken = cpu(algorithm, data, 1 if title == "ncp" or m > 2 else 3)
                print(f"  - lift {title} {taken:.2f} s, {taken / seconds:.0f} times aa", flush=True)


def growth():
    print("\n## A look-alike of BMS-WebView-2, 1, 3 and 10 times 77,512 records, k = 5, m = 2\n")
    for times in (1, 3, 10):
        t = like_bms_webview_2(times * 77_512)
        data = Dataset(transactions=t).with_item_hierarchy(build("balanced:5", Material.of_items(t)))
        algorithm, base = make("lift", {"k": 5}), make("aa", {"k": 5})
        for warm in (algorithm, base):
            warm.anonymize(data.take(np.arange(500)))
        Path("/proc/self/clear_refs").write_text("5")
        there = memory("VmRSS")
        taken = cpu(algorithm, data, 1)
        added = memory("VmHWM") - there
        seconds = cpu(base, data, 1)
        print(f"- {len(data):,} records: lift {taken:.2f} s, {added:.0f} MB added at the peak; aa {seconds:.2f} s", flush=True)


if __name__ == "__main__":
    print("# lift: how fast")
    against_aa()
    growth()
