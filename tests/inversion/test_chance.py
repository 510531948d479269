"""With `protect = inversion` every release that is true and keeps the promise may come out, so nobody can be excluded."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonset.algorithms import make
from anonset.algorithms.constraints.pcta import Pcta, merge_by_chance
from anonset.algorithms.transactions import chance
from anonset.algorithms.transactions.lift import Lift
from anonset.errors import InfeasibleError, ParameterError
from anonset.verify import verify
from inversion.columns import invert_columns
from inversion.worlds import binary_tree, draw, published, subsets, worlds
from strategies import item_datasets

PROTECTED = {"k": 2, "m": 2, "protect": "inversion"}


@given(item_datasets(min_records=2), st.integers(0, 5))
def test_labels_drawn_by_chance_keep_the_promise(data, seed):
    for algorithm in ("lift", "pcta"):
        try:
            release = make(algorithm, {**PROTECTED, "seed": seed}).anonymize(data)
        except InfeasibleError:
            continue

        assert verify(data, release).holds


@settings(max_examples=60)
@given(item_datasets(min_records=2), st.integers(0, 20))
def test_what_lift_releases_stays_as_it_is_when_it_is_the_start(data, seed):
    """So every release can come from every dataset of which it is true."""
    monkeypatch = pytest.MonkeyPatch()
    try:
        nodes = chance.nodes_by_chance(data, 2, 2, seed)
        monkeypatch.setattr(chance, "start_by_chance", lambda *_: nodes)
        again = chance.nodes_by_chance(data, 2, 2, seed)
    except InfeasibleError:
        return
    finally:
        monkeypatch.undo()

    release = Lift(**PROTECTED, seed=seed)
    assert release.seed == seed
    np.testing.assert_array_equal(again, nodes)


def test_every_node_above_an_item_and_every_partition_can_be_the_start():
    rng, above = np.random.default_rng(1), binary_tree(4).parent
    starts = {tuple(chance.start_by_chance(np.array([0, 3], np.int32), above, rng)) for _ in range(20_000)}

    assert starts == {(a, b) for a in (0, 4, 6) for b in (3, 5, 6)}


class Partition:
    """Clusters of four items, as far as merging by chance looks at them."""

    def __init__(self):
        self.cluster_of, self.present = np.arange(4), np.ones(4, np.bool_)

    def merge(self, low, high):
        self.cluster_of[self.cluster_of == high] = low


def test_every_partition_of_the_items_can_be_the_start(monkeypatch):
    monkeypatch.setattr("anonset.algorithms.constraints.pcta.MERGED", 0.5)
    rng, found = np.random.default_rng(1), set()
    for _ in range(2_000):
        clusters = Partition()
        merge_by_chance(clusters, rng)
        found.add(tuple(clusters.cluster_of.tolist()))

    assert len(found) == 15  # Bell's number of four items


@pytest.mark.parametrize("algorithm", ["lift", "pcta"])
def test_by_chance_nobody_is_excluded_in_small_worlds(algorithm):
    """Three records over three items; the releases of each dataset are drawn often enough to have all of them."""
    tree, behind = binary_tree(3), {}
    rng = np.random.default_rng(3)
    for world in worlds(3, 3):
        for shown in draw(world, algorithm, PROTECTED, tree, times=15, rng=rng):
            for held, record in zip(world, shown, strict=True):
                for known in subsets(held, 0, 2):
                    behind.setdefault((tuple(sorted(shown)), known), set()).add(record)
    fewest = [sum(Counter(release)[record] for record in possible) for (release, _), possible in behind.items()]

    assert np.mean(np.array(fewest) < 2) < 0.02  # rare draws are missed


def test_what_would_undo_the_chance_is_refused():
    with pytest.raises(ParameterError, match="residue and minimize"):
        Lift(k=2, protect="inversion", minimize="ncp")
    with pytest.raises(ParameterError, match="refine"):
        Pcta(k=2, protect="inversion", refine=True)


def test_without_a_seed_releases_differ():
    world = (("a", "b"), ("a", "b"), ("a", "c"), ("b", "c"))
    found = {str(published(world, "lift", PROTECTED, binary_tree(3))) for _ in range(30)}

    assert len(found) > 1


def test_columns_with_diversity_are_told_by_some_algorithms_only():
    register = {"records": 4, "values": 3, "register": True}

    assert invert_columns("mondrian", {"k": 2, "l": 2}, **register).told == 0
    assert invert_columns("mondrian", {"k": 2}, records=4).below == 0
    assert invert_columns("peel", {"k": 2}, records=4).below == 0
    assert invert_columns("peel", {"k": 2, "l": 2}, records=5, register=True).told > 0
