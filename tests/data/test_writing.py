"""Files that are written whole or not at all."""

import os
import stat

import pytest

from anonset.data.files import require_free, write_text
from anonset.errors import InputError


def modes(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_text_is_written_as_it_is_and_replaces_what_was_there(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("old")

    write_text(path, "é;1\r\n2\n")

    assert path.read_bytes() == "é;1\r\n2\n".encode()
    assert [found.name for found in tmp_path.iterdir()] == ["a.csv"]


@pytest.mark.skipif(os.name != "posix", reason="who may read a file is told otherwise there")
def test_who_may_read_it_is_as_the_system_has_it_or_as_asked_for(tmp_path):
    before = os.umask(0o027)
    try:
        write_text(tmp_path / "usual", "")
        write_text(tmp_path / "private", "", mode=0o600)
    finally:
        os.umask(before)

    assert (modes(tmp_path / "usual"), modes(tmp_path / "private")) == (0o640, 0o600)


def test_where_it_cannot_be_written_the_old_one_stays_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_text("old")

    def in_use(draft, place):
        raise PermissionError(13, "used by another process")

    monkeypatch.setattr(os, "replace", in_use)  # as Windows has it while somebody reads the file

    with pytest.raises(InputError, match=r"a\.csv: cannot be written: used by another process"):
        write_text(path, "new")
    assert path.read_text() == "old"
    assert [found.name for found in tmp_path.iterdir()] == ["a.csv"]
    with pytest.raises(InputError, match="cannot be written: No such file"):
        write_text(tmp_path / "gone" / "a.csv", "")


def test_what_is_there_is_told_before_the_work(tmp_path):
    (tmp_path / "a").touch()

    require_free(tmp_path / "b", overwrite=False)
    require_free(tmp_path / "a", overwrite=True)
    with pytest.raises(InputError, match="exists already"):
        require_free(tmp_path / "a", overwrite=False)
