"""The natural order of words: bands and scales, and columns that are read in it."""

from itertools import pairwise

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anonset
from anonset.data.word_order import natural_order
from anonset.errors import InputError

ORDERED = [
    "<18 | 18-24 | 25-34 | 65+",
    "Under 15K | 15-35K | 35-49K | 250K+",
    "Less than $15,000 | $15,000 - $24,999 | $25,000 or more",
    "[0-10) | [10-20) | [20-30)",
    "0 | 1 | 2 | 3+",
    "<=20 | 21-30 | >30",
    "under 18 | 18 to 64 | 65 and over",
    "20–29 years | 30–39 years | 40 years and older",
    "500 bis 900 | 900K-1M | 1M+",
    "Preschool | 1st-4th | 5th-6th | 12th | HS-grad | Some-college | Bachelors | Masters | Doctorate",
    "Jan | Feb | Dec",
    "Mo | Mi | So",
    "mild | moderate | severe",
    "low | medium | high",
    "S | M | L | XL",
    "Strongly disagree | Disagree | Neither agree nor disagree | Agree",
    "nie | selten | manchmal | oft",
    "Stage I | Stage II | Stage IV",
    "grade 2 | grade 9 | grade 10",
]
UNORDERED = [
    "M | F | D",
    "A | B | C",
    "1-2 | 3-4 | 1-4",
    "I10 | E11 | J45",
    "1 | 2 | 3",
    "ward 1 | ward 2 | ward 3",
    "<=50K | >50K",
]


@pytest.mark.parametrize("texts", ORDERED)
@given(seed=st.randoms())
def test_bands_and_scales_have_an_order(texts, seed):
    expected = texts.split(" | ")
    mixed = list(expected)
    seed.shuffle(mixed)
    assert natural_order(mixed) == tuple(expected)


@pytest.mark.parametrize("texts", UNORDERED)
def test_other_words_have_none(texts):
    assert natural_order(texts.split(" | ")) is None


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 9)), min_size=3, max_size=8, unique=True))
def test_bands_are_ordered_if_and_only_if_none_overlap(pairs):
    bands = {f"{low}-{low + width}": (low, low + width) for low, width in pairs}
    order = sorted(bands.values())
    apart = all(a[1] <= b[0] and a != b for a, b in pairwise(order)) and any(a < b for a, b in order)
    found = natural_order(bands)
    assert (found is not None) == apart
    assert found is None or [bands[name] for name in found] == order


def _people(n=60):
    bands = ["<18", "18-24", "25-34", "35-44", "45-54", "65+"]
    return pl.DataFrame({"age": [bands[i * 7 % 6] for i in range(n)], "type_id": [i * 5 % 4 + 1 for i in range(n)]})


@pytest.mark.parametrize("algorithm", ["cluster", "mondrian", "incognito", "top-down", "peel"])
def test_ordered_words_are_generalized_to_neighbours(algorithm):
    data = anonset.read(_people(), quasi=["age", "type_id"])
    column = data.column("age")
    assert (column.kind, column.domain) == ("ordered", ("<18", "18-24", "25-34", "35-44", "45-54", "65+"))
    release = anonset.anonymize(data, algorithm=algorithm, k=7)
    assert release.verify().holds
    labels = list(next(c for c in release.columns if c.name == "age").labels.groups())
    assert labels
    assert all(members.max() - members.min() + 1 == len(members) for members in labels)


def test_few_numbers_that_are_called_codes_are_categories():
    assert anonset.read(_people(), quasi=["age", "type_id"]).column("type_id").kind == "categorical"
    kept = anonset.read(_people(), quasi=["age", "type_id"], kinds={"type_id": "numeric", "age": "categorical"})
    assert (kept.column("type_id").kind, kept.column("age").kind) == ("numeric", "categorical")


def test_words_without_a_known_order_cannot_be_called_ordered():
    frame = pl.DataFrame({"town": ["Oslo", "Rome", "Bern"] * 5})
    with pytest.raises(InputError, match="no order of its values is known"):
        anonset.read(frame, quasi=["town"], kinds={"town": "ordered"})
