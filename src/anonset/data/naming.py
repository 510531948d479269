"""Columns that name people, by what they are called and by what they hold: nobody has to say so for them to stay out.

Nothing of such a column can be generalized: a set of addresses is still a list of addresses.
"""

import re
from collections.abc import Callable, Sequence
from ipaddress import ip_address

import numpy as np
import polars as pl

from anonset.data.coding import NUMBER
from anonset.model.calendar import are_dates, is_timed

PEOPLE = (
    "patient|person|subject|participant|respondent|individual|citizen|resident|user|visitor|customer|client|member|holder"
    "|employee|student|pupil|beneficiary|insured|card|account|household"
    "|patienten|personen|probanden|kunden|mitglieds|versicherten|konto|karten|haushalts"
)
DEEDS = (
    "invoice|order|receipt|ticket|basket|session|visit|stay|admission|encounter|episode|claim|case|trip"
    "|fall|rechnungs|bestell|auftrags|aufnahme"
)
NUMBERS = "id|no|nr|nbr|num|number|nummer|key|code|ref|uuid|hash"
NAMES_OF_PEOPLE = re.compile(rf".*({PEOPLE})({NUMBERS})|id|pid|uid|uuid|guid|ssn|mrn|passport", re.IGNORECASE)
NAMES_OF_DEEDS = re.compile(rf".*({DEEDS})({NUMBERS})|({PEOPLE})s?", re.IGNORECASE)
ID_NAMES = re.compile(
    r"(?i:(.*[_\W])?((patient|person|user|customer|member|subject|record|case)?id|uuid|guid|key|ssn|mrn|e-?mail|phone|passport"
    r"|(first|last|full|sur|user)?_?name))|.*[a-z](Id|ID)"
)
REACHED = re.compile(  # what a person is called, and where he or she is reached
    rf"(first|last|full|sur|family|given|middle|maiden|nick|user|login|{PEOPLE})?names?"
    r"|(vor|nach|familien|geburts|zu)name|pr[eé]nom|nom|apellidos?"
    r"|e?mail(address|adresse)?|courriel|correo|(tele|mobile|cell|home|work)?phone(number|no|nr)?"
    r"|tel(efon)?(nummer|nr|no)?|t[eé]l[eé](phone|fono)|(mobil|handy|fax)(nummer|number|nr|no)?"
    r"|(street|home|mailing|postal|ip)?address|street|stra(ss|ß)e|anschrift|adresse|iban",
    re.IGNORECASE,
)
MOSTLY = 0.9
FEWEST = 20  # values, or records, before their number tells anything
RUNNING = 200  # numbers in a row, each once: more than there are ages or years
LONG, WORDS = 40, 4  # of a text, in signs and in blanks
RARE, RARE_SHARE = 5, 0.1  # records that share a value, and the share of the records whose value fewer share
SAMPLE = 2_000  # values that are looked at


def _is_computer(text: str) -> bool:
    try:
        return bool(ip_address(text))
    except ValueError:
        return False


FORMS: dict[str, Callable[[str], object]] = {  # of values that belong to one person, or to one device
    "e-mail addresses": re.compile(r"[^@\s]+@[^@\s]+\.[^@\s.]+").fullmatch,
    "addresses of computers": _is_computer,
    "universal identifiers": re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}").fullmatch,
    "bank accounts": re.compile(r"[A-Z]{2}\d{2}( ?[A-Z0-9]{4}){3,7}( ?[A-Z0-9]{1,3})?").fullmatch,
}


def bare(name: str) -> str:
    """The name of a column without blanks and signs."""
    return re.sub(r"[\W_]", "", name)


def names_people(name: str, texts: pl.Series) -> str | None:
    """Why the values that are there name people; nothing where they do not."""
    there = texts.drop_nulls()
    if not len(there):
        return None
    counts = there.value_counts()["count"].to_numpy()
    values = there.unique(maintain_order=True).head(SAMPLE).to_list()
    if (reason := values_name_people(name, values)) is not None or len(counts) < FEWEST:
        return reason
    if all(NUMBER.fullmatch(text) for text in values) and not _are_codes(values):
        return "it is a running number" if _runs(there, len(counts)) else None
    if are_dates(values) and not all(map(is_timed, values)):
        return None
    if (counts == 1).sum() >= MOSTLY * len(there):
        return "nearly everybody has a value of their own"
    rare = counts[counts < RARE].sum() > RARE_SHARE * len(there)
    return "free text, which may name people" if rare and free_text(values) else None


def values_name_people(name: str, values: Sequence[str]) -> str | None:
    """Why each of the values names a person, however many have it; nothing where they do not."""
    for what, is_one in FORMS.items():
        if values and sum(bool(is_one(text)) for text in values) >= MOSTLY * len(values):
            return f"its values are {what}"
    if len(values) >= FEWEST and REACHED.fullmatch(bare(name)):
        return "it is called like what people are reached by"
    return None


def free_text(values: list[str]) -> bool:
    """Whether half of the values or more are long, or of several words."""
    return bool(values) and float(np.mean([len(text) >= LONG or text.count(" ") >= WORDS for text in values])) >= 0.5


def _are_codes(values: list[str]) -> bool:
    return any(re.match(r"[+-]?0\d", text) for text in values)


def _runs(there: pl.Series, values: int) -> bool:
    """Whether no number repeats and all from the least to the greatest are there, but for a few."""
    numbers = there.cast(pl.Int64, strict=False)
    if not RUNNING <= values == len(there) or numbers.null_count():
        return False
    return int(numbers.max()) - int(numbers.min()) < len(there) / MOSTLY  # type: ignore[arg-type]
