"""What the code base promises about its own shape: each test lists its offenders."""

import ast
import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "anonset"
TEXTS = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for source in (PACKAGE, ROOT / "reproduction" / "src")
    for path in sorted(source.rglob("*.py"))
}
TREES = {name: ast.parse(text) for name, text in TEXTS.items()}

# Public class names with several meanings, as they were when the rule came. The list only gets shorter.
NAMES_USED_TWICE = {"Release"}
SOME_SYSTEMS_ONLY = {"fcntl", "grp", "msvcrt", "pwd", "resource", "termios", "winreg"}


def is_kernel(name):
    return Path(name).parent.name in ("kernels", "_kernels")


def calls(name):
    return [node for node in ast.walk(TREES[name]) if isinstance(node, ast.Call)]


def test_a_public_class_name_is_used_once():
    homes = defaultdict(list)
    for name, tree in TREES.items():
        for node in tree.body if name.startswith("src/") else ():
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(name)
    twice = {name: files for name, files in homes.items() if len(files) > 1}

    assert {name: files for name, files in twice.items() if name not in NAMES_USED_TWICE} == {}, "give one of them another name"
    assert NAMES_USED_TWICE - set(twice) == set(), "used once now: take them off the list"


def test_only_the_command_line_prints():
    prints = [
        f"{name}:{call.lineno}"
        for name in TREES
        if "/cli/" not in name and not name.endswith("/command.py")
        for call in calls(name)
        if getattr(call.func, "id", "") == "print"
    ]

    assert prints == []


def test_what_only_some_systems_have_is_imported_where_it_is_used():
    imports = []
    for name, tree in TREES.items():
        for node in tree.body:
            if isinstance(node, ast.Import):
                imports += [f"{name}: {alias.name}" for alias in node.names if alias.name in SOME_SYSTEMS_ONLY]
            elif isinstance(node, ast.ImportFrom) and node.module in SOME_SYSTEMS_ONLY:
                imports.append(f"{name}: {node.module}")

    assert imports == []


def test_texts_are_written_with_the_same_bytes_on_every_system():
    """Encoding and line ends are given, since systems differ in both."""
    unsaid = [
        f"{name}:{call.lineno}"
        for name in TREES
        if not name.endswith(("/memory.py", "/jobs.py"))  # that one writes to a file of the system
        for call in calls(name)
        if isinstance(call.func, ast.Attribute) and call.func.attr == "write_text"
        if not {"encoding", "newline"} <= {word.arg for word in call.keywords}
    ]

    assert unsaid == []


def test_nothing_is_left_unfinished():
    marks = [f"{name}: {mark}" for name, text in TEXTS.items() for mark in re.findall(r"\b(?:TODO|FIXME|XXX)\b", text)]

    assert marks == []


def test_a_kernel_sorts_and_searches_in_one_way_only():
    """Numba tells its sort and its argsort, and both sides of searchsorted, apart by a number that each process counts anew.

    Loaded from the cache, what one process compiled as an argsort may be linked to what another one compiled as a sort.
    """
    mixed = [
        f"{name}: {word}" for name, text in TEXTS.items() if is_kernel(name) for word in ("argsort", "side=") if word in text
    ]

    assert mixed == []
