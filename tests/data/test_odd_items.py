"""Blank items, control characters and line ends of Unicode are read alike from every format, and published alike in all."""

import csv
import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.constraints.pcta import Pcta
from anonset.algorithms.identity import Identity
from anonset.data import read
from anonset.data.files import BLANKS, trimmed
from anonset.model.release import Accepted
from anonset.model.schema import Schema
from anonset.releases.folder import read_folder
from anonset.releases.publish import publish, verify_folder

ITEMS = ["plain", " padded ", "", "   ", "two\u2028lines", "two\u2029paragraphs", "next\x85line", "bell\x07", "unit\x1fsign"]
ITEMS += ["\x1f", "\x1cfile", "tab\tinside", 'quote"d', "comma,ted", "née", "\u3000wide\u3000"]
EXPECTED = {trimmed(item) for item in ITEMS} - {""}
RECORDS = [ITEMS, ["plain", ""], [" "], []]


@pytest.fixture(params=["csv", "parquet", "jsonl", "frame"])
def dataset(request, tmp_path):
    """The same four records, read from each of the formats."""
    path, schema = tmp_path / f"data.{request.param}", Schema(items=("items",), item_separator="|")
    if request.param == "csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([["items", "n"], *(["|".join(items), 1] for items in RECORDS)])
    elif request.param == "jsonl":
        path.write_text("".join(json.dumps({"items": items, "n": 1}, ensure_ascii=False) + "\n" for items in RECORDS), "utf-8")
    else:
        frame = pl.DataFrame({"items": RECORDS, "n": [1] * len(RECORDS)})
        if request.param == "frame":
            return read(frame, schema=schema)
        frame.write_parquet(path)
    return read(path, schema=schema)


def test_every_format_has_the_same_items(dataset):
    assert list(dataset.transactions.records()) == [EXPECTED, {"plain"}, set(), set()]


@pytest.mark.parametrize("format", ["csv", "parquet", "feather", "jsonl", "xlsx", "fimi"])
def test_odd_items_come_out_of_every_format_as_they_went_in(dataset, format, tmp_path):
    items_only = type(dataset)(transactions=dataset.transactions)
    release = Identity(k=1, m=1).anonymize(items_only)

    publish(items_only, release, tmp_path / "out", format=format, accepted=Accepted(loss=True))
    again = read_folder(tmp_path / "out", items_only).items

    names = [frozenset(again.domain[i] for i in group) for group in again.labels.groups()]
    shown = [
        {next(iter(names[a])) for a in again.shown[start:stop]} for start, stop in np.c_[again.offsets[:-1], again.offsets[1:]]
    ]
    assert sorted(map(len, shown)) == [0, 0, 1, len(EXPECTED)]
    assert EXPECTED in shown
    assert verify_folder(items_only, tmp_path / "out").holds


def test_a_trace_about_odd_items_is_read_back(dataset, tmp_path):
    data = type(dataset)(transactions=dataset.transactions.take(np.array([0, 0, 1, 1, 1, 2])))
    release = Pcta(k=3, m=2).anonymize(data)
    assert any("\u2028" in json.dumps(step, ensure_ascii=False) for step in release.trace)

    publish(data, release, tmp_path / "out", accepted=Accepted(loss=True))

    assert verify_folder(data, tmp_path / "out").holds
    assert len(read_folder(tmp_path / "out", data).trace) == len(release.trace)


@given(st.text())
def test_tables_are_trimmed_in_the_same_way(text):
    assert pl.Series([text]).str.strip_chars()[0] == trimmed(text)
    assert trimmed(BLANKS) == ""
