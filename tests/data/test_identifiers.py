import polars as pl
import pytest

from anonset.data.identifiers import is_text, names_people

N = 100


def why(name, values):
    return names_people(name, pl.Series(values, dtype=pl.String))


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([f"p{i % 7}@example.org" for i in range(N)], "its values are e-mail addresses"),
        ([f"10.0.{i % 7}.1" for i in range(N)], "its values are addresses of computers"),
        ([f"2001:db8::{i % 7}" for i in range(N)], "its values are addresses of computers"),
        ([f"00000000-0000-4000-8000-{i % 7:012}" for i in range(N)], "its values are universal identifiers"),
        ([f"DE{i % 7:02} 1234 5678 9012 3456 78" for i in range(N)], "its values are bank accounts"),
        ([f"K/{i}" for i in range(N)], "nearly everybody has a value of their own"),
        ([f"2024-05-{1 + i % 30:02} 10:{i % 60:02}:{i // 60}0" for i in range(N)], "nearly everybody has a value of their own"),
        ([f"{i:05}" for i in range(N)], "nearly everybody has a value of their own"),
        ([str(1000 + i) for i in range(3 * N)], "it is a running number"),
        ([f"has been seen here {i % 50} times" for i in range(N)], "free text, which may name people"),
        (["none"] * 80 + [f"call me at 555 01{i} please" for i in range(20)], "free text, which may name people"),
    ],
)
def test_values_that_name_people_do_so_under_any_name(values, reason):
    assert why("x", values) == reason


@pytest.mark.parametrize(
    "values",
    [
        [],
        [None] * N,
        [str(30 + i % 50) for i in range(N)],
        [f"{1000 + i * 7.13:.2f}" for i in range(N)],
        [str(1000 + i * 37) for i in range(3 * N)],
        [str(i) for i in range(N)],
        [f"19{i // 4:02}-0{1 + i % 4}-03" for i in range(N)],
        [f"12:{i % 60:02}:15" for i in range(N)] * 2,
        [f"R{i % 30}" for i in range(N)],
        ["I strongly agree with all of this", "I neither agree nor disagree with it"] * 50,
        ["a", "b", "c"],
    ],
)
def test_numbers_dates_and_what_people_share_name_nobody(values):
    assert why("x", values) is None


@pytest.mark.parametrize(
    "name", ["Name", "last_name", "Patient name", "Vorname", "Telefon", "phone-number", "E-Mail", "street", "Straße", "prénom"]
)
def test_what_people_are_called_names_them_although_it_repeats(name):
    assert why(name, [f"v{i % 30}" for i in range(N)]) == "it is called like what people are reached by"


@pytest.mark.parametrize("name", ["product_name", "hostname", "phone_type", "street_type", "nominal"])
def test_things_have_names_too(name):
    assert why(name, [f"v{i % 30}" for i in range(N)]) is None


def test_whether_there_is_a_telephone_names_nobody():
    assert why("telephone", ["yes", "no"] * 50) is None


def test_long_labels_are_free_text_only_where_half_of_them_are_long():
    assert is_text(["a b c d e f", "x"])
    assert not is_text(["a b c d e f", "x", "y"])
    assert not is_text([])
