"""What the code base promises about its own shape."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted([*(ROOT / "src" / "anonset").rglob("*.py"), *(ROOT / "reproduction" / "src").rglob("*.py")])
KERNELS = [path for path in SOURCES if path.parent.name == "kernels"]
FORBIDDEN = {"utils", "helpers", "common", "misc", "core", "manager", "handler"}


def names(paths):
    return [str(path.relative_to(Path(__file__).parents[1])) for path in paths]


@pytest.mark.parametrize("path", SOURCES, ids=names(SOURCES))
def test_a_file_fits_on_a_few_screens(path):
    assert len(path.read_text().splitlines()) <= 300


@pytest.mark.parametrize("path", SOURCES, ids=names(SOURCES))
def test_no_file_or_class_is_a_dumping_ground(path):
    classes = [node.name.lower() for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ClassDef)]

    assert path.stem not in FORBIDDEN
    assert not [name for name in classes if any(name.endswith(word) for word in FORBIDDEN)]


@pytest.mark.parametrize("path", KERNELS, ids=names(KERNELS))
def test_a_kernel_file_calls_only_itself(path):
    imported = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add((node.module or "").split(".")[0])

    assert imported <= {"numpy", "numba", "typing", "collections"}


@pytest.mark.parametrize("path", KERNELS, ids=names(KERNELS))
def test_a_kernel_sorts_and_searches_in_one_way_only(path):
    """Numba tells its sort and its argsort, and both sides of searchsorted, apart by a number that each process counts anew.

    Loaded from the cache, what one process compiled as an argsort may be linked to what another one compiled as a sort.
    """
    text = path.read_text()

    assert "argsort" not in text
    assert "side=" not in text


@pytest.mark.parametrize("path", SOURCES, ids=names(SOURCES))
def test_only_the_command_line_prints(path):
    calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    prints = [node.lineno for node in calls if getattr(node.func, "id", "") == "print"]

    assert not prints or "cli" in path.parts or path.name == "command.py"


def test_nothing_is_left_unfinished():
    marks = [f"{path.name}: {found}" for path in SOURCES for found in re.findall(r"\b(?:TODO|FIXME|XXX)\b", path.read_text())]

    assert marks == []


@pytest.mark.parametrize("path", SOURCES, ids=names(SOURCES))
def test_what_only_some_systems_have_is_imported_where_it_is_used(path):
    top = ast.parse(path.read_text()).body
    imported = {alias.name for node in top if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module for node in top if isinstance(node, ast.ImportFrom)}

    assert not imported & {"fcntl", "grp", "msvcrt", "pwd", "resource", "termios", "winreg"}


@pytest.mark.parametrize("path", SOURCES, ids=names(SOURCES))
def test_texts_are_written_with_the_same_bytes_on_every_system(path):
    """Encoding and line ends are said, since systems differ in both."""
    calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    writes = [call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr == "write_text"]
    unsaid = [call.lineno for call in writes if not {"encoding", "newline"} <= {word.arg for word in call.keywords}]

    assert not unsaid or path.name == "memory.py"  # that one talks to the system
