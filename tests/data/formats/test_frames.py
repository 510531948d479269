"""A file that declares more than its size can honestly hold is refused before it is unpacked; so is one without an end."""

import io

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from anonset.data import read
from anonset.data.formats.parquet import feather_values, parquet_values
from anonset.engine.source import open_source
from anonset.errors import InputError
from anonset.model.schema import Schema

FRAME = pl.DataFrame({"a": [1, 2, 3], "b": ["x", None, "y"], "c": [["p"], ["q", "r"], ["s"]]})
BOMB = "unpacks to more than 250 times its size; if you trust it, ANONSET_UNPACKED_TIMES allows more"


def written(frame, method, **how):
    buffer = io.BytesIO()
    getattr(frame, method)(buffer, **how)
    return buffer.getvalue()


@pytest.mark.parametrize("packing", ["uncompressed", "zstd", "lz4"])
def test_values_are_counted_those_in_lists_too(packing):
    assert parquet_values(written(FRAME, "write_parquet", compression=packing, row_group_size=2)) == 3 + 3 + 4
    assert feather_values(written(FRAME, "write_ipc", compression=packing)) == 3 + 3 + 3 + 4


def test_values_of_files_of_another_library_are_counted():
    table = pa.table({"town": pa.array(["Ulm", "Oslo", "Ulm"]).dictionary_encode(), "old": [True, False, None]})
    parquet, feather = pa.BufferOutputStream(), pa.BufferOutputStream()
    pq.write_table(table, parquet, write_page_index=True)
    with pa.ipc.new_file(feather, table.schema) as file:
        file.write_table(table)

    assert parquet_values(parquet.getvalue().to_pybytes()) == 6
    assert feather_values(feather.getvalue().to_pybytes()) == 6 + 2  # and a dictionary


@pytest.mark.parametrize("name", ["t.parquet", "t.feather"])
def test_few_bytes_for_many_values_are_refused(tmp_path, monkeypatch, name):
    lists = pl.DataFrame({"codes": [[1] * 400_000]})
    lists.write_parquet(tmp_path / "t.parquet") if name == "t.parquet" else lists.write_ipc(tmp_path / name, compression="zstd")
    monkeypatch.setattr("anonset.data.files.FREE", 1 << 16)

    with pytest.raises(InputError, match=f"{name}: {BOMB}"):
        read(tmp_path / name)
    if name == "t.parquet":
        with pytest.raises(InputError, match=BOMB):
            open_source(tmp_path / name, Schema(), tmp_path)
    monkeypatch.setenv("ANONSET_UNPACKED_TIMES", "100000")
    assert len(read(tmp_path / name)) == 1


@pytest.mark.parametrize("kind", [pl.String, pl.Categorical, pl.List(pl.String)])
def test_a_long_text_held_once_for_many_records_is_refused(tmp_path, monkeypatch, kind):
    text = "x" * 5_000
    monkeypatch.setattr("anonset.data.files.FREE", 1 << 16)
    pl.DataFrame({"s": pl.Series([[text] if kind == pl.List(pl.String) else text] * 2_000, dtype=kind)}).write_parquet(
        tmp_path / "t.parquet"
    )

    with pytest.raises(InputError, match=BOMB):
        read(tmp_path / "t.parquet")


@pytest.mark.parametrize("method", ["write_parquet", "write_ipc"])
def test_a_file_whose_end_is_damaged_is_told(tmp_path, capfd, method):
    data = written(FRAME, method)
    name = "t.parquet" if method == "write_parquet" else "t.feather"
    for cut in range(1, len(data), 23):
        (tmp_path / name).write_bytes(data[:-cut] + data[-12:] if cut % 2 else data[:-cut])
        with pytest.raises(InputError, match=r"(Parquet|Feather) file|unpacks to more"):
            read(tmp_path / name)

    assert capfd.readouterr().err == ""
