"""Columns that name people, by what they are called and by what they hold: nobody has to say so for them to stay out.

Nothing of such a column can be generalized: a set of addresses is still a list of addresses. One judgement serves all: the
guess of a role, the profile, and the gates, whatever role somebody gives to the column.
"""

import re
from collections.abc import Callable, Collection, Sequence
from ipaddress import ip_address
from itertools import pairwise

import numpy as np
import polars as pl

from anonset.data.coding import NUMBER
from anonset.data.first_names import FIRST_NAMES
from anonset.model.arrays import Rows
from anonset.model.literals import are_dates, is_timed

LONG, WORDS = 40, 4  # of a text, in signs and in blanks
LISTED = """
the a an and or of to in on at by for with from was were is are has had have been be not no she he her his they them
their after before that this when who which as it its but will would
der die das den dem des ein eine einen einer und oder mit von zu im in am auf bei nach vor nicht ist war hat sie er wird
le la les un une des du de et ou avec pour par sur dans est sont pas elle il qui que
el los las una unos y o con por para en se su del al lo es son
il gli uno di da con per che non sono
"""
STOP_WORDS = frozenset(LISTED.split())
JOINED = re.compile(r"[\s,;]+")
ENOUGH = 0.4  # of the texts that must have stop words among other words
DIFFERENT = 4  # stop words of which items that are words of sentences have at least so many
OFTEN = 0.1  # of all places of items that are taken by them


def is_text(values: Sequence[str]) -> bool:
    """Whether half of the values or more are long, or of several words."""
    return bool(values) and float(np.mean([len(text) >= LONG or text.count(" ") >= WORDS for text in values])) >= 0.5


def is_prose(values: Sequence[str]) -> bool:
    """Whether many of the values are words around stop words, as in sentences however short."""
    return bool(values) and float(np.mean([_is_sentence(text) for text in values])) >= ENOUGH


def _is_sentence(text: str) -> bool:
    words = [word.strip(".!?:").lower() for word in JOINED.split(text)]
    return len(words) >= 3 and sum(word in STOP_WORDS for word in words) >= 1 and any(w.isalpha() and len(w) > 3 for w in words)


