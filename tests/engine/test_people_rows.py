"""Rows of one person become one record in batches as they do in memory: by a key, or from a second file or table."""

import sqlite3

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonset.data.read import read
from anonset.engine.planning import Resources
from anonset.engine.session import open_session
from anonset.errors import InputError
from anonset.model.progress import unheard
from anonset.model.schema import Schema


def shown(data):
    values = {c.name: [None if code < 0 else c.domain[code] for code in c.codes.tolist()] for c in data.columns}
    if data.transactions is not None:
        held = data.transactions
        values["items"] = [
            {held.domain[i] for i in held.items[a:b]} for a, b in zip(held.offsets, held.offsets[1:], strict=False)
        ]
    return values


def same(data, schema, work):
    """The batches are the dataset in memory, also with several buckets and ranges."""
    whole = read(data, schema=schema)
    with pytest.MonkeyPatch.context() as monkey:
        monkey.setattr("anonset.engine.people.BUCKET_ROWS", 20)
        monkey.setattr("anonset.engine.people.COPY_ROWS", 30)
        with open_session(data, schema, Resources(jobs=1), work, unheard) as (driver, source, _):
            batches = [shown(driver.context.batch(ref)) for ref in source.batches]
            roster = driver.context.roster
    assert {name: [v for batch in batches for v in batch[name]] for name in batches[0]} == shown(whole)
    assert [(c.name, c.role, c.kind, c.domain) for c in roster.columns] == [
        (c.name, c.role, c.kind, c.domain) for c in whole.columns
    ]
    assert roster.gathered == whole.gathered
    assert roster.fates == whole.fates
    assert roster.reading == whole.reading
    assert len(batches) > 1 or len(whole) <= 30


def visits(seed, rows):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "patient": [f"p{i}" for i in rng.integers(0, rows // 2 + 1, rows)],
            "age": rng.integers(20, 24, rows).astype(str).tolist(),
            "town": rng.choice(["Ulm", "Nice", "NA", ""], rows).tolist(),
            "note": rng.choice(["x", "y"], rows).tolist(),
            "drug": rng.choice(["a", "b;c", "NA", ""], rows).tolist(),
        }
    )


ROLES = {"quasi": ("age", "town"), "items": ("drug",), "item_separator": ";"}


@settings(max_examples=12)
@given(st.integers(0, 999), st.integers(2, 200))
def test_rows_are_gathered_by_a_key(tmp_path_factory, seed, rows):
    folder = tmp_path_factory.mktemp("rows")
    visits(seed, rows).write_csv(folder / "visits.csv")

    same(folder / "visits.csv", Schema(id="patient", **ROLES), folder)


def test_a_long_table_needs_no_key(tmp_path):
    visits(3, 300).select(pl.col("patient").alias("patient_id"), "drug").write_csv(tmp_path / "long.csv")

    same(tmp_path / "long.csv", Schema(), tmp_path)


def test_what_differs_in_few_people_differs_in_all_buckets(tmp_path):
    table = visits(1, 200).with_columns(age=pl.lit("30"), town=pl.lit("Ulm"))
    last = table.tail(1).with_columns(age=pl.lit("31"), town=pl.lit("Nice"))
    pl.concat([table, last]).write_csv(tmp_path / "visits.csv")

    same(tmp_path / "visits.csv", Schema(id="patient", hierarchies={"town": "balanced:2"}, **ROLES), tmp_path)


def two_files(folder, rows):
    people = visits(2, rows).unique("patient", maintain_order=True).drop("drug")
    people.write_csv(folder / "people.csv")
    rng = np.random.default_rng(5)
    owners = rng.choice(people["patient"].to_list(), 3 * rows).tolist()
    goods = pl.DataFrame({"patient": owners, "drug": rng.choice(["a", "b", "c", "NA"], 3 * rows).tolist()})
    goods.write_csv(folder / "goods.csv")
    return people, goods


def test_items_come_from_a_second_file(tmp_path):
    two_files(tmp_path, 150)

    same(tmp_path / "people.csv", Schema(id="patient", quasi=("age", "town"), long=str(tmp_path / "goods.csv")), tmp_path)


def test_items_come_from_a_second_table(tmp_path):
    people, goods = two_files(tmp_path, 150)
    with sqlite3.connect(tmp_path / "a.db") as database:
        for name, frame in (("people", people), ("goods", goods)):
            database.execute(f"create table {name} ({', '.join(frame.columns)})")
            database.executemany(f"insert into {name} values ({', '.join('?' * frame.width)})", frame.rows())
    database.close()

    schema = Schema(id="patient", quasi=("age", "town"), table="people", items_table="goods")
    same(f"sqlite:///{tmp_path}/a.db", schema, tmp_path)


@pytest.mark.parametrize(
    ("people", "goods", "message"),
    [
        ("id,age\n1,2\n1,3\n", "id,item\n1,a\n", "record 2: the id '1' occurs a second time"),
        ("id,age\n1,2\n2,3\n", "id,item\n1,a\n7,a\n", "record 2: the id '7' is that of no record"),
        ("id,age\n1,2\n,3\n", "id,item\n1,a\n", "record 2: every record needs an id"),
    ],
)
def test_ids_that_do_not_fit_are_named(tmp_path, people, goods, message):
    (tmp_path / "people.csv").write_text(people)
    (tmp_path / "goods.csv").write_text(goods)
    schema = Schema(id="id", long=str(tmp_path / "goods.csv"))

    with (
        pytest.raises(InputError, match=message),
        open_session(tmp_path / "people.csv", schema, Resources(jobs=1), tmp_path, unheard),
    ):
        pass
