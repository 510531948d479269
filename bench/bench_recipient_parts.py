"""Opening a release in parts, and counting a pair in it: seconds, and the memory at the peak.

    python bench/bench_recipient_parts.py [RECORDS [FOLDER]]

The release is one of the groceries data, whose published records are drawn with replacement until there are enough.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

DATA = Path(os.environ.get("ANONSET_DATA", Path(__file__).parents[2] / "shared/data")) / "transactions/groceries.dat.gz"
PARTS = 16


def make(place, records):
    """A release in parts of so many records; its published half."""
    import anonset

    anonset.anonymize(DATA, "lift", k=5, m=2, item_hierarchy="balanced:5", output=place / "small", jobs=1, accept_loss=True)
    published = place / "small/published"
    about = json.loads((published / "about.json").read_text())
    folder = next(path for path in published.iterdir() if path.is_dir())
    shown = pl.read_parquet(folder / "part-*.parquet")
    for part in folder.glob("part-*.parquet"):
        part.unlink()
    rng = np.random.default_rng(1)
    for n in range(PARTS):
        rows = rng.integers(0, shown.height, records // PARTS)
        shown[rows].write_parquet(folder / f"part-{n:05d}.parquet")
    (published / "about.json").write_text(json.dumps(about | {"records": PARTS * (records // PARTS)}))
    return published


def read(published):
    import anonset

    began, used = time.perf_counter(), time.process_time()
    opened = anonset.open_published(published)
    said(f"{len(opened):,} records opened", began, used)
    for first, second in ("1", "2"), ("100", "150"):
        began, used = time.perf_counter(), time.process_time()
        count = opened.count(items=[first, second])
        said(f"a pair, {count.low:,} to {count.high:,}, estimate {count.estimate:,.0f}", began, used)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"peak memory {peak:.2f} GB; numba imported: {'numba' in sys.modules}")


def said(what, began, used):
    print(f"{what}: {time.perf_counter() - began:.2f} s, {time.process_time() - used:.2f} of the processor", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["read"]:
        read(Path(sys.argv[2]))
    else:
        with tempfile.TemporaryDirectory(dir=sys.argv[2] if len(sys.argv) > 2 else None) as place:
            made = make(Path(place), int(sys.argv[1]) if len(sys.argv) > 1 else 7_700_000)
            subprocess.run([sys.executable, __file__, "read", str(made)], check=True)  # a process of its own
