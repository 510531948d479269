"""[000]: its data, the bounds it tries, and one run of a merging algorithm as a row of figures."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from anonset.algorithms import make
from anonset.errors import InfeasibleError
from anonset.measure.information_loss import ncp, ul_record
from anonset.measure.workload import Workload, are, random_queries
from anonset.model.builders import balanced
from anonset.model.dataset import Column, Dataset
from anonset.model.release import Release
from anonset.verify import verify
from anonset_papers.claims import Value
from anonset_papers.materials import Materials

QUASI = ("DOBMM", "DOBYY", "RACEX", "EDUCYEAR", "income")
NAMES_AS_NUMBERS = frozenset({"RACEX"})
K, M, DELTA, L = 25, 2, 0.65, 3
SENSITIVE = 0.05  # of the items
SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)  # of the way from the clusters' NCP to 1
ITEM_SHARES = (0.25, 0.35, 0.45, 0.55, 0.65)  # of the way from the lowest UL to that of the clusters
RUM = ("rmerge-r", "rmerge-rt", "rmerge-t")
TUM = ("tmerge-r", "tmerge-rt", "tmerge-t")
RELATIONAL = {"one": 1, "three": 3, "five": 5}  # values that a relational query asks for
JUDGED = "three"
SETTING = f"k={K}, m={M}"


def patients(materials: Materials) -> Dataset:
    """The five attributes of the paper, and diagnoses under a balanced tree of fanout 5; other data keep their columns."""
    data = materials.data("INFORMS")
    known = {column.name for column in data.quasi}
    chosen = [column for column in data.quasi if column.name in QUASI or not known.issuperset(QUASI)]
    assert data.transactions is not None
    columns = tuple(_named(column) if column.name in NAMES_AS_NUMBERS else column for column in chosen)
    plain = replace(data, columns=columns)
    return plain.with_item_hierarchy(balanced(data.transactions.domain, 5))


def with_sensitive(data: Dataset, *, seed: int = 5) -> Dataset:
    """The same records, a random share of their items sensitive."""
    assert data.transactions is not None
    d = len(data.transactions.domain)
    flags = np.zeros(d, np.bool_)
    flags[np.random.default_rng(seed).permutation(d)[: max(1, round(SENSITIVE * d))]] = True
    return replace(data, sensitive_items=flags)


def workloads(data: Dataset, n: int) -> dict[str, Workload]:
    """So many queries for two items, half as many for 1, 3 and 5 relational values and for both, a fifth for each column."""
    names, half, fifth = [column.name for column in data.quasi], max(1, n // 2), max(1, n // 5)
    relational = {
        field: random_queries(data, half, kind="relational", values=min(values, len(names)), seed=0)
        for field, values in RELATIONAL.items()
    }
    by_column = {f"of {name}": random_queries(data, fifth, kind="relational", columns=[name], seed=0) for name in names}
    both = random_queries(data, half, kind="both", values=min(RELATIONAL[JUDGED], len(names)), seed=0)
    return {**relational, **by_column, "items": random_queries(data, n, kind="items", seed=0), "both": both}


def settings(**more: Any) -> dict[str, Any]:
    """The parameters of the paper, with numbers as ranges and a fixed seed."""
    return {"k": K, "m": M, "recoding": "ranges", "seed": 1, **more}


def bounds_on_ncp(data: Dataset, values: Mapping[str, Any], shares: Sequence[float] = SHARES) -> list[float]:
    """Bounds from just above the NCP of the clusters to just below 1."""
    start = ncp(data, make("r-first", values).anonymize(data))
    return [round(start + share * (1.0 - start), 4) for share in shares]


def bounds_on_ul(data: Dataset, values: Mapping[str, Any], shares: Sequence[float] = ITEM_SHARES) -> list[float]:
    """Bounds between the lowest UL that merging reaches and the UL of the clusters."""
    way = make("tmerge-r", values).anonymize(data).trace
    seen = [float(step["ul"]) for step in way if step["action"] == "traded"] or [1.0]
    return [round(min(seen) + share * (max(seen) - min(seen)), 4) for share in shares]


def merged(data: Dataset, algorithm: str, values: Mapping[str, Any], asked: Mapping[str, Workload]) -> dict[str, Value]:
    """The figures of one verified release; where there is none, `outcome` says so."""
    before = time.process_time()
    try:
        release = make(algorithm, values).anonymize(data)
    except InfeasibleError:
        return {"algorithm": algorithm, "outcome": "cannot be met"}
    row: dict[str, Value] = {"algorithm": algorithm, "outcome": "done", "cpu": time.process_time() - before}
    verify(data, release).require()
    sizes = cluster_sizes(release)
    row |= {"ncp": ncp(data, release), "ul": ul_record(data, release), "largest": max(sizes), "clusters": len(sizes)}
    return row | {kind: are(data, release, workload) for kind, workload in asked.items()}


def cluster_sizes(release: Release) -> list[int]:
    """The records of each final cluster."""
    return [int(step["records"]) for step in release.trace if step["action"] == "generalized"]


def _named(column: Column) -> Column:
    """A column of numbers that only name something, without their order."""
    return replace(column, kind="categorical", values=None)
