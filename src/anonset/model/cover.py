"""What stands on the first page of a report, and when something was made."""

import os
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from typing import Annotated


def moment() -> datetime:
    """Now, to the second; or what SOURCE_DATE_EPOCH says, for those who want the same bytes again."""
    fixed = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(fixed), UTC) if fixed.isdigit() else datetime.now(UTC)
    return now.replace(microsecond=0)


def today() -> str:
    """The date of now, as 2026-01-31."""
    return moment().date().isoformat()


@dataclass(frozen=True, slots=True)
class Cover:
    """What a person says about the release, as it is to be published; and the date. Flags and keys are made from it."""

    title: Annotated[str, "the title of the data on report and certificate", "TEXT"] = ""
    by: Annotated[str, "who makes the release, on report and certificate", "NAME"] = ""
    language: Annotated[str, "the language of report and certificate", "en|de"] = "en"
    date: str = field(default_factory=today)

    @property
    def said(self) -> dict[str, str]:
        """All of it but the date."""
        return {name: value for name, value in asdict(self).items() if name in SAID}


SAID = tuple(f.name for f in fields(Cover) if f.name != "date")
