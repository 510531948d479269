"""Three yearly releases of about the same patients: what is left to who holds two.  python bench/table_years.py [N [SEED]]

Releases are made independently of each other, by the rules of the year before (`like`), or as the gate of a project lets them
pass: with the first k of 5, 10, 20 and 40 with which nobody who holds an earlier release too is left with fewer than k.

Years are simulated from INFORMS 2005: of N patients 85 % stay from year to year, the others are new; a fifth of those who stay
gains a diagnosis, 5 % lose one, and five codes that did not occur before appear each year.
"""

import os
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import anonset
from anonset.attacks.intersection import Intersection, intersect
from anonset.errors import AnonsetError
from anonset.releases.earlier import EarlierRelease, read_earlier

DATA = Path(os.environ.get("ANONSET_DATA", Path(__file__).parents[2] / "shared" / "data"))
OVERLAP, GAIN, LOSE, NEW_CODES, YEARS = 0.85, 0.2, 0.05, 5, 3
QUASI, SENSITIVE = ["DOBYY", "RACEX", "EDUCYEAR", "SEX"], ["marry"]
STEPS_OF_K = (5, 10, 20, 40)
SETTINGS = {"rt-search": {"steps": "2+0", "items": "lift"}, "rmerge-r": {"items": "lift"}, "rmerge-rt": {"items": "aa"}}
HEADER = (
    "| release | made | year | with | people in both | least | 1 %, 5 % | below k | share | alone below k | marry certain: "
    "alone, both | labels the same | items exact | s |"
)


def years(n: int, seed: int = 1) -> Iterator[pl.DataFrame]:
    """The table of each year."""
    rng = np.random.default_rng(seed)
    table = pl.read_csv(DATA / "rt" / "informs05.csv.gz", infer_schema=False)
    held = [set(text.split()) for text in table["items"].fill_null("").to_list()]
    codes = [code for items in held for code in sorted(items)]
    order, leaving = rng.permutation(len(held)), int(n * (1 - OVERLAP))
    for year in range(YEARS):
        rows = order[year * leaving : year * leaving + n]
        items = [" ".join(sorted(held[r])) for r in rows]
        yield table[rows.tolist()].with_columns(items=pl.Series(items), person_id=pl.Series([f"P{r}" for r in rows]))
        stay = rows[leaving:]
        for r in stay:
            if rng.random() < GAIN:
                held[r] = held[r] | {codes[rng.integers(len(codes))]}
            if rng.random() < LOSE and len(held[r]) > 1:
                held[r] = held[r] - {sorted(held[r])[rng.integers(len(held[r]))]}
        for code in range(NEW_CODES):
            for r in rng.permutation(stay)[:8]:
                held[r] = held[r] | {f"NEW{year}{code}"}


def read(table: pl.DataFrame) -> anonset.Dataset:
    """A year, with a hierarchy of diagnoses that is built from it."""
    roles: dict[str, Any] = {"quasi": QUASI, "sensitive": SENSITIVE, "items": "items", "id": "person_id"}
    return anonset.read(table, item_separator=" ", item_hierarchy="learned:5", **roles)


def released(table: pl.DataFrame, how: str, k: int, seed: int, like: Path | None = None) -> anonset.Release:
    """A release of a year under (k,k^2)."""
    data = read(table)
    if like is not None:
        return anonset.anonymize(data, like=like, seed=seed)
    return anonset.anonymize(data, how, k=k, m=2, seed=seed, parameters=SETTINGS[how])


def labels_of(release: anonset.Release | EarlierRelease, known: frozenset[str] | None = None) -> set[tuple[str, ...]]:
    """What the item labels for several items stand for, among known items."""
    assert release.items is not None
    names = release.items.domain
    groups = (tuple(sorted(names[i] for i in group)) for group in release.items.labels.groups())
    kept = (tuple(name for name in group if known is None or name in known) for group in groups)
    return {group for group in kept if len(group) > 1}


def same_labels(release: anonset.Release, earlier: EarlierRelease) -> float:
    """The share of the labels for several items that the earlier release has, too; items new to it do not count."""
    assert earlier.items is not None
    known = frozenset(earlier.items.domain)
    now = labels_of(release, known)
    return len(now & labels_of(earlier)) / max(1, len(now))


def row(found: Intersection, same: float, exact: float, cells: Iterable[Any], seconds: float) -> str:
    """A line of the table."""
    both, learnt = found.both, found.learnt.get("marry", (0.0, 0.0))
    p1, p5, _ = both.percentiles.values()
    figures = [found.earlier, both.people, both.least, f"{p1}, {p5}", both.below, f"{both.share_below:.1%}", found.alone.below]
    more = [f"{learnt[0]:.1%}, {learnt[1]:.1%}", f"{same:.0%}", f"{exact:.0%}", f"{seconds:.0f}"]
    return f"| {' | '.join(map(str, [*cells, *figures, *more]))} |"


def publish(release: anonset.Release, folder: Path, earlier: Sequence[Path] = ()) -> bool:
    """Whether the gate lets a release pass that is compared with earlier ones."""
    try:
        release.write(folder, earlier=earlier, accept_exposure=["marry"], accept_loss=True, report=False)
    except AnonsetError as error:
        print(f"(year {folder.name[-1]}: {str(error)[:120]})")
        return False
    return True


def series(tables: Sequence[pl.DataFrame], how: str, made: str, place: Path, seed: int) -> None:
    """Print the rows of three years that are released in one way."""
    folders: list[Path] = []
    for year, table in enumerate(tables, 1):
        folder, start = place / f"year-{year}", time.perf_counter()
        like = folders[-1] if made == "like" and folders else None
        for k in STEPS_OF_K if made == "gate" else STEPS_OF_K[:1]:
            release = released(table, how, k, seed, like)
            passed = publish(release, folder, folders if made == "gate" else ())
            if passed:
                break
        seconds = time.perf_counter() - start
        assert isinstance(release.original, anonset.Dataset)
        for earlier in map(read_earlier, folders):
            found = intersect(release.original, release, earlier, m=2, seed=1)
            said = f"{made}, k = {k}" + ("" if passed else ": refused")
            exact = release.measure("exact-items")["exact-items"]
            print(row(found, same_labels(release, earlier), exact, (how, said, year), seconds), flush=True)
        folders += [folder] if passed else []


def main(n: int = 3000, seed: int = 1) -> None:
    """Print the table."""
    print(f"{n} patients a year, (k,k^2), seed {seed}.\n\n{HEADER}\n|{' --- |' * (HEADER.count('|') - 1)}")
    tables = list(years(n, seed))
    for how in SETTINGS:
        for made in ("independent", "like", "gate"):
            with tempfile.TemporaryDirectory() as place:
                series(tables, how, made, Path(place), seed)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
