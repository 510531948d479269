"""Releases in parts, from Python: asked in batches they say what they say in memory."""

import json

import pytest

import anonset
from anonset.model.guarantees import GUARANTEES
from engine_data import write_baskets


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    place = tmp_path_factory.mktemp("large")
    folder, out = write_baskets(place / "big", 300, files=1), place / "out"
    anonset.anonymize_files(folder, out, "aa", k=3, m=2, item_hierarchy="balanced:3", accept_loss=True)
    return folder, out


def test_a_release_in_parts_is_asked_in_batches(made):
    folder, out = made
    parts = anonset.load_files(out, folder, memory="1GB")
    whole = anonset.load(out, anonset.read(folder / "0.parquet", item_hierarchy="balanced:3"))
    drawn = anonset.workload(whole.original, "random", n=10, seed=1)

    measures = parts.measure()

    assert parts.verify().holds
    assert parts.measure("ncp-items") == {"ncp-items": measures["ncp-items"]}
    assert parts.usefulness().exact == measures["exact-items"]
    assert parts.attack(attackers=5, seed=1).as_json() == parts.attack(attackers=5, seed=1).as_json()
    both = whole.measure()
    assert {name: both[name] for name in measures} == pytest.approx(measures)
    assert both.keys() - measures.keys() == {"exact-bound", "label-spread"}  # they need all records at once
    assert whole.error_of(drawn) == pytest.approx(parts.error_of(drawn))


def test_its_report_has_the_title(made):
    folder, out = made

    page = anonset.load_files(out, folder).report(attackers=5, seed=1, title="Baskets")

    assert "Baskets" in page.read_text()


def test_a_release_is_one_class_whatever_its_size(made, tmp_path):
    folder, out = made
    parts = anonset.load(out, folder)
    whole = parts.in_memory()

    assert type(parts) is type(whole) is anonset.Release
    assert len(parts) == len(whole) == 300
    assert repr(parts) == repr(whole)
    assert (parts.guarantees, parts.margins) == (whole.guarantees, whole.margins)
    assert parts.to_polars(accept_loss=True).equals(whole.to_polars(accept_loss=True))
    assert parts.verify([GUARANTEES["km-anonymity"](2, 1)]).holds
    assert not parts.verify([GUARANTEES["km-anonymity"](250, 2)]).holds
    assert parts.counts_of(anonset.workload(parts, n=3, seed=1)).actual.shape == (3,)
    assert parts.explain() == whole.explain()
    assert "Release of 300" in parts._repr_html_()
    assert parts.write(tmp_path / "again", format="jsonl", accept_loss=True, report=False).verdict.holds
    assert anonset.load(tmp_path / "again", whole.original).verify().holds


def test_anonymize_writes_where_it_is_told(made, tmp_path):
    file = made[0] / "0.parquet"
    settings = {"k": 3, "m": 2, "accept_loss": True}

    one = anonset.anonymize(file, "aa", output=tmp_path / "one", item_hierarchy="balanced:3", **settings)
    data = anonset.read(file, item_hierarchy="balanced:3")
    two = anonset.anonymize(data, "aa", output=tmp_path / "two", **settings)
    three = anonset.anonymize(file, "aa", output=tmp_path / "three", item_hierarchy="balanced:3", jobs=1, **settings)

    assert one.outcome.parts is two.outcome.parts is None
    assert three.outcome.parts == 1
    assert one.outcome.as_json().keys() == three.outcome.as_json().keys()
    first, *others = (json.loads((tmp_path / name / "private" / "manifest.json").read_text()) for name in ("one", "three"))
    assert first.keys() <= others[0].keys()
    assert one.to_polars(accept_loss=True).equals(two.to_polars(accept_loss=True))
    assert one.to_polars(accept_loss=True).equals(three.to_polars(accept_loss=True))
    assert two.report(attackers=5, seed=1).is_file()


def test_what_does_not_go_together_is_refused(made):
    file = made[0] / "0.parquet"
    data = anonset.read(file, item_hierarchy="balanced:3")

    with pytest.raises(anonset.ParameterError, match="folder to write"):
        anonset.anonymize(file, "aa", k=3, memory="1GB")
    with pytest.raises(anonset.ParameterError, match="in memory already"):
        anonset.anonymize(data, "aa", k=3, output="out", jobs=2)
    with pytest.raises(anonset.InputError, match="a dataset is expected; got int"):
        anonset.anonymize(7, "aa", k=3)
    with pytest.raises(anonset.ParameterError, match="in no folder yet"):
        anonset.anonymize(data, "aa", k=3).report()
