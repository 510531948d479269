"""What is published of a hierarchy that was built from the data: its groups, and no order inside them."""

import json

import pytest
from hypothesis import given

from anonset.algorithms import make
from anonset.model.builders import Material, build
from anonset.model.dataset import Dataset, Transactions, item_order
from anonset.releases.folder import write_folder
from strategies import transactions

RECORDS = [["9", "10"], ["9", "3"], ["9", "21"], ["9", "10"], ["10", "4"], ["4", "9"], ["3", "9"], ["21", "5"], ["5", "10"]]


def released(algorithm, spec, folder, format):
    items = Transactions.from_records(RECORDS)
    data = Dataset(transactions=items).with_item_hierarchy(build(spec, Material.of_items(items)))
    folder.mkdir()
    write_folder(make(algorithm, {"k": 3}).anonymize(data), data, folder, format=format)
    return folder / "published"


@pytest.mark.parametrize("algorithm", ["aa", "pcta"])
@pytest.mark.parametrize("spec", ["balanced:2", "learned:2"])
def test_members_of_published_items_are_listed_by_name(algorithm, spec, tmp_path):
    about = json.loads((released(algorithm, spec, tmp_path / "csv", "csv") / "about.json").read_text())
    lines = (released(algorithm, spec, tmp_path / "jsonl", "jsonl") / "records.jsonl").read_text().splitlines()

    listed = list(about["attributes"][0]["generalized"].values())
    listed += [members for line in lines for members in json.loads(line)["items"]]
    assert any(len(members) > 2 for members in listed)
    assert all(members == list(item_order(members)) for members in listed)


@given(transactions(max_records=20, max_items=9))
def test_the_order_of_leaves_is_that_of_names_within_every_group(items):
    for spec in ("balanced:2", "balanced:3", "learned:2"):
        tree = build(spec, Material.of_items(items))

        place = {name: p for p, name in enumerate(items.domain)}
        firsts = {v: min(place[name] for name in tree.leaves[tree.low[v] : tree.high[v]]) for v in range(len(tree))}
        for v in range(tree.n_leaves, len(tree)):
            order = [firsts[child] for child in tree.children(v)]
            assert order == sorted(order)
