"""A population is coded as its sample is, comes after it, and must contain it."""

import json

import numpy as np
import polars as pl
import pytest

import anonset
from anonset.errors import InputError
from anonset.model.sets import rows_of


@pytest.fixture
def folder(tmp_path):
    whole = pl.DataFrame(
        {
            "id": ["p1", "p2", "p3", "p4", "p5", "p6"],
            "age": ["30", "30.0", "41", "41", "52", "52"],
            "ill": ["x", "y", "x", "y", "x", "y"],
            "codes": ["a b", "b", "a b", "a z", "a z", "c"],
        }
    )
    whole.write_csv(tmp_path / "all.csv")
    whole[[1, 4]].write_csv(tmp_path / "sample.csv")
    return tmp_path


def test_the_people_of_the_records_come_first_and_are_coded_alike(folder):
    roles = {"quasi": "age", "sensitive": "ill", "items": "codes", "id": "id", "item_separator": " "}
    data = anonset.read(folder / "sample.csv", population=folder / "all.csv", item_hierarchy="balanced:2", **roles)
    whole = data.population

    assert (len(data), len(whole)) == (2, 6)
    assert [column.name for column in whole.columns] == ["age"]
    assert data.column("age").domain == whole.column("age").domain
    assert data.column("age").values[data.column("age").codes].tolist() == [30, 52]
    assert whole.column("age").values[whole.column("age").codes].tolist() == [30, 52, 30, 41, 41, 52]
    assert list(map(sorted, whole.transactions.records())) == [["b"], ["a", "z"], ["a", "b"], ["a", "b"], ["a", "z"], ["c"]]
    assert data.transactions.domain == whole.transactions.domain == data.item_hierarchy.leaves
    assert [source.name for source in data.sources] == ["sample.csv", "all.csv"]
    other = data.take(np.array([1]))
    assert list(map(sorted, other.population.transactions.records()))[:2] == [["a", "z"], ["b"]]


def test_a_record_that_is_not_in_the_population_is_refused(folder):
    def refused(*records):
        pl.DataFrame(list(records), schema=["age", "codes"], orient="row").write_csv(folder / "other.csv")
        with pytest.raises(InputError) as error:
            anonset.read(folder / "other.csv", quasi="age", items="codes", population=folder / "all.csv")
        return str(error.value)

    assert "1 of 2 records are not in it" in refused(("30", "b"), ("30", "b"))
    assert "1 of 1 records are not in it" in refused(("30", "c"))
    assert "some have values that nobody in it has" in refused(("31", "b"))
    assert "1 of 1 records are not in it" in refused(("30", "q"))


def test_a_table_in_the_place_of_a_file_is_refused_without_its_values(folder):
    with pytest.raises(InputError, match="population must be a text or a path; got DataFrame"):
        anonset.read(folder / "sample.csv", population=pl.DataFrame({"age": [77]}))


def test_rows_of_people_are_gathered_in_the_population_too(folder):
    rows = pl.DataFrame({"id": ["p1", "p1", "p2", "p3", "p3"], "codes": ["a", "b", "b", "a", "b"]})
    rows.write_csv(folder / "all.csv")
    rows[:2].write_csv(folder / "sample.csv")
    data = anonset.read(folder / "sample.csv", population=folder / "all.csv", id="id", items="codes", repeated=True)

    assert (len(data), len(data.population)) == (1, 3)
    assert data.population.unit == "records"
    assert data.unit == "people"
    assert rows_of(data.population.transactions.offsets).tolist() == [0, 0, 1, 2, 2]


def test_nothing_of_the_population_is_published_but_what_labels_show(folder):
    whole = pl.DataFrame(
        {"codes": ["a b", "a b", "a c", "a c", "b c", "b c", "hemophilia a", "hemophilia b", "d hemophilia", "d"]}
    )
    whole.write_csv(folder / "all.csv")
    whole[[0, 2, 4]].write_csv(folder / "sample.csv")
    (folder / "tree.csv").write_text("a;first;*\nb;first;*\nc;second;*\nd;second;*\nhemophilia;blood;*\n")
    data = anonset.read(folder / "sample.csv", items="codes", population=folder / "all.csv", item_hierarchy=folder / "tree.csv")
    anonset.anonymize(data, "lift", k=2, m=2).write(folder / "out")
    told = "".join(path.read_text() for path in (folder / "out" / "published").iterdir())
    about = json.loads((folder / "out" / "published" / "about.json").read_text())
    manifest = json.loads((folder / "out" / "private" / "manifest.json").read_text())

    assert "hemophilia" not in told
    assert "all.csv" not in told
    assert about["counted"].startswith("The guarantees count the 10 people of the population")
    assert about["guarantees"][0]["population"] == 10
    assert [source["name"] for source in manifest["inputs"]] == ["sample.csv", "all.csv", "tree.csv"]
    assert "does not know whether the person is in it" in told
    assert "as few as 1 may match" in told  # the certificate has the risk from those who know that a person is in the file
    assert anonset.load(folder / "out", folder / "sample.csv").verify().holds
