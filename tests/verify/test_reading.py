"""The verifier's own reader and the other one agree on whatever is published; a bug in the other one does not fool it."""

import json
import tempfile
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonset.algorithms import ALGORITHMS
from anonset.algorithms.identity import Identity
from anonset.data.formats import RELEASE_FORMATS, delimited
from anonset.data.formats import tokens as spelled_items
from anonset.engine.part_files import merged_guides
from anonset.errors import GuaranteeViolated, InfeasibleError
from anonset.kernels import recode
from anonset.model.dataset import Column, Dataset, Transactions
from anonset.model.hierarchy import Hierarchy
from anonset.model.labels import GeneralizedItems, PublishedColumn, Ranges, UncertainItems
from anonset.model.parameters import parameters
from anonset.model.release import Provenance, Release
from anonset.model.serialization import to_builtins
from anonset.releases import folder
from anonset.releases import folder as folders
from anonset.releases.folder import read_folder, write_folder
from anonset.releases.margins import with_margins
from anonset.releases.publish import verify_folder
from anonset.testing.checks import privacy_parameter
from anonset.verify import verify
from anonset.verify.reading import read_for_verdict
from release_makers import any_release
from strategies import hierarchies

FORMATS = [id for id in RELEASE_FORMATS if id != "fimi"]  # which has items alone
names = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=4) | st.sampled_from(
    [
        "a b",
        "a|b",
        "a,b",
        '"',
        "''",
        "?",
        "-x?",
        "x?",
        "\u2028",
        "a\u2028b",
        "a\nb",
        "a\rb",
        "[1:2]",
        "{a,b}",
        "*",
        "(empty)",
        "ITEM",
        "007",
        " ",
    ]
)
numbers = st.integers(-(2**40), 2**40) | st.sampled_from([2**53, 2**60, -(2**62), 2**53 + 2]) | st.floats(-1e9, 1e9)


@st.composite
def odd_columns(draw, n, name, role):
    d = draw(st.integers(0, 4))
    codes = np.array(draw(st.lists(st.integers(-1, d - 1), min_size=n, max_size=n)), np.int32)
    if draw(st.booleans()):
        values = sorted(draw(st.sets(numbers.map(float), min_size=d, max_size=d)))
        texts = tuple(str(int(v)) if v == int(v) else repr(v) for v in values)
        column = Column(name, role, "numeric", codes, texts, np.array(values, np.float64))
    else:
        column = Column(name, role, "categorical", codes, tuple(sorted(draw(st.sets(names, min_size=d, max_size=d)))))
    if d == 0 or role != "quasi" or draw(st.booleans()):
        return column
    return replace(column, hierarchy=_renamed(draw(hierarchies(tuple(f"v{c}" for c in range(d)))), column.domain))


def _renamed(tree, domain):
    return Hierarchy((*domain, *(f"\u2028{label}" for label in tree.labels[len(domain) :])), tree.parent)


@st.composite
def odd_datasets(draw, needs=frozenset({"items", "quasi", "sensitive-column"})):
    """Data with odd names: separators, quotes, line ends; empty sets, missing values, large numbers."""
    n = draw(st.integers(2, 8))
    columns = ()
    if "quasi" in needs:
        columns += tuple(
            draw(odd_columns(n, name, "quasi")) for name in ('q "1"', "q,2", "items.errors")[: draw(st.integers(1, 3))]
        )
    if "sensitive-column" in needs:
        columns += (
            Column("s\u2028", "sensitive", "categorical", np.arange(n, dtype=np.int32), tuple(f"s{r}" for r in range(n))),
        )
    if "items" not in needs:
        return Dataset(columns)
    domain = tuple(sorted(draw(st.sets(names.map(str.strip).filter(bool), min_size=1, max_size=5))))
    records = [draw(st.sets(st.sampled_from(domain))) for _ in range(n)]
    data = Dataset(columns, Transactions.from_records(records, domain))
    tree = draw(hierarchies(tuple(f"v{c}" for c in range(len(domain)))))
    return data.with_item_hierarchy(_renamed(tree, domain))


