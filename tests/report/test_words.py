import re
import string
from dataclasses import replace
from pathlib import Path

import pytest

import anonset.report
from anonset.attacks.attackers import ITEM_CHOICES
from anonset.errors import ParameterError
from anonset.measure import MEASURES
from anonset.model.cover import ACTORS
from anonset.model.guarantees import GUARANTEES, KAnonymity
from anonset.model.schema import FATES
from anonset.report.evidence import LIMITS
from anonset.report.first_page import promise
from anonset.report.pages import measure_words
from anonset.report.words import languages, words_of

FOLDER = Path(anonset.report.__file__).parent
SOURCES = [
    *FOLDER.glob("*.py"),
    *FOLDER.glob("templates/*.html"),
    *FOLDER.glob("templates/*.md"),
    FOLDER.parent / "tasks" / "views.py",
]
ITEMSETS = ("itemset-recall", "itemset-precision", "itemset-support-error")
FAMILIES = {
    "counted": {"people", "records"},
    "counted_among": {"people", "records"},
    "counted_alike": {"people", "records"},
    "unit_of": {"people", "records", "accepted", "gathered"},
    "accepted": {"tied", "uncovered", "rare", "named", "family", "combined", "lost"},
    "promise": set(GUARANTEES),
    "role": set(FATES),
    "fate": set(FATES),
    "choice": set(ITEM_CHOICES),
    "actor": set(ACTORS),
    "holds": set(ACTORS),
    "limit_use": {f"k{k}" for k in LIMITS.values()},
    "measure": {*MEASURES, *ITEMSETS},
}
OPTIONAL = {"promise", "measure"}  # guarantees and measures say in English what they mean


def placeholders(text):
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("language", languages())
def test_every_language_says_the_same_things_with_the_same_values(language):
    english, other = words_of("en").texts, words_of(language).texts

    assert other.keys() == english.keys()
    assert {key: placeholders(text) for key, text in other.items()} == {
        key: placeholders(text) for key, text in english.items()
    }
    assert all(text.strip() for text in other.values())


def test_every_text_is_used_and_every_guarantee_role_and_choice_has_its_words():
    code = "".join(path.read_text(encoding="utf-8") for path in SOURCES)
    keys = set(words_of("en").texts)
    for family, members in FAMILIES.items():
        assert family in OPTIONAL or {f"{family}.{member}" for member in members} <= keys
        keys -= {f"{family}.{member}" for member in members}
    made = re.findall(r'"([a-z]+)\.(?:" ~ |{)(\w+)', code)  # words("annex." ~ name), words(f"facts.{name}")
    made += [(part, "kind") for part in ("chart", "unit", "axis")]  # words(f"{part}.{kind}")
    names = set(re.findall(r'"([a-z_]+)"', code))

    unused = {key for key in keys if key not in code and not (key.split(".")[0] in dict(made) and key.split(".")[1] in names)}

    assert unused == set()


def test_what_measures_mean_is_said_as_the_program_says_it():
    assert {id: measure_words(id, words_of("en")) for id in MEASURES} == {id: m.meaning for id, m in MEASURES.items()}


def test_a_guarantee_or_measure_without_a_text_in_the_language_speaks_for_itself():
    guarantee, german = KAnonymity(5), words_of("de").counting("records")
    texts = {key: text for key, text in german.texts.items() if key not in ("promise.k-anonymity", "measure.ncp")}
    short = replace(german, texts=texts)

    assert promise(guarantee, ["age"], "items", short) == guarantee.words("records")
    assert promise(guarantee, ["age"], "items", german) != guarantee.words("records")
    assert measure_words("ncp", short) == MEASURES["ncp"].meaning
    assert measure_words("unknown", short) == ""


def test_numbers_are_written_as_people_do():
    english, german = words_of("en"), words_of("de")

    assert (english.number(12345.678, 1), german.number(12345.678, 1)) == ("12,345.7", "12.345,7")
    assert [english.percent(share) for share in (0.0, 0.004, 0.5, 0.999, 1.0)] == [
        "0 %",
        "under 1 %",
        "50 %",
        "over 99 %",
        "100 %",
    ]
    assert german.exactly(0.1234) == "12,3 %"


def test_names_are_listed_and_many_are_counted():
    english = words_of("en")

    assert [english.listed(names) for names in ([], ["a"], ["a", "b", "c"])] == ["nothing", "a", "a, b and c"]
    assert english.listed([str(n) for n in range(20)]).endswith("7 and 12 more")


@pytest.mark.parametrize("language", ["xx", "../en", ""])
def test_a_language_that_is_not_there_is_named_with_those_that_are(language):
    with pytest.raises(ParameterError, match="language"):
        words_of(language)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.12346, "0.1235"),
        (1234.5, "1234"),
        (12345.6, "12,346"),
        (1e-5, "1e-05"),
        (-20000, "-20,000"),
        (2e12, "2e+12"),
    ],
)
def test_figures_have_the_digits_that_matter(value, text):
    assert words_of("en").figure(value) == text
