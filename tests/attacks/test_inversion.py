"""Who knows the algorithm and runs it again with somebody else in the place of a person."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anonset
from anonset.algorithms import make
from anonset.attacks.inversion import _candidates, _coded_as, _exchanged, _shows_the_same, _target, attack_inversion
from anonset.errors import InfeasibleError, ParameterError
from anonset.model.dataset import Dataset, Transactions
from anonset.verify import verify
from strategies import rt_datasets

BASKETS = [["a", "b"]] * 3 + [["a", "c"]] * 3 + [["b", "c", "d"]] * 3 + [["d"]] * 3


def baskets():
    data = Dataset(transactions=Transactions.from_records(BASKETS))
    return data.with_item_hierarchy(anonset.build_hierarchy("balanced:2", data))


@given(rt_datasets(min_records=4, max_records=10), st.integers(0, 99))
def test_a_release_is_true_of_every_dataset_in_which_a_candidate_is_the_person(data, seed):
    try:
        release = make("rmerge-r", {"k": 2, "m": 2, "items": "lift"}).anonymize(data)
    except InfeasibleError:
        return
    t, rng = data.transactions, np.random.default_rng(seed)
    row = int(rng.choice(release.rows))
    held = t.items[t.offsets[row] : t.offsets[row + 1]]
    names = tuple(t.domain[i] for i in rng.permutation(held.copy())[:2])
    target = _target(data, release, row, names)
    for p in _candidates(release, target):
        other = _exchanged(data, release, target, int(p))
        now = other.transactions

        stand_in = int(release.rows[p])
        shown = release
        if _shows_the_same(data, release, row, int(p)):  # the person stays in place, behind record p
            rows = release.rows.copy()
            rows[[p, np.flatnonzero(rows == row)[0]]] = row, stand_in
            shown, stand_in = replace(release, rows=rows), row

        assert verify(other, shown).holds  # the promise, and truth
        np.testing.assert_array_equal(now.supports, t.supports)
        assert set(target.known) <= set(now.items[now.offsets[stand_in] : now.offsets[stand_in + 1]])


def test_one_cut_for_all_records_leaves_every_candidate():
    data = baskets()
    release = make("aa", {"k": 3, "m": 2}).anonymize(data)

    found = attack_inversion(data, release, m=2, people=8, seed=1)

    assert found.below == 0
    assert found.left >= min(found.before, 1 + found.tried)
    assert found.as_json()["before"]["least"] == found.before


def test_items_are_known_by_name_where_the_algorithm_orders_them_anew():
    rng = np.random.default_rng(1)
    sets = [[f"{i:02}" for i in set((40 - rng.geometric(0.1, 4) % 40).tolist())] for _ in range(60)]
    data = Dataset(transactions=Transactions.from_records(sets))
    release = make("lift", {"k": 2, "m": 2, "protect": "inversion", "seed": 1}).anonymize(data)
    coded = _coded_as(data, release)

    assert release.items.domain != data.transactions.domain
    assert coded.items.domain == data.transactions.domain
    named = [
        {text: sorted(names) for text, names in found.items.labels.named(found.items.domain).items()}
        for found in (release, coded)
    ]
    assert named[0] == named[1]
    assert attack_inversion(data, release, m=2, people=3, seed=1).before >= 2


def test_what_was_drawn_by_chance_cannot_be_run_again():
    data = baskets()
    for release in (
        make("lift", {"k": 2, "m": 2, "protect": "inversion"}).anonymize(data),
        make("nr-k", {"k": 2}).anonymize(data),
    ):
        with pytest.raises(ParameterError, match="by chance"):
            attack_inversion(data, release)
    seeded = make("lift", {"k": 2, "m": 2, "protect": "inversion", "seed": 1}).anonymize(data)

    assert attack_inversion(data, seeded, people=2, seed=1).people == 2
