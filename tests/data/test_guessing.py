import numpy as np
import polars as pl
import pytest

from anonset.data import Schema, guess, read
from anonset.data.formats.delimited import find_delimiter
from anonset.data.roles import find_separator
from anonset.errors import InputError


def roles(frame, **given):
    return {fate.column: fate.role for fate in guess(frame, schema=Schema(**given)).fates}


@pytest.fixture
def people():
    rng = np.random.default_rng(1)
    drugs = [
        ";".join(rng.choice(["aspirin", "insulin", "zinc", "iron", "vitamin c"], size=rng.integers(1, 5), replace=False))
        for _ in range(60)
    ]
    return pl.DataFrame(
        {"person_id": range(60), "age": rng.integers(20, 60, 60), "state": ["New York", "Ohio"] * 30, "drugs": drugs}
    )


def test_nothing_given_everything_is_guessed(people):
    found = guess(people)

    assert roles(people) == {"person_id": "identifier", "age": "quasi", "state": "quasi", "drugs": "items"}
    assert found.schema.item_separator == ";"
    assert all(fate.reason and not fate.given for fate in found.fates)


def test_kinds_come_with_their_reason():
    notes = guess(pl.DataFrame({"zip": ["02139", "10001"], "n": [1, 2], "t": ["a", "b"]})).fates

    assert [fate.reason.split("; ")[1] for fate in notes] == [
        "numbers with leading zeros are codes",
        "all values are numbers",
        "not all values are numbers",
    ]


def test_one_role_given_leaves_columns_without_one_out(people):
    assert roles(people, quasi=("age",)) == {"person_id": "identifier", "age": "quasi", "state": "none", "drugs": "none"}
    assert [fate.kind for fate in guess(people, schema=Schema(quasi=("age",))).fates if fate.role == "none"] == [
        "categorical",
        "items",
    ]


def test_items_given_leave_the_roles_to_the_guess(people):
    assert roles(people, items=()) == {"person_id": "identifier", "age": "quasi", "state": "quasi", "drugs": "quasi"}


def test_names_and_categories_of_several_words_are_no_items():
    names = pl.DataFrame(
        {
            "who": [f"Ann{i} Lee{i % 7}" for i in range(50)],
            "job": ["farm hand", "clerk", "day care worker"] * 16 + ["clerk"] * 2,
        }
    )

    assert roles(names) == {"who": "identifier", "job": "quasi"}


def test_a_column_called_like_an_identifier_is_one_only_where_no_value_repeats():
    assert roles(pl.DataFrame({"name": ["a", "b"], "userId": [1, 2], "valid": ["x", "y"]})) == {
        "name": "identifier",
        "userId": "identifier",
        "valid": "quasi",
    }
    assert roles(pl.DataFrame({"name": ["a", "a"], "b": [1, 2], "c": [1, 2]}))["name"] == "quasi"


def test_sets_that_are_no_items_must_be_dropped():
    frame = pl.DataFrame({"a": [["x"]], "b": [["y"]]})

    with pytest.raises(InputError, match="column b: holds sets"):
        guess(frame, schema=Schema(items=("a",)))
    assert roles(frame, items=("a",), identifier=("b",)) == {"a": "items", "b": "identifier"}


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1,5;2,5\n", ";"),
        ("a\tb,c\n1\t2\n", "\t"),
        ("a|b\n1|2;3;4\n", "|"),
        ('a,b\n"x;y",2\n', ","),
        ("a\nx y\n", ","),
        ("a,b,c\n1,2\n", ","),
        ('a;b\n"1;2', ";"),
    ],
)
def test_the_delimiter_is_the_one_that_cuts_all_rows_alike(text, delimiter):
    assert find_delimiter(text.encode()) == delimiter


@pytest.mark.parametrize(
    ("cells", "separator"),
    [
        (["whole milk;rye bread", "eggs", "rye bread"], ";"),
        (["a b", "c"], " "),
        (["a,b", "c,d"], ","),
        (["a|b;c", "d|e"], "|"),
        (["a", None], " "),
        ([], " "),
    ],
)
def test_the_separator_is_found(cells, separator):
    assert find_separator([pl.Series(cells, dtype=pl.String)]) == separator


