import pytest

from anonset.errors import InputError
from anonset.measure.workload import Query, Workload
from anonset.tasks import measure
from anonset.tasks.measure import MeasureRequest


@pytest.fixture
def queries(tmp_path):
    path = tmp_path / "w.json"
    path.write_text(Workload((Query(items=("1",)), Query(items=("3", "4")))).to_json())
    return path


def test_the_values_are_those_of_the_run_with_their_meanings(shop, made, phases):
    made_now = made(shop, "pcta", k=2)

    found = measure.run(MeasureRequest(made_now.output, shop), phases)

    assert found.values == pytest.approx(made_now.measures)
    assert all(found.meanings.values())
    assert found.as_json() == dict(found.values)
    assert phases.heard[-1] == ("Measuring", 1.0)


def test_queries_and_itemsets_are_counted_where_asked_for(shop, made, queries):
    folder = made(shop, "identity", k=1).output

    found = measure.run(MeasureRequest(folder, shop, ["ncp-items"], queries, worst=1, frequent=0.3))

    assert set(found.values) == {"ncp-items", "are", "itemset-precision", "itemset-recall", "itemset-support-error"}
    assert found.values["are"] == 0.0
    assert found.values["itemset-recall"] == 1.0
    plain = found.as_json()
    assert [set(row) for row in plain["worst"]] == [{"query", "actual", "estimate", "error"}]
    assert sum(row["queries"] for row in plain["by_size"].values()) == 2


def test_a_file_of_another_tool_needs_the_word_that_rows_are_aligned(shop, tmp_path):
    theirs = tmp_path / "theirs.dat"
    theirs.write_text("1|2\n" * 3 + "3 4\n" * 3 + "5\n" * 2 + "6\n" * 2)

    with pytest.raises(InputError, match="no row mapping"):
        measure.run(MeasureRequest(theirs, shop))
    found = measure.run(MeasureRequest(theirs, shop, aligned=True))

    assert found.values["ncp-items"] == pytest.approx(6 * (2 / 6) / 16)  # six of sixteen items are one of two


def test_what_was_handed_out_alone_cannot_be_measured(shop, made, tmp_path):
    (made(shop, "pcta", k=2).output / "published").rename(tmp_path / "handed_out")

    with pytest.raises(InputError, match="no row mapping"):
        measure.run(MeasureRequest(tmp_path / "handed_out", shop))
