"""Families of items that name people are found by a pattern; codes with a long tail are not."""

import gzip
import hashlib

import numpy as np
import polars as pl
import pytest

from anonset.data.coding import sets_of_texts
from anonset.data.identifiers import fitting, naming_families, without_items
from anonset.data.read import read
from anonset.releases.gates import naming_columns
from careless_people import account

CODES = {f"E{i:02}": 40 for i in range(30)}


def found(items, columns=("tags",), **more):
    return naming_families(columns, tuple(items), np.array(list(items.values())), **more)


@pytest.mark.parametrize(
    ("items", "pattern"),
    [
        ({f"mrn:{i}": 1 for i in range(7_000, 7_040)}, "mrn:*"),
        ({f"case#{i:04}": 1 for i in range(6)}, "case#*"),
        ({f"MRN-{i:05}": 1 for i in range(40)}, "MRN-[0-9]*"),
        ({f"{chr(65 + i % 20)}{i:06}": 1 for i in range(40)}, "[A-Z][0-9][0-9][0-9][0-9][0-9][0-9]"),
        ({f"{chr(65 + i % 26)}{chr(65 + i // 2 % 26)}-{i:05}": 1 for i in range(60)}, "[A-Z][A-Z]-[0-9][0-9][0-9][0-9][0-9]"),
        ({f"{4917000000 + 977 * i}": 1 for i in range(40)}, "[0-9]" * 10),
        ({hashlib.sha256(bytes([i])).hexdigest()[:16]: 1 for i in range(40)}, "?" * 16),
        ({"anna@example.org": 3}, "*@*.*"),
        ({"+49 171 1234567": 9}, "+[0-9]*"),
        ({account(4711): 2}, "[A-Z][A-Z][0-9][0-9]*"),
        ({"10.0.17.4": 5}, "[0-9]*.[0-9]*.[0-9]*.[0-9]*"),
        ({f"doctor:{name}": 30 for name in ("Dr. May", "Dr. Fox", "Dr. Ley", "Dr. Orr", "Dr. Ash")}, "doctor:*"),
    ],
)
def test_a_family_is_named_by_a_pattern_that_finds_it_and_no_code(items, pattern):
    families = found(CODES | items)

    patterns = [family.pattern for family in families]
    assert patterns == [pattern]
    assert fitting(items, patterns).all()
    assert not fitting(CODES, patterns).any()
    assert not any(item in f"{families}" for item in items if len(item) > len(pattern))


@pytest.mark.parametrize("name", ["E{:02}", "{}", "SKU-{:05}", "product {}", "cat:{}", "B{:09X}"])
@pytest.mark.parametrize(("n", "d"), [(4_000, 1_500), (1_000, 300)])
def test_codes_with_a_long_tail_are_no_family(name, n, d):
    rng = np.random.default_rng(3)
    shares = 1 / np.arange(1, d + 1) ** 0.8
    times = np.maximum(rng.multinomial(5 * n, shares / shares.sum()), 0)

    items = {name.format(10_000 + 7 * i): int(times[i]) for i in range(d) if times[i]}

    assert found(items) == ()


def test_words_of_sentences_are_refused_as_a_column():
    words = ["the", "patient", "was", "seen", "with", "and", "her", "mother", "on", "Monday"]

    (family,) = found(dict.fromkeys(words, 20), ("visits",))

    assert (family.pattern, family.reason) == ("", "words of free text, which may name people")


def test_several_columns_are_judged_apart():
    items = (
        {f"diag.{code}": n for code, n in CODES.items()}
        | {f"tags.mrn:{i}": 1 for i in range(9_000, 9_050)}
        | {"tags.urgent": 99}
    )

    (family,) = found(items, ("diag", "tags"))

    assert (family.column, family.pattern, family.items) == ("tags", "tags.mrn:*", 50)


def test_what_everybody_knows_may_be_rare():
    items = {f"MRN-{i:05}": 1 for i in range(40)}

    assert found(items, public=True) == ()
    assert found(items | {"anna@example.org": 1}, public=True)[0].pattern == "*@*.*"


def test_items_are_removed_with_their_places():
    sets = sets_of_texts(pl.Series(["a mrn:1 b", "mrn:2", None, "mrn:1 a"]), " ")

    left, gone = without_items(sets, ["mrn:*"])

    assert gone == {"mrn:1": 2, "mrn:2": 1}
    assert [sorted(left.names[e] for e in left.entries[a:b]) for a, b in zip(left.offsets, left.offsets[1:], strict=False)] == [
        ["a", "b"],
        [],
        [],
        ["a"],
    ]


@pytest.mark.data
def test_nothing_ordinary_of_real_data_is_refused(real_data):
    files = [path for folder in ("transactions", "rt", "relational") for path in sorted((real_data / folder).glob("*.gz"))]

    assert len(files) >= 5
    assert {path.name: found for path in files if (found := naming_columns(read(path)))} == {}


@pytest.mark.data
def test_codes_of_diagnoses_are_no_family(real_data):
    lines = gzip.decompress((real_data / "hierarchies" / "icd9cm_v32.csv.gz").read_bytes()).decode().splitlines()
    codes = sorted({line.split(";")[0].split(",")[0] for line in lines})
    times = np.random.default_rng(1).zipf(1.6, len(codes)).clip(0, 500)

    assert len(codes) > 5_000
    assert found(dict(zip(codes, times.tolist(), strict=True)), ("diagnoses",)) == ()
