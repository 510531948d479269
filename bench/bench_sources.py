"""Data in batches from every kind of input, against the same run in memory: CPU seconds, peak memory, what is published.

    python bench/bench_sources.py DATA [KIND ...] [--records N] [--memory 1GB]

DATA is a file of click-streams; N of them are drawn, seeded. KIND: dat, jsonl.gz, csv.zst, parquet, long.csv, sqlite,
postgresql. Each run is a process of its own, `aa` with k = 5 and m = 2.
"""

import argparse
import gzip
import json
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import zstandard

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from anonset.data.read import read

KINDS = ("dat", "jsonl.gz", "csv.zst", "parquet", "long.csv", "sqlite", "postgresql")
SLICE = 200_000  # records that are drawn and written at a time
RUN = """
import json, resource, sys, time
from pathlib import Path
import anonset
from anonset.api import anonymize_files
from anonset.jobs import peak_mb
data, out, memory, settings = json.loads(sys.argv[1])
clock = time.perf_counter()
if memory == "read":
    anonset.read(data, **settings)
    remarks = []
elif memory is None:
    from anonset.tasks.anonymize import AnonymizeRequest, run
    from anonset.tasks.algorithms import AlgorithmChoice
    from anonset.tasks.inputs import Input
    settings["item_hierarchy"] = "balanced:5"
    choice = AlgorithmChoice("aa", {"k": 5, "m": 2})
    remarks = run(AnonymizeRequest(Input(data, settings), Path(out), choice, report=False)).remarks
else:
    remarks = anonymize_files(data, out, "aa", k=5, m=2, item_hierarchy="balanced:5", memory=memory, **settings).remarks
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps([used.ru_utime + used.ru_stime, time.perf_counter() - clock, peak_mb(), list(remarks)]))
"""


def drawn(data: Path, records: int):
    """The records, slice by slice: their items as lists of texts."""
    base = read(data).transactions
    rng = np.random.default_rng(31)
    for first in range(0, records, SLICE):
        few = base.take(rng.integers(0, len(base), min(SLICE, records - first)))
        yield first, [[base.domain[i] for i in few.items[a:b]] for a, b in pairwise(few.offsets.tolist())]


def written(kind: str, data: Path, records: int, place: Path, stack: ExitStack) -> tuple[str, dict]:
    """The address of the input, and how it is read."""
    path = place / f"big.{kind}"
    if kind == "sqlite":
        with sqlite3.connect(path) as database:
            database.execute("create table baskets (n integer, items text)")
            for first, rows in drawn(data, records):
                database.executemany("insert into baskets values (?, ?)", enumerate(map(" ".join, rows), first))
        database.close()
        return f"sqlite:///{path}", {"table": "baskets", "identifier": ["n"], "items": ["items"], "item_separator": " "}
    if kind == "postgresql":
        from adbc_driver_postgresql import dbapi

        from postgres_server import binaries, running

        server = stack.enter_context(running(binaries()))
        with dbapi.connect(server.url()) as connection, connection.cursor() as cursor:
            for first, rows in drawn(data, records):
                frame = pl.DataFrame({"n": np.arange(first, first + len(rows)), "items": rows})
                cursor.adbc_ingest("baskets", frame.to_arrow(), mode="append" if first else "create")
            connection.commit()
        return server.url(), {"table": "baskets", "identifier": ["n"], "items": ["items"]}
    if kind == "parquet":
        path.mkdir()
        for first, rows in drawn(data, records):
            pl.DataFrame({"items": rows}).write_parquet(path / f"{first:012}.parquet")
        return str(path), {}
    with {"jsonl.gz": partial(gzip.open, compresslevel=1), "csv.zst": zstandard.open}.get(kind, open)(path, "wb") as file:
        file.write({"csv.zst": b"n,items\n", "long.csv": b"visitor,item\n"}.get(kind, b""))
        for first, rows in drawn(data, records):
            lines = {
                "dat": lambda n, row: " ".join(row) + "\n",
                "jsonl.gz": lambda n, row: json.dumps({"items": row}) + "\n",
                "csv.zst": lambda n, row: f"{n},{' '.join(row)}\n",
                "long.csv": lambda n, row: "".join(f"{n},{item}\n" for item in row),
            }[kind]
            file.write("".join(lines(n, row) for n, row in enumerate(rows, first)).encode())
    settings = {
        "csv.zst": {"identifier": ["n"], "items": ["items"], "item_separator": " "},
        "long.csv": {"id": "visitor", "items": ["item"]},
    }
    return str(path), settings.get(kind, {})


def run(address: str, settings: dict, out: Path, memory: str | None) -> list:
    """CPU seconds, seconds by the clock, MB at the peak, remarks."""
    given = json.dumps([address, str(out), memory, settings])
    found = subprocess.run([sys.executable, "-c", RUN, given], capture_output=True, text=True)
    if found.returncode:
        return [float("nan")] * 3 + [[found.stderr.strip().splitlines()[-1]]]
    return json.loads(found.stdout)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("kinds", nargs="*", default=KINDS)
    parser.add_argument("--records", type=int, default=3_000_000)
    parser.add_argument("--memory", default="1GB")
    parser.add_argument("--batches-only", action="store_true")
    given = parser.parse_args()
    for kind in given.kinds:
        with tempfile.TemporaryDirectory() as place, ExitStack() as stack:
            start = time.perf_counter()
            address, settings = written(kind, given.data, given.records, Path(place), stack)
            size = sum(p.stat().st_size for p in Path(place).rglob("big*") if p.is_file()) / 1e6
            print(f"{kind}: {given.records:,} records, {size:.0f} MB, made in {time.perf_counter() - start:.0f} s", flush=True)
            for memory in (given.memory,) if given.batches_only else ("read", None, given.memory):
                out = Path(place) / f"out {memory}"
                cpu, clock, peak, remarks = run(address, settings, out, memory)
                print(
                    f"  {memory or 'in memory'}: {cpu:.1f} CPU s, {clock:.1f} s by the clock, {peak:.0f} MB",
                    *remarks,
                    sep="\n    ",
                )


if __name__ == "__main__":
    main()
