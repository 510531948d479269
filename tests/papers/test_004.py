"""[004]: the order and the release of sections 1 and 4.3, and what becomes of its 3-diversity."""

import numpy as np

from anonset.algorithms.nonreciprocal.nr_k import NrKWalks
from anonset.algorithms.nonreciprocal.nr_l import NrLWalks
from anonset.algorithms.nonreciprocal.order import gray_tour, gray_tsp_tour
from anonset.releases.folder import write_folder
from anonset.releases.frames import read_published_sets
from papers.tables_004 import (
    BASES,
    DISTANCES,
    MATCHES_OF_ORIGINALS,
    MATCHES_OF_PUBLISHED,
    RELIGION,
    RING,
    SPORTS,
    THRESHOLDS,
    table_1,
)


def published(release):
    """(base, distance, threshold) of each published record, as the paper prints them."""
    shown = release.items
    return [
        (bitmap(shown.base_offsets, shown.base, p), bitmap(shown.distance_offsets, shown.distance, p), shown.threshold[p])
        for p in range(len(shown))
    ]


def bitmap(offsets, items, p):
    held = items[offsets[p] : offsets[p + 1]]
    return "".join("1" if i in held else "0" for i in range(len(SPORTS)))


def test_gray_order_of_table_1():
    assert (gray_tour(table_1().linkable).rows + 1).tolist() == [2, 4, 1, 3, 5, 6]


def test_gray_order_and_local_search_shorten_the_tour_from_14_to_12_to_10():
    tour = gray_tsp_tour(table_1().linkable, 1, lambda share: None)

    assert tour.lengths == {"input": 14, "gray": 12, "gray-tsp": 10}
    assert tuple(tour.rows + 1) == RING


def test_nr_k_publishes_table_3_with_the_matches_of_table_4():
    release = NrKWalks(3, seed=1).anonymize(table_1())

    assert published(release) == list(zip(BASES, DISTANCES, THRESHOLDS, strict=True))
    matches = [tuple(sorted(np.argwhere(release.assignments == p)[:, 1] + 1)) for p in range(6)]
    assert tuple(matches) == MATCHES_OF_PUBLISHED
    assert tuple(map(tuple, np.sort(release.assignments.T + 1, axis=1).tolist())) == MATCHES_OF_ORIGINALS


def test_table_3_as_a_published_file(tmp_path):
    write_folder(NrKWalks(3, seed=1).anonymize(table_1()), table_1(), tmp_path)

    lines = (tmp_path / "published/records.csv").read_text().splitlines()

    assert lines[0] == "Religion,items,items.errors"
    assert {line.split(",", 1)[1] for line in lines[1:]} == {
        "'-Jogging? Swimming Tennis? Soccer?,2",
        "Jogging Swimming -Tennis? -Soccer?,1",
        "Jogging Swimming? Tennis? -Soccer?,2",
        "Jogging? Swimming -Tennis? Soccer?,2",
        "Jogging? Swimming? Tennis -Soccer?,2",
        "'-Jogging? Swimming? Tennis Soccer?,2",
    }
    assert len(read_published_sets(tmp_path / "published").where("Religion", "Muslim").items) == 2


def test_the_ring_of_the_example_is_not_3_diverse_under_every_assignment():
    """Section 4.3 calls it 3-diverse by chance, with everybody's own label; labels move with the assignment drawn."""
    moves = [2, 0, 1, 1, 1, 1]  # places on from each place of the ring: an assignment of the 3-regular graph

    carried = {(place + move) % 6: RELIGION[RING[place] - 1] for place, move in enumerate(moves)}

    assert sorted(carried) == list(range(6))
    matches_of_r3 = [carried[(RING.index(3) + step) % 6] for step in range(3)]
    assert matches_of_r3 == ["Christian", "Muslim", "Christian"]


def test_nr_l_keeps_the_example_3_diverse_whatever_is_drawn():
    for seed in range(50):
        release = NrLWalks(3, seed=seed).anonymize(table_1())
        assert all(len(set(release.columns[0].codes[release.assignments[:, r]])) == 3 for r in range(6))


def test_nr_l_puts_the_six_in_two_rings():
    first, second = ("1100", "0011", 1), ("0111", "1101", 2)

    assert published(NrLWalks(3, seed=1).anonymize(table_1())) == [first, second, first, second, first, second]
