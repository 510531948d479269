"""Processor seconds of a profile: RECORDS records of 5 items, read and profiled, beside an exact count on a tenth of them.

Run: python bench/bench_profile.py [RECORDS]. The second profile is timed, so that nothing is compiled in it.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from anonset.data import read
from anonset.measure.risk import identifiability
from anonset.tasks import profile
from bench_read import write_sample


def seconds(job):
    before = time.process_time()
    result = job()
    return result, time.process_time() - before


def main():
    records = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sample.dat"
        write_sample(path, records)
        profile.run(read(path).take(np.arange(1_000)))
        data, reading = seconds(lambda: read(path))
    found, profiling = seconds(lambda: profile.run(data))
    _, exact = seconds(lambda: identifiability(data.take(np.arange(records // 10))))
    print(f"{records:,} records: read {reading:.1f} s, profile {profiling:.1f} s ({found.unique.sampled:,} records sampled)")
    print(f"exact counting of unique records of a tenth of them: {exact:.1f} s, {exact / profiling:.1f} times the profile")


if __name__ == "__main__":
    main()
