"""What is installed: every file of the package, a program, and the same version everywhere."""

import re
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import anonset

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
UNTRIED = {"psycopg"}  # no test runs with it
EXTRAS = PROJECT["project"]["optional-dependencies"]


def test_every_file_of_the_package_is_in_the_wheel():
    package = ROOT / "src" / "anonset"
    wanted = PROJECT["tool"]["setuptools"]["package-data"]["anonset"]
    files = [path.relative_to(package) for path in package.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    others = [file.as_posix() for file in files if file.suffix != ".py"]

    assert [file for file in others if not any(fnmatch(file, pattern) for pattern in wanted)] == []
    assert [d.name for d in package.rglob("*") if d.is_dir() and any(d.glob("*.py")) and not (d / "__init__.py").exists()] == []


def test_the_version_is_one():
    assert PROJECT["project"]["version"] == anonset.__version__
    assert PROJECT["project"]["scripts"]["anonset"] == "anonset.cli:main"
    assert f"version: {anonset.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_the_licence_is_the_same_everywhere():
    papers = tomllib.loads((ROOT / "reproduction" / "pyproject.toml").read_text(encoding="utf-8"))
    example = tomllib.loads((ROOT / "examples" / "plugin" / "pyproject.toml").read_text(encoding="utf-8"))

    assert {project["project"]["license"] for project in (PROJECT, papers, example)} == {"Apache-2.0"}
    assert "SPDX-License-Identifier: Apache-2.0" in (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "license: Apache-2.0\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_every_dependency_is_pinned_and_every_extra_described():
    pinned = {line.split("==")[0].lower().replace("_", "-") for line in (ROOT / "constraints.txt").read_text().splitlines()}
    asked = [*PROJECT["project"]["dependencies"], *(text for texts in EXTRAS.values() for text in texts)]
    names = {re.match(r"[\w.-]+", text)[0].lower().replace("_", "-") for text in asked} - {"anonset", "anonset-papers"}
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")

    assert names - pinned <= UNTRIED
    assert [extra for extra in EXTRAS if extra != "dev" and f"| `{extra}` |" not in page] == []


def test_the_image_runs_the_program_as_an_ordinary_user():
    steps = [line.split(" ", 1) for line in (ROOT / "Containerfile").read_text().splitlines() if re.match("[A-Z]+ ", line)]
    words = [word for word, _ in steps]

    assert words.index("USER") < words.index("ENTRYPOINT")
    assert ["RUN", "anonset warm"] in steps[words.index("USER") :]
    assert all((ROOT / source).exists() for word, rest in steps if word == "COPY" for source in rest.split()[:-1])
