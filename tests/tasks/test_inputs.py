import pytest

from anonset.errors import InputError, ParameterError
from anonset.measure.workload import Query, Workload
from anonset.model.schema import Schema
from anonset.tasks.inputs import Input, load, read_original, read_workload


def test_settings_come_before_the_schema(tmp_path):
    (tmp_path / "schema.toml").write_text('quasi = ["age"]\nitems = ["codes"]\n')

    by_file = Input("x.csv", {"quasi": ("city",)}, tmp_path / "schema.toml").wanted()

    assert (by_file.quasi, by_file.items) == (("city",), ("codes",))
    assert Input("x.csv", schema=Schema(quasi=("age",))).wanted() == Schema(quasi=("age",))
    with pytest.raises(ParameterError, match="no setting 'quasis'; did you mean 'quasi'"):
        Input("x.csv", {"quasis": ()}).wanted()


def test_a_release_is_read_as_its_original_was(people, made):
    folder = made(people, "identity", k=4).output

    loaded = load(folder, Input(people.data))

    assert loaded.aligned
    assert [column.name for column in loaded.original.quasi] == ["age", "city"]
    assert loaded.require_rows() == loaded
    other = read_original(folder, Input(people.data, {"kinds": {"age": "categorical"}}))
    assert other.column("age").values is None


def test_a_file_is_aligned_only_where_it_is_said(shop, tmp_path):
    (tmp_path / "theirs.dat").write_text("1|2\n1|2\n")

    loaded = load(tmp_path / "theirs.dat", shop.read())

    assert len(loaded.release) == 2
    with pytest.raises(InputError, match="no row mapping"):
        loaded.require_rows()


def test_a_workload_as_it_is_or_from_a_file(tmp_path):
    workload = Workload((Query(items=("1",)),))
    (tmp_path / "w.json").write_text(workload.to_json())

    assert read_workload(workload) == read_workload(tmp_path / "w.json") == workload
