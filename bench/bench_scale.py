"""Data in batches: time, peak memory and growth on seeded look-alikes.

python bench/bench_scale.py                       small, a few minutes: growth from 100,000 to 400,000 records, 1 GB
python bench/bench_scale.py parts [NAME ...]      what algorithms lose that work on parts
python bench/bench_scale.py baskets 7700000 1GB   one run of baskets, merges, people, ...; at the end `dask 2` or `threads 2`
"""

import json
import multiprocessing
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from anonset.api import anonymize_files
from anonset.data.formats.tokens import lists
from anonset.engine import planning, strategies
from anonset.jobs import peak_mb
from anonset.model.sets import offsets_of, rows_of
from anonset.samples import zipf
from anonset_papers.lookalikes import like_bms_webview_2

CHUNK = 1_000_000
PEOPLE = {"quasi": ["month", "year", "race", "schooling", "income"], "items": ["diagnoses"]}


def baskets(folder: Path, records: int) -> Path:
    """Click-streams of 3,340 items: each of the look-alike's, in turn, with one item in five replaced by chance."""
    base = like_bms_webview_2()
    popular = np.cumsum(base.supports / base.supports.sum())
    for first in range(0, records, CHUNK):
        rng = np.random.default_rng([2, first])
        few = base.take(rng.integers(0, len(base), min(CHUNK, records - first)))
        items = few.items.copy()
        changed = rng.random(len(items)) < 0.2
        items[changed] = np.searchsorted(popular, rng.random(changed.sum())).clip(max=len(popular) - 1)
        keys = _distinct(rows_of(few.offsets) * len(base.domain) + items)
        offsets = offsets_of(np.bincount(keys // len(base.domain), minlength=len(few)))
        frame = pl.DataFrame({"items": lists(offsets, (keys % len(base.domain)).astype(np.int32), base.domain)})
        frame.write_parquet(folder / f"{first:012}.parquet")
    return folder


def _distinct(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    keys = np.sort(keys)
    return keys[np.append(True, keys[1:] != keys[:-1])]


def people(folder: Path, records: int) -> Path:
    """Patients of the shape of the INFORMS contest's: five quasi columns, 599 diagnoses, 3.6 a patient."""
    for first in range(0, records, CHUNK):
        rng = np.random.default_rng([3, first])
        n = min(CHUNK, records - first)
        lengths = np.clip(np.round(np.exp(rng.normal(1.0, 0.75, n))), 1, 35).astype(np.int64)
        owner = np.repeat(np.arange(n), lengths)
        keys = _distinct(owner * 599 + zipf(rng, 599, len(owner), 8.0))
        offsets = offsets_of(np.bincount(keys // 599, minlength=n))
        names = tuple(f"D{i:03}" for i in range(599))
        frame = {
            "month": rng.integers(1, 13, n),
            "year": 2005 - zipf(rng, 86, n, 60.0),
            "race": 1 + zipf(rng, 6, n, -0.7),
            "schooling": rng.binomial(17, 0.65, n),
            "income": np.round(np.exp(rng.normal(9.6, 1.0, n)) / 100).astype(int) * 100,
            "diagnoses": lists(offsets, (keys % 599).astype(np.int32), names),
        }
        pl.DataFrame(frame).write_parquet(folder / f"{first:012}.parquet")
    return folder


def labelled(folder: Path, records: int) -> Path:
    """Baskets, each with one of ten labels."""
    for path in sorted(baskets(folder, records).iterdir()):
        frame = pl.read_parquet(path)
        label = np.random.default_rng([4, frame.height]).integers(0, 10, frame.height)
        frame.with_columns(pl.Series("label", label).cast(pl.String)).write_parquet(path)
    return folder


MADE = {"baskets": baskets, "merges": baskets, "matches": baskets, "people": people, "columns": people, "labels": labelled}
ASKED = {
    "baskets": {"algorithm": "aa", "k": 5, "m": 2, "item_hierarchy": "balanced:5"},
    "merges": {"algorithm": "pcta", "k": 5, "m": 2},
    "matches": {"algorithm": "nr-k", "k": 5},
    "labels": {"algorithm": "nr-l", "parameters": {"l": 3}, "sensitive": ["label"]},
    "people": {
        "algorithm": "rmerge-rt",
        "k": 5,
        "m": 2,
        "item_hierarchy": "balanced:5",
        "parameters": {"delta": 0.3, "items": "lift", "seed": 0},
        **PEOPLE,
    },
    "columns": {"algorithm": "mondrian", "k": 5, "parameters": {"recoding": "ranges"}, **PEOPLE, "items": []},
}


def run(
    kind: str, records: int, memory: str, engine: str = "threads", jobs: int = 1, where: str | None = None
) -> dict[str, float]:
    """One run: CPU seconds of this process and its workers, seconds by the clock, peak memory of this process."""
    with tempfile.TemporaryDirectory(dir=where) as place:
        folder = Path(place) / "in"
        folder.mkdir()
        maker = multiprocessing.get_context("spawn").Process(target=MADE[kind], args=(folder, records))
        maker.start()  # what making takes is not to be seen in the peak
        maker.join()
        out, clock = Path(place) / "out", time.perf_counter()
        before = _cpu()
        Path("/proc/self/clear_refs").write_text("5")
        scheduler = "local" if engine == "dask" else None
        done = anonymize_files(folder, out, memory=memory, jobs=jobs, scheduler=scheduler, **ASKED[kind])
        found = {
            "records": records,
            "cpu": _cpu() - before,
            "clock": time.perf_counter() - clock,
            "peak_mb": peak_mb(),
            "worker_mb": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024,
            "parts": done.parts,
            **done.measures,
        }
        assert done.verdict.holds
        print(done.remarks[0])
        print("what is published, whatever its order:", f"{_digest(out):016x}")
        print(json.loads((out / "private" / "manifest.json").read_text())["timings"])
        print({name: round(value, 4) for name, value in found.items()}, flush=True)
        return found


def _digest(out: Path) -> int:
    """A number that is the same for the same published records in whatever parts and order."""
    files = (out / "published" / "records.parquet").iterdir()
    return sum(int(n) for path in files for n in pl.read_parquet(path).hash_rows(0).to_list()) % 2**64


def parts(only: list[str]) -> None:
    """The losses of algorithms that work on parts, with one part and with four."""
    asked = {
        "lift": ("baskets", 200_000, {"k": 5, "m": 2, "item_hierarchy": "balanced:5"}),
        "lra": ("baskets", 100_000, {"k": 5, "m": 2, "item_hierarchy": "balanced:5"}),
        "rmerge-rt": ("people", 8_000, {"k": 5, "m": 2, "item_hierarchy": "balanced:5", **PEOPLE}),
        "rt-search": ("people", 8_000, {"k": 5, "m": 2, "item_hierarchy": "balanced:5", **PEOPLE}),
        "nr-k": ("baskets", 80_000, {"k": 5}),
        "gray-ring": ("baskets", 80_000, {"k": 5}),
        "nr-l": ("labels", 80_000, {"parameters": {"l": 3}, "sensitive": ["label"]}),
        "cahd": ("labels", 80_000, {"parameters": {"l": 3}, "sensitive": ["label"]}),
    }
    asked = {name: asked[name] for name in only or asked}
    for name, (kind, records, settings) in asked.items():
        sizes = next(sizes for sizes in (strategies.RUNS, strategies.TREES, strategies.GRAY) if name in sizes)
        for n in (1, 4):
            sizes[name] = records // n
            planning.LARGEST = records // 8
            with tempfile.TemporaryDirectory() as place:
                folder = Path(place) / "in"
                folder.mkdir()
                MADE[kind](folder, records)
                start = time.process_time()
                more = {"parameters": {"delta": 0.3, "items": "lift", "seed": 0}} if name == "rmerge-rt" else {}
                done = anonymize_files(folder, Path(place) / "out", name, accept_loss=True, **settings, **more)
                losses = {id: round(value, 4) for id, value in done.measures.items()}
                print(name, records, f"{n} parts", losses, f"{time.process_time() - start:.1f} CPU s", flush=True)


def _cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def main() -> None:
    if sys.argv[1:2] == ["parts"]:
        parts(sys.argv[2:])
        return
    if len(sys.argv) > 1:
        kind, records, memory, *more = sys.argv[1:]
        engine, jobs = more or ("threads", "1")
        run(kind, int(records), memory, engine, int(jobs), os.environ.get("BENCH_FOLDER"))
        return
    for kind in MADE:
        run(kind, 20_000, "1GB")  # compiles
        small, large = run(kind, 100_000, "1GB"), run(kind, 400_000, "1GB")
        print(f"{kind}: four times the records take {large['cpu'] / small['cpu']:.2f} times the CPU seconds")


if __name__ == "__main__":
    main()
