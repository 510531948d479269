import pytest

from anonset.errors import InputError
from anonset.tasks import query
from anonset.tasks.query import QueryRequest


def test_counts_come_with_bounds(shop, made):
    folder = made(shop, "nr-k", k=2, seed=1).output

    found = query.run(QueryRequest(folder, present=["1"], absent=["4"]))

    assert found.certain <= 3 <= found.possible
    assert found.certain <= found.expected <= found.possible
    assert query.run(QueryRequest(folder)).base == 10
    with pytest.raises(InputError, match="the item '9'"):
        query.run(QueryRequest(folder, present=["9"]))


def test_columns_published_as_they_are_can_be_asked_for(people, made, tmp_path):
    table = tmp_path / "ill.csv"
    table.write_text("illness,codes\n" + "".join(f"{('flu', 'cold')[n % 2]},{('a b', 'a', 'c')[n % 3]}\n" for n in range(12)))
    source = type(people)(table, {"sensitive": ("illness",), "items": ("codes",)})
    folder = made(source, "nr-l", l=2, seed=1).output

    found = query.run(QueryRequest(folder, where={"illness": "flu"}))

    assert (found.certain, found.possible) == (6, 6)