def test_two_columns_repeated_per_person_are_folded(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("id,item\np2,milk\np1,egg\np2,bread\n")

    data = read(path)

    assert list(data.transactions.records()) == [{"milk", "bread"}, {"egg"}]
    assert guess(path).schema.repeated
    assert data.identifiers == ("id",)


@pytest.mark.parametrize(
    ("name", "values", "tied"),
    [
        ("CustomerID", [1, 1, 2, 2], True),
        ("patient_nbr", ["a", "b", "b", "c"], True),
        ("id", [1, 1, 2, 3], True),
        ("id", [1, 2, 3, 4], False),
        ("customer", ["yes", "no"] * 30, False),
        ("PATIENT", list(range(30)) * 2, True),
        ("InvoiceNo", list(range(30)) * 2, True),
        ("visit_no", [1, 2, 3] * 10, False),
        ("store_id", [1, 1, 2, 2], False),
        ("zip_code", list(range(30)) * 2, False),
    ],
)
def test_values_that_stand_for_people_tie_rows_where_they_repeat(name, values, tied):
    frame = pl.DataFrame({name: values, "age": [30 + i % 3 for i in range(len(values))]})

    for given in ({}, {"quasi": ("age",)}, {"quasi": ("age",), "identifier": (name,)}):
        fates = {fate.column: fate for fate in guess(frame, schema=Schema(items=(), **given)).fates}
        assert fates[name].ties == tied


@pytest.mark.parametrize("name", ["uid", "PATIENT", "Invoice No", "patient_nbr", "MRN"])
def test_what_stands_for_people_and_does_not_repeat_is_an_identifier(name):
    assert roles(pl.DataFrame({name: ["a", "b", "c"], "age": [1, 2, 3]}))[name] == "identifier"


def test_orders_tie_rows_only_where_nothing_stands_for_the_people():
    orders = pl.DataFrame({"order_id": list(range(30)) * 2, "customer_id": list(range(15)) * 4, "price": range(60), "n": 1})

    fates = {fate.column: fate for fate in guess(orders).fates}

    assert {name: (fate.role, fate.ties) for name, fate in fates.items() if name.endswith("id")} == {
        "order_id": ("identifier", False),
        "customer_id": ("identifier", True),
    }
    assert {fate.column for fate in guess(orders.drop("customer_id")).fates if fate.ties} == {"order_id"}


def test_what_names_people_is_left_out_whatever_it_is_called():
    n = 60
    frame = pl.DataFrame(
        {
            "Kontakt": [f"a{i % 30}@example.org" for i in range(n)],
            "Bemerkung": [f"called on day {i % 40} and again a week later" for i in range(n)],
            "Merkmal": [f"X-{i}" for i in range(n)],
            "Alter": [20 + i % 40 for i in range(n)],
        }
    )

    assert roles(frame) == {"Kontakt": "identifier", "Bemerkung": "identifier", "Merkmal": "identifier", "Alter": "quasi"}
    assert roles(frame, quasi=("Merkmal",)) == {
        "Kontakt": "identifier",
        "Bemerkung": "identifier",
        "Merkmal": "quasi",
        "Alter": "none",
    }


@pytest.mark.parametrize("given", [{"identifier": ["card"]}, {"quasi": ["town"], "item_hierarchy": "balanced:2"}])
@pytest.mark.parametrize("key", [None, "who"])
def test_items_are_guessed_unless_only_columns_to_publish_are_named(given, key):
    rows = range(12)
    frame = pl.DataFrame(
        {
            "who": [f"p{r // 2 if key else r}" for r in rows],
            "card": [f"c{r}" for r in rows],
            "town": ["Ulm" if r // 2 % 2 else "Bonn" for r in rows],
            "diagnoses": [f"d{r % 3}" for r in rows],
        }
    )
    roles = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}

    found = read(frame, schema=Schema(id=key, **roles)).transactions

    assert found is not None
    assert set(found.domain) == {"d0", "d1", "d2"}
    assert read(frame, schema=Schema(id=key, quasi=("town",))).transactions is None
