"""The Python interface, as a user meets it."""

import pandas as pd
import polars as pl
import pytest

import anonset
from anonset.measure.workload import Query, Workload

PEOPLE = {
    "age": [30, 30, 40, 40],
    "city": ["Rome", "Rome", "Oslo", "Oslo"],
    "codes": [["a", "b"], ["a", "b"], ["c"], ["c"]],
}
ROLES = {"quasi": ("age", "city"), "items": "codes"}


@pytest.fixture
def data():
    return anonset.read(pl.DataFrame(PEOPLE), **ROLES)


def test_the_public_names_are_few_and_all_there():
    assert len(anonset.__all__) == 38
    assert all(getattr(anonset, name) is not None for name in anonset.__all__)
    assert set(dir(anonset)) == {*anonset.__all__, "__version__"}
    with pytest.raises(AttributeError, match="no attribute 'frobnicate'"):
        _ = anonset.frobnicate


@pytest.mark.parametrize("frame", [pl.DataFrame, pd.DataFrame, lambda columns: pl.DataFrame(columns).to_arrow()])
def test_any_data_frame_can_be_read(frame):
    data = anonset.read(frame(PEOPLE), **ROLES)

    assert len(data) == 4
    assert [column.name for column in data.quasi] == ["age", "city"]
    assert list(data.transactions.records()) == [{"a", "b"}, {"a", "b"}, {"c"}, {"c"}]


def test_an_unknown_setting_is_named():
    with pytest.raises(anonset.ParameterError, match="no setting 'quasis'; did you mean 'quasi'"):
        anonset.read(pl.DataFrame(PEOPLE), quasis=("age",))


def test_anonymize_verify_measure_write_load(data, tmp_path):
    release = anonset.anonymize(data, "identity", k=2, m=2)

    written = release.write(tmp_path / "out", format="parquet", report=False)
    again = anonset.load(tmp_path / "out", data)

    assert release.verify().holds
    assert written.verdict.holds
    assert again.verify().holds
    assert again.measure() == release.measure() == written.measures
    assert again.measure(["ncp"]) == {"ncp": 0.0}
    assert again.guarantees == release.guarantees
    assert again.provenance.parameters == {"k": 2, "m": 2, "l": 1}


def test_a_release_is_loaded_beside_a_file(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("age,city,codes\n30,Rome,a|b\n30,Rome,a|b\n40,Oslo,c\n40,Oslo,c\n")
    anonset.anonymize(anonset.read(path, **ROLES), "identity", k=2).write(tmp_path / "out", report=False)

    assert anonset.load(tmp_path / "out", path).verify().holds
    assert anonset.load(tmp_path / "out", path, anonset.Schema(missing=("", "none"))).original.quasi[0].name == "age"


def test_what_was_handed_out_is_loaded_without_knowing_its_rows(data, tmp_path):
    anonset.anonymize(data, "identity", k=2).write(tmp_path / "out", report=False)
    (tmp_path / "out/published").rename(tmp_path / "handed_out")

    release = anonset.load(tmp_path / "handed_out", data)

    assert not release.aligned
    assert [finding.guarantee for finding in release.verify().findings] == ["k-km"]
    with pytest.raises(anonset.InputError, match="no row mapping"):
        release.measure()


def test_other_guarantees_can_be_asked_for(data):
    from anonset.model.guarantees import KAnonymity

    release = anonset.anonymize(data, "identity", k=2)

    assert release.verify([KAnonymity(2)]).holds
    assert not release.verify([KAnonymity(3)]).holds


def test_a_workload_in_a_file_or_as_a_value(data, tmp_path):
    release = anonset.anonymize(data, "identity", k=2)
    workload = Workload((Query(items=("a",)),))
    (tmp_path / "w.json").write_text(workload.to_json())

    assert release.error_of(workload) == release.error_of(tmp_path / "w.json") == 0.0


def test_bad_parameters_are_told(data):
    with pytest.raises(anonset.ParameterError, match="no algorithm 'magic'"):
        anonset.anonymize(data, "magic", k=2)
    with pytest.raises(anonset.ParameterError, match="no parameter 'q'"):
        anonset.anonymize(data, "identity", k=2, q=1)
    with pytest.raises(anonset.InfeasibleError, match="k=5 exceeds the 4 records"):
        anonset.anonymize(data, "identity", k=5)


def test_progress_is_told_and_may_cancel(data):
    heard = []
    anonset.anonymize(data, "identity", k=2, progress=heard.append)

    def cancel(done):
        raise anonset.Cancelled("enough")

    assert heard[-1] == 1.0
    with pytest.raises(anonset.Cancelled):
        anonset.anonymize(data, "identity", k=2, progress=cancel)


def test_a_release_explains_itself_in_memory_and_from_its_folder(data, tmp_path):
    release = anonset.anonymize(data, "pcta", k=3)
    release.write(tmp_path / "out", report=False, accept_exposure=["age", "city"], accept_loss=True)

    lines = release.explain()

    assert "had support 2, 3 are asked for" in lines[1]
    assert anonset.load(tmp_path / "out", data).explain() == lines
    assert anonset.anonymize(data, "pcta", k=2).explain() == (
        "All 3 items are published as they are: nothing had to be generalized.",
    )


@pytest.mark.parametrize("format", ["csv", "parquet", "jsonl"])
def test_counts_with_bounds_from_what_was_handed_out(tmp_path, format):
    rows = [({"a", "b"}, "flu"), ({"a"}, "cold"), ({"a", "c"}, "flu"), ({"b", "c"}, "cold")] * 3
    frame = pl.DataFrame({"codes": [sorted(items) for items, _ in rows], "illness": [illness for _, illness in rows]})
    data = anonset.read(frame, items="codes", sensitive=("illness",))
    anonset.anonymize(data, "nr-l", l=2).write(tmp_path / "out", format=format, report=False)
    (tmp_path / "out/published").rename(tmp_path / "handed_out")

    both = anonset.query(tmp_path / "handed_out", ["a"], ["b"])
    ill = anonset.query(tmp_path / "handed_out", present=["a"], where={"illness": "flu"})

    assert both.certain <= 6 <= both.possible
    assert both.certain <= both.expected <= both.possible
    assert ill.certain <= 6 <= ill.possible
    assert anonset.query(tmp_path / "handed_out").base == 12
    with pytest.raises(anonset.InputError, match="the item 'z', which the data do not have"):
        anonset.query(tmp_path / "handed_out", ["z"])