def meaning(release, original):
    """What each record shows, by the input row behind it."""
    attributes = [_column_meaning(column, original.column(column.name)) for column in release.columns]
    if isinstance(release.items, GeneralizedItems):
        groups = [frozenset(release.items.domain[i] for i in group) for group in release.items.labels.groups()]
        attributes.append([frozenset(groups[a] for a in part) for part in _parts(release.items.offsets, release.items.shown)])
        attributes.append([frozenset(release.items.suppressed.tolist())] * len(release))
    elif isinstance(release.items, UncertainItems):
        u = release.items
        attributes += [
            [frozenset(u.domain[i] for i in part) for part in _parts(*sets)]
            for sets in ((u.base_offsets, u.base), (u.distance_offsets, u.distance))
        ]
        attributes.append(u.threshold.tolist())
    return dict(zip(release.rows.tolist(), zip(*attributes, strict=True), strict=True))


def _column_meaning(column, original):
    if isinstance(column.labels, Ranges):
        known = list(zip(column.labels.low.tolist(), column.labels.high.tolist(), strict=True))
    else:
        known = [frozenset(original.domain[c] for c in group) for group in column.labels.groups()]
    return [(column.role, None if code < 0 else known[code]) for code in column.codes]


def _parts(offsets, entries):
    return [entries[start:stop].tolist() for start, stop in pairwise(offsets)]


def assert_readers_agree(original, release, format):
    with tempfile.TemporaryDirectory() as place:
        write_folder(release, original, Path(place), format=format)
        theirs, ours = read_folder(Path(place), original), read_for_verdict(Path(place), original)
    assert meaning(ours, original) == meaning(theirs, original) == meaning(folder.canonical(release), original)
    assert ours.guarantees == theirs.guarantees == release.guarantees
    assert [len(column.labels) for column in ours.columns] == [len(column.labels) for column in theirs.columns]
    if release.assignments is None:
        assert ours.assignments is None
    else:
        np.testing.assert_array_equal(ours.assignments, theirs.assignments)


@pytest.mark.parametrize("name", ALGORITHMS)
@settings(max_examples=8)
@given(source=st.data())
def test_both_readers_agree_on_the_releases_of_every_algorithm(name, source):
    algorithm = ALGORITHMS[name]
    data = source.draw(odd_datasets(algorithm.needs or frozenset({"items", "quasi"})))
    values = {p.name: 2 for p in parameters(algorithm) if p.required} | {privacy_parameter(algorithm): 2}
    try:
        release = algorithm(**values).anonymize(data)
    except InfeasibleError:
        return
    for format in [*FORMATS, *([] if data.columns else ["fimi"])]:
        assert_readers_agree(data, release, format)


@given(st.data(), st.booleans(), st.sampled_from(FORMATS))
def test_both_readers_agree_on_any_release(source, uncertain, format):
    data = source.draw(odd_datasets())
    assert_readers_agree(data, source.draw(any_release(data, uncertain)), format)


@given(st.data(), st.booleans())
def test_both_readers_agree_on_baskets(source, uncertain):
    data = source.draw(odd_datasets(frozenset({"items"})))
    assert_readers_agree(data, source.draw(any_release(data, uncertain)), "fimi")


