"""A table of a million rows with an item table: read from a database, anonymized, written back, verified.

    python bench/bench_database.py [ROWS] [--database postgresql://...]

Without an address a PostgreSQL server is started from the system's binaries.
Seconds are those of this process's processor; the server has its own.
"""

import argparse
import resource
import sys
import tempfile
import time
from contextlib import nullcontext
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pyarrow as pa
from adbc_driver_postgresql import dbapi

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import anonset
from postgres_server import binaries, running

ITEMS, PER_PERSON = 500, 5


def fill(url: str, rows: int) -> None:
    """The tables `visits` and `diagnoses`: items of a few common and many rare kinds."""
    rng = np.random.default_rng(1)
    ids = np.arange(rows)
    visits = pa.table({"patient_id": ids, "region": pa.array([f"region {n % 16}" for n in range(rows)])})
    codes = np.minimum(rng.zipf(1.4, rows * PER_PERSON) - 1, ITEMS - 1)
    diagnoses = pa.table({"patient_id": np.repeat(ids, PER_PERSON), "code": pa.array([f"c{c}" for c in codes.tolist()])})
    with dbapi.connect(url) as connection, connection.cursor() as cursor:
        for name, table in (("visits", visits), ("diagnoses", diagnoses)):
            cursor.adbc_ingest(name, table.to_reader(max_chunksize=1 << 16), mode="create")
        connection.commit()


class Clock:
    """Prints what each step took, and the most memory until then."""

    def __init__(self) -> None:
        self.cpu, self.wall = time.process_time(), time.perf_counter()

    def lap(self, step: str) -> None:
        cpu, wall = time.process_time(), time.perf_counter()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{step:24} {cpu - self.cpu:7.1f} CPU s {wall - self.wall:7.1f} s {peak:7.0f} MB at the peak", flush=True)
        self.cpu, self.wall = time.process_time(), time.perf_counter()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="?", type=int, default=1_000_000)
    parser.add_argument("--database")
    asked = parser.parse_args()
    bin = binaries()
    if asked.database is None and bin is None:
        sys.exit("there is no PostgreSQL on this system; give an address: --database postgresql://...")
    with nullcontext() if asked.database else running(bin) as server, tempfile.TemporaryDirectory() as folder:
        url = asked.database or server.url()
        maker = get_context("spawn").Process(target=fill, args=(url, asked.rows))  # its memory is not ours
        maker.start()
        maker.join()
        clock = Clock()
        how = {"table": "visits", "items_table": "diagnoses", "id": "patient_id", "items": "code"}
        data = anonset.read(url, other=["region"], item_hierarchy="balanced:5", **how)
        clock.lap("read")
        release = anonset.anonymize(data, "aa", k=10, m=2)
        clock.lap("anonymize (aa)")
        release.write(Path(folder) / "out", format="parquet", report=False, accept_loss=True, into="visits_k10", database=url)
        clock.lap("write, verify, into table")


if __name__ == "__main__":
    main()