def are_words_of_prose(items: Collection[str], times: Sequence[int]) -> bool:
    """Whether items are texts that were cut at blanks: stop words are among the items, and often."""
    found = {item.lower(): n for item, n in zip(items, times, strict=True) if item.lower() in STOP_WORDS and len(item) > 1}
    return len(found) >= DIFFERENT and sum(found.values()) >= OFTEN * sum(times)


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
ATTENDING = re.compile(  # people whom a person meets, and who are known by name
    r"(attending|treating|family|house|general|referring|responsible|contact|class|case|behandelnde[rn]?|haus)?"
    r"(doctor|physician|surgeon|nurse|midwife|therapist|psychologist|dentist|practitioner|clinician|caregiver|carer|teacher"
    r"|tutor|professor|lawyer|judge|officer|manager|supervisor|agent|advisor|adviser|counsel+or|caseworker|coach|contact"
    r"|contactperson|author|employee|spouse|partner|guardian|parent|mother|father"
    r"|arzt|[aä]rztin|hausarzt|pfleger(in)?|hebamme|lehrer(in)?|betreuer(in)?|sachbearbeiter(in)?|anwalt|anw[aä]ltin"
    r"|m[eé]decin|infirmi[eè]re?|enseignante?|avocate?|m[eé]dico|doctora?|enfermer[oa]|maestr[oa]|abogad[oa]|medic|docente)s?"
    r"(name)?",
    re.IGNORECASE,
)
NUMBERED = re.compile(  # what carries a number that is one person's, or one device's
    r"(badge(no|nr|number)?|plate|numberplate|licen[cs]eplate|kennzeichen|matr[ií]cula|matricule|immatriculation|vin|imei|imsi|iccid|mac|macaddress"
    r"|deviceid|cookie|token|fingerprint|passport|pass(port)?(no|nr|number)|reisepass|ausweis(nr|nummer)?|personalausweis"
    r"|driverslicen[cs]e|driverlicen[cs]e|f[uü]hrerschein(nr|nummer)?|ssn|socialsecurity(number|no)?|nhs(number|no)?|nino"
    r"|mrn|medicalrecord(number|no)?|recordnumber|recordno|svnr|sozialversicherungsnummer|versichertennummer|steuer(id|nummer)"
    r"|taxid|tin|dni|nie|nif|cpf|bsn|pesel|ahv(nr|nummer)?|creditcard(number|no)?|cardnumber|accountnumber|kontonummer|iban"
    r"|serial(number|no|nr)?|hash|sha256|sha1|md5|ip|ipaddress|ipaddr|url|uri|link|website|homepage)",
    re.IGNORECASE,
)
PLACED = re.compile(r"(gps|lat|latitude|lon|lng|long|longitude|coord(inate)?s?|geo(loc(ation)?|point)?|position|latlon)", re.I)
REMARKED = re.compile(
    r"(notes?|comments?|remarks?|freetext|narrative|messages?|memo|anmerkung(en)?|bemerkung(en)?|notiz(en)?"
    r"|kommentare?|freitext|remarques?|commentaires?|observaci[oó]n(es)?|comentarios?|notas?|osservazioni)",
    re.IGNORECASE,
)
MEASURED = re.compile(  # what is counted or weighed, however many digits it has
    r"(income|salary|wage|pay|price|cost|charges?|amount|sum|total|revenue|turnover|balance|value|worth|weight|height|size|area"
    r"|distance|steps|calories|population|count|volume|mass|score|rate|loss|gain|premium|budget|fnlwgt|loan|debt|fee|tax|rent"
    r"|einkommen|gehalt|lohn|preis|betrag|kosten|summe|umsatz|gewicht|anzahl|wert|fl[aä]che|entfernung|miete"
    r"|revenus?|salaire|prix|montant|poids|co[uû]t|ingresos?|salario|precio|importe|peso|coste|platelets|cells|dose)",
    re.IGNORECASE,
)
TITLED = re.compile(
    r"((dr|prof|mr|mrs|ms|herr|frau|mme|mlle|monsieur|madame|dott|dra|sra|srta)\b\.?|(m|sr|hr|fr|ing|mag|dipl|don)\.)\s+[^\W\d].*"
    r"|.*\b(m\.d\.|ph\.?d\.?)",
    re.IGNORECASE,
)
PERSON = re.compile(r"[^\W\d_][\w'’.-]*(,? [^\W\d_][\w'’.-]*){1,3}")
PLUS, TELEPHONE = re.compile(r"(\+|00)\d[\d ()/.-]{6,18}\d"), re.compile(r"\(?\d[\d ()/.-]{5,18}\d")
URL = re.compile(r"(https?|ftp)://\S+|www\.\S+\.\S+|[\w-]+(\.[\w-]+)*\.[a-z]{2,}/\S+", re.IGNORECASE)
PERSONAL_URL = re.compile(
    r"\S+(://[^/]*@|/~|/@|/(u|users?|profiles?|people|members?|accounts?|patients?)/|[?&](id|u|uid|user|token|email)=)\S+",
    re.IGNORECASE,
)
PAIR = re.compile(r"(POINT ?)?\(?[+-]?\d{1,3}[.]\d+°? ?[NS]?[,;/ ] ?[+-]?\d{1,3}[.]\d+°? ?[EWO]?\)?", re.IGNORECASE)
PRECISE = re.compile(r"[+-]?\d{1,3}\.\d{4,}")
MAC = re.compile(r"[0-9a-fA-F]{2}([:-][0-9a-fA-F]{2}){5}")
MOSTLY = 0.9
FEWEST = 20  # values, or records, before their number tells anything
RUNNING = 200  # numbers in a row, each once: more than there are ages or years
DIGITS = 6  # of whole numbers of one length before they are numbers that something is called by
RARE, RARE_SHARE = 5, 0.1  # records that share a value, and the share of the records whose value fewer share
SAMPLE = 2_000  # values that are looked at
ONE_EACH = "nearly everybody has a value of their own"


def _is_computer(text: str) -> bool:
    try:
        return bool(ip_address(text))
    except ValueError:
        return False


