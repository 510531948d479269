"""Every format gives the same dataset, plain and gzipped."""

import gzip
import hashlib
import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.data import Schema, guess, read
from anonset.errors import Cancelled, InputError
from anonset.model.dataset import MISSING

AGES = [39, 50, None, 7]
CITIES = ["Ulm", None, "Bonn, am Rhein", 'say "Ulm"']
BASKETS = [["milk", "bread"], [], ["bread"], ["eggs", "milk", "bread"]]


def as_csv(delimiter, separator=" "):
    def cell(value):
        text = "" if value is None else str(value)
        return '"' + text.replace('"', '""') + '"' if any(sign in text for sign in f'{delimiter}"\n') else text

    rows = [["age", "city", "items"]]
    rows += [[age, city, separator.join(items)] for age, city, items in zip(AGES, CITIES, BASKETS, strict=True)]
    return "".join(delimiter.join(map(cell, row)) + "\n" for row in rows).encode()


def as_jsonl():
    rows = zip(AGES, CITIES, BASKETS, strict=True)
    return "".join(json.dumps({"age": a, "city": c, "items": i}) + "\n" for a, c, i in rows).encode()


def as_parquet(path):
    pl.DataFrame({"age": AGES, "city": CITIES, "items": BASKETS}).write_parquet(path)
    return path.read_bytes()


def check_sample(data):
    assert list(data.transactions.records()) == [frozenset(items) for items in BASKETS]
    assert data.transactions.domain == ("bread", "eggs", "milk")
    age, city = data.columns
    assert (age.kind, city.kind) == ("numeric", "categorical")
    assert age.domain == ("7", "39", "50")
    assert age.codes.tolist() == [1, 2, MISSING, 0]
    assert [None if c < 0 else city.domain[c] for c in city.codes] == CITIES


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gz"])
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", as_csv(",")),
        ("t.csv", b"\xef\xbb\xbf" + as_csv(";")),
        ("t.csv", as_csv("|", separator=";")),
        ("t.tsv", as_csv("\t")),
        ("t.csv", as_csv(",").replace(b"\n", b"\r\n")),
        ("t.jsonl", as_jsonl()),
        ("t.parquet", None),
    ],
    ids=["comma", "semicolon", "bar", "tab", "crlf", "jsonl", "parquet"],
)
def test_tables_of_every_format_hold_the_same(tmp_path, name, content, packed):
    content = content or as_parquet(tmp_path / "made.parquet")
    path = tmp_path / (f"{name}.gz" if packed else name)
    path.write_bytes(gzip.compress(content) if packed else content)

    data = read(path)

    check_sample(data)
    assert data.sources[0].name == path.name
    assert data.sources[0].sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"age": AGES, "city": CITIES, "items": BASKETS}),
        pl.DataFrame({"age": AGES, "city": CITIES, "items": BASKETS}),
        pa.table({"age": AGES, "city": pa.array(CITIES).dictionary_encode(), "items": BASKETS}),
        pl.DataFrame({"age": AGES, "city": CITIES, "items": [" ".join(items) for items in BASKETS]}),
    ],
    ids=["pandas", "polars", "pyarrow", "text items"],
)
def test_dataframes_hold_the_same(frame):
    data = read(frame)

    check_sample(data)
    assert data.sources[0] == read(frame).sources[0]
    assert data.sources[0].name == "DataFrame"


def test_an_index_is_a_column_only_where_it_has_a_name():
    frame = pd.DataFrame({"a": [1, 2]}, index=["x", "x"])

    assert [column.name for column in read(frame).columns] == ["a"]
    assert [column.name for column in read(frame.rename_axis("b")).columns] == ["a", "b"]


