"""What people of a population fit is counted as the definitions say: by brute force over the whole population.

ANONSET_SAMPLES=10000 tries as many.
"""

import os
from dataclasses import replace
from itertools import combinations
from math import comb

import numpy as np
import polars as pl
import pytest

import anonset
from anonset.algorithms.recoding import exact_columns, exact_items
from anonset.errors import AnonsetError, ParameterError
from anonset.model.guarantees import KKmMap, KMap, KmMap
from anonset.model.labels import Ranges
from anonset.model.release import Provenance, Release
from anonset.verify import verify

SAMPLES = int(os.environ.get("ANONSET_SAMPLES", "150"))
COLUMNS = {"lift": ["codes"], "aa": ["codes"], "mondrian": ["age", "town"], "rt-search": ["age", "town", "codes"]}
ALGORITHMS = {"lift": {}, "aa": {}, "mondrian": {}, "rt-search": {"steps": "3+1", "seed": 1}}


def people(rng):
    """A small population, and the rows of a sample of it."""
    n, d = int(rng.integers(5, 25)), int(rng.integers(2, 9))
    codes = [" ".join(str(i) for i in range(d) if rng.random() < 0.4) or "0" for _ in range(n)]
    columns = {"age": rng.integers(20, 20 + int(rng.integers(1, 9)), n), "town": rng.choice(list("ABC"), n), "codes": codes}
    return pl.DataFrame(columns), np.sort(rng.choice(n, int(rng.integers(1, n + 1)), replace=False))


def sample_of(rng, folder, algorithm):
    """A sample, read with its population."""
    whole, rows = people(rng)
    whole = whole.select(COLUMNS[algorithm])
    whole.write_csv(folder / "all.csv")
    given = {"items": ["codes"], "item_hierarchy": f"balanced:{rng.integers(2, 4)}"} if "codes" in whole.columns else {}
    given |= {"quasi": ["age", "town"]} if "age" in whole.columns else {}
    if algorithm == "lift" and rng.random() < 0.4:
        given["sensitive_items"] = [whole["codes"][int(rows[0])].split()[0]]
    return anonset.read(whole[rows], population=folder / "all.csv", **given), whole, given.get("sensitive_items", [])


def fits_labels(person, labels, *, apart):
    """Whether a person has an item under each label; `apart`: another one for each."""
    if not apart:
        return all(person & label for label in labels)
    if not labels:
        return True
    return any(fits_labels(person - {item}, labels[1:], apart=True) for item in person & labels[0])


def fits_columns(release, data, r, person):
    """Whether what record r shows of the columns stands for the values of a person."""
    for column in release.quasi:
        a = column.codes[r]
        if isinstance(column.labels, Ranges):
            if not column.labels.low[a] <= float(person[column.name]) <= column.labels.high[a]:
                return False
        elif str(person[column.name]) not in column.labels.named(data.column(column.name).domain)[column.labels.texts[a]]:
            return False
    return True


def fewest(release, data, whole, secret, m):
    """The fewest people of the population that fit a group, or a set of at most m labels of a record in it."""
    everybody = [person | {"codes": set(person.get("codes", "").split()) - set(secret)} for person in whole.to_dicts()]
    found = []
    for r in range(len(release)):
        alike = [person for person in everybody if fits_columns(release, data, r, person)]
        found += [len(alike)] if release.quasi else []
        if release.items is not None:
            named = release.items.labels.named(release.items.domain)
            shown = release.items.shown[release.items.offsets[r] : release.items.offsets[r + 1]]
            labels = [set(named[release.items.labels.texts[a]]) - set(secret) for a in shown]
            for size in range(1, m + 1):
                for known in combinations([label for label in labels if label], size):
                    found.append(sum(fits_labels(p["codes"], known, apart=not release.quasi) for p in alike))
    return min(found, default=None)


def compared(rng, folder):
    """The fewest people by brute force and by the verifier, and k; None where nothing can be released."""
    algorithm = str(rng.choice(list(COLUMNS), p=[0.4, 0.25, 0.25, 0.1]))
    k, m = int(rng.integers(2, 5)), int(rng.integers(1, 4))
    try:
        data, whole, secret = sample_of(rng, folder, algorithm)
        values = ALGORITHMS[algorithm] | ({} if algorithm == "mondrian" else {"m": m})
        release = anonset.anonymize(data, algorithm, k=k, **values)
    except AnonsetError:  # fewer than k people have items, for instance
        return None
    return fewest(release, data, whole, secret, m), release.verify().findings[0], k


def test_nobody_fits_fewer_than_k_people_and_the_check_counts_them_right(tmp_path):
    rng, released = np.random.default_rng(20), 0
    for _ in range(SAMPLES):
        if (found := compared(rng, tmp_path)) is not None:
            released += 1
            by_force, finding, k = found
            assert finding.holds
            assert finding.support == by_force
            assert by_force is None or by_force >= k
    assert released > 0.7 * SAMPLES


