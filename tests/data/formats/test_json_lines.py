"""A JSON array of objects holds what the same objects hold one a line."""

import json
import re

import pytest

from anonset.data import read
from anonset.errors import InputError

RECORDS = [{"age": 30, "codes": ["a", "b"]}, {"age": None, "codes": []}, {"codes": ["b", 7], "town": " Ulm "}]


def test_an_array_holds_what_lines_hold(tmp_path):
    (tmp_path / "t.json").write_text(json.dumps(RECORDS, indent=2))
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(record) + "\n" for record in RECORDS))

    one, two = read(tmp_path / "t.json"), read(tmp_path / "t.jsonl")

    assert list(one.transactions.records()) == list(two.transactions.records()) == [{"a", "b"}, set(), {"b", "7"}]
    assert [(c.name, c.domain, c.codes.tolist()) for c in one.columns] == [
        (c.name, c.domain, c.codes.tolist()) for c in two.columns
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1}', "t.json: an array of objects is expected; for one object a line the format is jsonl"),
        ("[]", "t.json: has no records"),
        ("[{}]", "t.json: the objects must have fields"),
        ('[{"a": 1}, 2]', "t.json: record 2: a JSON object is expected"),
        ('[{"a": 1},\n {"a": }]', "t.json, line 2: is not valid JSON"),
        ('[{"a": 1}, {"a": [1]}]', "t.json, column a: record 2: a single value is expected"),
        ('[{"a": {"b": 1}}]', "t.json, column a: record 1: a text, a number or a list of such"),
        ('[{"a": 1, "a": 2}]', "t.json: every field of an object needs a name of its own"),
        ('[{"a": NaN}]', "t.json: numbers must be finite; got NaN"),
    ],
)
def test_what_is_wrong_names_the_record(tmp_path, text, message):
    (tmp_path / "t.json").write_text(text)

    with pytest.raises(InputError, match=re.escape(message)):
        read(tmp_path / "t.json")
