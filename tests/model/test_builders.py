from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.errors import InputError
from anonset.model import builders
from anonset.model.builders import Material
from anonset.model.dataset import Column, Transactions
from anonset.model.hierarchy import plant_paths
from strategies import transactions

sixteen = [str(i) for i in range(16)]
texts = st.lists(st.text("abc0.", min_size=1, max_size=4), min_size=1, max_size=30, unique=True)


def paths(tree):
    """Each leaf with the labels above it."""
    return [tuple(tree.labels[v] for v in tree.ancestors(leaf)) for leaf in range(tree.n_leaves)]


def bottom_groups(tree):
    """The leaves below each node that is just above leaves."""
    groups = {}
    for leaf, name in enumerate(tree.leaves):
        groups.setdefault(int(tree.parent[leaf]), []).append(name)
    return list(groups.values())


def test_sixteen_values_by_fours_have_two_levels_below_the_root():
    tree = builders.balanced(sixteen, 4)

    assert tree.labels[16:] == ("0..3", "4..7", "8..11", "12..15", "*")
    assert tree.sizes[16:].tolist() == [4, 4, 4, 4, 16]
    assert tree.leaves == tuple(sixteen)


def test_the_last_group_of_a_level_is_smaller():
    tree = builders.balanced([str(i) for i in range(11)], 5)

    assert tree.labels[11:] == ("0..4", "5..9", "10", "*")
    assert tree.height == 2


def test_one_value_still_has_a_root_above_it():
    assert paths(builders.balanced(["a"], 5)) == [("a", "*")]


@given(texts, st.integers(2, 6))
def test_balanced_keeps_order_fanout_and_equal_depth(domain, fanout):
    tree = builders.balanced(domain, fanout)

    assert tree.leaves == tuple(domain)
    assert np.bincount(tree.parent[:-1]).max() <= fanout
    assert len(set(tree.depth[: tree.n_leaves].tolist())) == 1


@given(texts, st.integers(2, 5), st.data())
def test_frequency_balanced_keeps_order_and_fanout(domain, fanout, data):
    supports = np.array(data.draw(st.lists(st.integers(0, 50), min_size=len(domain), max_size=len(domain))))

    tree = builders.frequency_balanced(domain, supports, fanout)

    assert tree.leaves == tuple(domain)
    assert np.bincount(tree.parent[:-1]).max() <= fanout


def test_frequency_balanced_puts_a_frequent_value_beside_many_rare_ones():
    tree = builders.frequency_balanced(list("abcdefg"), np.array([60, 10, 10, 10, 10, 10, 10]), 2)

    assert [tree.labels[v] for v in tree.children(tree.root)] == ["a", "b..g"]


def test_ranges_of_equal_width_hold_neighbouring_numbers():
    tree = builders.equal_width(["100", "1", "2", "49.5", "99"], 2)

    assert tree.leaves == ("1", "2", "49.5", "99", "100")
    assert [tree.labels[v] for v in tree.children(tree.root)] == ["1..49.5", "99..100"]


def test_quantiles_hold_about_the_same_number_of_records():
    tree = builders.quantiles(["1", "2", "3", "50", "100"], np.array([1, 1, 1, 1, 4]), 2)

    assert [tree.labels[v] for v in tree.children(tree.root)] == ["1..50", "100"]


@given(st.sets(st.integers(-50, 50), min_size=1, max_size=30), st.integers(1, 8), st.integers(2, 4))
def test_ranges_ascend(numbers, bins, fanout):
    domain = [str(x) for x in sorted(numbers, key=lambda x: -x)]
    supports = np.arange(len(domain))

    for tree in (builders.equal_width(domain, bins, fanout), builders.quantiles(domain, supports, bins, fanout)):
        assert tree.leaves == tuple(map(str, sorted(numbers)))


def test_dates_lie_in_their_month_year_and_decade():
    tree = builders.dates(["1990-01-02", "1987-05-31", "1987-05-01"])

    assert paths(tree)[0] == ("1987-05-01", "1987-05", "1987-Q2", "1987-H1", "1987", "1985-1989", "1980s", "*")
    assert tree.leaves == ("1987-05-01", "1987-05-31", "1990-01-02")


def test_prefixes_gather_what_starts_alike():
    tree = builders.prefixes(["02139", "10001", "02145", "021"], [2, 3])

    assert paths(tree)[:2] == [("021", "02*", "*"), ("02139", "021*", "02*", "*")]


@given(texts, st.lists(st.integers(1, 4), min_size=1, max_size=3))
def test_a_prefix_node_stands_for_exactly_the_values_that_start_so(domain, lengths):
    tree = builders.prefixes(domain, lengths)

    for v in range(tree.n_leaves, tree.root):
        shown = tree.leaves[tree.low[v] : tree.high[v]]
        start = tree.labels[v].split(" (level")[0][:-1]
        assert all(leaf.startswith(start) for leaf in shown)


def test_a_label_that_would_name_two_groups_gets_its_level():
    tree = plant_paths([("a", "other", "X"), ("b", "other", "Y"), ("other", "Y")])

    assert paths(tree) == [
        ("a", "other (level 1)", "X", "*"),
        ("b", "other (level 1, 2)", "Y", "*"),
        ("other", "Y", "*"),
    ]