@given(st.data(), st.booleans(), st.sampled_from(["csv", "jsonl", "fimi"]))
def test_records_in_two_parts_are_read_as_those_in_one(source, uncertain, format):
    data = source.draw(odd_datasets(frozenset({"items"})) if format == "fimi" else odd_datasets())
    shown = folder.canonical(source.draw(any_release(data, uncertain)))
    if len(shown) < 2:
        return
    cut = source.draw(st.integers(1, len(shown) - 1))
    with tempfile.TemporaryDirectory() as place:
        write_folder(shown, data, Path(place), format=format)
        path = Path(place) / "published" / RELEASE_FORMATS[format].file
        path.unlink()
        path.mkdir()
        guides = []
        for number, rows in enumerate((np.arange(cut), np.arange(cut, len(shown)))):
            some = shown.take(rows)
            columns, items = folder.with_sorted_labels(some.columns, some.items)
            part = replace(some, columns=columns, items=items)
            name = f"part-{number:06}{path.suffix}"
            guides.append(RELEASE_FORMATS[format].write_part(part, data, path / name, shown.items))
        try:
            merged = merged_guides(*guides)
        except InfeasibleError:
            return
        about = json.loads((path.parent / "about.json").read_text())
        (path.parent / "about.json").write_text(json.dumps(about | {"attributes": to_builtins(merged)}))

        theirs, ours = read_folder(Path(place), data), read_for_verdict(Path(place), data)

    assert meaning(ours, data) == meaning(theirs, data) == meaning(shown, data)


PEOPLE = Dataset(
    (Column("age", "quasi", "numeric", np.array([0, 0, 1, 1], np.int32), ("30", "40"), np.array([30.0, 40.0])),),
    Transactions.from_records(["ab", "ab", "c", "c"]),
)


def written(tmp_path, format="csv"):
    write_folder(Identity(k=2, m=2).anonymize(PEOPLE), PEOPLE, tmp_path, format=format)
    return tmp_path / "published"


def collapse_everything(offsets, codes):
    """A broken kernel: every record shows the first label only, so that all look alike."""
    offsets = np.minimum(offsets, 1).astype(np.int64) * 0
    return offsets, np.zeros(0, np.int32)


@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize(
    "plant",
    [
        [
            (recode, "collapse", collapse_everything),
            (spelled_items, "collapse", collapse_everything),
            (folder, "collapse", collapse_everything),
        ],
        [(delimited, "read_texts", lambda path, guides: delimited.pl.DataFrame({"age": ["30"] * 4, "items": ["a b"] * 4}))],
        [(folders, "read_folder", lambda *_: Identity(k=2, m=2).anonymize(PEOPLE))],
    ],
    ids=["kernel", "codec", "folder"],
)
def test_a_bug_in_what_others_read_with_does_not_let_a_broken_folder_pass(tmp_path, monkeypatch, plant, alone):
    place = written(tmp_path)
    lines = (place / "records.csv").read_text().splitlines(keepends=True)
    (place / "records.csv").write_text("".join([*lines[:4], lines[4].replace("c", "a")]))  # one c and one a are left alone
    for module, name, broken in plant:
        monkeypatch.setattr(module, name, broken)
    folder = tmp_path
    if alone:
        folder = tmp_path / "handed_out"
        place.rename(folder)

    verdict = verify_folder(PEOPLE, folder)

    assert not verdict.holds
    assert verdict.findings[0].guarantee == "k-km"
    assert not verdict.findings[0].holds


