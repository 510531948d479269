"""A table of a database in a file is read as the database itself is."""

import pytest

from anonset.data import read
from anonset.errors import InputError
from anonset.model.schema import Schema
from anonset.tasks import intake
from hospital import ASKED, fill_sqlite

ROLES = {"quasi": ("age", "town"), "identifier": ("patient_id",), "items": "code"}


def test_a_copy_is_read_as_the_tables_are(tmp_path):
    address = fill_sqlite(tmp_path / "clinic.db")
    intake.fetch(address, ASKED, tmp_path / "copy.parquet")

    direct, copied = read(address, schema=Schema(**ASKED | ROLES)), read(tmp_path / "copy.parquet", schema=Schema(**ROLES))

    assert intake.tables(address)["diagnoses"] == ["patient", "code"]
    assert [column.codes.tolist() for column in direct.columns] == [column.codes.tolist() for column in copied.columns]
    assert direct.transactions.domain == copied.transactions.domain
    assert direct.transactions.items.tolist() == copied.transactions.items.tolist()


def test_a_complaint_leaves_the_address_out(tmp_path):
    address = f"sqlite:///{tmp_path}/none.db"

    with pytest.raises(InputError) as refused:
        intake.tables(address)
    assert str(intake.without_address(refused.value, address)) == "there is no such file"
