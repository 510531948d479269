"""Texts that are dates."""

import pytest

from anonset.model.calendar import paths_of_dates

YEARS = ("1987", "1985-1989", "1980s")
MAY = ("1987-05", "1987-Q2", "1987-H1", *YEARS)


@pytest.mark.parametrize(
    ("texts", "path"),
    [
        (["1987-05-31"], MAY),
        (["31.5.1987"], MAY),
        (["5/31/1987"], MAY),
        (["31/5/1987"], MAY),
        (["1.5.1987"], MAY),
        (["1/5/1987"], YEARS),  # May or January: nobody knows
        (["1987-05-31 08:30"], ("1987-05-31", *MAY)),
        (["1987-05-31", "1987-05-31T08:30:00"], MAY),
    ],
)
def test_dates_lie_under_their_month_and_year_and_more_and_more_years(texts, path):
    assert paths_of_dates(texts) == [(text, *path) for text in texts]


def test_decades_are_halved():
    found = [path[-2:] for path in paths_of_dates([f"{year}-01-01" for year in range(1950, 2000, 10)])]

    assert found == [("1950s", "1950-1969"), ("1960s", "1950-1969"), ("1970s", "1970-1999"), *[("1980-1999", "1970-1999")] * 2]


def test_dates_come_in_their_order_and_all_must_be_read_alike():
    found = paths_of_dates(["5/31/1987", "1/2/1990", "12/1/1986"])

    assert [path[:2] for path in found] == [("12/1/1986", "1986-12"), ("5/31/1987", "1987-05"), ("1/2/1990", "1990-01")]


@pytest.mark.parametrize("texts", [["1987-05-31", "soon"], ["1987-02-30"], ["31/5/1987", "5/31/1987"], ["1987"], []])
def test_what_is_no_date_is_none(texts):
    assert paths_of_dates(texts) is None
