"""Polars expressions say the same as conditions in words, or are refused with what is understood."""

from datetime import date
from random import Random

import polars as pl
import pytest

import anonset
from anonset.errors import InputError
from anonset.recipient.plain_tables import count_in
from anonset.recipient.query import Fields, condition_of
from recipient_cases import condition, people

FIELDS = Fields({"age": True, "town": False, "since": False}, "codes")
age, town, codes = pl.col("age"), pl.col("town"), pl.col("codes").list


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        (age < 40, "age < 40"),
        (pl.lit(20) * 2 > age, "age < 40"),
        ((age >= 20) & (age != 30) & ~(town == "Oslo"), "age >= 20 and age != 30 and not town = Oslo"),
        (town.is_in(["Oslo", "New York"]), "town in (Oslo, 'New York')"),
        (~town.is_in(["Oslo"]) | age.is_null(), "not town in (Oslo) or age is missing"),
        (age.is_not_null(), "age is not missing"),
        (~age.is_null(), "age is not missing"),
        (age.is_between(20, 29), "age between 20 and 29"),
        (~age.is_between(20, 30, closed="left"), "not 20 <= age < 30"),
        (pl.col("since") < date(2024, 2, 1), "since < 2024-02-01"),
        (codes.contains("I10") & ~codes.contains("E11"), "codes contains I10 and not codes contains E11"),
        (pl.any_horizontal(age > 30, town == "Oslo").alias("x"), "age > 30 or town = Oslo"),
        (pl.all_horizontal(age > 30, town == "Oslo"), "age > 30 and town = Oslo"),
    ],
)
def test_an_expression_is_the_condition_in_words(expression, words):
    assert condition_of(expression, FIELDS) == condition_of(words, FIELDS)


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        (age + 1 < 3, "the expression has Plus$"),
        (age.cast(pl.Int32) < 3, "the expression has Cast$"),
        (age == pl.col("town"), "the expression has Column$"),
        (town.str.starts_with("O"), "the expression has StringExpr$"),
        ((age > 3) ^ (age < 2), "the expression has Xor$"),
        (age, "the expression has Column$"),
        (pl.col("agee") < 3, "did you mean 'age'"),
        (age < "x", "'age' has numbers; got 'x'"),
        (town < "Oslo", "only dates such as"),
        (town.list.contains("I10"), "list.contains is for the column of items; got 'town'"),
        (pl.col("codes") == "I10", "ask for them by list.contains"),
    ],
)
def test_what_is_not_understood_is_refused(expression, said):
    with pytest.raises(InputError, match=said):
        condition_of(expression, FIELDS)


def test_something_else_is_no_condition():
    with pytest.raises(InputError, match=r"a polars expression, or a mapping of columns to values; got float$"):
        condition_of(3.5, FIELDS)


def test_random_conditions_count_the_same_records_as_python():
    random, fields = Random(5), Fields({"age": True, "town": False, "ill": False}, "codes")

    class Case:
        columns, items = ("age", "town", "ill"), "codes"

    for _ in range(15):
        records = people(random)
        kinds = {"age": pl.Float64, "town": pl.String, "ill": pl.String, "codes": pl.List(pl.String)}
        table = pl.DataFrame(records, schema=kinds)
        for _ in range(10):
            words, hit = condition(random, Case)
            if words.count("(") < 8:
                asked = condition_of(words, fields)
                assert count_in(table, asked, fields) == sum(hit(record) is True for record in records), words


def test_one_expression_counts_a_release_its_tables_and_the_original(tmp_path):
    towns = ["Oslo", "Rome", "Bern"] * 20
    frame = pl.DataFrame({"age": [20 + n % 17 for n in range(60)], "town": towns})
    data = anonset.read(frame, quasi=["age", "town"])
    anonset.anonymize(data, "mondrian", k=5).write(tmp_path / "out", report=False)
    published = anonset.open_published(tmp_path / "out")
    asked = (pl.col("age") < 30) & (pl.col("town") == "Oslo")

    count, truth = published.count(asked), published.count_in(frame, asked)

    assert truth == frame.filter(asked).height
    assert count.low <= truth <= count.high
    assert published.count_in(published.table(), asked) <= truth
    assert all(count.low <= published.count_in(table, asked) <= count.high for table in published.complete(3, seed=1))
    with pytest.raises(InputError, match="the table has no column 'town'"):
        published.count_in(frame.drop("town"), asked)