BROKEN = {
    "swapped header": ("records.csv", "age,items", "items,age", "another at its place"),
    "one column more": ("records.csv", "age,items", "age,items,name", "3 columns"),
    "a field too many": ("records.csv", "30,a b", "30,a b,c", "2 fields are expected"),
    "unknown item": ("records.csv", "30,a b", "30,a z", "'z' stands for no value"),
    "no number": ("records.csv", "30,a b", "old,a b", "'old' stands for no value"),
    "not a number": ("records.csv", "30,a b", "nan,a b", "'nan' stands for no value"),
    "other promise": ("about.json", '"k": 2', '"k": 1', "state different guarantees"),
    "no meaning": ("about.json", '"generalized": {}', '"generalized": []', "cannot be read"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_files_that_do_not_fit_are_a_breach(tmp_path, case):
    file, old, new, told = BROKEN[case]
    place = written(tmp_path)
    text = (place / file).read_text()
    assert old in text
    (place / file).write_text(text.replace(old, new))

    with pytest.raises(GuaranteeViolated, match=told):
        read_for_verdict(tmp_path, PEOPLE)


def test_a_second_value_under_one_name_is_not_overlooked(tmp_path):
    place = written(tmp_path, "jsonl")
    text = (place / "records.jsonl").read_text()
    (place / "records.jsonl").write_text(text.replace('{"age":30', '{"age":99,"age":30', 1))

    with pytest.raises(GuaranteeViolated, match="two values under one name"):
        read_for_verdict(tmp_path, PEOPLE)


def test_a_value_that_the_original_does_not_know_is_kept_and_found(tmp_path):
    release = Identity(k=2, m=2).anonymize(PEOPLE)
    place = written(tmp_path)
    about = json.loads((place / "about.json").read_text())
    about["attributes"][1]["generalized"] = {"a": ["a", "stranger"]}
    (place / "about.json").write_text(json.dumps(about))

    shown = read_for_verdict(tmp_path, PEOPLE)

    assert shown.items.domain == (*release.items.domain, "stranger")
    assert not verify_folder(PEOPLE, tmp_path).holds


def test_a_large_number_is_read_exactly_or_not_at_all(tmp_path):
    sizes = Column("size", "other", "numeric", np.zeros(2, np.int32), (str(2**53),), np.array([2.0**53]))
    data = Dataset((sizes,))
    exact = PublishedColumn(
        "size", "other", np.zeros(2, np.int32), Ranges(np.array([2.0**53]), np.array([2.0**53]), (str(2**53),))
    )
    write_folder(Release((exact,), None, (), Provenance("any"), np.arange(2)), data, tmp_path, format="jsonl")
    path = tmp_path / "published/records.jsonl"
    assert read_for_verdict(tmp_path, data).columns[0].labels.low.tolist() == [2.0**53]

    path.write_text(path.read_text().replace(str(2**53), str(2**53 + 1)))

    with pytest.raises(GuaranteeViolated, match="no number that the original could hold"):
        read_for_verdict(tmp_path, data)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda about: about.update(raw=[30, 30, 40, 40]), "says 'raw', which the check does not know"),
        (lambda about: about["attributes"][0].update(raw=1), "says 'age.raw'"),
        (lambda about: about["attributes"][1]["generalized"].update(z=["a"]), "explains 'z', which no record shows"),
        (lambda about: about.update(margins={"k": 2}), "margins: the key .counts. is missing"),
    ],
)
def test_what_no_check_looks_at_is_not_to_be_said(tmp_path, change, told):
    place = written(tmp_path)
    about = json.loads((place / "about.json").read_text())
    change(about)
    (place / "about.json").write_text(json.dumps(about))

    with pytest.raises(GuaranteeViolated, match=told):
        read_for_verdict(tmp_path, PEOPLE)


def test_numbers_of_baskets_name_nothing_that_no_record_shows(tmp_path):
    data = Dataset(transactions=PEOPLE.transactions)
    write_folder(Identity(k=2, m=2).anonymize(data), data, tmp_path, format="fimi")
    path = tmp_path / "published/about.json"
    about = json.loads(path.read_text())
    about["attributes"][0]["numbers"]["99"] = "raw"
    path.write_text(json.dumps(about))

    with pytest.raises(GuaranteeViolated, match="names the number 99"):
        read_for_verdict(tmp_path, data)


def test_margins_are_judged_as_they_are_written(tmp_path):
    data = Dataset(transactions=Transactions.from_records(["ab"] * 7 + ["ac"] * 6 + ["b"] * 3))
    write_folder(with_margins(data, ALGORITHMS["pcta"](k=3, m=2).anonymize(data)), data, tmp_path)
    path = tmp_path / "published/about.json"
    assert verify(data, read_for_verdict(tmp_path, data)).holds

    path.write_text(path.read_text().replace('"a": 12', '"a": 15'))

    assert not verify(data, read_for_verdict(tmp_path, data)).holds