def test_another_dataframe_has_another_hash():
    one, two = (read(pl.DataFrame({"a": ["x", city]})).sources[0].sha256 for city in ("y", None))

    assert one != two


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gz"])
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("b.dat", b"3 1 20\n\n1\t3 3\r\n20"),
        ("b.spmf", b"@CONVERTED\n3 1 20\n# none\n-2\n1 3 3\n20\n"),
        ("b.txt", b"3 -1 1 20 -1 -2\n-2\n\n1 -1 3 -1 3 -1 -2\n20 -1 -2\n"),
    ],
)
def test_baskets_of_every_format_hold_the_same(tmp_path, name, content, packed):
    path = tmp_path / (f"{name}.gz" if packed else name)
    path.write_bytes(gzip.compress(content) if packed else content)

    data = read(path)

    assert list(data.transactions.records()) == [{"1", "3", "20"}, set(), {"1", "3"}, {"20"}]
    assert data.transactions.domain == ("1", "3", "20")
    assert data.item_column == "items"


def test_spmf_names_its_items(tmp_path):
    path = tmp_path / "b.spmf"
    path.write_text("@CONVERTED_FROM_TEXT\n@ITEM=1=whole milk\n@ITEM=2=bread\n1 2\n2 3\n")

    assert list(read(path).transactions.records()) == [{"whole milk", "bread"}, {"bread", "3"}]


@given(st.lists(st.sets(st.integers(0, 400)), min_size=1, max_size=20))
def test_any_baskets_survive_being_written_as_fimi(tmp_path_factory, records):
    path = tmp_path_factory.mktemp("fimi") / "b.dat"
    path.write_text("".join(" ".join(map(str, record)) + "\n" for record in records))

    assert [set(map(int, record)) for record in read(path).transactions.records()] == records


def test_large_files_are_read_in_pieces(tmp_path, monkeypatch):
    path = tmp_path / "b.dat"
    lines = [" ".join(map(str, range(r, r + r % 5))) for r in range(300)]
    path.write_text("\n".join(lines))
    monkeypatch.setattr("anonset.data.files.chunks.__defaults__", (lambda done: None, 64))

    assert [len(record) for record in read(path).transactions.records()] == [r % 5 for r in range(300)]


def test_item_texts_are_split_slice_by_slice(tmp_path, monkeypatch):
    monkeypatch.setattr("anonset.data.coding.SLICE", 3)
    path = tmp_path / "t.csv"
    path.write_text("items,age\n" + "".join(f"a{r % 4};b{r};; b{r} ,{r}\n" for r in range(20)))

    data = read(path)

    assert list(data.transactions.records()) == [{f"a{r % 4}", f"b{r}"} for r in range(20)]


def test_missing_values_are_a_documented_list(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,items\n1,NA,x\n?,y,null\n-,z,\n3,null,x y\n")

    data = read(path, schema=Schema(missing=("NA", "?", "null", "-")))

    a, b = data.columns
    assert a.kind == "numeric"
    assert a.codes.tolist() == [0, MISSING, MISSING, 1]
    assert b.codes.tolist() == [MISSING, 0, 1, MISSING]
    assert data.transactions.lengths.tolist() == [1, 0, 0, 2]


def test_a_column_without_any_value_is_categorical_and_all_missing(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,\n2,NA\n")

    column = read(path).column("b")

    assert (column.kind, column.domain, column.codes.tolist()) == ("categorical", (), [MISSING, MISSING])


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "2.5", "-3e2", "+4"], "numeric"),
        (["007", "12"], "categorical"),
        (["02139", "10001"], "categorical"),
        (["0", "0.5", "-0.25"], "numeric"),
        (["1_000", "2"], "categorical"),
        (["nan", "x"], "categorical"),
        (["nan", "inf"], "categorical"),
        (["1", "x"], "categorical"),
        (["٣", "4"], "categorical"),
    ],
)
def test_numbers_are_told_from_codes(values, kind):
    assert read(pl.DataFrame({"a": values})).column("a").kind == kind


def test_equal_numbers_are_one_value_shown_by_the_shortest_text():
    column = read(pl.DataFrame({"a": ["1.0", "1", "2", "1e0"]})).column("a")

    assert column.domain == ("1", "2")
    assert column.codes.tolist() == [0, 0, 1, 0]
    assert column.values.tolist() == [1.0, 2.0]


