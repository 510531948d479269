"""What only records hold that are left out stands nowhere in what is published; neither does a suppressed item."""

import re
import tempfile
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from anonset.algorithms import make
from anonset.algorithms.relational.publication import without_left_out
from anonset.errors import InfeasibleError
from anonset.model.builders import Material, build
from anonset.model.dataset import Column, Dataset, Transactions, column_with_hierarchy
from anonset.model.labels import Labels, PublishedColumn, Ranges
from anonset.model.policy import Itemsets, UtilityPolicy
from anonset.model.release import Accepted, Provenance, Release
from anonset.releases.folder import read_folder
from anonset.releases.publish import publish, verify_folder
from anonset.verify import verify

BUILT = [None, "balanced:2", "balanced:2,order=support", "frequency:2"]
FULL_DOMAIN = ["incognito", "top-down", "bottom-up"]


@st.composite
def telling_columns(draw, n, name, role="quasi"):
    """A column whose values cannot be mistaken for anything else; some are missing, some are rare."""
    d = draw(st.integers(2, 6))
    codes = np.array(draw(st.lists(st.integers(-1, d - 1), min_size=n, max_size=n)), np.int32)
    if draw(st.booleans()):
        numbers = [10_000 * (ord(name) - 90) + 1_117 * (c + 1) for c in range(d)]
        column = Column(name, role, "numeric", codes, tuple(map(str, numbers)), np.array(numbers, np.float64))
        spec = draw(st.sampled_from([*BUILT, "ranges:3"]))
    else:
        column = Column(name, role, "categorical", codes, tuple(f"<{name}{c}{c}>" for c in range(d)))
        spec = draw(st.sampled_from(BUILT))
    if spec is None or role != "quasi":
        return column
    return column_with_hierarchy(column, build(spec, Material.of_column(column)))


@st.composite
def telling_datasets(draw):
    n = draw(st.integers(4, 14))
    columns = [draw(telling_columns(n, name)) for name in "pq"[: draw(st.integers(1, 2))]]
    columns.append(draw(telling_columns(n, "s", role="other")))
    items = [draw(st.sets(st.sampled_from(["<ia>", "<ib>", "<ic>"]))) for _ in range(n)]
    return Dataset(tuple(columns), Transactions.from_records(items) if draw(st.booleans()) else None)


def published_text(folder):
    """Everything that is handed out, as one text."""
    texts = []
    for path in sorted((folder / "published").iterdir()):
        if path.suffix == ".parquet":
            texts += [str(pl.read_parquet(path).to_dicts())]
        elif path.suffix == ".feather":
            texts += [str(pl.read_ipc(path.read_bytes()).to_dicts())]
        elif path.suffix == ".xlsx":
            archive = zipfile.ZipFile(path)
            texts += [archive.read(name).decode() for name in archive.namelist()]
        else:
            texts += [path.read_text(encoding="utf-8")]
    return "\n".join(texts)


def held(data, rows):
    """The names of all values and items of some records."""
    taken = data.take(np.asarray(rows, np.int64))
    names = {column.domain[c] for column in taken.columns for c in column.codes if c >= 0}
    return names | (set().union(*taken.transactions.records()) if taken.transactions is not None else set())


@pytest.mark.parametrize("format", ["csv", "parquet", "jsonl"])
@pytest.mark.parametrize("name", FULL_DOMAIN)
@given(data=telling_datasets(), k=st.integers(2, 4))
def test_no_value_of_a_record_that_is_left_out_is_published(name, format, data, k):
    try:
        release = make(name, {"k": k, "suppression": 0.6}).anonymize(data)
    except InfeasibleError:
        assume(False)
    left_out = np.setdiff1d(np.arange(len(data)), release.rows)
    assume(len(left_out) and len(release))

    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        publish(data, release, out, format=format, accepted=accepted(data), measures=[])
        text = published_text(out)
        assert verify_folder(data, out).holds

    secret = held(data, left_out) - held(data, release.rows)
    assert [name for name in sorted(secret) if name in text] == []
    verify(data, release).require()


def accepted(data):
    return Accepted(exposure=(*(column.name for column in data.columns), data.item_column), loss=True)


def outlier():
    """Nine people of forty, and one of 117 called Tristan."""
    ages = Column(
        "age",
        "quasi",
        "numeric",
        np.array([0, 1, 2] * 3 + [3], np.int32),
        ("40", "41", "52", "117"),
        np.array([40.0, 41, 52, 117]),
    )
    names = Column("name", "quasi", "categorical", np.array([0] * 9 + [1], np.int32), ("Ann", "Tristan"))
    return Dataset((ages, names))


