"""The table of `make bench`: CPU seconds, and how many readings of the file and passes over all pairs of items that is.

python bench/speed.py          small: about two minutes
python bench/speed.py full     as large as the targets are about: 1 million records (10 million for the last row), and compiling

The baselines are taken in the same process right before, so a slower or busier machine changes both: what should stay is the
ratio. A row whose ratio is well above that of an earlier run became slower.
"""

import itertools
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from anonset.data import read
from anonset.model.release import Accepted
from anonset.tasks import anonymize
from anonset.tasks.algorithms import AlgorithmChoice
from anonset.tasks.anonymize import AnonymizeRequest
from anonset.tasks.inputs import Input
from anonset_papers.lookalikes import like_bms_webview_1
from bench_aa import leaf_pairs
from bench_scale import PEOPLE, baskets, people

SETS = "balanced:5"
MORE_SETS = {"k": 5, "m": 2}
RT = {"k": 5, "m": 2, "delta": 0.3, "items": "lift", "seed": 0}


class Sizes(NamedTuple):
    """Records of sets, of sets for the last row, of ordinary columns, and of both."""

    sets: int
    more_sets: int
    columns: int
    both: int


SMALL, FULL = Sizes(50_000, 200_000, 100_000, 20_000), Sizes(1_000_000, 10_000_000, 1_000_000, 1_000_000)


class Spent(NamedTuple):
    """CPU seconds of one run."""

    reading: float
    algorithm: float
    total: float


def spent(source: Input, algorithm: str, parameters: dict[str, Any]) -> Spent:
    """Read, anonymize, write, verify and measure, with what is asked of the clock in between."""
    marks = {}

    def phases(name: str) -> Any:
        marks.setdefault(name, time.process_time())
        return lambda done: None

    with tempfile.TemporaryDirectory() as place:
        accepted = Accepted(("diagnoses",) if source.data.suffix == ".csv" else (), loss=True)
        wanted = AlgorithmChoice(algorithm, parameters)
        anonymize.run(AnonymizeRequest(source, Path(place) / "out", wanted, report=False, accepted=accepted), phases)
        end = time.process_time()
    start, made, written = marks["Reading"], marks["Anonymizing"], marks["Writing and checking"]
    return Spent(made - start, written - made, end - start)


class Base(NamedTuple):
    """Seconds of one reading of a file and of one pass over all pairs of its items."""

    reading: float
    pairs: float


def base(source: Input) -> Base:
    """The baselines for one file."""
    start = time.process_time()
    data = read(source.data, schema=source.wanted())
    reading = time.process_time() - start
    t = data.transactions
    start = time.process_time()
    leaf_pairs(t.offsets, t.items, len(t.domain))
    return Base(reading, time.process_time() - start)


def basket_file(folder: Path, records: int) -> Input:
    """Click-streams of bms_webview_2's shape, as lines of numbers."""
    place = folder / f"baskets{records}"
    if not place.exists():
        place.mkdir()
        lines = pl.scan_parquet(baskets(place, records) / "*.parquet").select(pl.col("items").cast(pl.List(pl.String)))
        lines.select(pl.col("items").list.join(" ")).collect().write_csv(place.with_suffix(".dat"), include_header=False)
    return Input(place.with_suffix(".dat"), {"item_hierarchy": SETS})


def people_file(folder: Path, records: int, items: bool = True) -> Input:
    """Patients of informs05's shape, as CSV."""
    place = folder / f"people{records}"
    if not place.exists():
        place.mkdir()
        frame = pl.read_parquet(people(place, records) / "*.parquet")
        texts = pl.col("diagnoses").cast(pl.List(pl.String)).list.join(" ")
        frame.with_columns(texts).write_csv(place.with_suffix(".csv"))
    roles = {"quasi": tuple(PEOPLE["quasi"]), "items": ("diagnoses",)}
    return Input(place.with_suffix(".csv"), {**roles, "item_hierarchy": SETS} if items else roles)


