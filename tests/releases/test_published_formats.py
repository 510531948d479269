"""What the published files look like, format by format, on one small release."""

import csv
import json
import re
from dataclasses import fields, replace

import numpy as np
import openpyxl
import polars as pl
import pytest
from python_calamine import CalamineWorkbook

from anonset.algorithms import make
from anonset.data import read as read_data
from anonset.errors import GuaranteeViolated, InputError, ParameterError
from anonset.model.dataset import Column, Dataset, Transactions
from anonset.model.guarantees import GUARANTEES, Constraints, KKm, NrK, UtilityConstraints, make_guarantee
from anonset.model.labels import GeneralizedItems, Labels, PublishedColumn, Ranges, UncertainItems
from anonset.model.policy import AllItemsets, Itemsets, UtilityPolicy, WholeTransactions
from anonset.model.release import Provenance, Release
from anonset.model.schema import Schema
from anonset.model.serialization import to_builtins
from anonset.releases.folder import read_folder, read_manifest, schema_of_folder, write_folder
from anonset.verify import verify
from anonset.verify.reading import read_for_verdict
from anonset.verify.reading.formats import WORKBOOK

AGES = Column("age", "quasi", "numeric", np.array([1, 0, 2, -1], np.int32), ("20", "30", "40.5"), np.array([20, 30, 40.5]))
CITIES = Column("city", "quasi", "categorical", np.array([0, 1, 0, 1], np.int32), ("Oslo", "Rome"))
ITEMS = Transactions.from_records(["ab", "c", "a", ""])
ORIGINAL = Dataset((AGES, CITIES), ITEMS, item_column="codes")
ONLY_ITEMS = Dataset(transactions=Transactions.from_records([["1", "2"], ["3"], ["1"], []]))


def generalized(original=ORIGINAL, **more):
    """Ages in ranges, one record with any city, a and b as one item, c as it is."""
    columns = ()
    if original.columns:
        labels = Ranges(np.array([20.0, 40.5, 20.0]), np.array([30.0, 40.5, 40.5]), ("20 to 30", "40.5", "any age"))
        ages = PublishedColumn("age", "quasi", np.array([0, 0, 1, -1], np.int32), labels)
        cities = PublishedColumn(
            "city", "quasi", np.array([1, 1, 0, 2], np.int32), Labels.from_groups([[0], [0, 1], [1]], ["Oslo", "*", "Rome"])
        )
        columns = (ages, cities)
    names = original.transactions.domain
    labels = Labels.from_groups([[2], [0, 1]], [names[2], f"({names[0]},{names[1]})"])
    offsets, shown = np.array([0, 1, 2, 3, 3], np.int64), np.array([1, 0, 1], np.int32)
    items = GeneralizedItems(offsets, shown, labels, names, np.zeros(0, np.int32))
    made = Provenance("any", more.pop("parameters", {"k": 2}), "0")
    return Release(columns, items, more.pop("guarantees", (KKm(2, 2),)), made, np.arange(4), **more)


def uncertain():
    """The base {1, 2} of which 2 may be wrong, and 3 may be missing; at most one of the two."""
    base, doubt = Transactions.from_records(["ac", "a"], domain="abc"), Transactions.from_records(["bc", ""], domain="abc")
    items = UncertainItems(base.offsets, base.items, doubt.offsets, doubt.items, np.array([1, 0], np.int32), tuple("abc"))
    assignments = np.array([[0, 1], [1, 0]])
    return Release((), items, (NrK(2),), Provenance("any", {"seed": 4711}), np.arange(2), assignments)


UNCERTAIN = Dataset(transactions=Transactions.from_records(["ab", "a"], domain="abc"))


def published(tmp_path, release, original, format):
    write_folder(release, original, tmp_path, format=format)
    return tmp_path / "published", json.loads((tmp_path / "published/about.json").read_text())


