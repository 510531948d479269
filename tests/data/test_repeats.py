import numpy as np
import polars as pl
import pytest

from anonset.data.repeats import LOOKED_AT, people_columns, tying_columns


def visits(people=300, rows=700, seed=0):
    """Rows of people who have several: a number of theirs, what they are, and what happened."""
    rng = np.random.default_rng(seed)
    who = rng.integers(0, people, rows)
    born, sex, town = rng.integers(0, people // 2, people), rng.integers(0, 2, people), rng.integers(0, 40, people)
    return {
        "Nummer": texts(who),
        "geboren": texts(born[who]),
        "sex": texts(sex[who]),
        "Ort": texts(town[who]),
        "weight": texts(rng.integers(40, 120, rows)),
    }


def texts(numbers):
    return pl.Series([f"v{number}" for number in numbers], dtype=pl.String)


@pytest.mark.parametrize("size", [(300, 700), (2 * LOOKED_AT, 5 * LOOKED_AT)], ids=["all rows", "a sample"])
def test_rows_that_agree_in_all_that_tells_people_apart_are_one_persons(size):
    assert tying_columns(visits(*size)) == ("Nummer",)


def test_a_few_mistyped_values_do_not_hide_it():
    rows = visits()
    rows["sex"] = pl.Series(["?", *rows["sex"].to_list()[1:]])

    assert tying_columns(rows) == ("Nummer",)


def test_a_number_for_each_row_and_chance_tie_nothing():
    rng = np.random.default_rng(1)
    rows = {name: texts(rng.integers(0, values, 700)) for name, values in {"a": 300, "b": 90, "c": 2, "d": 30}.items()}

    assert tying_columns(rows | {"e": texts(range(700))}) == ()


def test_a_thing_and_its_code_and_kind_tie_nothing():
    rng = np.random.default_rng(2)
    job = rng.integers(0, 200, 900)

    rows = {"job": texts(job), "code": texts(job + 1000), "kind": texts(job // 10), "age": texts(rng.integers(20, 60, 900))}

    assert tying_columns(rows) == ()


def test_few_rows_and_missing_values_tell_nothing():
    assert tying_columns({name: column.head(15) for name, column in visits().items()}) == ()
    assert tying_columns({"a": pl.Series([None] * 50, dtype=pl.String), "b": texts(range(50))}) == ()
    assert tying_columns({}) == ()


def test_names_of_people_tie_rows_that_have_something_in_common_and_names_of_doctors_do_not():
    patients = [f"{first} {last}" for first in ("Anna", "Paul", "Rosa") for last in ("Berg", "Kern", "Wolf", "Lang")]
    rows = [number % len(patients) for number in range(60)]
    ages = pl.Series([str(30 + person) for person in rows])
    doctors = pl.Series([f"Dr. {patients[number * 7 % 5]}" for number in range(60)])

    assert people_columns({"who": pl.Series([patients[person] for person in rows]), "age": ages}) == ("who",)
    assert people_columns({"seen_by": doctors, "age": ages}) == ()


def test_a_pseudonym_that_repeats_stands_for_a_person():
    codes = pl.Series([f"P-{number % 30:04d}" for number in range(90)])

    assert people_columns({"Pseudonym": codes}) == ("Pseudonym",)
