"""The net is tight: every algorithm is in it, and no two of them publish the same without a reason."""

import itertools
import json
from collections import defaultdict

import anonset
from golden.algorithms import CASES, EQUAL
from golden.entries import TOPICS, differences, stored
from golden.files import INPUTS
from golden.regenerate import main


def cases():
    return {(topic, name): case for topic, make in CASES.items() for name, case in make().items()}


def test_every_algorithm_is_in_the_net():
    assert {case.algorithm for case in cases().values()} == set(anonset.ALGORITHMS)


def test_no_two_entries_publish_the_same_records_but_for_a_reason():
    same = defaultdict(list)
    for (topic, name), case in cases().items():
        same[case.kind, stored(topic)[name]["published"]["records.csv"]].append(name)
    found = {frozenset(names) for names in same.values() if len(names) > 1}

    assert found == set(map(frozenset, EQUAL))
    assert all(len(reason.split()) > 3 for reason in EQUAL.values())


def test_algorithms_without_variants_publish_different_records():
    plain = {name: stored(topic)[name]["published"]["records.csv"] for topic, name in cases() if name in anonset.ALGORITHMS}
    pairs = {frozenset(pair) for pair in itertools.combinations(plain, 2) if len({plain[name] for name in pair}) == 1}

    assert len(plain) > len(anonset.ALGORITHMS) - 3
    assert pairs == {frozenset({"pcta", "upcta"})}


def test_all_input_formats_give_the_same_dataset():
    found = stored("input-formats")
    whole = {json.dumps(found[name], sort_keys=True) for name in INPUTS if name not in ("fimi", "spmf")}

    assert len(whole) == 1
    assert found["fimi"] == found["spmf"]


def test_every_topic_is_stored():
    assert all(stored(topic) for topic in TOPICS)


def test_differences_say_where():
    old, new = {"a": {"b": 1, "c": [1, 2]}, "d": "x"}, {"a": {"b": 2, "c": [1, 3]}, "e": "y"}

    assert list(differences(old, new)) == ["  a.b: 1 -> 2", "  a.c[1]: 2 -> 3", '- d: "x"', '+ e: "y"']
    assert list(differences(old, old)) == []


def test_regenerating_shows_what_changed_and_writes_only_on_demand(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("golden.entries.STORED", tmp_path)
    monkeypatch.setitem(TOPICS, "data", lambda: {"one": lambda: {"k": 2}, "bad": lambda: 1 / 0})
    (tmp_path / "data.json").write_text('{"one": {"k": 1}, "bad": 7, "old": 0}')

    assert main(["data"]) == 2
    printed = capsys.readouterr().out
    assert stored("data") == {"one": {"k": 1}, "bad": 7, "old": 0}
    assert main(["data", "--write"]) == 2
    assert stored("data") == {"one": {"k": 2}, "bad": 7}
    assert "changed: one" in printed
    assert "k: 1 -> 2" in printed
    assert "gone: old" in printed
    assert "FAILED bad: ZeroDivisionError" in printed
