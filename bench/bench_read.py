"""Seconds and memory that reading takes: a generated .dat file of RECORDS records of 5 items, in a process of its own.

Run: python bench/bench_read.py [RECORDS]. The baseline is one plain pass over the same bytes (hash and line count).
"""

import hashlib
import multiprocessing
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ITEMS_A_RECORD = 5
DOMAIN = 20_000


def write_sample(path, records, seed=1):
    """Zipf-like item ids of five or six digits, written in blocks."""
    rng = np.random.default_rng(seed)
    with path.open("w") as file:
        for start in range(0, records, 200_000):
            n = min(200_000, records - start)
            ranks = (DOMAIN ** rng.random((n, ITEMS_A_RECORD))).astype(np.int64)
            file.writelines(" ".join(map(str, row)) + "\n" for row in (100_000 - ranks * 3).tolist())


def one_pass(path):
    digest, lines = hashlib.sha256(), 0
    with path.open("rb") as file:
        while chunk := file.read(1 << 25):
            digest.update(chunk)
            lines += chunk.count(b"\n")
    return lines


def measured(job, path, out):
    before, cpu_before = time.perf_counter(), time.process_time()
    records = job(path)
    seconds, cpu = time.perf_counter() - before, time.process_time() - cpu_before
    out.put((records, seconds, cpu, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))


def read_records(path):
    from anonset.data import read

    data = read(path)
    return len(data)


def run(job, path):
    context = multiprocessing.get_context("spawn")
    out = context.Queue()
    process = context.Process(target=measured, args=(job, path, out))
    process.start()
    result = out.get()
    process.join()
    return result


def main():
    records = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    with tempfile.TemporaryDirectory() as folder:
        small, large = Path(folder, "small.dat"), Path(folder, "large.dat")
        write_sample(small, 1_000)
        write_sample(large, records)
        run(read_records, small)  # compiles the kernels, so that the figure below is that of reading
        size = large.stat().st_size / 1e6
        for name, job in (("one pass", one_pass), ("read", read_records)):
            n, seconds, cpu, megabytes = run(job, large)
            print(f"{name:9} {n:,} records, {size:.0f} MB: {seconds:.1f} s ({cpu:.1f} s of CPU), {megabytes:,.0f} MB peak")


if __name__ == "__main__":
    main()
