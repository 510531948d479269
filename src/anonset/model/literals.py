"""Numbers and dates as they are written and as they are computed with."""

import re
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from decimal import Decimal

import numpy as np

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
WHOLE = 2.0**53  # from here on not every whole number is a float
LONGEST = 2.0**63  # up to here whole numbers are written without a point


def is_held(text: str) -> bool:
    """Whether computing with the number loses nothing of a large one: 9007199254740993 would become ...992."""
    value = float(text)
    if abs(value) < WHOLE or not np.isfinite(value):
        return True  # decimals are rounded as everywhere, and so are no whole numbers
    return Decimal(text) == Decimal(value if abs(value) < LONGEST else repr(value))


def plain(value: float) -> int | float:
    """A whole number without its point."""
    return int(value) if abs(value) < LONGEST and value == int(value) else value


TIME = r"(?P<time>[T ]\d{1,2}:\d{2}.*)?"
ISO = re.compile(rf"(?P<year>\d{{4}})-(?P<month>\d{{2}})-(?P<day>\d{{2}}){TIME}")
TWO_FIRST = re.compile(rf"(?P<one>\d{{1,2}})(?P<sign>[./-])(?P<two>\d{{1,2}})(?P=sign)(?P<year>\d{{4}}){TIME}")
MOST_YEARS = 150  # that are written out day by day
FORMS = ((ISO, "month", "day"), (TWO_FIRST, "two", "one"), (TWO_FIRST, "one", "two"))  # and where month and day stand

Days = dict[str, date]


def are_dates(texts: Sequence[str]) -> bool:
    """Whether all texts are dates that can be read alike."""
    return any(_days(texts, *form) for form in FORMS)


def paths_of_dates(texts: Sequence[str]) -> list[tuple[str, ...]] | None:
    """Each text under its day (where it has a time), month, quarter, half, year, five years, decade and decades, by date.

    Nothing where one of them is no date: 1987-05-31, 31.5.1987 and 5/31/1987 are, with or without a time. Where it stays
    open which number is the month, the month is left out.
    """
    iso, day_first, month_first = (_days(texts, *form) for form in FORMS)
    known = iso or day_first or month_first
    if known is None:
        return None
    unclear = _is_unclear(texts, day_first, month_first)
    timed = all(map(is_timed, texts))
    above = _spans(sorted({day.year // 10 * 10 for day in known.values()}))
    ordered = sorted(known.items(), key=lambda pair: (pair[1], pair[0]))
    return [(*_path(text, day, timed=timed, unclear=unclear), *above.get(day.year // 10 * 10, ())) for text, day in ordered]


def is_timed(text: str) -> bool:
    """Whether a date has a time of day."""
    return ":" in text


def all_days(texts: Sequence[str]) -> list[str] | None:
    """Every day of the years that the dates lie in, written as they are: a calendar, which says nothing about the data.

    Nothing where they have a time of day, are not written alike, or lie too far apart.
    """
    _, day_first, month_first = (_days(texts, *form) for form in FORMS)
    if _is_unclear(texts, day_first, month_first):
        return None
    for form, spelled in zip((FORMS[0], *FORMS[1:], *FORMS[1:]), _spellings(texts[0]), strict=True):
        found = _days(texts, *form)
        if found is not None and all(spelled(day) == text for text, day in found.items()):
            first, last = min(found.values()).year, max(found.values()).year
            start, n = date(first, 1, 1), (date(last, 12, 31) - date(first, 1, 1)).days + 1
            return [spelled(start + timedelta(i)) for i in range(n)] if last - first < MOST_YEARS else None
    return None


def _is_unclear(texts: Sequence[str], day_first: Days | None, month_first: Days | None) -> bool:
    """Whether it stays open which number is the month."""
    return None not in (day_first, month_first) and day_first != month_first and "." not in texts[0]


def _spellings(text: str) -> tuple[Callable[[date], str], ...]:
    """How a day is written in each of the forms, with a nought before a single figure or without."""
    sign = next((sign for sign in text if sign in "./-"), "-")
    return (
        date.isoformat,
        lambda day: f"{day.day:02}{sign}{day.month:02}{sign}{day.year:04}",
        lambda day: f"{day.month:02}{sign}{day.day:02}{sign}{day.year:04}",
        lambda day: f"{day.day}{sign}{day.month}{sign}{day.year:04}",
        lambda day: f"{day.month}{sign}{day.day}{sign}{day.year:04}",
    )


def _days(texts: Sequence[str], form: re.Pattern[str], month: str, day: str) -> Days | None:
    found: Days = {}
    for text in texts:
        if (parts := form.fullmatch(text)) is None:
            return None
        try:
            found[text] = date(int(parts["year"]), int(parts[month]), int(parts[day]))
        except ValueError:
            return None
    return found or None


def _path(text: str, day: date, *, timed: bool, unclear: bool) -> tuple[str, ...]:
    """The text and what it lies in, up to the decade."""
    iso, five = day.isoformat(), day.year - day.year % 5
    months = (iso[:7], f"{iso[:4]}-Q{(day.month + 2) // 3}", f"{iso[:4]}-H{(day.month + 5) // 6}")
    known = () if unclear else (iso, *months) if timed else months
    return (text, *known, iso[:4], f"{five:04}-{five + 4:04}", f"{iso[:3]}0s")


def _spans(decades: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """The halves, quarters, ... of all decades that each lies in, the narrowest first."""
    found: dict[int, tuple[str, ...]] = {}
    for part in (decades[: len(decades) // 2], decades[len(decades) // 2 :]) if len(decades) > 2 else ():
        if len(part) > 1:
            below = _spans(part)
            found |= {decade: (*below.get(decade, ()), f"{part[0]:04}-{part[-1] + 9:04}") for decade in part}
    return found
