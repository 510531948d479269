"""What labels that people can read cost: rt-search with labels = tree against any, all verified: bench/results/rt_labels.md.

Run: python bench/table_rt_labels.py [sample] [informs]
"""

import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import numpy as np

from algorithms.rt.informs import informs
from anonset.algorithms import make
from anonset.data import Schema, read
from anonset.measure.information_loss import exact_items, lost_items, ncp
from anonset.measure.workload import RecordIndex, Workload, count_queries, random_queries
from anonset.samples import write_sample
from anonset.verify import verify

DATA = Path(os.environ.get("ANONSET_DATA", Path(__file__).parents[2] / "shared" / "data"))
OUT = Path(__file__).parent / "results" / "rt_labels.md"
COMMON, SHOWN = 20, 12  # records with a common item; labels that are listed
STEPS = {"sample": "16+8", "informs": "9+2"}


def sample():
    folder = Path(tempfile.mkdtemp())
    write_sample(folder)
    return read(folder / "patients.csv", schema=Schema.from_toml(folder / "schema.toml"))


def patients():
    return informs(DATA, item_hierarchy=DATA / "rt" / "informs05_hierarchies" / "items.csv")


READ = {"sample": sample, "informs": patients}


def workloads(data):
    """Queries for a value with one and two items, and for single common items."""
    common, index = random_queries(data, 400, kind="items", items=1, seed=105), RecordIndex(data)
    return (
        random_queries(data, 400, kind="both", items=1, seed=104),
        random_queries(data, 400, kind="both", seed=103),
        Workload(tuple(query for query in common.queries if index.count(query) >= COMMON)),
    )


def spread(release, tree):
    """The mean share of the items under the lowest node above a label, over all shown labels."""
    groups = list(release.items.labels.groups())
    nodes = [tree.lowest_common(group.tolist()) for group in groups]
    shares = [0.0 if len(group) == 1 else tree.sizes[v] / tree.n_leaves for group, v in zip(groups, nodes, strict=True)]
    return float(np.array(shares)[release.items.shown].mean())


def row(title, data, labels, queries):
    values = {"k": 5, "m": 2, "seed": 1, "labels": labels, "steps": STEPS[title]}
    release = make("rt-search", values).anonymize(data)
    errors = [count_queries(data, release, workload, estimator="uniform").relative_errors().mean() for workload in queries]
    figures = [ncp(data, release), exact_items(data, release), lost_items(data, release), *errors]
    cells = [title, labels, *(f"{figure:.3f}" for figure in figures), f"{spread(release, data.item_hierarchy):.2f}"]
    cells.append("yes" if verify(data, release).holds else "NO")
    counts = np.bincount(release.items.shown, minlength=len(release.items.labels))
    most = [f"`{release.items.labels.texts[a]}` {counts[a]}" for a in np.argsort(-counts, kind="stable")[:SHOWN]]
    return f"| {' | '.join(cells)} |", f"- {title}, {labels}: {', '.join(most)}"


def main():
    head = ("data", "labels", "NCP", "exact", "lost", "1 item, value", "2 items, value", "common items", "spread", "holds")
    lines, listed = [], []
    for title in [name for name in READ if name in sys.argv[1:] or not sys.argv[1:]]:
        data = READ[title]()
        queries = workloads(data)
        for labels in ("any", "tree"):
            line, most = row(title, data, labels, queries)
            print(line, most, sep="\n", flush=True)
            lines.append(line)
            listed.append(most)
    table = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}", *lines]
    text = ["# Labels that people can read: their price", "", "`rt-search`, k = 5, m = 2, seed 1.", "", *table, ""]
    OUT.write_text("\n".join([*text, "Most frequent labels, and in how many records:", "", *listed, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
