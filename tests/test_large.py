"""Releases in parts, from Python: asked in pieces they say what they say in memory."""

import pytest

import anonset
from engine_data import write_baskets


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    place = tmp_path_factory.mktemp("large")
    folder, out = write_baskets(place / "big", 300, files=1), place / "out"
    anonset.anonymize_files(folder, out, "aa", k=3, m=2, item_hierarchy="balanced:3", accept_loss=True)
    return folder, out


def test_a_release_in_parts_is_asked_in_pieces(made):
    folder, out = made
    parts = anonset.load_files(out, folder, memory="1GB")
    whole = anonset.load(out, folder / "0.parquet")
    drawn = anonset.workload(whole.original, "random", n=10, seed=1)

    measures = parts.measure()

    assert parts.verify().holds
    assert parts.measure("ncp-items") == {"ncp-items": measures["ncp-items"]}
    assert parts.usefulness().exact == measures["exact-items"]
    assert parts.attack(attackers=5, seed=1).as_json() == parts.attack(attackers=5, seed=1).as_json()
    assert whole.measure() == pytest.approx(measures)
    assert whole.error_of(drawn) == pytest.approx(parts.error_of(drawn))


def test_its_report_has_the_title(made):
    folder, out = made

    page = anonset.load_files(out, folder).report(attackers=5, seed=1, title="Baskets")

    assert "Baskets" in page.read_text()
