"""Packed files hold what they hold unpacked; what is cut off, ambiguous or swells beyond measure is refused."""

import gzip
import io
import re
import zipfile

import pytest
import zstandard

from anonset.data import read
from anonset.errors import InputError

TABLE = b"age,city\n" + b"".join(b"%d,Ulm\n" % (20 + n % 7) for n in range(300))


def zipped(**files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), content)
    return buffer.getvalue()


PACKED = {
    "t.csv.gz": gzip.compress(TABLE),
    "t.csv.zst": zstandard.ZstdCompressor().compress(TABLE),
    "frames.csv.zst": zstandard.ZstdCompressor().compress(TABLE[:900]) + zstandard.ZstdCompressor().compress(TABLE[900:]),
    "t.csv.zip": zipped(anything_csv=TABLE),
    "t.zip": zipped(folder__people_csv=TABLE),
}


@pytest.mark.parametrize("name", PACKED)
def test_a_packed_file_holds_what_it_holds_unpacked(tmp_path, name):
    (tmp_path / name).write_bytes(PACKED[name])

    data = read(tmp_path / name)

    assert len(data) == 300
    assert data.column("age").codes[:8].tolist() == [0, 1, 2, 3, 4, 5, 6, 0]
    assert data.sources[0].name == name


@pytest.mark.parametrize("name", PACKED)
def test_a_packed_file_that_is_cut_off_is_told(tmp_path, name):
    (tmp_path / name).write_bytes(PACKED[name][:-9])

    with pytest.raises(InputError, match=rf"{name}: is not a complete (gzip|zstd|zip) file: it is truncated or damaged"):
        read(tmp_path / name)


@pytest.mark.parametrize("name", ["t.csv.gz", "t.csv.zst", "t.csv.zip"])
def test_what_is_not_packed_as_its_name_says_is_told(tmp_path, name):
    (tmp_path / name).write_bytes(TABLE)

    with pytest.raises(InputError, match=rf"{re.escape(name)}: (ends in .* but is not a|is not a complete)"):
        read(tmp_path / name)


def test_a_zip_file_with_several_files_is_refused(tmp_path):
    for content, n in ((zipped(a_csv=TABLE, b_csv=TABLE), 2), (zipped(), 0)):
        (tmp_path / "t.zip").write_bytes(content)
        with pytest.raises(InputError, match=rf"t.zip: (holds {n} files; a zip file with one is expected|ends in .zip but is)"):
            read(tmp_path / "t.zip")


@pytest.mark.parametrize("name", ["t.csv.gz", "t.csv.zst", "t.csv.zip"])
def test_what_swells_beyond_measure_is_refused(tmp_path, monkeypatch, name):
    monkeypatch.setattr("anonset.data.files.FREE", 1 << 16)
    bomb = b"a\n" + b"0" * (1 << 24)
    pack = {"gz": gzip.compress, "zst": zstandard.ZstdCompressor().compress, "zip": lambda data: zipped(t_csv=data)}
    (tmp_path / name).write_bytes(pack[name.rpartition(".")[2]](bomb))

    with pytest.raises(InputError, match="unpacks to more than 250 times its size; if you trust it, ANONSET_UNPACKED"):
        read(tmp_path / name)