def is_account(text: str) -> bool:
    """Whether a text is an international bank account number: of that form, and its check digits are right."""
    plain = text.replace(" ", "")
    if not re.fullmatch(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", plain):
        return False
    return int("".join(str(int(sign, 36)) for sign in plain[4:] + plain[:4])) % 97 == 1


def is_telephone(text: str) -> bool:
    """Whether a text is a telephone number that begins with the code of a country."""
    return PLUS.fullmatch(text) is not None and text.startswith("+") and 8 <= sum(map(str.isdigit, text)) <= 15


FORMS: dict[str, Callable[[str], object]] = {  # of values that belong to one person, or to one device
    "e-mail addresses": re.compile(r"[^@\s]+@[^@\s]+\.[^@\s.]+").fullmatch,
    "addresses of computers": lambda text: _is_computer(text) or MAC.fullmatch(text),
    "universal identifiers": re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}").fullmatch,
    "bank accounts": re.compile(r"[A-Z]{2}\d{2}( ?[A-Z0-9]{4}){3,7}( ?[A-Z0-9]{1,3})?").fullmatch,
    "telephone numbers": is_telephone,
    "addresses of people's pages": PERSONAL_URL.fullmatch,
}
RARE_FORMS: dict[str, Callable[[str], object]] = {  # the same where few share a value; where many do, they are of things
    "telephone numbers": lambda text: (
        TELEPHONE.fullmatch(text) and sum(map(str.isdigit, text)) >= 7 and not NUMBER.fullmatch(text)
    ),
    "addresses of pages": URL.fullmatch,
    "places on the map": PAIR.fullmatch,
    "tokens": lambda text: is_token(text),
}


def bare(name: str) -> str:
    """The name of a column without blanks and signs."""
    return re.sub(r"[\W_]", "", name)


def is_called(pattern: re.Pattern[str], name: str) -> bool:
    """Whether a column's name, or the last word or two of it, is of a pattern."""
    words = re.findall(r"[^\W\d_A-Z]+|[A-Z]+[^\W\d_A-Z]*|\d+", name)
    return any(pattern.fullmatch(text) for text in (bare(name), "".join(words[-1:]), "".join(words[-2:])))


def called_like_identifier(name: str) -> bool:
    """Whether a column has a name that identifiers have."""
    plain = bare(name)
    return any((ID_NAMES.fullmatch(name), NAMES_OF_PEOPLE.fullmatch(plain), NAMES_OF_DEEDS.fullmatch(plain)))


def is_token(text: str) -> bool:
    """Whether a text is an opaque mixture of letters and digits, such as a hash."""
    if len(text) < 8 or not text.isalnum() or text.isalpha() or text.isdigit():
        return False
    changes = sum(one.isdigit() != two.isdigit() for one, two in pairwise(text))
    return changes >= 3 and (changes * 6 >= len(text))


def names_people(name: str, texts: pl.Series) -> str | None:
    """Why the values that are there name people; nothing where they do not."""
    there = texts.drop_nulls()
    if not len(there):
        return None
    counts = there.unique_counts().to_numpy().astype(np.int64)
    return values_name_people(name, there.unique(maintain_order=True).to_list(), counts)


def values_name_people(
    name: str, values: Sequence[str], counts: Rows, *, arranged: bool = False, rarity: tuple[int, float] = (RARE, RARE_SHARE)
) -> str | None:
    """Why values, each of so many records, name people; nothing where they do not.

    `arranged`: a tree says what stands for them, so that it does not matter how few share a value, but what it is does.
    Values are rare where, by the `rarity`, fewer than so many records have one, of more than such a share of the records.
    """
    held = np.flatnonzero(counts)
    some = held if len(held) <= SAMPLE else held[np.linspace(0, len(held) - 1, SAMPLE).astype(np.int64)]
    sample, counts = [values[c] for c in some.tolist()], counts[held]
    rare = float(counts[counts < rarity[0]].sum() / max(1, counts.sum())) > rarity[1]
    return (
        _of_a_form(sample, rare=rare and len(held) >= FEWEST)
        or _called_so(name, sample, len(held), rare=rare)
        or (None if len(held) < FEWEST else _of_their_own(name, sample, counts, values, held, arranged=arranged, rare=rare))
    )


