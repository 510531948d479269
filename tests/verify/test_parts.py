"""The judge of parts: what no part shows alone is found in all of them together."""

import numpy as np
import polars as pl
import pytest

from anonset.algorithms.transactions.aa import Aa
from anonset.engine.part_files import CutRule, Publish
from anonset.engine.publication import PublishRequest, publish_parts
from anonset.errors import GuaranteeViolated
from anonset.model.builders import Material, build
from anonset.model.dataset import Dataset, Transactions
from anonset.model.guarantees import Constraints, KAnonymity, KmAnonymity, UtilityConstraints
from anonset.model.release import Provenance
from anonset.model.verdict import Finding
from anonset.verify.parts import added, check_alone, km_finding, part_counts, set_counts, together, whole_finding
from anonset.verify.reading.parts import read_back, read_part, sort_back
from engine_data import driver_of

ABOUT = {
    "format": "parquet",
    "records": 4,
    "algorithm": "aa",
    "made_with": "anonset",
    "guarantees": [{"id": "km-anonymity", "k": 4, "m": 2, "words": ""}],
    "attributes": [{"name": "items", "role": "items", "kind": "set", "column": "items", "generalized": {"g": ["c", "d"]}}],
}


def original(records):
    return Dataset(transactions=Transactions.from_records(records, domain="abcd"))


def part(records):
    return pl.DataFrame({"items": records}, {"items": pl.List(pl.String)})


def counts(records, data):
    release = read_part(part(records), ABOUT, data, np.arange(len(records)))
    return set_counts(release, data, 2, ABOUT["attributes"][0])


def test_counts_of_parts_are_added_whatever_order_their_labels_come_in():
    data = original(["ab", "ac", "d", "abd"])

    both = added(counts([["b", "a"], ["g"]], data), counts([["g", "a"], ["b", "a", "g"]], data))
    whole = counts([["a", "b"], ["g"], ["a", "g"], ["a", "b", "g"]], data)

    assert both.keys() == whole.keys()
    assert all(np.array_equal(both[key], whole[key]) for key in whole)


def test_a_pair_that_is_rare_over_two_parts_is_found_and_one_that_is_not_is_not():
    data = original(["ab"] * 4)
    few, more = counts([["a", "b"]] * 2, data), counts([["a", "b"]] * 2 + [["a"], ["b"]], data)
    promise = KmAnonymity(5, 2)

    broken = km_finding(promise, added(few, more), ABOUT["attributes"][0], data)
    kept = km_finding(KmAnonymity(4, 2), added(few, more), ABOUT["attributes"][0], data)

    assert (broken.holds, broken.violations, broken.support) == (False, 1, 4)
    assert "{a, b}" in broken.witnesses[0]
    assert kept.holds


def test_listed_sets_and_suppressed_items_are_counted_over_all_parts():
    data = original(["abc", "d", "abd", "c"])
    promises = (
        Constraints(3, (("a", "c"), ("b",))),
        UtilityConstraints((("c", "d"),), 0.25),
        UtilityConstraints((("a", "b"),), 0.0),
    )
    releases = [read_part(part(rows), ABOUT, data, np.arange(2)) for rows in ([["a", "g"], ["g"]], [["g", "a"], ["g"]])]
    guide = ABOUT["attributes"][0]

    both = added(*(part_counts(release, data, promises, guide) for release in releases))
    listed, inside, outside = (whole_finding(g, n, both, guide, data) for n, g in enumerate(promises))

    assert (listed.holds, listed.support, listed.violations) == (False, 2, 1)
    assert "{a, c}" in listed.witnesses[0]
    assert inside.holds
    assert inside.worst.startswith("1 of 4 items are suppressed")
    assert outside.witnesses[0] == "g is in no utility constraint"
    assert outside.violations == 2


@pytest.mark.parametrize(("k", "kept"), [(4, True), (5, False)])
def test_a_violation_across_two_parts_stops_the_release(tmp_path, k, kept):
    """The pair a, b is in four records, and not all of them are in one part."""
    rare = ["abx", "aby", "abz", "abw"]
    records = rare + ["ax", "ay", "az", "aw", "bx", "by", "bz", "bw"] * 6 + ["xyzw"] * 6
    data = Dataset(transactions=Transactions.from_records(records))
    data = data.with_item_hierarchy(build("balanced:2", Material.of_items(data.transactions)))
    (tmp_path / "work").mkdir()
    driver, source = driver_of(data, [20, 40], tmp_path / "work")
    rule = CutRule(Aa(k=k, m=2), np.arange(6, dtype=np.int32))  # everything exact, whatever it promises

    shown = driver.ask(Publish(rule, 2), list(enumerate(source.batches)))
    if kept:
        publish_parts(driver, source, shown, rule.algorithm, PublishRequest(tmp_path / "out"))
    else:
        with pytest.raises(GuaranteeViolated, match="km-anonymity does not hold"):
            publish_parts(driver, source, shown, rule.algorithm, PublishRequest(tmp_path / "out"))

    assert (tmp_path / "out").exists() == kept
    half = (tmp_path / "out" if kept else tmp_path / "work") / "published"
    files = [pl.read_parquet(path)["items"].to_list() for path in sorted((half / "records.parquet").iterdir())]
    held = [sum(frozenset(row) in set(map(frozenset, rare)) for row in rows) for rows in files]
    assert sum(held) == 4
    assert len(held) == 2
    assert min(held) > 0


def test_records_are_compared_with_their_own_originals(tmp_path):
    records = part([["b"], ["a"], ["g"]])
    pl.DataFrame({"input_row": [2, 0, 1]}).write_parquet(tmp_path / "rows.parquet")
    bounds = np.array([0, 1, 3])

    sort_back(records, tmp_path / "rows.parquet", bounds, tmp_path / "copy")
    second = original(["c", "b"])
    release = read_back([tmp_path / "copy"], 1, ABOUT, second, 1)

    assert [release.items.labels.texts[a] for a in release.items.shown] == ["g", "b"]
    with pytest.raises(GuaranteeViolated, match="published once each"):
        read_back([tmp_path / "copy"], 0, ABOUT, second, 1)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"others": [["a"]]}, "disagree about the column"),
        ({"items": ["a"]}, "lists of texts"),
        ({"items": [["nobody"]]}, "stands for no value"),
    ],
)
def test_a_part_that_is_not_what_about_json_says_is_a_breach(table, said):
    with pytest.raises(GuaranteeViolated, match=said):
        read_part(pl.DataFrame(table), ABOUT, original(["a"]), np.arange(1))


def test_findings_of_parts_become_one():
    good, bad = (
        Finding("k-anonymity", True, 0, "5 records", 5),
        Finding("k-anonymity", False, 2, "2 records", 2, ("2 records",)),
    )

    whole = together([good, bad])

    assert (whole.holds, whole.violations, whole.support, whole.witnesses) == (False, 2, 2, ("2 records",))
    assert not together([]).holds
    release = read_part(part([["a"]]), ABOUT, original(["a"]), np.arange(1))
    assert not check_alone(release, original(["a"]), KAnonymity(1)).holds
    assert release.provenance == Provenance("aa")
