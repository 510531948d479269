"""aa against the literal transcription of [002], and against one pass over all pairs of items. CPU seconds, warm kernels.

Run: python bench/bench_aa.py
"""

import multiprocessing
import os
import sys
import time
from pathlib import Path

import numpy as np
from numba import njit

from lookalikes import like_bms_pos, like_retail

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from anonset.algorithms.transactions.aa import Aa
from anonset.data import read
from anonset.measure.information_loss import ncp_items
from anonset.model.builders import balanced
from anonset.model.dataset import Dataset
from anonset.model.schema import Schema
from anonset.verify import verify
from oracles import aa as literal

DATA = Path(os.environ.get("ANONSET_DATA", Path(__file__).parents[2] / "shared" / "data"))
LOSSES = {
    ("bms_webview_1", 2): 0.0264,
    ("bms_webview_1", 3): 0.1081,
    ("bms_webview_2", 2): 0.0200,
    ("bms_webview_2", 3): 0.0373,
    ("groceries", 2): 0.0367,
    ("t10i4d100k", 2): 0.0062,
    ("chess", 2): 0.0376,
}


def real(name):
    return read(DATA / "transactions" / f"{name}.dat.gz", schema=Schema(item_hierarchy="balanced:5,order=id"))


def with_fanout_5(transactions):
    return Dataset(transactions=transactions).with_item_hierarchy(balanced(transactions.domain, 5))


def cpu(job, times=3):
    """The least CPU time of a few runs, and the result."""
    best, result = float("inf"), None
    for _ in range(times):
        before = time.process_time()
        result = job()
        best = min(best, time.process_time() - before)
    return best, result


@njit
def leaf_pairs(offsets, items, d):
    """The supports of all pairs of items, counted in the plainest way."""
    count = np.zeros((d, d), np.int32)
    for r in range(len(offsets) - 1):
        for p in range(offsets[r], offsets[r + 1]):
            row = count[items[p]]
            for q in range(p + 1, offsets[r + 1]):
                row[items[q]] += 1
    return count


def against_the_literal_transcription():
    data = real("bms_webview_1")
    Aa(5, 2).anonymize(data), Aa(5, 2, order="paper").anonymize(data)
    slow, (_, loss) = cpu(lambda: literal.aa(data, 5, 2), times=1)
    print(f"bms_webview_1, k=5, m=2: literal {slow:.2f} s, NCP {loss / len(data.transactions.items) / 497:.5f}")
    for order in ("paper", "lazy"):
        quick, release = cpu(lambda order=order: Aa(5, 2, order=order).anonymize(data))
        print(f"  {order}: {quick:.3f} s with publishing, {slow / quick:.0f} times as fast, NCP {ncp_items(data, release):.5f}")


def losses():
    for (name, m), bar in LOSSES.items():
        data = real(name)
        Aa(5, m).anonymize(data)
        seconds, release = cpu(lambda data=data, m=m: Aa(5, m).anonymize(data), times=1)
        holds = verify(data, release).holds
        print(f"{name}, k=5, m={m}: {seconds:.3f} s, NCP {ncp_items(data, release):.4f} (bar {bar:.4f}), holds: {holds}")


def peak(transactions_of, records, k, m, out):
    """Run in a process of its own: CPU seconds and the highest memory while aa runs, data and interpreter included."""
    small = with_fanout_5(transactions_of(1_000))
    Aa(5, m).anonymize(small)
    data = with_fanout_5(transactions_of(records))
    Path("/proc/self/clear_refs").write_text("5")  # the peak so far is forgotten
    seconds, _ = cpu(lambda: Aa(k, m).anonymize(data), times=1)
    status = Path("/proc/self/status").read_text()
    high = next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM"))
    out.put((seconds, high))


def in_own_process(*args):
    context = multiprocessing.get_context("spawn")
    out = context.Queue()
    process = context.Process(target=peak, args=(*args, out))
    process.start()
    result = out.get()
    process.join()
    return result


def bms_pos():
    transactions = like_bms_pos()
    data = with_fanout_5(transactions)
    leaf_pairs(transactions.offsets[:2], transactions.items, 2_000)
    Aa(5, 3).anonymize(with_fanout_5(like_bms_pos(1_000)))
    base, _ = cpu(lambda: leaf_pairs(transactions.offsets, transactions.items, len(transactions.domain)), times=7)
    seconds, release = cpu(lambda: Aa(5, 3).anonymize(data), times=5)
    _, high = in_own_process(like_bms_pos, 515_597, 5, 3)
    print(f"like BMS-POS, k=5, m=3: {seconds:.2f} s, {seconds / base:.1f} passes over all pairs ({base:.3f} s each), ", end="")
    print(f"NCP {ncp_items(data, release):.4f}, peak {high:.0f} MB with data and interpreter")


def growth():
    for m in (2, 3):
        print(f"like BMS-POS, k=5, m={m}, 1x 3x 10x records: ", end="")
        first = None
        for records in (50_000, 150_000, 500_000):
            data = with_fanout_5(like_bms_pos(records))
            seconds, _ = cpu(lambda data=data, m=m: Aa(5, m).anonymize(data))
            first = first or seconds
            print(f"{seconds:.2f} s ({seconds / first:.1f}x) ", end="")
        print()


def large_domain():
    for k in (5, 88_162):
        seconds, high = in_own_process(like_retail, 88_162, k, 2)
        print(f"like Retail (88,162 records, 16,470 items), k={k}, m=2: {seconds:.2f} s, peak {high:.0f} MB")


if __name__ == "__main__":
    against_the_literal_transcription()
    losses()
    bms_pos()
    growth()
    large_domain()
