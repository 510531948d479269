"""Columns whose values others know of a person: by what they are called, in some languages, or by what they hold."""

import re
from collections.abc import Sequence

from anonset.data.identifiers import bare
from anonset.model.literals import are_dates

WORDS = """
age ages alter edad eta âge leeftijd birth born dob birthday birthdate birthyear birthplace yob naissance nacimiento nascita
geburt geburtsdatum geburtstag geburtsjahr geburtsort sex gender geschlecht sexe sexo sesso genre genero género race ethnicity
ethnie raza etnia town city village municipality county district region province zip zipcode postcode postal postalcode plz
postleitzahl wohnort ort stadt gemeinde kreis bezirk bundesland ville commune departement département codepostal ciudad
municipio provincia comuna citta città comune cap country nationality nation staatsangehörigkeit land pays nationalite
nationalité pais país nacionalidad residence residency wohnsitz domicile location place standort lieu lugar street address
neighbourhood neighborhood suburb borough date datum fecha timestamp datetime uhrzeit zeitpunkt marital familienstand married
"""
WORDS_IF_OTHER = """
education schooling school degree occupation profession job beruf employer workplace bildung ausbildung schule religion
profesion profesión metier métier workclass children kinder household
"""
SAID_OF_SEX = "m f d w male female man woman männlich weiblich divers mann frau homme femme h masculin féminin hombre mujer"
KNOWN = frozenset(WORDS.split())  # words in the name of a column
KNOWN_IF_OTHER = frozenset(WORDS_IF_OTHER.split())  # known too, and what people mean to protect who call it sensitive
NAMED = re.compile(r"(us)?state|time|day|weekday|month|year|jahr|altersgruppe|geb(dat(um)?)?|geburts.*", re.IGNORECASE)
SEXES = frozenset(SAID_OF_SEX.split())
UNSAID = frozenset(("x", "u", "o", "unknown", "other", "na", "n/a", "none", "diverse", "unbekannt"))


def could_be_known(name: str, role: str, values: Sequence[str]) -> bool:
    """Whether others may know the value that a person has in a column that is published as it is."""
    words = {word.lower() for word in re.findall(r"[^\W\d_A-Z]+|[A-Z]+[^\W\d_A-Z]*", name)} | {bare(name).lower()}
    if words & KNOWN or NAMED.fullmatch(bare(name)):
        return True
    if role != "sensitive" and words & KNOWN_IF_OTHER:
        return True
    texts = {text.lower() for text in values[: len(SEXES)]}
    said = texts - UNSAID
    return (len(said) > 1 and said <= SEXES and len(values) <= len(SEXES)) or (bool(values) and are_dates(values))