def test_csv(tmp_path):
    folder, about = published(tmp_path, generalized(), ORIGINAL, "csv")

    assert (folder / "records.csv").read_text().splitlines() == [
        "age,city,codes",
        '"",Rome,""',
        '20 to 30,*,"(a,b)"',
        "20 to 30,*,c",
        '40.5,Oslo,"(a,b)"',
    ]
    age, city, codes = about["attributes"]
    assert age["generalized"] == {"20 to 30": {"lo": 20, "hi": 30}}
    assert city["generalized"] == {"*": ["Oslo", "Rome"]}
    assert codes["generalized"] == {"(a,b)": ["a", "b"]}
    assert codes["separator"] == " "


def test_the_separator_is_in_no_label(tmp_path):
    original = Dataset(transactions=Transactions.from_records([["red wine", "a|b"], ["a;b"]]))
    t = original.transactions
    labels = Labels.from_groups([[0], [1], [2]], t.domain)
    items = GeneralizedItems(t.offsets, t.items, labels, t.domain, np.zeros(0, np.int32))

    folder, about = published(tmp_path, Release((), items, (), Provenance("any"), np.arange(2)), original, "csv")

    assert about["attributes"][0]["separator"] == "/"
    assert (folder / "records.csv").read_text() == "items\na;b\na|b/red wine\n"


def test_jsonl(tmp_path):
    folder, _ = published(tmp_path, generalized(), ORIGINAL, "jsonl")

    assert [json.loads(line) for line in (folder / "records.jsonl").read_text().splitlines()] == [
        {"age": None, "city": "Rome", "codes": []},
        {"age": {"lo": 20, "hi": 30}, "city": {"any": ["Oslo", "Rome"]}, "codes": [["a", "b"]]},
        {"age": {"lo": 20, "hi": 30}, "city": {"any": ["Oslo", "Rome"]}, "codes": [["c"]]},
        {"age": 40.5, "city": "Oslo", "codes": [["a", "b"]]},
    ]


def test_parquet(tmp_path):
    folder, about = published(tmp_path, generalized(), ORIGINAL, "parquet")

    assert pl.read_parquet(folder / "records.parquet").to_dict(as_series=False) == {
        "age.lo": [None, 20.0, 20.0, 40.5],
        "age.hi": [None, 30.0, 30.0, 40.5],
        "city": ["Rome", "*", "*", "Oslo"],
        "codes": [[], ["(a,b)"], ["c"], ["(a,b)"]],
    }
    assert about["attributes"][0]["columns"] == {"lo": "age.lo", "hi": "age.hi"}


def test_feather_has_the_columns_of_parquet(tmp_path):
    for format in ("feather", "parquet"):
        (tmp_path / format).mkdir()
        published(tmp_path / format, generalized(), ORIGINAL, format)

    feather = pl.read_ipc((tmp_path / "feather/published/records.feather").read_bytes())
    assert feather.equals(pl.read_parquet(tmp_path / "parquet/published/records.parquet"))
    assert feather.schema["codes"] == pl.List(pl.String)


def test_xlsx_has_texts_numbers_and_a_running_number(tmp_path):
    folder, about = published(tmp_path, generalized(), ORIGINAL, "xlsx")

    assert CalamineWorkbook.from_path(folder / "records.xlsx").get_sheet_by_index(0).to_python() == [
        ["record", "age", "city", "codes"],
        [1, "", "Rome", ""],
        [2, "20 to 30", "*", "(a,b)"],
        [3, "20 to 30", "*", "c"],
        [4, 40.5, "Oslo", "(a,b)"],
    ]
    assert about["attributes"][0]["generalized"] == {"20 to 30": {"lo": 20, "hi": 30}}