@pytest.mark.parametrize("name", FULL_DOMAIN)
def test_an_outlier_that_is_left_out_does_not_stretch_a_range(name, tmp_path):
    data = outlier()

    publish(data, make(name, {"k": 3, "suppression": 0.1}).anonymize(data), tmp_path / "out", accepted=Accepted(loss=True))

    text = published_text(tmp_path / "out")
    assert "117" not in text
    assert "Tristan" not in text


def test_the_page_that_is_handed_out_does_not_tell_either(tmp_path):
    pages = pytest.importorskip("anonset.report.pages").release_pages
    data = outlier()

    release = make("incognito", {"k": 3, "suppression": 0.1}).anonymize(data)
    publish(data, release, tmp_path / "out", pages=pages(data), accepted=Accepted(loss=True))

    assert (tmp_path / "out/published/about.html").is_file()
    told = re.sub(r"<style.*?</style>|<script.*?</script>", "", published_text(tmp_path / "out"), flags=re.DOTALL)
    assert "117" not in told
    assert "Tristan" not in told


def test_the_verifier_finds_what_is_named_of_records_left_out():
    data = outlier()
    rows = np.arange(9)
    wide = PublishedColumn("age", "quasi", np.zeros(9, np.int32), Ranges(np.array([40.0]), np.array([117.0]), ("[40:117]",)))
    all_names = PublishedColumn("name", "quasi", np.zeros(9, np.int32), Labels.from_groups([[0, 1]], ("*",)))
    telling = Release((wide, all_names), None, (), Provenance("any"), rows)

    finding = verify(data, telling, []).findings[0]
    cut = without_left_out(data, telling)

    assert (finding.holds, finding.violations) == (False, 2)
    assert "only records hold which are left out" in finding.worst
    assert verify(data, cut, []).holds
    assert cut.columns[0].labels.texts == ("[40:52]",)
    assert list(cut.columns[1].labels.members) == [0]


def test_the_leaves_of_a_hierarchy_from_a_file_are_known_to_all():
    data = outlier()
    tree = replace(build("balanced:2", data.column("name").domain), derived=False)
    data = data.with_hierarchies({"name": tree})
    all_names = PublishedColumn("name", "quasi", np.zeros(9, np.int32), Labels.from_groups([[0, 1]], ("*",)))
    ages = PublishedColumn("age", "quasi", np.zeros(9, np.int32), Ranges(np.array([40.0]), np.array([52.0]), ("[40:52]",)))
    release = Release((ages, all_names), None, (), Provenance("any"), np.arange(9))

    assert verify(data, release, []).holds
    assert without_left_out(data, release).columns[1].labels.sizes.tolist() == [2]


def test_missing_values_stand_behind_all_that_is_published():
    ages = Column("age", "quasi", "numeric", np.array([0, 1, -1, 2], np.int32), ("40", "52", "117"), np.array([40.0, 52, 117]))
    shown = PublishedColumn("age", "quasi", np.zeros(3, np.int32), Ranges(np.array([40.0]), np.array([117.0]), ("*",)))
    nobody = PublishedColumn("age", "quasi", np.zeros(1, np.int32), Ranges(np.array([40.0]), np.array([117.0]), ("*",)))
    data = Dataset((ages,))

    cut = without_left_out(data, Release((shown,), None, (), Provenance("any"), np.arange(3)))
    alone = without_left_out(data, Release((nobody,), None, (), Provenance("any"), np.array([2])))

    assert (cut.columns[0].labels.low.tolist(), cut.columns[0].labels.high.tolist()) == ([40.0], [52.0])
    assert verify(data, cut, []).holds
    assert alone.columns[0].codes.tolist() == [-1]


@pytest.mark.parametrize("format", ["csv", "parquet", "feather", "jsonl", "xlsx", "fimi"])
@pytest.mark.parametrize("name", ["pcta", "coat", "upcta"])
def test_suppressed_items_are_not_named(name, format, tmp_path):
    items = Transactions.from_records([["<aa>", "<bb>"]] * 4 + [["<aa>", "<cc>"]])
    data = Dataset(transactions=items)
    values = {"k": 3, "privacy": Itemsets((("<cc>",),)), "utility": UtilityPolicy((("<aa>",), ("<bb>",), ("<cc>",)), 0.5)}
    if name == "pcta":
        values.pop("utility")
    release = make(name, values).anonymize(data)

    publish(data, release, tmp_path / "out", format=format)
    again = read_folder(tmp_path / "out", data)

    assert name == "pcta" or [again.items.domain[i] for i in again.items.suppressed] == ["<cc>"]
    gone = {items.domain[i] for i in again.items.suppressed}
    assert [item for item in gone if item in published_text(tmp_path / "out")] == []
