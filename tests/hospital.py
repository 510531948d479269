"""A small hospital: visits, and a table of their diagnoses, as files and in databases."""

import sqlite3

import polars as pl

VISITS = pl.DataFrame(
    {
        "patient_id": range(1, 41),
        "age": [30 + 10 * (n % 2) for n in range(40)],
        "town": [("Ulm", "Bonn")[n // 2 % 2] for n in range(40)],
        "weight": [None if n % 8 == 7 else 70.5 + n % 4 for n in range(40)],
    }
)
NAMES = ("flu", "cold", "gout")
DIAGNOSES = pl.DataFrame({"patient": [1 + n % 38 for n in range(76)], "code": [NAMES[n % 3] for n in range(76)]})
ASKED = {"table": "visits", "items_table": "diagnoses", "id": "patient_id", "items_key": "patient", "items": "code"}
FLAGS = "--table visits --items-table diagnoses --key patient_id --items-key patient --item code"


def fill_sqlite(path):
    """The address of a SQLite file with both tables, their rows in no order."""
    connection = sqlite3.connect(path)
    for name, frame in (("visits", VISITS), ("diagnoses", DIAGNOSES)):
        connection.execute(f"create table {name} ({', '.join(frame.columns)})")
        connection.executemany(f"insert into {name} values ({', '.join('?' * frame.width)})", frame.reverse().iter_rows())
    connection.commit()
    connection.close()
    return f"sqlite:///{path}"


def fill(dbapi, place):
    """Put both tables into a database that ADBC reaches."""
    with dbapi.connect(place) as connection, connection.cursor() as cursor:
        for name, frame in (("visits", VISITS), ("diagnoses", DIAGNOSES)):
            cursor.execute(f"drop table if exists {name}")
            cursor.adbc_ingest(name, frame.sample(fraction=1, shuffle=True, seed=3).to_arrow(), mode="create")
        connection.commit()


def tables(dbapi, place):
    """The names of the tables that are there."""
    with dbapi.connect(place) as connection, connection.cursor() as cursor:
        cursor.execute("select table_name::text from information_schema.tables where table_schema in ('public', 'main')")
        return {name for (name,) in cursor.fetchall()}