def _of_a_form(sample: list[str], *, rare: bool) -> str | None:
    """What most values are, by their form."""
    for what, is_one in (FORMS | (RARE_FORMS if rare else {})).items():
        if sample and sum(bool(is_one(text)) for text in sample) >= MOSTLY * len(sample) and not are_dates(sample):
            return f"its values are {what}"
    return "its values are people's names" if are_people(sample) else None


def are_people(sample: list[str]) -> bool:
    """Whether half of the values or more have a title, or are a first name with a further one."""
    titled = sum(bool(TITLED.fullmatch(text)) for text in sample)
    named = sum(bool(PERSON.fullmatch(text)) and bool(FIRST_NAMES & set(re.split(r"[ ,-]+", text.lower()))) for text in sample)
    return (len(sample) >= 3 and titled * 2 >= len(sample)) or (len(sample) >= 5 and named * 2 >= len(sample))


def _called_so(name: str, sample: list[str], n: int, *, rare: bool) -> str | None:
    """Why a column of that name with so many values names people, whatever they look like."""
    if n >= FEWEST and REACHED.fullmatch(bare(name)):
        return "it is called like what people are reached by"
    worded = sum(any(map(str.isalpha, text)) for text in sample) >= MOSTLY * len(sample)
    if is_called(ATTENDING, name) and worded and (n >= FEWEST or (n >= 5 and _are_two_words(sample))):
        return "it is called like people who are known by their names"
    if n >= FEWEST and rare and is_called(NUMBERED, name):
        return "it is called like a number or an address that one person has"
    if n >= FEWEST and rare and is_called(PLACED, name) and _are_precise(sample):
        return "its values are places on the map"
    phrases = sum(" " in text.strip() for text in sample) * 2 >= len(sample)
    if n >= FEWEST and worded and (rare or phrases) and is_called(REMARKED, name):
        return "free text, which may name people"
    return None


def _are_two_words(sample: list[str]) -> bool:
    return sum(bool(PERSON.fullmatch(text)) and text != text.lower() for text in sample) >= MOSTLY * len(sample)


def _are_precise(sample: list[str]) -> bool:
    return sum(bool(PRECISE.fullmatch(text) or PAIR.fullmatch(text)) for text in sample) >= 0.5 * len(sample)


def _of_their_own(
    name: str, sample: list[str], counts: Rows, values: Sequence[str], held: Rows, *, arranged: bool, rare: bool
) -> str | None:
    """Why many values name people by how few share them."""
    n, once = int(counts.sum()), int((counts == 1).sum())
    alone = once >= MOSTLY * n
    if all(NUMBER.fullmatch(text) for text in sample) and not _are_codes(sample):
        if once == n and _runs([values[c] for c in held.tolist()]):
            return "it is a running number"
        called = called_like_identifier(name)
        if alone and called and all(text.isdigit() for text in sample):
            return ONE_EACH
        return "its values are long numbers of one length, each of one record" if alone and _are_long(name, sample) else None
    if are_dates(sample) and sum(map(is_timed, sample)) < MOSTLY * len(sample):
        return None
    if alone and (not arranged or are_dates(sample)):
        return ONE_EACH
    text = is_text(sample) or is_prose(sample)
    return "free text, which may name people" if rare and text and not arranged else None


def _are_codes(values: list[str]) -> bool:
    return any(re.match(r"[+-]?0\d", text) for text in values)


def _are_long(name: str, sample: list[str]) -> bool:
    """Whether whole numbers are of one length, and nothing that is counted, which is often round."""
    if is_called(MEASURED, name) or not all(text.isdigit() for text in sample):
        return False
    lengths = np.bincount([len(text) for text in sample])
    size, round_ones = int(lengths.argmax()), sum(text.endswith("00") for text in sample)
    return size >= DIGITS and lengths[size] >= 0.95 * len(sample) and round_ones < 0.2 * len(sample)


def _runs(values: list[str]) -> bool:
    """Whether all whole numbers from the least to the greatest are there, but for a few."""
    if len(values) < RUNNING or not all(re.fullmatch(r"[+-]?\d{1,18}", text) for text in values):
        return False
    numbers = [int(text) for text in values]
    return max(numbers) - min(numbers) < len(values) / MOSTLY
