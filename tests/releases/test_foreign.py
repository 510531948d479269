"""Files of other tools: what their values stand for is read off their spelling."""

import math

import numpy as np
import pytest

from anonset.data import read
from anonset.errors import GuaranteeViolated, InputError
from anonset.releases.foreign import read_foreign


@pytest.fixture
def original(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("name,age,city,codes\n" + "A,30,Rome,a b\nB,40,Oslo,c\nC,50,Rome,a\n")
    from anonset.model.schema import Schema

    return read(path, schema=Schema(identifier=("name",), quasi=("age", "city"), items=("codes",)))


def foreign(tmp_path, original, text, *, aligned=True):
    (tmp_path / "theirs.csv").write_text(text)
    return read_foreign(tmp_path / "theirs.csv", original, aligned=aligned)


@pytest.mark.parametrize(
    ("token", "low", "high"),
    [
        ("30", 30, 30),
        ("[30:50]", 30, 50),
        ("30-50", 30, 50),
        ("30..50", 30, 50),
        ("[30, 50)", 30, math.nextafter(50, 0)),
        ("(30;50]", math.nextafter(30, 99), 50),
        ("*", 30, 50),
    ],
)
def test_numbers_and_ranges(tmp_path, original, token, low, high):
    release = foreign(tmp_path, original, "age\n" + f'"{token}"\n' * 3)

    assert (release.columns[0].labels.low[0], release.columns[0].labels.high[0]) == (low, high)


@pytest.mark.parametrize("token", ["(Oslo,Rome)", "{Oslo;Rome}", "Oslo|Rome", "*"])
def test_sets_of_values(tmp_path, original, token):
    release = foreign(tmp_path, original, "city\n" + f'"{token}"\n' * 3)

    assert [sorted(original.column("city").domain[c] for c in group) for group in release.columns[0].labels.groups()] == [
        ["Oslo", "Rome"]
    ]


def test_items_by_whatever_separator_makes_sense(tmp_path, original):
    release = foreign(tmp_path, original, 'codes\n"(a|b);c"\nc\n"(a|b)"\n')

    groups = [{release.items.domain[i] for i in group} for group in release.items.labels.groups()]
    shown = [
        [groups[a] for a in release.items.shown[start:stop]]
        for start, stop in zip(release.items.offsets[:-1], release.items.offsets[1:], strict=True)
    ]
    assert {frozenset(group) for group in shown[0]} == {frozenset("ab"), frozenset("c")}
    assert shown[2] == [{"a", "b"}]
    assert release.rows.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("age\n30\n40\nx\n", InputError, "line 4.*'x' is no value of the original"),
        ("age\n[50:30]\n40\n50\n", InputError, "no generalization of any"),
        ("age,name\n30,A\n40,B\n50,C\n", GuaranteeViolated, "identifier 'name' is published"),
        ("age,sex\n30,f\n40,m\n50,f\n", InputError, "the original has no such column"),
        ("age\n30\n", InputError, "as many as the 3 of the original"),
    ],
)
def test_what_cannot_be_read_is_told(tmp_path, original, text, error, message):
    with pytest.raises(error, match=message):
        foreign(tmp_path, original, text)


def test_fewer_records_will_do_where_rows_are_not_aligned(tmp_path, original):
    assert len(foreign(tmp_path, original, "age\n30\n", aligned=False)) == 1
    with pytest.raises(InputError, match="no more than the 3"):
        foreign(tmp_path, original, "age\n" + "30\n" * 4, aligned=False)
    assert np.array_equal(foreign(tmp_path, original, "age\n30\n", aligned=False).rows, [0])
