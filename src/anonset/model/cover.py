"""What the publisher says about a release on its first page, and the time of a run."""

import os
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from typing import Annotated, get_type_hints

from anonset.errors import ParameterError, unknown

ACTORS = ("recipient", "acquaintance", "public")  # who attacks: each has the release, and knows something else


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
    recipient: Annotated[str, "who receives the release", "NAME"] = ""
    purpose: Annotated[str, "what the release is for", "TEXT"] = ""
    contact: Annotated[str, "whom to ask about the release", "TEXT"] = ""
    licence: Annotated[str, "the licence or terms under which the release is handed out", "TEXT"] = ""
    valid_until: Annotated[str, "until when the assessment holds, e.g. a date of review", "TEXT"] = ""
    actor: Annotated[str, "who the attacker is: sets which attackers are played", "|".join(ACTORS)] = "recipient"
    context: Annotated[str, "where the release is used, under which controls and agreements", "TEXT"] = ""
    residual_risk: Annotated[str, "the risk that remains, and why it is acceptable", "TEXT"] = ""

    def __post_init__(self) -> None:
        if self.actor not in ACTORS:
            raise ParameterError(unknown("actor", self.actor, ACTORS))

    @property
    def handed_on(self) -> dict[str, str]:
        """What about.json says of it: contact and licence, where they are given."""
        return {name: value for name, value in {"contact": self.contact, "licence": self.licence}.items() if value}

    @property
    def said(self) -> dict[str, str]:
        """All fields but the date."""
        return {name: value for name, value in asdict(self).items() if name in SAID}


@dataclass(frozen=True, slots=True)
class CoverField:
    """A field of the first page: its name, what it is for, its choices where it has some, and its default."""

    name: str
    help: str
    choices: tuple[str, ...]
    default: str


def _declared_fields() -> tuple[CoverField, ...]:
    hints = get_type_hints(Cover, include_extras=True)
    found = []
    for f in fields(Cover):
        if f.name != "date":
            help, form = hints[f.name].__metadata__
            found.append(CoverField(f.name, help, tuple(form.split("|")) if "|" in form else (), str(f.default)))
    return tuple(found)


COVER_FIELDS = _declared_fields()
SAID = tuple(f.name for f in fields(Cover) if f.name != "date")
