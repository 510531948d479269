"""Relational algorithms on Adult, next to other tools' losses. Writes bench/results/relational.md.

Run: python bench/table_relational.py
"""

import os
import time
from pathlib import Path

import anonset
from anonset.algorithms import make
from anonset.data import read
from anonset.measure.information_loss import c_avg, discernibility, ncp
from anonset.model.schema import Schema
from anonset.verify import verify

DATA = Path(os.environ.get("ANONSET_DATA", Path(__file__).parents[2] / "shared" / "data"))
OUT = Path(__file__).parent / "results" / "relational.md"
QUASI = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")

LOCAL = [
    ("cluster", {"seed": 1}),
    ("mondrian", {"splits": "strict"}),
    ("mondrian", {"splits": "relaxed"}),
    ("peel", {}),
]
GLOBAL = [(name, {"suppression": share}) for share in (0.0, 0.02) for name in ("incognito", "top-down", "bottom-up")]
FAMILIES = [
    ("Local recoding, hierarchy nodes", "nodes", LOCAL, [("ARX local recoding", 0.0657, 3.5)]),
    (
        "Local recoding, hierarchy nodes, numbers as plain ranges",
        "ranges",
        LOCAL,
        [("a Python Mondrian, strict", 0.0912, 0.54)],
    ),
    ("Local recoding, value sets and ranges", "sets", LOCAL, [("anonypy", 0.0463, 72), ("mosaicrown Mondrian", 0.0338, 75)]),
    (
        "One recoding for all records, hierarchy nodes; with 0% or 2% of the records left out at most",
        None,
        GLOBAL,
        [
            ("ARX optimal full-domain, 0%", 0.667, 0.15),
            ("ARX optimal full-domain, 2%", 0.373, 1.0),
            ("anjana, 0%", 0.731, 6),
            ("anjana, 2%", 0.482, 6),
        ],
    ),
]
HEAD = "| algorithm | k | NCP | discernibility | c-avg | left out | CPU s | wall s | verified |"
DIVERSITY = [{"l": 3}, {"l": 3, "diversity": "entropy"}, {"l": 3, "diversity": "recursive", "c": 3.0}, {"t": 0.4}]


def adult(sensitive="salary-class"):
    folder = DATA / "relational"
    quasi = tuple(name for name in QUASI if name != sensitive)
    schema = Schema(quasi=quasi, sensitive=(sensitive,), hierarchies=folder / "adult_arx_hierarchies")
    return read(folder / "adult_arx.csv.gz", schema=schema)


def measured(data, name, values):
    """The row of one run: the second run counts, on compiled code."""
    algorithm = make(name, values)
    algorithm.anonymize(data)
    cpu, wall = time.process_time(), time.perf_counter()
    release = algorithm.anonymize(data)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    verdict = verify(data, release)
    print(name, values, round(ncp(data, release), 4), round(cpu, 2), verdict.holds, flush=True)
    return (
        f"{ncp(data, release):.4f} | {discernibility(data, release):,.0f} | {c_avg(data, release):.2f} | "
        f"{len(data) - len(release)} | {cpu:.2f} | {wall:.2f} | {'yes' if verdict.holds else 'NO'} |"
    )


def title(name, values):
    return ", ".join([name, *(f"{key}={value}" for key, value in values.items() if key not in ("seed", "k"))])


def family(data, heading, recoding, runs, peers):
    lines = [f"## {heading}", ""]
    lines += [HEAD, "|---" * 9 + "|"]
    for name, values in runs:
        for k in (2, 5, 10, 50):
            wanted = values | {"k": k} | ({"recoding": recoding} if recoding else {})
            lines.append(f"| {title(name, values)} | {k} | {measured(data, name, wanted)}")
    lines += [f"| *{peer}* | 5 | {loss:.4f} | | | | | {seconds:g} | |" for peer, loss, seconds in peers]
    return [*lines, ""]


def diversity(data):
    lines = ["## l-diversity and t-closeness of occupation (14 values), the other seven quasi, k = 5, hierarchy nodes", ""]
    lines += [
        "| algorithm | asked for | NCP | discernibility | c-avg | left out | CPU s | wall s | verified |",
        "|---" * 9 + "|",
    ]
    for name in ("cluster", "mondrian", "incognito", "top-down", "bottom-up", "peel"):
        for wish in DIVERSITY:
            values = {"k": 5} | wish | ({"seed": 1} if name == "cluster" else {})
            lines.append(f"| {name} | {title('', wish)[2:]} | {measured(data, name, values)}")
    return [*lines, ""]


def main():
    data = adult()
    lines = [
        "# Relational algorithms on Adult",
        "",
        f"{len(data):,} records, quasi attributes {', '.join(QUASI)}, equal weights, the hierarchies that come with the data.",
        "NCP counts a record that is left out as 1.",
        "Rows in italics are other tools on the same columns, k = 5, their seconds on another run of a like machine.",
        f"Written by `python bench/table_relational.py`, version {anonset.__version__}; seconds are those of a shared machine.",
        "",
    ]
    for one in FAMILIES:
        lines += family(data, *one)
    lines += diversity(adult("occupation"))
    OUT.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
