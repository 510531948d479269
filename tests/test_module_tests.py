"""Every module with behaviour has tests that are found without searching: in the mirrored tree, or where a list says."""

import ast
import tomllib
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PACKAGES = {
    TESTS.parent / "src" / "anonset": TESTS,
    TESTS.parent / "reproduction" / "src" / "anonset_papers": TESTS / "reproduction",
}
ELSEWHERE = tomllib.loads((TESTS / "covered_elsewhere.toml").read_text(encoding="utf-8"))


def modules():
    """Each module by name: its file, and the folder of tests that mirrors its package."""
    found = {}
    for package, tests in PACKAGES.items():
        for path in sorted(package.rglob("*.py")):
            parts = path.relative_to(package.parent).with_suffix("").parts
            name = ".".join(parts).removesuffix(".__init__")
            found[name] = path, tests.joinpath(*path.relative_to(package).parent.parts)
    return found


MODULES = modules()


def has_behaviour(path):
    """Whether there is a function, or a class with a method."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, functions):
            return True
        if isinstance(node, ast.ClassDef) and any(isinstance(part, functions) for part in node.body):
            return True
    return False


def own_tests(name):
    """Where the tests of a module are looked for: those of a package beside its folder or in it."""
    path, folder = MODULES[name]
    if path.parent.name == "kernels":
        return [TESTS / "kernels" / f"test_{path.stem}.py"]
    if path.stem == "__init__":
        return [folder / f"test_{folder.name}.py", folder.parent / f"test_{folder.name}.py"]
    return [folder / f"test_{path.stem}.py"]


def imported(path):
    """The names of all modules that a file imports, or imports something from."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


@pytest.mark.parametrize("name", [name for name, (path, _) in MODULES.items() if has_behaviour(path)])
def test_a_module_with_behaviour_has_tests(name):
    assert any(path.exists() for path in own_tests(name)) or name in ELSEWHERE, f"write {own_tests(name)[0]}"


@pytest.mark.parametrize("name", ELSEWHERE)
def test_what_is_said_to_be_tested_elsewhere_is(name):
    assert name in MODULES, "the module is gone"
    assert has_behaviour(MODULES[name][0]), "there is nothing to test"
    assert not any(path.exists() for path in own_tests(name)), "the module has tests of its own"
    package = ".".join(name.split(".")[:-1][:2]) or name
    used = imported(TESTS.parent / ELSEWHERE[name])
    by_the_front_door = ("anonset" in used and name.startswith("anonset.")) or ELSEWHERE[name].startswith("tests/browser/")
    assert by_the_front_door or any(f"{module}.".startswith(f"{package}.") for module in used), f"nothing of {package} is used"
