"""Compiled kernels are kept where there is a place for them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import anonset
from anonset.model import compiled
from anonset.model.compiled import keep_elsewhere, kept_in


@pytest.fixture
def environment(monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    monkeypatch.setitem(sys.modules, "numba", None)


def test_the_user_s_cache_is_taken(environment, monkeypatch, tmp_path):
    monkeypatch.setattr("platformdirs.user_cache_path", lambda name: tmp_path / "cache" / name)

    assert keep_elsewhere() == tmp_path / "cache" / "anonset"
    assert os.environ["NUMBA_CACHE_DIR"] == str(tmp_path / "cache" / "anonset")
    assert kept_in() == tmp_path / "cache" / "anonset"


def test_where_the_user_has_no_place_either_it_is_a_copy_of_their_own(environment, monkeypatch, tmp_path):
    (tmp_path / "anonset").mkdir()
    (tmp_path / "anonset" / "kernel.nbi").write_text("compiled")
    monkeypatch.setattr("platformdirs.user_cache_path", lambda name: tmp_path / name)
    monkeypatch.setattr(compiled, "_writable", lambda folder: False)  # root may write anywhere

    folder = keep_elsewhere()

    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "kernel.nbi").read_text() == "compiled"
    shutil.rmtree(folder)


def test_what_is_no_folder_is_no_place(environment, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr("platformdirs.user_cache_path", lambda name: tmp_path / "file" / name)

    folder = keep_elsewhere()

    assert list(folder.iterdir()) == []
    folder.rmdir()


def test_beside_the_sources_unless_told_otherwise(environment):
    assert kept_in() == Path(anonset.__file__).parent


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs a user who may not write everywhere")
def test_a_package_that_is_read_only(tmp_path):
    source = tmp_path / "anonset"
    source.mkdir()
    for name in ("__init__.py", "model"):
        (source / name).symlink_to(Path(anonset.__file__).parent / name)
    source.chmod(0o500)
    script = "import anonset, os; print(os.environ['NUMBA_CACHE_DIR'])"
    told = {"PYTHONPATH": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache"), "NUMBA_CACHE_DIR": ""}

    done = subprocess.run([sys.executable, "-c", script], env=os.environ | told, capture_output=True, text=True)

    assert done.stdout.strip() == str(tmp_path / "cache" / "anonset")
