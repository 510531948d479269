"""Documentation is tested: every algorithm, guarantee, measure and parameter has its page, and the examples of pages run."""

import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

from anonset.algorithms import ALGORITHMS
from anonset.measure import MEASURES
from anonset.measure import measure as measure_release
from anonset.model.guarantees import GUARANTEES
from anonset.model.parameters import parameters
from anonset.plugins import ALGORITHM_GROUP, COMMAND_GROUP, FORMAT_GROUP, GUARANTEE_GROUP, MEASURE_GROUP, plugins
from anonset.testing import fitting, tiny_datasets
from anonset.verify import verify

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
GROUPS = {ALGORITHM_GROUP, GUARANTEE_GROUP, MEASURE_GROUP, FORMAT_GROUP, COMMAND_GROUP}


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_has_a_page_that_names_its_parameters(name):
    page = (DOCS / "algorithms" / f"{name}.md").read_text(encoding="utf-8")

    missing = [p.name for p in parameters(ALGORITHMS[name]) if f"`{p.name}`" not in page]

    assert missing == []


@pytest.mark.parametrize("id", GUARANTEES)
def test_every_guarantee_has_a_page(id):
    assert (DOCS / "guarantees" / f"{id}.md").read_text(encoding="utf-8").startswith(f"# {id}")


@pytest.mark.parametrize("id", MEASURES)
def test_every_measure_has_a_page(id):
    assert (DOCS / "measures" / f"{id}.md").read_text(encoding="utf-8").startswith(f"# {id}")


SECTIONS = {
    "algorithms": ("When to use it", "Parameters", "Cost"),
    "guarantees": ("Definition", "What it covers", "Source", "Worked example", "How it is checked", "Limits", "Cost"),
    "measures": ("Definition", "Reading it", "Worked example", "Source", "Cost"),
}
NO_ENTRIES = {"refine.md", "truthful.md"}  # an option of several algorithms, and a check of every release


@pytest.mark.parametrize("folder", SECTIONS)
def test_pages_of_one_kind_have_the_same_sections(folder):
    missing = [
        f"{page.name}: {title}"
        for page in (DOCS / folder).glob("*.md")
        for title in SECTIONS[folder]
        if page.name not in NO_ENTRIES and f"\n## {title}" not in page.read_text(encoding="utf-8")
    ]

    assert missing == []


def test_papers_are_cited_by_authors_with_the_reference_at_the_end():
    bare = [
        f"{page.relative_to(DOCS)}: {number}"
        for page in DOCS.rglob("*.md")
        for number in re.findall(r"\[00\d\](?!\()", page.read_text(encoding="utf-8").split("\n## References\n")[0])
        if page.name not in ("cli.md", "papers.md")
    ]

    assert bare == []


def test_links_between_pages_lead_somewhere():
    broken = [
        f"{page.relative_to(DOCS)} -> {link}"
        for page in DOCS.rglob("*.md")
        for link in re.findall(r"\]\(([^)#:]+\.md)[^)]*\)", page.read_text(encoding="utf-8"))
        if not (page.parent / link).exists()
    ]

    assert broken == []


def test_the_example_in_the_readme_runs(tmp_path, monkeypatch, capsys):
    code = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    monkeypatch.chdir(tmp_path)

    exec(compile(code.group(1), "README.md", "exec"), {})

    assert "holds" in capsys.readouterr().out


def test_the_plug_in_of_the_page_passes_the_common_checks(tmp_path, monkeypatch):
    page = (DOCS / "plugins.md").read_text(encoding="utf-8")
    module, guarantee, measure, checks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    points = re.search(r"\[project.entry-points.*\n(.*)\n", page)[1].replace('"', "")
    write_distribution(tmp_path, module, points)
    monkeypatch.syspath_prepend(tmp_path)
    plugins.cache_clear()

    try:
        exec(compile(checks, "plugins.md", "exec"), {})
        made = {}
        exec(compile(guarantee + measure, "plugins.md", "exec"), made)
        data = fitting(tiny_datasets()["ordinary"], frozenset({"items"}))
        release = ALGORITHMS["suppress"](k=2).anonymize(data)

        assert verify(data, release, [made["KItems"](2)]).holds
        assert measure_release(data, release, [made["records"]]) == {"records": 1.0}
        assert ALGORITHMS["suppress"](k=2).guarantee == "km-anonymity"
    finally:
        plugins.cache_clear()
        for name in ("my_package", "my_package.suppress"):
            sys.modules.pop(name, None)


def write_distribution(folder, module, points):
    """An installed distribution with one module and its entry point."""
    (folder / "my_package").mkdir()
    (folder / "my_package" / "__init__.py").touch()
    (folder / "my_package" / "suppress.py").write_text(module, encoding="utf-8")
    (folder / "my_package-1.0.dist-info").mkdir()
    (folder / "my_package-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 1.0\n")
    (folder / "my_package-1.0.dist-info" / "entry_points.txt").write_text(f"[{ALGORITHM_GROUP}]\n{points}\n")


def test_modules_and_names_in_the_pages_exist():
    missing = {
        f"{page.relative_to(ROOT)}: {name}"
        for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS.rglob("*.md")]
        for name in set(re.findall(r"\banonset(?:\.[A-Za-z_]\w*)+", page.read_text(encoding="utf-8")))
        if not name.endswith((".toml", ".work")) and name not in GROUPS and not resolves(name)
    }

    assert sorted(missing) == []


def resolves(name):
    """Whether a dotted name is a module, or a name in one."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            value = import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        return all((value := getattr(value, part, None)) is not None for part in parts[length:])
    return False