SETS = ["a b", "a b", "a c", "a c", "b c", "b", "c d", "d"]


@pytest.fixture
def data(tmp_path):
    whole = pl.DataFrame({"age": [30, 30, 30, 40, 40, 40, 40, 50], "codes": SETS})
    whole.write_csv(tmp_path / "all.csv")
    return anonset.read(whole[[0, 2, 4]], quasi="age", items="codes", population=tmp_path / "all.csv")


def findings(data, *guarantees):
    """What the verifier finds of the exact records."""
    release = Release(exact_columns(data), exact_items(data), (), Provenance("identity"), np.arange(len(data)))
    return verify(data, release, guarantees).findings[: len(guarantees)]


def test_a_group_and_a_set_that_few_people_fit_are_found(data):
    group, sets, both = findings(data, KMap(4, 8), KmMap(3, 8, m=2), KKmMap(2, 8, m=1))

    assert not group.holds
    assert group.violations == 1
    assert group.worst == (
        "3 people of the population fit age=30; 4 are promised; who knows that a person is in the file finds as few as 1"
    )
    assert not sets.holds
    assert sets.violations == 3
    assert sets.support == 1
    assert not both.holds
    assert both.witnesses == ("1 person of the population fits {c} with age=30; 2 are promised",)
    assert all(f.holds for f in findings(data, KMap(3, 8), KmMap(1, 8, m=3), KKmMap(1, 8, m=3)))


def test_nothing_holds_without_the_population_that_is_promised(data):
    other, missing = findings(data, KMap(1, 9)) + findings(replace(data, population=None), KmMap(1, 8, m=1))

    assert not other.holds
    assert "a population of 9 people is promised; the one given has 8" in other.worst
    assert not missing.holds
    assert "is not given" in missing.worst


def test_only_algorithms_that_can_count_a_population_do(data):
    with pytest.raises(ParameterError, match="tmerge-rt cannot count the people of a population: choose"):
        anonset.anonymize(data, "tmerge-rt", k=2, m=1)


@pytest.fixture
def drawn():
    """Records of a large made-up population of which 10 % were drawn."""
    rng = np.random.default_rng(3)
    codes = [" ".join(f"i{i}" for i in range(60) if rng.random() < 2.0 / (i + 3)) or "i0" for _ in range(600)]
    return anonset.read(pl.DataFrame({"codes": codes}), items="codes", sampling=0.1, item_hierarchy="balanced:3")


def test_an_estimate_needs_as_many_records_as_keep_the_chance_of_a_breach_below_five_percent(drawn):
    release = anonset.anonymize(drawn, "lift", k=8, m=2)
    (promise,) = release.guarantees
    tree, sets = drawn.item_hierarchy, {}
    for r in range(len(drawn)):
        start, stop = drawn.transactions.offsets[r : r + 2]
        nodes = {n for i in drawn.transactions.items[start:stop].tolist() for n in [i, *tree.ancestors(i)]}
        for known in [*combinations(sorted(nodes), 1), *combinations(sorted(nodes), 2)]:
            sets[known] = sets.get(known, 0) + 1

    def bound(c):
        chance = [comb(7, n) * 0.1**n * 0.9 ** (7 - n) for n in range(8)]
        return sum(times < c for times in sets.values()) * sum(chance[c:]) / sum(chance[1:c])

    assert promise.population == 6_000
    assert 2 < promise.records < 8
    assert bound(promise.records) <= 0.05 < bound(promise.records - 1)
    assert release.verify().holds
    assert "estimated, not counted" in release.verify().findings[0].worst
    assert "estimated, not counted" in promise.words()
    assert release.provenance.parameters["k"] == 8
    (too_few,) = verify(drawn, release, [replace(promise, records=promise.records - 1)], truthful=False).findings
    (too_many,) = verify(drawn, release, [replace(promise, records=300)], truthful=False).findings
    (no_columns,) = verify(drawn, release, [KKmMap(8, 6_000, 6, m=2)], truthful=False).findings
    assert "too few: something may fit fewer than 8 people" in too_few.worst
    assert too_many.violations > 0
    assert "only sets of items are estimated" in no_columns.worst
    assert not verify(replace(drawn, sampling=0.2), release, truthful=False).holds
    assert not verify(replace(drawn, sampling=None), release, truthful=False).holds


def test_an_estimate_is_refused_where_nothing_bounds_it(drawn):
    with pytest.raises(ParameterError, match="sets of items only"):
        anonset.anonymize(drawn, "mondrian", k=3)
    with pytest.raises(ParameterError, match="needs one record a person, and a hierarchy"):
        anonset.anonymize(replace(drawn, item_hierarchy=None), "lift", k=3, m=2)