@pytest.mark.parametrize("format", ["parquet", "feather"])
def test_numbers_stay_numbers_where_all_are_exact(tmp_path, format):
    data = Dataset((replace(AGES, codes=np.array([0, 1, 1, -1], np.int32)), replace(CITIES, role="other")))
    groups = Labels.from_groups([[0], [1]], ["20", "30"])
    ages = PublishedColumn("age", "quasi", np.array([0, 1, 1, -1], np.int32), groups)
    cities = PublishedColumn("city", "other", CITIES.codes, Labels.from_groups([[0], [1]], ["Oslo", "Rome"]))
    release = Release((ages, cities), None, (), Provenance("any", {}, "0"), np.arange(4))

    folder, about = published(tmp_path, release, data, format)
    read = pl.read_parquet if format == "parquet" else lambda path: pl.read_ipc(path.read_bytes())

    assert read(folder / f"records.{format}")["age"].to_list() == [None, 20, 30, 30]
    assert read(folder / f"records.{format}")["age"].dtype == pl.Int64
    assert about["attributes"][0]["generalized"] == {}
    for again in (read_folder(tmp_path, data), read_for_verdict(tmp_path, data)):
        column = again.columns[0]
        shown = [None if c < 0 else [data.columns[0].domain[i] for i in [*column.labels.groups()][c]] for c in column.codes]
        assert shown == [None, ["20"], ["30"], ["30"]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda book: book.active.cell(2, 1, 9), "row 2: the first column must be the running number 1; got 9.0"),
        (lambda book: book.active.cell(1, 2, "years"), "disagree about the columns"),
        (lambda book: book.active.cell(2, 3, "Bonn"), "stands for no value of the original"),
        (lambda book: book.active.cell(2, 3, True), "a cell must hold a text or a number; got True"),
        (lambda book: book.active.cell(5, 2, 41), "no value"),
        (lambda book: book.active.cell(2, 4, 5), "items must be texts"),
        (lambda book: book.create_sheet("more"), "beside its records"),
        (lambda book: book.active.delete_rows(5), "has 3 records; about.json says 4"),
    ],
)
def test_a_workbook_that_was_changed_is_a_breach(tmp_path, monkeypatch, change, message):
    monkeypatch.setattr("anonset.verify.reading.formats.WORKBOOK", WORKBOOK | {"xl/sharedStrings.xml"})
    folder, _ = published(tmp_path, generalized(), ORIGINAL, "xlsx")
    book = openpyxl.load_workbook(folder / "records.xlsx")
    change(book)
    book.save(folder / "records.xlsx")

    if message == "no value":
        assert not verify(ORIGINAL, read_for_verdict(tmp_path, ORIGINAL), ()).holds
    else:
        with pytest.raises(GuaranteeViolated, match=re.escape(message)):
            read_for_verdict(tmp_path, ORIGINAL)


def test_what_excel_cannot_hold_is_refused(tmp_path, monkeypatch):
    long = Dataset(transactions=Transactions.from_records([["x" * 40_000]]))
    labels = Labels.from_groups([[0]], long.transactions.domain)
    items = GeneralizedItems(long.transactions.offsets, long.transactions.items, labels, labels.texts, np.zeros(0, np.int32))
    with pytest.raises(ParameterError, match="an Excel cell cannot hold a text of 40,000 characters; choose csv"):
        write_folder(Release((), items, (), Provenance("any"), np.arange(1)), long, tmp_path, format="xlsx")
    monkeypatch.setattr("anonset.data.formats.workbooks.MOST_RECORDS", 3)
    (tmp_path / "more").mkdir()
    with pytest.raises(ParameterError, match="an Excel sheet holds 3 records"):
        write_folder(generalized(), ORIGINAL, tmp_path / "more", format="xlsx")


def test_fimi_keeps_the_numbers_of_exact_items_and_gives_others_to_generalized_ones(tmp_path):
    folder, about = published(tmp_path, generalized(ONLY_ITEMS), ONLY_ITEMS, "fimi")

    assert (folder / "records.dat").read_text() == "\n4\n4\n3\n"
    assert about["attributes"][0]["numbers"] == {"4": "(1,2)"}
    assert about["attributes"][0]["generalized"] == {"(1,2)": ["1", "2"]}


def test_fimi_holds_item_sets_alone(tmp_path):
    with pytest.raises(ParameterError, match="holds item sets and nothing else"):
        write_folder(generalized(), ORIGINAL, tmp_path, format="fimi")


