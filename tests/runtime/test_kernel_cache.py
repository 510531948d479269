"""Compiled kernels are cached where there is a place for them, and never outlive an edit of what they call."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import anonset
from anonset.runtime import kernel_cache
from anonset.runtime.kernel_cache import PREFIX, cache_folder, use_cache

PACKAGE = Path(anonset.__file__).parent


@pytest.fixture
def environment(monkeypatch, tmp_path):
    """No folder given, and the user's cache in a temporary one."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.setattr("platformdirs.user_cache_path", lambda name: tmp_path / "cache" / name)


@pytest.fixture
def read_only_package(environment, monkeypatch):
    allowed = os.access  # root may write anywhere
    monkeypatch.setattr(os, "access", lambda path, mode: str(path) != kernel_cache.PACKAGE and allowed(path, mode))


def name():
    return kernel_cache._folder_name(kernel_cache.PACKAGE)


def test_a_package_that_can_be_written_to_has_its_own_cache(environment):
    folder = use_cache()

    assert folder == str(PACKAGE / "__pycache__" / name())
    assert cache_folder() == Path(folder)


def test_the_user_s_cache_is_taken_for_a_package_that_is_read_only(read_only_package, tmp_path):
    folder = use_cache()

    assert folder == str(tmp_path / "cache" / "anonset" / name())
    assert os.environ["NUMBA_CACHE_DIR"] == folder


def test_a_given_folder_is_the_base_also_for_child_processes(environment, monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "given"))

    first = use_cache()
    again = use_cache()  # as a child process would, which finds what its parent set

    assert first == again == str(tmp_path / "given" / name())


def test_where_the_user_has_no_place_either_it_is_a_copy_for_the_process(read_only_package, monkeypatch, tmp_path):
    cached = tmp_path / "cache" / "anonset" / name()
    cached.mkdir(parents=True)
    (cached / "kernel.nbi").write_text("compiled")
    monkeypatch.setattr(kernel_cache, "_prepare", lambda folder: False)

    folder = Path(use_cache())

    assert folder.stat().st_mode & 0o777 == 0o700
    assert folder.name == name()
    assert (folder / "kernel.nbi").read_text() == "compiled"
    shutil.rmtree(folder.parent)


def test_what_is_no_folder_is_no_place(environment, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file"))

    folder = Path(use_cache())

    assert tmp_path not in folder.parents
    assert list(folder.iterdir()) == []
    shutil.rmtree(folder.parent)


def test_sources_that_cannot_be_read_are_compiled_for_the_process_alone(environment, monkeypatch, tmp_path):
    monkeypatch.setattr(kernel_cache, "PACKAGE", str(tmp_path / "archive.zip"))

    folder = Path(use_cache())

    assert not folder.name.startswith(PREFIX)
    assert list(folder.iterdir()) == []
    folder.rmdir()


def test_a_folder_that_nobody_used_for_months_goes_when_a_new_one_comes(environment, monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    old, recent, other = tmp_path / f"{PREFIX}old", tmp_path / f"{PREFIX}recent", tmp_path / "other"
    for folder in (old, recent, other):
        folder.mkdir()
    for folder in (old, other):
        os.utime(folder, (0, 0))

    use_cache()

    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([name(), recent.name, "other"])


def test_the_name_changes_with_any_kernel_and_with_nothing_else(tmp_path):
    kernels = tmp_path / "family" / "_kernels"
    kernels.mkdir(parents=True)
    (kernels / "a.py").write_text("one")
    first = kernel_cache._folder_name(str(tmp_path))
    (tmp_path / "family" / "b.py").write_text("no kernel")
    same = kernel_cache._folder_name(str(tmp_path))
    (kernels / "a.py").write_text("two")
    edited = kernel_cache._folder_name(str(tmp_path))
    (kernels / "a.py").rename(kernels / "c.py")
    renamed = kernel_cache._folder_name(str(tmp_path))

    assert first == same
    assert len({first, edited, renamed}) == 3


def test_what_is_compiled_is_in_a_folder_of_kernels():
    """The hash covers those folders only."""
    compiling = [
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if path.parent.name not in ("kernels", "_kernels")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and any("njit" in ast.unparse(decorator) for decorator in node.decorator_list)
    ]

    assert compiling == []


CALLER = """
from numba import njit
from anonset.kernels.callee import number

@njit(cache=True)
def twice():
    return 2 * number()
"""
CALLEE = """
from numba import njit

@njit(cache=True)
def number():
    return {}
"""


def test_an_edited_callee_is_seen_by_its_callers_in_other_files(tmp_path):
    package = tmp_path / "anonset"
    cache = Path(kernel_cache.__file__).relative_to(PACKAGE)
    for file in (Path("__init__.py"), cache.parent / "__init__.py", cache, Path("kernels") / "__init__.py"):
        (package / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PACKAGE / file, package / file)
    (package / "kernels" / "caller.py").write_text(CALLER)
    script = (
        "import anonset; from anonset.kernels.caller import twice; "
        "print(twice(), sum(twice.stats.cache_hits.values()), anonset.__file__)"
    )
    given = {"PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "NUMBA_DISABLE_JIT": "0"}

    def answer(value):
        (package / "kernels" / "callee.py").write_text(CALLEE.format(value))
        done = subprocess.run(
            [sys.executable, "-c", script], env=os.environ | given, capture_output=True, text=True, check=True
        )
        assert str(package) in done.stdout
        return [int(number) for number in done.stdout.split()[:2]]

    assert [answer(10), answer(10), answer(505)] == [[20, 0], [20, 1], [1010, 0]]
