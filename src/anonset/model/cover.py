"""What the publisher says about a release on its first page, and the time of a run."""

import os
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from typing import Annotated


def moment() -> datetime:
    """Return the time to the second, or SOURCE_DATE_EPOCH, with which a run can be repeated byte for byte."""
    fixed = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(fixed), UTC) if fixed.isdigit() else datetime.now(UTC)
    return now.replace(microsecond=0)


def today() -> str:
    """Return the date of `moment` as 2026-01-31."""
    return moment().date().isoformat()


@dataclass(frozen=True, slots=True)
class Cover:
    """What the publisher says about the release on its first page, and the date; declares the flags and keys for it."""

    title: Annotated[str, "the title of the data on report and certificate", "TEXT"] = ""
    by: Annotated[str, "who makes the release, on report and certificate", "NAME"] = ""
    language: Annotated[str, "the language of report and certificate", "en|de"] = "en"
    date: str = field(default_factory=today)

    @property
    def said(self) -> dict[str, str]:
        """All fields but the date."""
        return {name: value for name, value in asdict(self).items() if name in SAID}


SAID = tuple(f.name for f in fields(Cover) if f.name != "date")