def test_uncertain_items(tmp_path):
    for format in ("csv", "jsonl", "parquet", "fimi"):
        (tmp_path / format).mkdir()
        published(tmp_path / format, uncertain(), UNCERTAIN, format)
        again = read_folder(tmp_path / format, UNCERTAIN)
        assert again.assignments.tolist() == [[1, 0], [0, 1]]  # the records changed places
        assert again.rows.tolist() == [1, 0]

    assert (tmp_path / "csv/published/records.csv").read_text() == "items,items.errors\na,0\na -b? c?,1\n"
    assert [json.loads(line) for line in (tmp_path / "jsonl/published/records.jsonl").read_text().splitlines()] == [
        {"items": {"base": ["a"], "uncertain": [], "errors": 0}},
        {"items": {"base": ["a", "c"], "uncertain": ["b", "c"], "errors": 1}},
    ]
    assert pl.read_parquet(tmp_path / "parquet/published/records.parquet").to_dict(as_series=False) == {
        "items.base": [["a"], ["a", "c"]],
        "items.uncertain": [[], ["b", "c"]],
        "items.errors": [0, 1],
    }
    marks = json.loads((tmp_path / "csv/published/about.json").read_text())["attributes"][0]["marks"]
    assert marks == {"certain": "ITEM", "doubted": "ITEM?", "possible": "-ITEM?"}


def test_marks_that_items_themselves_have_are_not_used(tmp_path):
    t = Transactions.from_records([["b", "-b"]])
    items = UncertainItems(t.offsets, t.items, t.offsets, t.items, np.array([2], np.int32), t.domain)

    _, about = published(tmp_path, Release((), items, (), Provenance("any"), np.arange(1)), Dataset(transactions=t), "csv")

    assert about["attributes"][0]["marks"]["possible"] == "--ITEM??"


def test_about_tells_everything_a_reader_needs_and_nothing_private(tmp_path):
    wishes = (Constraints(2, (("a", "b"), ("c",))), UtilityConstraints((("a", "b"), ("c",)), 0.1))
    release = generalized(guarantees=wishes, parameters={"k": 2, "seed": 4711, "privacy": Itemsets((("a", "b"), ("c",)))})

    folder, about = published(tmp_path, release, ORIGINAL, "csv")

    assert about["seeded"] is True
    assert "4711" not in (folder / "about.json").read_text()
    assert [(g["id"], g.get("itemsets"), g.get("groups")) for g in about["guarantees"]] == [
        ("constraints", 2, None),
        ("utility-constraints", None, 2),
    ]
    assert about["guarantees"][0]["words"] == "Each of 2 protected itemsets matches at least 2 records, or none."
    assert (about["records"], about["suppressed_records"]) == (4, 0)
    assert any("seed" in sentence for sentence in about["how_to_read"])
    assert read_manifest(tmp_path)["seed"] == 4711
    assert read_folder(tmp_path, ORIGINAL).guarantees == wishes


EXAMPLES = {
    "k": 3,
    "m": 2,
    "l": 4,
    "t": 0.25,
    "itemsets": (("a",),),
    "groups": (("a",),),
    "suppression": 0.1,
    "share": 0.1,
    "sensitive": ("a",),
    "column": "illness",
    "population": 900,
    "records": 0,
}


@pytest.mark.parametrize("id", GUARANTEES)
def test_every_guarantee_has_words_that_name_its_numbers(id):
    names = [f.name for f in fields(GUARANTEES[id]) if f.name in EXAMPLES]
    guarantee = make_guarantee(id, {name: EXAMPLES[name] for name in names})

    text = guarantee.words()

    assert text.endswith(".")
    assert all(str(EXAMPLES[name]) in text for name in {"k", "m", "l", "t", "column"}.intersection(names))


def test_constraints_cannot_be_checked_without_the_private_list(tmp_path):
    folder, _ = published(tmp_path, generalized(guarantees=(Constraints(2, (("a",),)),)), ORIGINAL, "csv")

    with pytest.raises(GuaranteeViolated, match="only with private/manifest"):
        read_folder(folder, ORIGINAL)


