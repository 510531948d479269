"""What somebody who knows the algorithm learns from a release, on all datasets of four records over three items."""

from inversion.worlds import binary_tree, invert, published, subsets, worlds

KM = {"k": 2, "m": 2}


def test_every_dataset_is_enumerated_once():
    found = list(worlds(2, 2))

    assert found == [
        (("a",), ("a",)),
        (("a",), ("b",)),
        (("a",), ("a", "b")),
        (("b",), ("b",)),
        (("b",), ("a", "b")),
        (("a", "b"), ("a", "b")),
    ]


def test_knowing_nothing_is_knowledge_too():
    assert list(subsets(("a", "b", "c"), 0, 2)) == [(), ("a",), ("b",), ("c",), ("a", "b"), ("a", "c"), ("b", "c")]


def test_one_cut_for_all_records_leaves_k_candidates_to_everybody():
    found = invert("aa", KM, records=4, items=3)

    assert (found.worlds, found.below, found.example) == (210, 0, "")
    assert found.fewest >= 2
    assert found.attackers > found.releases


def test_who_knows_pcta_finds_the_record_that_the_definition_hides():
    """{a,c} once and {a,c},b three times come from ab, ab, ab, ac or from c, ab, ab, ab: who has c is the one without b."""
    shown = [(("a", "c"),), (("a", "c"), ("b",)), (("a", "c"), ("b",)), (("a", "c"), ("b",))]
    tree = binary_tree(3)
    leading_there = [w for w in worlds(4, 3) if (s := published(w, "pcta", KM, tree)) and sorted(s) == shown]

    assert invert("pcta", KM, records=4, items=3).below > 0
    assert all(sum("c" in record for record in world) == 1 for world in leading_there)
    assert leading_there


def test_whose_record_it_is_stays_open_in_rings():
    found = invert("nr-k", {"k": 2}, records=3, items=3, m=3, seeds=8)

    assert (found.below, found.fewest) == (0, 2)
