"""Dates written as texts: whether texts are such, and the year, month and day of each."""

import re
from collections.abc import Sequence
from datetime import date

TIME = r"(?P<time>[T ]\d{1,2}:\d{2}.*)?"
ISO = re.compile(rf"(?P<year>\d{{4}})-(?P<month>\d{{2}})-(?P<day>\d{{2}}){TIME}")
TWO_FIRST = re.compile(rf"(?P<one>\d{{1,2}})(?P<sign>[./-])(?P<two>\d{{1,2}})(?P=sign)(?P<year>\d{{4}}){TIME}")
FORMS = ((ISO, "month", "day"), (TWO_FIRST, "two", "one"), (TWO_FIRST, "one", "two"))  # and where month and day stand


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
    unclear = None not in (day_first, month_first) and day_first != month_first and "." not in texts[0]
    timed = all(":" in text for text in texts)
    above = _spans(sorted({day.year // 10 * 10 for day in known.values()}))
    ordered = sorted(known.items(), key=lambda pair: (pair[1], pair[0]))
    return [(*_path(text, day, timed=timed, unclear=unclear), *above.get(day.year // 10 * 10, ())) for text, day in ordered]


def _days(texts: Sequence[str], form: re.Pattern[str], month: str, day: str) -> dict[str, date] | None:
    found = {}
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
