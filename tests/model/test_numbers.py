"""Large whole numbers are held exactly or kept as they are written."""

from decimal import Decimal

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms.identity import Identity
from anonset.data import read
from anonset.errors import InputError
from anonset.model.dataset import Column
from anonset.model.literals import is_held, plain
from anonset.model.release import Accepted
from anonset.model.schema import Schema
from anonset.releases.folder import read_folder
from anonset.releases.foreign import read_foreign
from anonset.releases.publish import publish, verify_folder

ODD = 2**53 + 1


@given(st.integers(-(2**62), 2**62))
def test_a_whole_number_is_held_where_its_float_is_the_same(number):
    assert is_held(str(number)) == (int(float(number)) == number)
    if is_held(str(number)):
        assert plain(float(number)) == number
        assert isinstance(plain(float(number)), int)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_what_a_float_writes_is_held(number):
    assert is_held(repr(number)) or (2**53 <= abs(number) < 2**63 and Decimal(repr(number)) != Decimal(number))
    assert float(plain(number)) == number


def test_a_numeric_column_refuses_what_it_would_round():
    with pytest.raises(InputError, match="9007199254740993 cannot be computed with exactly"):
        Column("x", "quasi", "numeric", np.zeros(1, np.int32), (str(ODD),), np.array([float(ODD)]))
    assert Column("x", "quasi", "numeric", np.zeros(1, np.int32), (str(ODD - 1),), np.array([float(ODD - 1)])).is_integer


@pytest.mark.parametrize("format", ["csv", "parquet", "jsonl"])
@pytest.mark.parametrize("source", ["csv", "parquet", "jsonl"])
def test_large_numbers_come_out_as_they_went_in(source, format, tmp_path):
    numbers = [ODD, ODD - 1, ODD, ODD - 1]
    frame = pl.DataFrame({"account": numbers, "size": [2**60, 2**60, 2**60 + 2**10, 2**60 + 2**10]})
    path = tmp_path / f"data.{source}"
    {"csv": frame.write_csv, "parquet": frame.write_parquet, "jsonl": frame.write_ndjson}[source](path)
    data = read(path, schema=Schema(other=("account",), quasi=("size",)))
    assert data.column("account").domain == (str(ODD - 1), str(ODD))
    assert data.column("size").kind == "numeric"

    publish(data, Identity(k=2, m=1).anonymize(data), tmp_path / "out", format=format, accepted=Accepted(exposure=("account",)))

    again = read_folder(tmp_path / "out", data)
    assert sorted(again.columns[0].labels.texts[c] for c in again.columns[0].codes) == sorted(map(str, numbers))
    written = (tmp_path / "out/published" / f"records.{format}").read_bytes()
    if format == "parquet":
        assert pl.read_parquet(written)["size"].dtype == pl.Int64
    else:
        assert str(2**60 + 2**10).encode() in written
        assert str(ODD).encode() in written
    assert verify_folder(data, tmp_path / "out").holds


def test_a_column_that_is_said_to_be_numeric_names_the_line(tmp_path):
    (tmp_path / "data.csv").write_text(f"n,m\n1,2\n{ODD},2\n")

    with pytest.raises(InputError, match=r"line 3, column n: 9007199254740993 cannot be computed with exactly"):
        read(tmp_path / "data.csv", schema=Schema(quasi=("n", "m"), kinds={"n": "numeric"}))


def test_a_file_of_another_tool_with_a_rounded_number_is_refused(tmp_path):
    (tmp_path / "data.csv").write_text(f"n,m\n{ODD - 1},2\n{ODD - 1},2\n")
    (tmp_path / "theirs.csv").write_text(f"n,m\n{ODD},2\n{ODD},2\n")
    data = read(tmp_path / "data.csv", schema=Schema(quasi=("n", "m")))

    with pytest.raises(InputError, match="9007199254740993"):
        read_foreign(tmp_path / "theirs.csv", data, aligned=True)
