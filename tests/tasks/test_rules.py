"""Constraints while they are written: what each line is about, by counting records one by one."""

from itertools import chain

import pytest

import anonset
from anonset.errors import InputError
from anonset.tasks import policy

ROWS = ["a b", "a b c", "a", "c", "b c", "a c d"]


@pytest.fixture(scope="module")
def data():
    import polars as pl

    frame = pl.DataFrame({"town": list("xxyyzz"), "items": ROWS})
    return anonset.read(frame, quasi=["town"], items="items", item_separator=" ")


@pytest.mark.parametrize("line", [("a",), ("a", "b"), ("b", "d"), ("a", "b", "c"), ("d",)])
def test_support_is_counted_as_one_would_by_hand(data, line):
    held = [set(row.split()) for row in ROWS]

    (found,) = policy.look(data, [line])

    assert found.all_of == sum(set(line) <= items for items in held)
    assert found.any_of == sum(bool(set(line) & items) for items in held)


def test_names_that_do_not_occur_are_told_with_what_is_close():
    import polars as pl

    data = anonset.read(pl.DataFrame({"items": ["asthma,gout", "asthma"]}), items="items", item_separator=",")

    (found,) = policy.look(data, [("astma", "gout")])

    assert (found.all_of, found.any_of, found.unknown, found.close) == (0, 1, ("astma",), ("asthma",))


def test_constraints_are_made_and_read_back_as_lines(data, tmp_path):
    made = policy.make(data, "pairs:1", "neighbours:2")
    (tmp_path / "rules.csv").write_text("a,b\nc\n")
    (tmp_path / "all.toml").write_text('privacy = "all"\nm = 3\n')

    assert len(made.privacy) == 6
    assert sorted(chain.from_iterable(made.utility)) == ["a", "b", "c", "d"]
    assert policy.read(tmp_path / "rules.csv", "privacy").privacy == (("a", "b"), ("c",))
    assert policy.read(tmp_path / "rules.csv", "utility").utility == (("a", "b"), ("c",))
    assert policy.read(tmp_path / "all.toml", "privacy").m == 3
    (tmp_path / "all.toml").write_text('privacy = "transactions"\n')
    with pytest.raises(InputError, match="whole transactions"):
        policy.read(tmp_path / "all.toml", "privacy")


def test_items_in_no_group_stay_on_their_own(data):
    assert policy.utility_policy(data, [("a", "b")], 0.1).groups == (("a", "b"), ("c",), ("d",))
    assert policy.utility_policy(data, [], 0.1) is None


def test_what_a_run_would_refuse_is_foreseen():
    import polars as pl

    frame = pl.DataFrame({"age": [20, 20, 30, 30], "wage": ["1", "2", "3", "3"]})
    data = anonset.read(frame, quasi=["age"], sensitive=["wage"])

    impossible, refused = policy.foreseen(data, 2, 4)

    assert impossible == ["wage has 3 different answers, and l is 4"]
    assert "wage (sensitive) would be published as it is, and 50% of its values" in refused[0]
    assert policy.foreseen(data, 2, 3, ["wage"]) == ([], [])