def table(sizes: Sizes, folder: Path) -> Iterator[tuple[str, int, Spent, Base]]:
    """The rows: what, how many records, what was spent, the baselines."""
    spent(basket_file(folder, 1_000), "aa", MORE_SETS)
    source = basket_file(folder, sizes.sets)
    known = base(source)
    for name in ("aa", "lra", "nr-k", "partition"):
        asked = MORE_SETS if name in ("aa", "lra") else {"k": 5} | ({"seed": 0} if name == "nr-k" else {})
        with heard(name):
            spent(basket_file(folder, 1_000), name, asked)  # loads what is compiled
            yield f"sets, `{name}`", sizes.sets, spent(source, name, asked), known
    for name in ("rmerge-r", "rmerge-rt"):
        spent(people_file(folder, 1_000), name, RT)
        for records in (sizes.both // 10, sizes.both):
            source = people_file(folder, records)
            with heard(name):
                yield f"columns and sets, `{name}`", records, spent(source, name, RT), base(source)
    source = people_file(folder, sizes.columns, items=False)
    known = base(source)
    for name in ("mondrian", "cluster", "peel"):
        asked = {"k": 5} | ({"seed": 0} if name == "cluster" else {})
        spent(people_file(folder, 1_000, items=False), name, asked)
        with heard(name):
            yield f"columns, `{name}`", sizes.columns, spent(source, name, asked), known
    source = basket_file(folder, sizes.more_sets)
    with heard("aa"):
        yield "sets, `aa`", sizes.more_sets, spent(source, "aa", MORE_SETS), base(source)


@contextmanager
def heard(name: str) -> Iterator[None]:
    """Say on the terminal what takes its time."""
    print(f"... {name}", file=sys.stderr, flush=True)
    yield


def commands(folder: Path) -> Iterator[tuple[str, float]]:
    """CPU seconds of a whole command, its start included."""
    t = like_bms_webview_1()
    data = folder / "clicks.dat"
    ends = t.offsets.tolist()
    rows = (" ".join(t.domain[i] for i in t.items[a:b]) for a, b in itertools.pairwise(ends))
    data.write_text("\n".join(rows) + "\n")
    for report in ("--no-report", "--report"):
        asked = [str(data), "-o", str(folder / report), "-a", "aa", "-k", "5", "-m", "2", "--hierarchy", SETS, "-q", report]
        yield f"the command, 59,602 sets, {report}", min(child("anonymize", *asked, "--overwrite") for _ in range(3))


def compiling(folder: Path) -> Iterator[tuple[str, float]]:
    """CPU seconds of the first run after installation, less those of the second."""
    sets, both = basket_file(folder, 1_000), people_file(folder, 1_000)
    quasi = [part for name in PEOPLE["quasi"] for part in ("--quasi", name)]
    rt = [*quasi, "--items", "diagnoses", "--delta", "0.5", "--seed", "1"]
    for name, source, more in (("aa", sets, ["-m", "2"]), ("nr-k", sets, ["--seed", "1"]), ("rmerge-rt", both, rt)):
        with tempfile.TemporaryDirectory() as cache:
            asked = ["anonymize", str(source.data), "-o", str(folder / "c"), "-a", name, "-k", "5", "--hierarchy", SETS, "-q"]
            asked += [*more, "--no-report", "--overwrite", "--accept-loss"]
            first = child(*asked, NUMBA_CACHE_DIR=cache)
            yield f"compiling, `{name}`", first - child(*asked, NUMBA_CACHE_DIR=cache)


def child(*arguments: str, **environment: str) -> float:
    """CPU seconds of a command in a process of its own, whose modules are kept as bytecode, as an installation has them."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "anonset", *arguments]
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={**kept, **environment})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    full = "full" in sys.argv[1:]
    leaf_pairs(np.array([0, 2]), np.array([0, 1], np.int32), 2)
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_FOLDER")) as place:
        folder = Path(place)
        print("| what | records | CPU s | of that the algorithm | readings of the file | passes over all pairs |")
        print("|---|---|---|---|---|---|")
        for what, records, found, known in table(FULL if full else SMALL, folder):
            ratios = f"{found.total / known.reading:.0f} | {found.total / known.pairs:.0f}"
            print(f"| {what} | {records:,} | {found.total:.2f} | {found.algorithm:.2f} | {ratios} |", flush=True)
        start = base(basket_file(folder, 50_000))
        print("\n| what | CPU s | readings of 50,000 sets |\n|---|---|---|")
        for rows in (commands(folder), *((compiling(folder),) if full else ())):
            for what, seconds in rows:
                print(f"| {what} | {seconds:.2f} | {seconds / start.reading:.0f} |", flush=True)


if __name__ == "__main__":
    main()
