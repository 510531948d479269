"""[004]: tables 1, 3 and 4, and the lengths of section 4.3."""

import numpy as np

from anonset.algorithms.nonreciprocal.nr_k import NrK
from anonset.algorithms.nonreciprocal.nr_l import NrL
from anonset.algorithms.nonreciprocal.order import gray_tour, gray_tsp_tour
from anonset.model.columns import Column
from anonset.model.dataset import Dataset
from anonset.model.transactions import Transactions

SPORTS = ("Jogging", "Swimming", "Tennis", "Soccer")
TABLE_1 = ("1100", "0110", "1101", "0111", "1110", "1011")
TABLE_3 = (
    ("1101", "1011", 2),
    ("1110", "1101", 2),
    ("0111", "1011", 2),
    ("0111", "1101", 2),
    ("1100", "0011", 1),
    ("1110", "0111", 2),
)
TABLE_4 = ({1, 3, 4}, {2, 5, 6}, {2, 3, 4}, {2, 4, 6}, {1, 3, 5}, {1, 5, 6})


def preferences():
    records = [[sport for sport, bit in zip(SPORTS, bits, strict=True) if bit == "1"] for bits in TABLE_1]
    return Transactions.from_records(records, domain=SPORTS)


def believers():
    religion = Column("Religion", "sensitive", "categorical", np.array([0, 0, 1, 2, 2, 1], np.int32), ("C", "M", "B"))
    return Dataset((religion,), preferences())


def bitmap(offsets, items, p):
    held = items[offsets[p] : offsets[p + 1]]
    return "".join("1" if i in held else "0" for i in range(len(SPORTS)))


def published(release):
    """(base, distance, threshold) of each published record, as the paper prints them."""
    shown = release.items
    return [
        (bitmap(shown.base_offsets, shown.base, p), bitmap(shown.distance_offsets, shown.distance, p), shown.threshold[p])
        for p in range(len(shown))
    ]


def test_gray_order_and_local_search_shorten_the_tour_from_14_to_12_to_10():
    tour = gray_tsp_tour(preferences(), 1, lambda share: None)

    assert tour.lengths == {"input": 14, "gray": 12, "gray-tsp": 10}
    assert (tour.rows + 1).tolist() == [2, 4, 3, 1, 5, 6]


def test_gray_order_of_table_1():
    assert (gray_tour(preferences()).rows + 1).tolist() == [2, 4, 1, 3, 5, 6]


def test_nr_k_publishes_table_3_with_the_matches_of_table_4():
    release = NrK(3, seed=1).anonymize(Dataset(transactions=preferences()))

    assert tuple(published(release)) == TABLE_3
    matches = [{int(r) + 1 for r in np.argwhere(release.assignments == p)[:, 1]} for p in range(6)]
    assert tuple(matches) == TABLE_4


def test_the_ring_of_the_example_is_not_3_diverse_under_every_assignment():
    """Section 4.3 calls it 3-diverse by chance, with everybody's own label; labels move with the assignment drawn."""
    ring, religion = [1, 3, 2, 0, 4, 5], "CCMBBM"
    moves = [2, 0, 1, 1, 1, 1]  # places on from each place of the ring: an assignment of the 3-regular graph

    carried = {(p + move) % 6: religion[ring[p]] for p, move in enumerate(moves)}

    assert sorted(carried) == list(range(6))
    matches_of_r3 = [carried[(ring.index(2) + step) % 6] for step in range(3)]
    assert matches_of_r3 == ["C", "M", "C"]


def test_nr_l_keeps_the_example_3_diverse_whatever_is_drawn():
    data = believers()

    for seed in range(50):
        release = NrL(3, seed=seed).anonymize(data)
        assert all(len(set(release.columns[0].codes[release.assignments[:, r]])) == 3 for r in range(6))


def test_nr_l_puts_the_six_in_two_rings():
    release = NrL(3, seed=1).anonymize(believers())

    first, second = ("1100", "0011", 1), ("0111", "1101", 2)
    assert published(release) == [first, second, first, second, first, second]
