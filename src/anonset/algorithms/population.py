"""Guarantees counted in the population, or estimated for it.

1. Run an algorithm on the whole population, so that what it decides keeps k people of the population alike.
2. Publish the people of the data alone, as they are shown there, with the guarantee that counts the population.

Where only the share that was drawn is known (`of_sample`), for sets of items along a hierarchy:
3. Find the fewest records c of the file so that what c records show is not likely to fit fewer than k people: the number of
   sets of nodes that 1 .. c - 1 records hold, times the odds that of k - 1 people c are drawn rather than 1 .. c - 1, bounds
   the expected number of sets that fit fewer than k people and that c records hold.
4. Run the algorithm on the data with c instead of k.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from anonset.algorithms.base import Algorithm, provenance
from anonset.algorithms.recoding import exact_column
from anonset.algorithms.work_limit import require_countable
from anonset.errors import Fix, ParameterError, Set
from anonset.model.arrays import Rows
from anonset.model.dataset import Dataset
from anonset.model.guarantees import CONFIDENCE, Guarantee, KAnonymity, KKm, KKmMap, KmAnonymity, KMap, KmMap, PartialItems
from anonset.model.progress import Progress, silent
from anonset.model.release import Release
from anonset.model.sets import offsets_of_rows, rows_of

Anonymize = Callable[..., Release]


def counts(algorithm: Algorithm | type[Algorithm], data: Dataset) -> bool:
    """Whether an algorithm declares that it can run on data with a population, or is needed for none."""
    return (data.population is None and data.sampling is None) or getattr(algorithm, "counts_population", False)


def no_counts(algorithm: Algorithm, data: Dataset, able: Sequence[str]) -> ParameterError:
    """The error of an algorithm that does not, with those that do."""
    setting = Set("population" if data.sampling is None else "sampling")
    fix = [Fix("choose {}", Set("algorithm", able)), Fix("read the data without {}", setting)]
    return ParameterError(f"{algorithm.name} cannot count the people of a population:", fix=fix)


def of_population(anonymize: Anonymize, data: Dataset, progress: Progress = silent) -> Release:
    """Return the release of the data that an algorithm's `anonymize` makes where people of the population are counted."""
    whole = data.population
    assert whole is not None
    everybody = anonymize(whole, progress=progress)  # step 1
    release = everybody.take((everybody.rows < len(data)).nonzero()[0])  # step 2
    shown = {column.name: column for column in release.quasi}
    held = data.take(release.rows)
    columns = tuple(shown.get(column.name) or exact_column(column) for column in held.columns)
    guarantees = tuple(in_population(guarantee, len(whole)) for guarantee in release.guarantees)
    return replace(release, columns=columns, guarantees=guarantees, trace=())


def of_sample(algorithm: Any, data: Dataset, progress: Progress = silent) -> Release:
    """Return the release of data of which only the share of the population is known."""
    assert data.sampling is not None
    if algorithm.covers != {"items"} or algorithm.k < 2:
        fix = [Fix("choose {}", Set("algorithm", ["lift", "aa"])), Fix("give {}", Set("population"))]
        raise ParameterError("a sampling share tells about sets of items only:", fix=fix)
    if data.item_hierarchy is None or data.repeats:
        fix = [Fix("e.g. {}", Set("item_hierarchy", "balanced:5"))]
        raise ParameterError("a sampling share needs one record a person, and a hierarchy of the items:", fix=fix)
    k, m = algorithm.k, algorithm.m
    records = fewest_records(data, k, m)  # step 3
    release: Release = replace(algorithm, k=records).anonymize(data, progress=progress)  # step 4
    promises = tuple(
        KmMap(k, round(len(data) / data.sampling), records, m=m) if isinstance(g, KmAnonymity) else g
        for g in release.guarantees
    )
    return replace(release, guarantees=promises, provenance=provenance(algorithm))


def fewest_records(data: Dataset, k: int, m: int) -> int:
    """Return the smallest number of records that makes it unlikely that fewer than k people fit what they show."""
    assert data.sampling is not None
    times = _times_of_sets(data, m)
    for records in range(2, k):
        if int(times[1:records].sum()) * _odds(k - 1, records, data.sampling) <= 1 - CONFIDENCE:
            return records
    return k


def _odds(people: int, records: int, share: float) -> float:
    """The chance that of so many people at least `records` are drawn, over that of fewer but some."""
    chance = [comb(people, n) * share**n * (1 - share) ** (people - n) for n in range(people + 1)]
    return sum(chance[records:]) / sum(chance[1:records])


def _times_of_sets(data: Dataset, m: int) -> Rows:
    """How many sets of 1 .. m nodes of the hierarchy are in 0, 1, 2, ... records."""
    tree, held = data.item_hierarchy, data.linkable
    assert tree is not None
    nodes = [held.items]
    rows = [rows_of(held.offsets)]
    while (up := tree.parent[nodes[-1]]).max(initial=-1) >= 0:
        rows.append(rows[-1][up >= 0])
        nodes.append(up[up >= 0])
    width = len(tree)
    keys = np.unique(np.concatenate(rows) * width + np.concatenate(nodes))
    offsets, members = offsets_of_rows(keys // width, len(data)), keys % width
    lengths, found = np.diff(offsets), np.zeros(len(data) + 1, np.int64)
    for size in range(1, m + 1):
        require_countable(lengths, size)
        sets = [np.zeros((0, size), np.int64)]
        for length in np.unique(lengths[lengths >= size]).tolist():
            of_length = members[offsets[:-1][lengths == length][:, None] + np.arange(length)]
            places = np.array(list(combinations(range(length), size)))
            sets.append(of_length[:, places].reshape(-1, size))
        number = np.zeros(sum(map(len, sets)), np.int64)
        for column in np.concatenate(sets).T:
            number = np.unique(number * width + column, return_inverse=True)[1]
        found += np.bincount(np.bincount(number), minlength=len(found))
    return found


def in_population(guarantee: Guarantee, population: int) -> Guarantee:
    """The guarantee with people of the population counted instead of records."""
    if isinstance(guarantee, KAnonymity):
        return KMap(guarantee.k, population)
    if isinstance(guarantee, KmAnonymity):
        return KmMap(guarantee.k, population, m=guarantee.m)
    if isinstance(guarantee, KKm):
        return KKmMap(guarantee.k, population, m=guarantee.m)
    if isinstance(guarantee, PartialItems):
        return guarantee
    raise ParameterError(
        f"{guarantee.id} cannot be counted in a population", fix=[Fix("read the data without {}", Set("population"))]
    )
