"""A release in parts is measured in pieces as it would be in memory."""

from dataclasses import replace

import pytest

import anonset
from anonset.errors import ParameterError
from anonset.measure.workload import random_queries
from anonset.tasks import measure as measuring
from anonset.tasks.inputs import Input, Pieces, load
from anonset.tasks.measure import MeasureRequest
from engine_data import write_baskets, write_people

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


def test_pieces_are_measured_as_the_whole(made, tmp_path):
    folder, out = made
    original = Input(folder / "0.parquet")
    queries = tmp_path / "queries.json"
    kind = "both" if (folder / "0.parquet").read_bytes().find(b"age") > 0 else "items"
    queries.write_text(random_queries(load(out, original).original, 40, kind=kind).to_json())

    whole = measuring.run(MeasureRequest(out, original, workload=queries))
    pieces = measuring.run(MeasureRequest(out, original, workload=queries, pieces=Pieces("1GB")))

    told = {id: value for id, value in whole.values.items() if "er" not in whole.values or not id.startswith("risk")}
    assert pieces.values == pytest.approx(told, abs=1e-9)
    assert pieces.counts.actual.tolist() == whole.counts.actual.tolist()
    assert (pieces.usefulness.levels or ()) == pytest.approx(whole.usefulness.levels or ())
    for name, kept in (whole.usefulness.columns or {}).items():
        assert tuple(pieces.usefulness.columns[name]) == pytest.approx(tuple(kept))
    assert [sized.low for sized in pieces.usefulness.counts[-1:]] == [sized.low for sized in whole.usefulness.counts[-1:]]
    assert len(list(tmp_path.glob(".*work"))) == 0


def test_what_is_not_measured_in_pieces_is_said(tmp_path):
    folder = write_baskets(tmp_path / "big", 200, files=1)
    anonset.anonymize_files(folder, tmp_path / "out", "aa", k=3, m=2, item_hierarchy="balanced:3")
    request = MeasureRequest(tmp_path / "out", Input(folder), ["ncp"], pieces=Pieces("1GB"))

    with pytest.raises(ParameterError, match="does not apply"):
        measuring.run(request)
    with pytest.raises(ParameterError, match="in memory"):
        measuring.run(replace(request, frequent=0.1))
