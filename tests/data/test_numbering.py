import pytest

from anonset.cli import main
from anonset.data import Schema, guess, read
from anonset.data.roles import numbered_alike, numbered_things

WIDE = "who,age,diag_1,diag_2,drug\na,30,250.01,type 2,x\nb,40,type 2,250.01,y\nc,50,,414,x|y\n"


@pytest.fixture
def wide(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(WIDE)
    return path


def test_columns_are_numbered_alike_by_what_stands_before_the_number():
    names = ("diag_1", "age", "DX1", "diag_2", "DX10", "2019", "2020", "visit 1", "I10_PR1", "I10_PR2")

    assert numbered_alike(names) == {"diag": ("diag_1", "diag_2"), "DX": ("DX1", "DX10"), "I10_PR": ("I10_PR1", "I10_PR2")}


@pytest.mark.parametrize(
    "name", ["diag_", "I10_DX", "Diagnosis ", "secondary diagnosis code ", "icd9_", "drug", "product-", "med_cd_"]
)
def test_what_a_person_has_several_of_is_known_by_name(name):
    assert numbered_things(("age", f"{name}1", f"{name}2")) == (f"{name}1", f"{name}2")


@pytest.mark.parametrize("name", ["PAY_", "BILL_AMT", "x", "visit", "address line ", "income"])
def test_other_numbered_columns_stay_columns(name):
    assert numbered_things((f"{name}1", f"{name}2")) == ()


def test_numbered_columns_hold_one_set_with_a_whole_cell_as_an_item(wide):
    data = read(wide, schema=Schema(quasi=("age",), items=("diag_1", "diag_2")))

    assert list(data.transactions.records()) == [{"250.01", "type 2"}, {"250.01", "type 2"}, {"414"}]
    assert data.item_column == "diag"


def test_beside_other_items_their_common_name_stands_before_each(wide):
    data = read(wide, schema=Schema(items=("diag_1", "drug", "diag_2"), item_separator="|"))

    assert list(data.transactions.records())[1:] == [{"diag.250.01", "diag.type 2", "drug.y"}, {"diag.414", "drug.x", "drug.y"}]


def test_an_item_in_two_columns_counts_twice_in_a_multiset(tmp_path):
    (tmp_path / "t.csv").write_text("dx1,dx2\nflu,flu\nflu,gout\n")

    data = read(tmp_path / "t.csv", schema=Schema(items=("dx1", "dx2"), multiset=True))

    assert list(data.transactions.records()) == [{"flu x2"}, {"flu", "gout"}]


def test_they_are_found_and_read_the_same_again(wide):
    schema = guess(wide).schema

    assert schema.items == ("diag_1", "diag_2")
    assert next(iter(read(wide, schema=schema).transactions.records())) == {"250.01", "type 2"}


def test_the_rows_of_a_person_are_gathered_from_all_of_them(tmp_path):
    (tmp_path / "t.csv").write_text("who,age,diag_1,diag_2\na,30,x,y\nb,40,z,\na,30,y,w\n")

    data = read(tmp_path / "t.csv", schema=Schema(id="who", repeated=True))

    assert list(data.transactions.records()) == [{"x", "y", "w"}, {"z"}]


def test_a_flag_for_columns_may_be_given_several_times(wide, tmp_path, capsys):
    wide.write_text(WIDE + "".join(f"p{i},30,414,250.01,x\n" for i in range(9)))
    flags = ["--items", "diag_1", "--items", "diag_2", "--identifier", "who,drug", "--identifier", "age"]

    assert main(["anonymize", str(wide), *flags, "-k", "2", "-m", "1", "--no-report", "-o", str(tmp_path / "out")]) == 0
    published = next((tmp_path / "out/published").glob("*.csv")).read_text().splitlines()
    assert sum("250.01" in line and "414" in line for line in published) == 9
