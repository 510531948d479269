import polars as pl
import pytest

from anonset.data import Schema, read
from anonset.errors import InputError

FRAME = pl.DataFrame({"age": [30, 40, None], "city": ["Ulm", "Bonn", "Ulm"], "items": [["milk"], ["soap", "milk"], []]})


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "age.csv").write_text("40;*\n30;*\n20;*\n")
    (tmp_path / "items.csv").write_text("soap;household;*\nmilk;food;*\ntea;food;*\n")
    return tmp_path


def test_a_folder_gives_hierarchies_by_the_names_of_columns(folder):
    data = read(FRAME, schema=Schema(hierarchies=folder))

    assert data.column("age").domain == ("40", "30", "20")
    assert data.column("age").codes.tolist() == [1, 0, -1]
    assert data.column("age").values.tolist() == [40, 30, 20]
    assert data.column("city").hierarchy is None
    assert data.transactions.domain == ("soap", "milk", "tea")
    assert list(data.transactions.records()) == [{"milk"}, {"soap", "milk"}, set()]
    assert [source.name for source in data.sources] == ["DataFrame", "age.csv", "items.csv"]


def test_items_may_go_by_the_name_of_their_column(folder):
    (folder / "items.csv").rename(folder / "drugs.csv")

    data = read(FRAME.rename({"items": "drugs"}), schema=Schema(hierarchies=folder))

    assert data.item_hierarchy.leaves == ("soap", "milk", "tea")


def test_only_quasi_columns_take_a_hierarchy(folder):
    data = read(FRAME, schema=Schema(hierarchies=folder, quasi=("city",), other=("age",), items=("items",)))

    assert data.column("age").hierarchy is None


def test_hierarchies_are_built_where_asked(folder):
    data = read(FRAME, schema=Schema(hierarchies={"city": "prefixes:1", "age": "ranges:2", "items": folder / "items.csv"}))

    assert data.column("city").hierarchy.labels[2:] == ("B*", "U*", "*")
    assert data.column("age").hierarchy.height == 1
    assert data.item_hierarchy.n_leaves == 3


def test_a_file_made_from_the_data_is_no_public_knowledge(folder):
    data = read(FRAME, schema=Schema(item_hierarchy=f"derived:{folder / 'items.csv'}"))

    assert data.item_hierarchy.derived
    assert not read(FRAME, schema=Schema(item_hierarchy=folder / "items.csv")).item_hierarchy.derived
    assert [source.name for source in data.sources] == ["DataFrame", "items.csv"]


def test_an_item_hierarchy_overrules_the_folder(folder):
    data = read(FRAME, schema=Schema(hierarchies=folder, item_hierarchy="balanced:2"))

    assert data.item_hierarchy.labels == ("milk", "soap", "*")


def test_codes_that_look_like_numbers_are_categories_where_a_leaf_is_none(folder):
    (folder / "age.csv").write_text("30;*\n40;*\nunknown;*\n")

    assert read(FRAME, schema=Schema(hierarchies=folder)).column("age").kind == "categorical"
    with pytest.raises(InputError, match="column age: the leaves of a numeric column's hierarchy must be numbers"):
        read(FRAME, schema=Schema(hierarchies=folder, kinds={"age": "numeric"}))


def test_numbers_find_the_leaf_of_their_value(folder):
    data = read(FRAME.with_columns(age=pl.Series(["30.0", "4e1", None])), schema=Schema(hierarchies=folder))

    assert data.column("age").domain == ("40", "30", "20")
    assert data.column("age").codes.tolist() == [1, 0, -1]


def test_uncovered_values_name_the_file_and_the_column(folder):
    (folder / "items.csv").write_text("soap;*\n")

    with pytest.raises(InputError, match=r"items\.csv, column items: 1 values of the data .* e\.g\. 'milk'"):
        read(FRAME, schema=Schema(item_hierarchy=folder / "items.csv"))


def test_a_folder_without_any_fitting_hierarchy_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"holds no hierarchy for this data; looked for age\.csv, city\.csv, items\.csv"):
        read(FRAME, schema=Schema(hierarchies=tmp_path))


@pytest.mark.parametrize("given", [("soap",), "soap", "file"])
def test_sensitive_items_come_from_names_or_a_file(tmp_path, given):
    path = tmp_path / "secret.txt"
    path.write_text("soap\n")

    data = read(FRAME, schema=Schema(sensitive_items=path if given == "file" else given))

    assert data.sensitive_items.tolist() == [False, True]
    assert list(data.linkable.records()) == [{"milk"}, {"milk"}, set()]


def test_a_long_list_of_sensitive_items_is_no_file_name():
    frame = pl.DataFrame({"items": [[f"item {i}" for i in range(99)]]})

    assert read(frame, schema=Schema(sensitive_items=",".join(f"item {i}" for i in range(99)))).sensitive_items.all()


def test_a_leaf_that_does_not_occur_may_be_sensitive(folder):
    data = read(FRAME, schema=Schema(hierarchies=folder, sensitive_items="tea, soap"))

    assert data.sensitive_items.tolist() == [True, False, True]
