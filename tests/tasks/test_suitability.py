"""What is said of algorithms before a run must come true when they run."""

import pytest
from hypothesis import given

import anonset
from anonset.errors import InfeasibleError
from anonset.tasks.suitability import suitabilities, three_settings
from strategies import item_datasets


def reasons(data, k=2, m=2):
    return {one.id: one.reason for one in suitabilities(data, k, m)}


@pytest.fixture
def data(tmp_path):
    """Data with columns alone, items alone, and both."""
    texts = {
        "columns": "age\n" + "".join(f"{30 + r % 3}\n" for r in range(12)),
        "items": "items\n" + "".join(f"{'ab'[r % 2]} c\n" for r in range(12)),
        "both": "age,items\n" + "".join(f"{30 + r % 3},{'ab'[r % 2]} c\n" for r in range(12)),
    }
    roles = {"columns": {"quasi": ["age"]}, "items": {"items": ["items"]}, "both": {"quasi": ["age"], "items": ["items"]}}
    for name, text in texts.items():
        (tmp_path / f"{name}.csv").write_text(text)
    return {name: anonset.read(tmp_path / f"{name}.csv", **roles[name]) for name in texts}


def test_columns_alone_take_no_algorithm_for_items(data):
    found = reasons(data["columns"])

    assert (found["lift"], found["mondrian"]) == ("needs a list of items", "")
    assert "identity" not in found


def test_items_alone_and_both_parts(data):
    items, both = reasons(data["items"]), reasons(data["both"])

    assert items["rt-search"] == "needs columns that could be known"
    assert items["aa"] == "needs a hierarchy of the items"
    assert both["lift"] == "does not protect the columns that could be known"
    assert both["mondrian"] == "does not protect the items"


def test_the_recommended_algorithm_is_the_first(data):
    assert [suitabilities(data[kind], 2, 2)[0].id for kind in ("columns", "items", "both")] == ["peel", "lift", "rt-search"]


@given(item_datasets(min_records=2))
def test_where_no_item_would_be_shown_the_algorithm_shows_none(data):
    refused = {m: reasons(data, 2, m)["aa"] for m in (1, 2, 3)}

    for m, reason in refused.items():
        if reason:
            try:
                release = anonset.anonymize(data, "aa", k=2, m=m)
            except InfeasibleError:
                continue
            root = data.item_hierarchy.labels[-1]
            assert {release.items.labels.texts[label] for label in release.items.shown.tolist()} <= {"*", root}


@pytest.mark.parametrize("kind", ["columns", "items", "both"])
def test_three_settings_can_be_made_for_every_kind_of_data(data, kind):
    settings = three_settings(data[kind])

    assert len({one.name for one in settings}) == 3
    for one in settings:
        quick = {"seconds": 0.2} if one.algorithm == "rt-search" else {}
        known = {} if kind == "columns" else {"m": 1}
        assert len(anonset.anonymize(data[kind], one.algorithm, k=2, **known, **one.parameters, **quick)) > 0