def test_a_kind_given_overrules_the_guess():
    schema = Schema(kinds={"zip": "numeric", "n": "categorical"})

    data = read(pl.DataFrame({"zip": ["007", "12"], "n": [1, 2]}), schema=schema)

    assert [column.kind for column in data.columns] == ["numeric", "categorical"]


def test_typed_columns_become_plain_texts():
    frame = pl.DataFrame(
        {
            "whole": [39.0, None],
            "part": [0.5, 2.0],
            "day": pl.Series(["2020-02-29", None]).str.to_date(),
            "time": pl.Series(["2020-02-29 00:00:00", "2021-01-01 10:30:00"]).str.to_datetime(time_unit="us"),
            "flag": [True, False],
            "numbers": [[2, 10], None],
        }
    )

    data = read(frame)

    assert [data.column(name).domain for name in ("whole", "part", "flag")] == [("39",), ("0.5", "2"), ("false", "true")]
    assert data.column("day").domain[data.column("day").codes[0]] == "2020-02-29"
    assert data.column("time").domain == ("2020-02-29", "2021-01-01 10:30:00")
    assert data.transactions.domain == ("2", "10")


def test_several_set_valued_columns_become_one_with_prefixed_items():
    frame = pl.DataFrame({"drugs": [["a"], ["b", "a"]], "tests": [["a", "x"], None]})

    data = read(frame)

    assert list(data.transactions.records()) == [{"drugs.a", "tests.a", "tests.x"}, {"drugs.a", "drugs.b"}]
    assert data.item_column == "items"


def test_repeats_collapse_or_are_counted():
    frame = pl.DataFrame({"items": [["milk", "milk", "egg"], ["milk"], []]})

    assert list(read(frame).transactions.records()) == [{"milk", "egg"}, {"milk"}, set()]
    counted = read(frame, schema=Schema(multiset=True))
    assert list(counted.transactions.records()) == [{"milk x2", "egg"}, {"milk"}, set()]


def test_a_count_that_looks_like_a_name_is_refused():
    with pytest.raises(InputError, match="ends like a count"):
        read(pl.DataFrame({"items": [["milk", "milk", "milk x2"]]}), schema=Schema(multiset=True))


def test_identifiers_are_dropped_and_only_named():
    data = read(pl.DataFrame({"patient_id": ["p1", "p2"], "age": [3, 4]}))

    assert data.identifiers == ("patient_id",)
    assert [column.name for column in data.columns] == ["age"]


def test_progress_rises_to_one_and_may_cancel(tmp_path):
    path, seen = tmp_path / "b.dat", []
    path.write_text("1 2\n3\n")
    read(path, progress=seen.append)

    assert seen == sorted(seen)
    assert seen[-1] == 1.0

    def stop(done):
        raise Cancelled("enough")

    with pytest.raises(Cancelled):
        read(path, progress=stop)


def test_a_completed_schema_reads_the_same_again(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(as_csv(","))

    data, found = read(path), guess(path)
    again = read(path, schema=found.schema)

    assert found.fates == data.fates
    assert [(c.name, c.role, c.kind, c.domain) for c in again.columns] == [
        (c.name, c.role, c.kind, c.domain) for c in data.columns
    ]
    np.testing.assert_array_equal(again.transactions.items, data.transactions.items)


@pytest.mark.data
def test_real_datasets_have_their_known_sizes(real_data):
    sizes = {
        "transactions/bms_webview_1.dat.gz": (59_602, 497),
        "transactions/bms_webview_2.dat.gz": (77_512, 3_340),
        "transactions/groceries.dat.gz": (9_835, 169),
        "rt/informs05.csv.gz": (26_735, 599),
        "rt/synthea_ma.csv.gz": (1_206, 195),
    }
    for name, (records, items) in sizes.items():
        data = read(real_data / name)

        assert (len(data), len(data.transactions.domain)) == (records, items)
    zips = read(real_data / "rt/synthea_ma.csv.gz").column("zip")
    assert zips.kind == "categorical"
    assert (zips.codes == MISSING).any()
