"""Local recoding of occurrences: nothing rare, nothing untrue, nothing worse than what it starts from."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms import make
from anonset.algorithms.explanation import explain
from anonset.algorithms.transactions.lift import TREES
from anonset.errors import InfeasibleError
from anonset.measure.information_loss import exact_items, lost_items, ncp_items, ul_log2
from anonset.measure.risk import risk
from anonset.model.builders import Material, build
from anonset.model.dataset import Dataset, Transactions
from anonset.model.guarantees import PartialItems
from anonset.model.hierarchy import Hierarchy
from anonset.releases.folder import read_folder
from anonset.releases.publish import publish
from anonset.testing.checks import shown_sets
from anonset.verify import verify
from oracles.lifting import breaches
from strategies import item_datasets, rt_datasets

TREE = Hierarchy(("a", "b", "c", "d", "a-b", "c-d", "*"), np.array([4, 4, 5, 5, 6, 6, -1], np.int32))


def dataset(*records):
    return Dataset(transactions=Transactions.from_records(records, TREE.leaves)).with_item_hierarchy(TREE)


def shown(release):
    return ["".join(sorted("".join(sorted(label)) + " " for label in record)) for record in shown_sets(release.items)]


@st.composite
def requests(draw):
    """Parameters of `lift`, all residues and aims."""
    return {
        "k": draw(st.integers(1, 4)),
        "m": draw(st.integers(1, 5)),
        "minimize": draw(st.sampled_from(["queries", "ncp", "ul"])),
        "residue": draw(st.sampled_from(["star", "drop"])),
        "residue_limit": draw(st.sampled_from([0.2, 1.0])),
    }


@given(data=item_datasets(sensitive=True, max_records=14), asked=requests())
def test_a_release_has_no_rare_set_and_no_untrue_label(data, asked):
    try:
        release = make("lift", asked).anonymize(data)
    except InfeasibleError:
        return

    share = asked["residue_limit"] if asked["residue"] == "drop" else 0.0
    assert breaches(data, release, asked["k"], asked["m"], share=share) == []
    verify(data, release).require()


@given(
    data=rt_datasets(sensitive=True, max_records=14),
    k=st.integers(1, 4),
    m=st.integers(1, 4),
    l=st.integers(1, 3),
    refine=st.booleans(),
)
def test_clusters_have_no_rare_set_and_no_secret_that_is_too_frequent(data, k, m, l, refine):  # noqa: E741 - the papers' letter
    secret = l > 1 and data.sensitive_items is not None and data.sensitive_items.any()
    asked = {"k": k, "m": m, "items": "lift", "delta": 1.0, "seed": 1, "refine": refine} | ({"l": l} if secret else {})
    try:
        release = make("rmerge-rt", asked).anonymize(data)
    except InfeasibleError:
        return

    assert breaches(data, release, k, m, l if secret else 1) == []
    verify(data, release).require()


def test_a_label_is_lifted_only_where_it_is_part_of_a_rare_set():
    data = dataset("ac", "ac", "bc", "bc", "ad", "bd", "d", "d")

    release = make("lift", {"k": 2}).anonymize(data)

    assert shown(release) == ["a c ", "a c ", "b c ", "b c ", "ab d ", "ab d ", "d ", "d "]


def test_what_is_rare_alone_is_shown_with_its_siblings():
    data = dataset("a", "b", "cd", "cd")

    assert shown(make("lift", {"k": 2}).anonymize(data)) == ["ab ", "ab ", "c d ", "c d "]


def test_what_has_no_place_is_shown_as_the_root_or_left_out():
    data = dataset("a", "a", "a", "c", "bd")
    star = make("lift", {"k": 2}).anonymize(data)
    drop = make("lift", {"k": 2, "residue": "drop", "residue_limit": 0.5}).anonymize(data)

    assert "abcd " in shown(star)
    assert star.guarantees[1:] == ()
    assert "abcd " not in shown(drop)
    assert drop.guarantees[1:] == (PartialItems(0.5),)


@pytest.mark.parametrize("format", ["csv", "jsonl", "parquet"])
def test_what_is_left_out_is_promised_in_the_written_release_too(format, tmp_path):
    data = dataset("a", "a", "a", "c", "bd")
    release = make("lift", {"k": 2, "residue": "drop", "residue_limit": 0.5}).anonymize(data)

    publish(data, release, tmp_path / "out", format=format)
    again = read_folder(tmp_path / "out", data)

    verify(data, again).require()
    assert again.guarantees == release.guarantees
    assert risk(data, release) == 0.5
    assert not verify(data, replace(again, guarantees=again.guarantees[:1])).holds


def test_more_left_out_than_the_limit_is_infeasible():
    data = dataset("a", "a", "a", "c", "bd")

    with pytest.raises(InfeasibleError, match="residue_limit=0"):
        make("lift", {"k": 2, "residue": "drop", "residue_limit": 0.0}).anonymize(data)


def test_items_without_a_hierarchy_get_one():
    records = ["".join(pair) for pair in product("abcd", "wxyz")] * 2
    data = Dataset(transactions=Transactions.from_records(records))

    release = make("lift", {"k": 2}).anonymize(data)

    verify(data, release).require()
    assert (release.items.labels.sizes == 1).all()


def rare_items(seed):
    """Records of items that are all about equally rare."""
    rng = np.random.default_rng(seed)
    return [{f"i{i:02}" for i in rng.choice(60, rng.integers(1, 6), replace=False)} for _ in range(200)]


@pytest.mark.parametrize("aim", ["queries", "ncp", "ul"])
@pytest.mark.parametrize("seed", range(3))
def test_of_the_hierarchies_that_are_built_one_is_taken_that_loses_no_more_items(aim, seed):
    data = Dataset(transactions=Transactions.from_records(rare_items(seed)))
    by_support = data.with_item_hierarchy(build("balanced:5", Material.of_items(data.transactions)))
    asked = {"k": 4, "m": 2, "minimize": aim}

    chosen, first = (make("lift", asked).anonymize(source) for source in (data, by_support))

    verify(data, chosen).require()
    assert lost_items(data, chosen) <= lost_items(data, first)
    assert exact_items(data, chosen) >= exact_items(data, first)
    assert chosen.trace[0]["hierarchy"] in TREES
    assert f"The hierarchy was built: {chosen.trace[0]['hierarchy']}." in explain({}, chosen.trace)[0]
    assert "hierarchy" not in first.trace[0]
    if chosen.trace[0]["hierarchy"] == TREES[0]:
        assert shown(chosen) == shown(first)


def test_items_that_are_all_rare_are_exact_more_often_under_a_wider_hierarchy():
    rng, d = np.random.default_rng(0), 1559
    chance = 1 / (np.arange(d) + 200.0)
    sizes = np.maximum(1, rng.poisson(4.4, 4141))
    records = [{str(i) for i in rng.choice(d, size, p=chance / chance.sum())} for size in sizes]
    data = Dataset(transactions=Transactions.from_records(records))
    by_support = data.with_item_hierarchy(build("balanced:5", Material.of_items(data.transactions)))

    chosen, first = (make("lift", {"k": 10}).anonymize(source) for source in (data, by_support))

    assert chosen.trace[0]["hierarchy"] != TREES[0]
    assert exact_items(data, chosen) > 1.5 * exact_items(data, first)
    assert lost_items(data, chosen) <= lost_items(data, first)


@given(data=item_datasets(max_records=14), k=st.integers(2, 4), m=st.integers(1, 3))
def test_it_never_loses_more_than_aa_and_pcta_in_what_it_is_asked_to_keep_low(data, k, m):
    measures = {"ncp": ncp_items, "ul": ul_log2}
    for aim, other in product(measures, ("aa", "pcta")):
        try:
            theirs = make(other, {"k": k, "m": m}).anonymize(data)
        except InfeasibleError:
            continue
        ours = make("lift", {"k": k, "m": m, "minimize": aim}).anonymize(data)
        assert measures[aim](data, ours) <= measures[aim](data, theirs) + 1e-9
