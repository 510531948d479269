"""A release in parts is measured in batches as it would be in memory."""

from dataclasses import replace

import pytest

import anonset
from anonset.errors import ParameterError
from anonset.measure import MEASURES
from anonset.measure.usefulness import usefulness
from anonset.measure.workload import random_queries
from anonset.tasks import measure as measuring
from anonset.tasks.inputs import Input, Limits, load
from anonset.tasks.measure import MeasureRequest
from engine_data import write_baskets, write_people

NEEDS_ALL = ("exact-bound", "label-spread")  # measures of all records at once
PEOPLE = {"quasi": ["age", "income", "region"], "sensitive": ["illness"]}
WITH_ITEMS = {"parameters": {"delta": 0.5}, "seed": 0, "item_hierarchy": "balanced:3", **PEOPLE}
CASES = {
    "baskets": (write_baskets, "aa", {"m": 2, "item_hierarchy": "balanced:3"}),
    "secret items": (write_baskets, "aa", {"m": 3, "item_hierarchy": "balanced:3", "sensitive_items": ("i1", "i7")}),
    "uncertain items": (write_baskets, "nr-k", {}),
    "people": (write_people, "rmerge-r", {"m": 2, **WITH_ITEMS}),
}


@pytest.fixture(params=CASES, name="made")
def release_in_parts(request, tmp_path, monkeypatch):
    monkeypatch.setattr("anonset.engine.planning.LARGEST", 250)
    write, algorithm, asked = CASES[request.param]
    folder = write(tmp_path / "big", 600, files=1)
    anonset.anonymize_files(folder, tmp_path / "out", algorithm, k=4, accept_loss=True, **asked)
    return folder, tmp_path / "out"


def test_batches_are_measured_as_the_whole(made, tmp_path):
    folder, out = made
    original = Input(folder / "0.parquet")
    queries = tmp_path / "queries.json"
    kind = "both" if (folder / "0.parquet").read_bytes().find(b"age") > 0 else "items"
    queries.write_text(random_queries(load(out, original).original, 40, kind=kind).to_json())

    loaded = load(out, original)
    useful = usefulness(loaded.original, loaded.release)
    values = measuring.of_release(loaded.original, loaded.release)
    counts = measuring.count_answers(loaded.original, loaded.release, queries)
    values["are"] = float(counts.relative_errors().mean())
    batches = measuring.run(MeasureRequest(out, original, workload=queries, limits=Limits("1GB")))

    told = {id: value for id, value in values.items() if id not in batches.not_measured}
    assert set(batches.not_measured) <= {*NEEDS_ALL, *(id for id in MEASURES if "er" in values and id.startswith("risk"))}
    assert batches.values == pytest.approx(told, abs=1e-9)
    assert batches.counts.actual.tolist() == counts.actual.tolist()
    assert (batches.usefulness.levels or ()) == pytest.approx(useful.levels or ())
    for name, kept in (useful.columns or {}).items():
        assert tuple(batches.usefulness.columns[name]) == pytest.approx(tuple(kept))
    assert [sized.low for sized in batches.usefulness.counts[-1:]] == [sized.low for sized in useful.counts[-1:]]
    assert len(list(tmp_path.glob(".*work"))) == 0


def test_what_is_not_measured_in_batches_is_said(tmp_path):
    folder = write_baskets(tmp_path / "big", 200, files=1)
    anonset.anonymize_files(folder, tmp_path / "out", "aa", k=3, m=2, item_hierarchy="balanced:3")
    request = MeasureRequest(tmp_path / "out", Input(folder), ["ncp"], limits=Limits("1GB"))

    with pytest.raises(ParameterError, match="does not apply"):
        measuring.run(request)
    found = measuring.run(replace(request, ids=None, frequent=0.1, predict="items"))
    assert found.not_measured == (*NEEDS_ALL, "itemsets", "prediction")
    assert found.as_json()["not_measured"] == found.not_measured
    assert "itemset-recall" in measuring.run(replace(request, ids=None, frequent=0.1, limits=None)).values
    with pytest.raises(ParameterError, match="no measure"):
        measuring.run(replace(request, ids=["nothing"]))


def test_risks_of_uncertain_items_are_left_out(tmp_path):
    folder = write_baskets(tmp_path / "big", 60, files=1)
    release = anonset.anonymize(folder, "nr-k", output=tmp_path / "out", k=3, seed=1, jobs=1)

    found = measuring.run(MeasureRequest(tmp_path / "out", Input(folder), ["risk", "er"]))

    assert found.not_measured == ("risk",)
    assert release.measure(["risk", "er"]).keys() == {"er"}
