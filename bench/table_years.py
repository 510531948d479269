"""Three yearly releases of about the same patients: what is left to somebody who holds two.  python bench/table_years.py [N]

Years are simulated from INFORMS 2005: of N patients 85 % stay from year to year, the others are new; a fifth of those who stay
gains a diagnosis, 5 % lose one, and five codes that did not occur before appear each year.
"""

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

import anonset
from anonset.attacks.intersection import Intersection, intersect
from anonset.errors import AnonsetError
from anonset.releases.earlier import EarlierRelease, read_earlier

DATA = Path(os.environ.get("ANONSET_DATA", Path(__file__).parents[2] / "shared" / "data"))
OVERLAP, GAIN, LOSE, NEW_CODES, YEARS = 0.85, 0.2, 0.05, 5, 3
QUASI, SENSITIVE = ["DOBYY", "RACEX", "EDUCYEAR", "SEX"], ["marry"]
HEADER = (
    "| year | release | with | people in both | least | 1 % | 5 % | below k | share | below k alone | marry certain "
    "| labels the same |"
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


def released(data: anonset.Dataset, how: str) -> anonset.Release:
    """A release of a year under (5,5^2)."""
    if how == "rt-search":
        return anonset.anonymize(data, "rt-search", k=5, m=2, seed=1, steps="2+0", items="lift")
    return anonset.anonymize(data, how, k=5, m=2, seed=1, items="pcta")


def labels_of(release: anonset.Release | EarlierRelease) -> set[tuple[str, ...]]:
    """What the item labels stand for."""
    assert release.items is not None
    return {tuple(sorted(release.items.domain[i] for i in group)) for group in release.items.labels.groups() if len(group) > 1}


def row(year: int, how: str, found: Intersection, same: float) -> str:
    """A line of the table."""
    both, learnt = found.both, found.learnt.get("marry", (0.0, 0.0))
    p1, p5, _ = both.percentiles.values()
    cells = [
        year,
        how,
        found.earlier,
        both.people,
        both.least,
        p1,
        p5,
        both.below,
        f"{both.share_below:.2%}",
        found.alone.below,
    ]
    return f"| {' | '.join(map(str, cells))} | {learnt[0]:.1%} -> {learnt[1]:.1%} | {same:.0%} |"


def main(n: int = 4000) -> None:
    """Print the table."""
    print(f"{n} patients a year, (5,5^2).\n\n{HEADER}\n|{' --- |' * (HEADER.count('|') - 1)}")
    tables = list(years(n))
    for how in ("rt-search", "rmerge-r"):
        with tempfile.TemporaryDirectory() as place:
            folders: list[Path] = []
            for year, table in enumerate(tables, 1):
                data = anonset.read(table, quasi=QUASI, sensitive=SENSITIVE, items="items", item_separator=" ", id="person_id")
                release = released(data, how)
                for folder in folders:
                    start, earlier = time.perf_counter(), read_earlier(folder)
                    found = intersect(data, release, earlier, m=2, seed=1)
                    now, before = labels_of(release), labels_of(earlier)
                    seconds = time.perf_counter() - start
                    print(row(year, how, found, len(now & before) / max(1, len(now))), f"{seconds:.1f} s", flush=True)
                folder = Path(place) / f"year-{year}"
                accept = {"accept_exposure": ["marry"], "accept_loss": True, "report": False}
                if folders:
                    try:
                        release.write(folder, earlier=folders, **accept)
                        print(f"gate: year {year} published")
                    except AnonsetError as error:
                        print(f"gate: year {year} refused: {str(error)[:150]}")
                        release.write(folder, **accept)
                else:
                    release.write(folder, **accept)
                folders.append(folder)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