def test_parameters_come_back_with_their_policies(tmp_path):
    parameters = {
        "k": 2,
        "order": "lazy",
        "privacy": Itemsets((("a", "b"),)),
        "all": AllItemsets(2),
        "whole": WholeTransactions(),
        "utility": UtilityPolicy((("a", "b"),), 0.1, {"a": 2.0}),
        "none": None,
    }
    write_folder(generalized(parameters=parameters), ORIGINAL, tmp_path)

    assert read_folder(tmp_path, ORIGINAL).provenance.parameters == parameters


def test_what_json_lacks_is_made_plain():
    value = {"a": (1, 2.5, float("inf")), "b": np.int64(3), "c": np.array([1.0, np.nan]), "d": {True}, 5: None}

    assert to_builtins(value) == {"a": [1, 2.5, None], "b": 3, "c": [1.0, None], "d": [True], "5": None}


def test_the_trace_comes_back(tmp_path):
    steps = ({"step": 1, "item": "é"}, {"step": 2, "why": ["a", None]})
    write_folder(generalized(trace=steps), ORIGINAL, tmp_path)

    assert read_folder(tmp_path, ORIGINAL).trace == steps


def test_roles_can_be_had_from_what_is_published(tmp_path):
    write_folder(generalized(), ORIGINAL, tmp_path)
    schema = schema_of_folder(tmp_path)

    assert (schema.quasi, schema.items) == (("age", "city"), ("codes",))
    assert schema.kinds == {"age": "numeric", "city": "categorical"}


def test_an_original_without_the_attributes_is_told(tmp_path):
    write_folder(generalized(), ORIGINAL, tmp_path)

    with pytest.raises(InputError, match="there is no column 'age'"):
        read_folder(tmp_path, ONLY_ITEMS)
    with pytest.raises(InputError, match="the original has none"):
        read_folder(tmp_path, Dataset((AGES, CITIES)))


@pytest.mark.parametrize(
    ("file", "content", "error"),
    [
        ("published/about.json", "{", GuaranteeViolated),
        ("published/about.json", "[]", GuaranteeViolated),
        ("private/manifest.json", "[]", GuaranteeViolated),
        ("private/rows.csv", "input_row\n0\n", GuaranteeViolated),
        ("private/rows.csv", "input_row\n0\n1\n2\n9\n", GuaranteeViolated),
        ("private/rows.csv", "input_row\n0\n1\n2\n2\n", GuaranteeViolated),
        ("published/records.csv", "age,city\n", GuaranteeViolated),
    ],
)
def test_damaged_folders(tmp_path, file, content, error):
    write_folder(generalized(), ORIGINAL, tmp_path)
    (tmp_path / file).write_text(content)

    with pytest.raises(error):
        read_folder(tmp_path, ORIGINAL)


def test_folders_that_lack_files(tmp_path):
    with pytest.raises(InputError, match="is not a release"):
        read_folder(tmp_path, ORIGINAL)
    write_folder(generalized(), ORIGINAL, tmp_path)
    (tmp_path / "published/records.csv").unlink()
    with pytest.raises(InputError, match="is missing"):
        read_folder(tmp_path, ORIGINAL)


HOSTILE = ["=1+1", "'=x", "''@y", "+a", "-b", "-5", "@c", "\td", "'plain", "x=1"]


def test_no_cell_of_a_csv_file_is_a_formula_and_all_are_read_back(tmp_path):
    table = tmp_path / "t.csv"
    pl.DataFrame({"=town": HOSTILE * 2, "items": [f"{item}|z" for item in HOSTILE] * 2}).write_csv(table)
    data = read_data(table, schema=Schema(quasi=("=town",), items=("items",), item_separator="|"))
    folder = tmp_path / "out"
    folder.mkdir()
    release = make("identity", {"k": 1}).anonymize(data)

    write_folder(release, data, folder)

    with (folder / "published/records.csv").open(newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert {cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t"))} == {"-5"}
    assert "'=town" in cells
    for again in (read_folder(folder, data), read_for_verdict(folder, data)):
        (column,) = again.columns
        assert sorted(column.labels.texts[c] for c in column.codes) == sorted([*data.columns[0].domain] * 2)
        assert set(again.items.labels.texts) == set(data.transactions.domain)