def test_items_are_grouped_by_support_and_shown_by_name():
    data = Transactions.from_records(["abc", "ac", "ad", "ce", "c", "f"])

    tree = builders.build("balanced:2", Material.of_items(data))

    assert paths(tree) == [
        ("a", "a+1", "a+3", "*"),
        ("c", "a+1", "a+3", "*"),
        ("b", "b+1", "a+3", "*"),
        ("d", "b+1", "a+3", "*"),
        ("e", "e+1", "e+1", "*"),
        ("f", "e+1", "e+1", "*"),
    ]


def test_values_of_a_column_keep_their_order_unless_asked_otherwise():
    column = Column("age", "quasi", "categorical", np.array([3, 3, 2, 0], np.int32), ("10", "20", "30", "40"))

    assert paths(builders.build("balanced:2", Material.of_column(column)))[0] == ("10", "10..20", "*")
    assert paths(builders.build("balanced:2,order=support", Material.of_column(column)))[0] == ("10", "10+1", "*")


@given(transactions(), st.integers(2, 4))
def test_without_differences_in_support_the_order_is_that_of_ids(data, fanout):
    tree = builders.build(f"balanced:{fanout}", Material(data.domain, np.full(len(data.domain), 7), data))

    assert paths(tree) == paths(builders.build(f"balanced:{fanout},order=id", Material.of_items(data)))


@given(transactions(), st.integers(2, 4))
def test_groups_by_support_follow_each_other_in_support(data, fanout):
    tree = builders.build(f"balanced:{fanout}", Material.of_items(data))

    support = dict(zip(data.domain, data.supports.tolist(), strict=True))
    groups = [[support[name] for name in group] for group in bottom_groups(tree)]
    groups.sort(key=lambda group: (-max(group), -min(group)))
    assert all(min(group) >= max(later) for group, later in pairwise(groups))
    assert sorted(tree.leaves) == sorted(data.domain)
    assert np.bincount(tree.parent[:-1]).max() <= fanout
    assert len(set(tree.depth[: tree.n_leaves].tolist())) == 1


@given(st.permutations(range(12)), st.integers(2, 4), st.randoms(use_true_random=False))
def test_a_tree_tells_its_groups_and_not_the_order_inside_them(order, fanout, chance):
    runs = [order[start : start + fanout] for start in range(0, 12, fanout)]
    other = [i for run in runs for i in chance.sample(run, len(run))]
    groups = [builders.in_runs(np.array(places), fanout) for places in (order, other)]

    first, second = (builders.stack_groups(sixteen[:12], each, fanout) for each in groups)

    assert paths(first) == paths(second)


def test_a_random_order_goes_by_its_seed():
    trees = [builders.build(f"balanced:4,order=random,seed={seed}", sixteen) for seed in (1, 1, 2)]

    assert paths(trees[0]) == paths(trees[1]) != paths(trees[2])
    assert paths(builders.build("balanced:4,order=random", sixteen)) == paths(
        builders.build("balanced:4,order=random,seed=0", sixteen)
    )


@pytest.mark.parametrize(
    ("spec", "height"),
    [
        ("balanced:4", 2),
        ("balanced:4,order=random", 2),
        ("frequency:4", 2),
        ("ranges:4", 3),
        ("ranges:4,4", 2),
        ("quantiles:8,8", 2),
        ("prefixes:1", 2),
    ],
)
def test_builders_are_found_by_their_text(spec, height):
    assert builders.is_spec(spec)
    assert builders.build(spec, sixteen).height == height


def test_dates_are_found_by_their_text():
    assert builders.build("dates", ["2020-02-29"]).height == 7


@pytest.mark.parametrize(
    ("spec", "domain", "message"),
    [
        ("balanced:x", sixteen, "must be one of balanced:N"),
        ("balanced:", sixteen, "must be one of"),
        ("tall:3", sixteen, "must be one of"),
        ("balanced:2,order=size", sixteen, "order=support"),
        ("balanced:2,order=id,order=id", sixteen, "must be one of"),
        ("balanced:2,seed=x", sixteen, "must be one of"),
        ("frequency:2,order=id", sixteen, "must be one of"),
        ("learned:2,3", sixteen, "must be one of"),
        ("learned", sixteen, "needs the records"),
        ("dates:3", sixteen, "must be one of"),
        ("balanced:1", sixteen, "groups of 2 or more"),
        ("balanced:2", [], "at least one value"),
        ("balanced:2", ["a", "a"], "must differ"),
        ("ranges:0", sixteen, "1 or more"),
        ("ranges:2", ["a"], "ranges need numbers"),
        ("ranges:2", ["1", "inf"], "finite numbers"),
        ("prefixes:0", sixteen, "1 or more"),
        ("dates", ["31.5.1987", "soon"], "must look like 1987-05-31.*soon"),
    ],
)
def test_what_cannot_be_built_is_refused(spec, domain, message):
    with pytest.raises(InputError, match=message):
        builders.build(spec, domain)


def test_days_stand_in_a_calendar_that_everybody_knows_and_times_do_not():
    days = builders.build("dates", ["2023-05-31", "2023-06-02"])
    times = builders.build("dates", ["2023-05-31 10:00:00", "2023-06-02 11:00:00"])

    assert (days.n_leaves, days.derived) == (365, False)
    assert (times.n_leaves, times.derived) == (2, True)
