"""Texts that are dates."""

import pytest

from anonset.model.literals import all_days, paths_of_dates

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


@pytest.mark.parametrize(
    ("texts", "first", "last"),
    [
        (["2023-05-31", "2024-02-01"], "2023-01-01", "2024-12-31"),
        (["31.05.2023", "01.02.2024"], "01.01.2023", "31.12.2024"),
        (["31.5.2023", "1.2.2024"], "1.1.2023", "31.12.2024"),
        (["5/31/2023", "2/1/2024"], "1/1/2023", "12/31/2024"),
    ],
)
def test_a_calendar_has_all_days_of_the_years_written_alike(texts, first, last):
    days = all_days(texts)

    assert (days[0], days[-1], len(days)) == (first, last, 365 + 366)
    assert set(texts) < set(days)


@pytest.mark.parametrize(
    "texts",
    [
        ["2023-05-31 10:00:00", "2024-02-01 11:30:00"],
        ["1/2/2023", "3/4/2023"],
        ["1.2.2023", "01.12.2023"],
        ["1900-01-01", "9999-12-31"],
        ["soon"],
    ],
)
def test_there_is_no_calendar_of_times_of_unclear_months_and_of_all_centuries(texts):
    assert all_days(texts) is None
