import numpy as np
import pytest

from anonset.data import Schema, guess, read
from anonset.errors import InputError


@pytest.fixture
def write(tmp_path):
    def make(name, text):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return make


def test_a_long_file_is_folded_in_by_id(write):
    people = write("people.csv", "pid,age\np1,30\np2,40\np3,50\n")
    rows = write("rows.tsv", "code\tpid\nx\tp2\ny\tp1\nz\tp2\nx\tp2\n\tp1\n")

    data = read(people, schema=Schema(id="pid", long=rows))

    assert list(data.transactions.records()) == [{"y"}, {"x", "z"}, set()]
    assert data.item_column == "code"
    assert data.identifiers == ("pid",)
    assert [source.name for source in data.sources] == ["people.csv", "rows.tsv"]


def test_a_guess_from_a_long_file_reads_the_same_again(write):
    people = write("people.csv", "pid,age\np1,30\np2,40\n")
    rows = write("rows.csv", "pid,day,item\np1,1,x\np2,2,y\n")

    schema = guess(people, schema=Schema(id="pid", long=rows, items=("item",))).schema

    assert list(read(people, schema=schema).transactions.records()) == [{"x"}, {"y"}]


def test_repeated_rows_become_one_record_a_person(write):
    path = write("t.csv", "who,age,drug\nb,40,x\na,30,y\nb,40,z\nb,40,x\na,30,\n")

    data = read(path, schema=Schema(repeated=True, id="who", items=("drug",)))

    assert list(data.transactions.records()) == [{"x", "z"}, {"y"}]
    assert data.column("age").codes.tolist() == [1, 0]


def test_repeated_rows_can_be_counted(write):
    path = write("t.csv", "id,item\na,x\na,x\nb,x\n")

    assert list(read(path, schema=Schema(multiset=True)).transactions.records()) == [{"x x2"}, {"x"}]


@pytest.mark.parametrize(
    ("people", "rows", "given", "message"),
    [
        ("pid,age\np1,3\n", "pid,item\np1,x\np9,y\n", {}, "rows.csv, line 3, column pid: the id 'p9' is that of no record"),
        ("pid,age\np1,3\np1,4\n", "pid,item\np1,x\n", {}, "people.csv, line 3, column pid: the id 'p1' occurs a second time"),
        ("pid,age\np1,3\n,4\n", "pid,item\np1,x\n", {}, "people.csv, line 3, column pid: every record needs an id"),
        ("pid,age\np1,3\n", "who,item\np1,x\n", {}, "rows.csv: there is no column 'pid'"),
        ("who,age\np1,3\n", "pid,item\np1,x\n", {}, "people.csv: there is no column 'pid'"),
        ("pid,age\np1,3\n", "pid,a,b\np1,x,y\n", {}, "name the column of the items; there are 2 beside"),
        ("pid,age\np1,3\n", "pid,age\np1,x\n", {}, "the item column 'age' of the second file is a column here too"),
        ("pid,age\np1,3\n", "pid,item\np1,x\n", {"items": ("drug",)}, "there is no column 'drug'"),
        ("pid,age\np1,3\n", "pid,item\np1,x\n", {"items": ("item", "pid")}, "one item column is expected"),
        ("pid,age\np1,3\n", "pid,item\n,x\n", {}, "rows.csv, line 2, column pid: every row needs an id"),
    ],
)
def test_rows_that_do_not_fit_are_refused(write, people, rows, given, message):
    schema = Schema(id="pid", long=write("rows.csv", rows), **given)

    with pytest.raises(InputError, match=message):
        read(write("people.csv", people), schema=schema)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,age,age_lowest,item\na,3,1,x\na,4,1,y\n", "column age: differs within a person and would become 'age_lowest'"),
        ("id,age,item\na,3,x\n,4,y\n", "line 3, column id: every row needs an id"),
        ("who,item\na,x\n", "there is no column 'id'"),
    ],
)
def test_rows_that_cannot_be_gathered_are_refused(write, text, message):
    with pytest.raises(InputError, match=message):
        read(write("t.csv", text), schema=Schema(repeated=True, id="id", quasi=("age",)))


def test_what_has_no_role_and_differs_within_a_person_is_left_out(write):
    path = write("t.csv", "who,age,day,drug\nb,40,1,x\na,30,1,y\nb,40,2,z\n")

    data = read(path, schema=Schema(repeated=True, id="who", items=("drug",)))

    assert [column.name for column in data.columns] == ["age"]
    assert {fate.column: fate.reason for fate in data.fates}["day"] == "rows of one person differ"
    assert data.gathered.left_out == ("day",)
    given = read(path, schema=Schema(repeated=True, id="who", items=("drug",), quasi=("day",)))
    assert [column.name for column in given.columns] == ["day_lowest", "day_highest"]


def test_rows_of_a_person_may_hold_several_items(write):
    rng = np.random.default_rng(0)
    cells = [
        ", ".join(sorted(rng.choice(["E11.9", "I10", "J45.0", "F32"], rng.integers(1, 4), replace=False))) for _ in range(40)
    ]
    rows = "".join(f"{i // 2},{cell!r}\n".replace("'", '"') for i, cell in enumerate(cells))
    path = write("visits.csv", "id,codes\n" + rows)

    data = read(path, schema=Schema(repeated=True, id="id", items=("codes",)))

    expected = [set(", ".join(cells[i : i + 2]).split(", ")) for i in range(0, 40, 2)]
    assert list(data.transactions.records()) == expected
    assert list(read(path, schema=Schema.from_values(data.reading)).transactions.records()) == expected


def test_names_with_commas_are_one_item_a_row_and_a_separator_that_is_given_is_taken(write):
    path = write("orders.csv", 'id,product\n1,"chair, red"\n1,"desk, oak, 2 m"\n2,"chair, red"\n')

    whole = read(path, schema=Schema(repeated=True, id="id", items=("product",)))
    cut = read(path, schema=Schema(repeated=True, id="id", items=("product",), item_separator=","))

    assert list(whole.transactions.records()) == [{"chair, red", "desk, oak, 2 m"}, {"chair, red"}]
    assert list(cut.transactions.records()) == [{"chair", "red", "desk", "oak", "2 m"}, {"chair", "red"}]
    assert read(path, schema=Schema.from_values(whole.reading)).transactions.domain == whole.transactions.domain
