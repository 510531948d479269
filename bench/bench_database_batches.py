"""A large table of PostgreSQL: read in batches, anonymized within 1 GB, written back in one transaction.

    python bench/bench_database_batches.py [ROWS] [MEMORY]

A server is started from the system's binaries; it fills the table by itself, seeded.
Seconds are those of this process's processor, the peak is that of its memory; the server has its own.
"""

import sys
import tempfile
import time
from pathlib import Path

from adbc_driver_postgresql import dbapi

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from anonset.api import anonymize_files
from anonset.jobs import peak_mb
from postgres_server import binaries, running

FIVE = ", ".join(f"'c' || {100 * place} + floor(100 * power(random(), 3))" for place in range(5))
FILL = f"create table visits as select n as patient, array[{FIVE}] as codes from generate_series(1, {{rows}}) as n"


def main() -> None:
    rows, memory = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000, sys.argv[2] if len(sys.argv) > 2 else "1GB"
    with running(binaries()) as server, tempfile.TemporaryDirectory() as place:
        with dbapi.connect(server.url()) as connection, connection.cursor() as cursor:
            cursor.execute("select setseed(0.5)")
            cursor.execute(FILL.format(rows=rows))
            connection.commit()
        print(f"{rows:,} rows are there", flush=True)
        Path("/proc/self/clear_refs").write_text("5")
        cpu, clock = time.process_time(), time.perf_counter()
        done = anonymize_files(
            server.url(),
            Path(place) / "out",
            "aa",
            k=5,
            m=2,
            item_hierarchy="balanced:5",
            table="visits",
            id="patient",
            items=["codes"],
            memory=memory,
            into="visits_k5",
        )
        spent = time.process_time() - cpu, time.perf_counter() - clock, peak_mb()
        assert done.verdict.holds
        print(done.remarks[0])
        print("{:.1f} CPU s, {:.1f} s by the clock, {:.0f} MB at the peak".format(*spent), flush=True)
        with dbapi.connect(server.url()) as connection, connection.cursor() as cursor:
            cursor.execute("select count(*), count(distinct record), sum(cardinality(codes)) from visits_k5")
            print("in the table: rows, numbers, items shown:", cursor.fetchone(), {"ncp-items": done.measures["ncp-items"]})


if __name__ == "__main__":
    main()
