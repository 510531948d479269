"""The example of a plug-in: installed as anybody would, used in every interface, and three bugs that the checks find in it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "plugin"
USE = """
import anonset
data = anonset.read("baskets.dat")
release = anonset.anonymize(data, "frequent-items", k=3)
print(release.verify().holds, release.measure("exact-records"), release.guarantees[0].words())
"""
BUGS = {
    "an algorithm that keeps rare items": (
        "frequent_items.py",
        "sets.supports < self.k",
        "sets.supports < self.k - 1",
        "guarantee_holds",
    ),
    "a check that always holds": (
        "k_items.py",
        "tally.add(counts, 1,",
        "tally.add(counts + guarantee.k, 1,",
        "a_planted_breach_is_found",
    ),
    "a measure that takes the order of records for that of the data": (
        "exact_records.py",
        "sets.lengths[release.rows]",
        "sets.lengths[: len(release)]",
        "record_order_does_not_matter",
    ),
    "a writer that loses an item": (
        "psv.py",
        "joined(sets.offsets, sets.codes",
        "joined(sets.offsets, 0 * sets.codes",
        "what_is_written_is_read_back",
    ),
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder with the example installed, as pip does it."""
    folder, copy = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("source")
    for file in sorted(EXAMPLE.rglob("*")):
        if file.is_file() and file.suffix in (".py", ".toml", ".md", ".typed"):
            (copy / file.relative_to(EXAMPLE)).parent.mkdir(parents=True, exist_ok=True)
            (copy / file.relative_to(EXAMPLE)).write_bytes(file.read_bytes())
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*pip, "--target", str(folder), str(copy)], check=True, capture_output=True)
    return folder


def run(site, *command, cwd, expected=0):
    environment = os.environ | {"PYTHONPATH": str(site)}
    done = subprocess.run([sys.executable, *command], cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == expected, done.stdout + done.stderr
    return done.stdout


def suite_of(site, tests, *more, expected=0):
    cwd = tests.parent
    return run(
        site, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, str(tests), *more, cwd=cwd, expected=expected
    )


def test_it_passes_the_checks_for_plugins(site):
    assert " passed" in suite_of(site, EXAMPLE / "tests")


@pytest.mark.parametrize("bug", BUGS)
def test_the_checks_find_planted_bugs(bug, site, tmp_path):
    file, right, wrong, check = BUGS[bug]
    text = (site / "anonset_example" / file).read_text()
    assert text.count(right) == 1
    for name in site.iterdir():
        if name.name != "anonset_example":
            (tmp_path / name.name).symlink_to(name)
    (tmp_path / "anonset_example").mkdir()
    for source in (site / "anonset_example").glob("*.py"):
        (tmp_path / "anonset_example" / source.name).write_text(
            text.replace(right, wrong) if source.name == file else source.read_text()
        )

    said = suite_of(tmp_path, EXAMPLE / "tests", "-k", check, expected=1)

    assert check in said


def test_it_is_used_like_what_is_built_in(site, tmp_path):
    (tmp_path / "baskets.dat").write_text("1 2 3\n1 2\n1 3\n2 3\n1 2 3 4\n5\n")
    flags = ["-a", "frequent-items", "-k", "3", "--format", "psv", "-o", "out", "--no-report"]

    listed = run(site, "-m", "anonset", "algorithms", cwd=tmp_path)
    run(site, "-m", "anonset", "anonymize", "baskets.dat", *flags, cwd=tmp_path)
    verdict = json.loads(run(site, "-m", "anonset", "verify", "out", "--original", "baskets.dat", "--json", cwd=tmp_path))
    measured = json.loads(run(site, "-m", "anonset", "measure", "out", "--original", "baskets.dat", "--json", cwd=tmp_path))
    python = run(site, "-c", USE, cwd=tmp_path)

    manifest = json.loads((tmp_path / "out" / "private" / "manifest.json").read_text())
    assert "frequent-items" in listed
    assert (tmp_path / "out" / "published" / "records.psv").read_text().splitlines()[0] == "items"
    assert verdict["holds"]
    assert measured["exact-records"] == pytest.approx(4 / 6)
    assert manifest["plugin"] == "anonset-example 1.0"
    assert "True {'exact-records': 0.66" in python
    assert "finds at least 3 records" in python


def test_its_release_cannot_be_read_without_it(site, tmp_path):
    (tmp_path / "baskets.dat").write_text("1 2\n1 2\n1 2\n")
    run(
        site,
        "-m",
        "anonset",
        "anonymize",
        "baskets.dat",
        "-a",
        "frequent-items",
        "-k",
        "3",
        "--format",
        "psv",
        "-o",
        "out",
        cwd=tmp_path,
    )

    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-m", "anonset", "verify", "out", "--original", "baskets.dat"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    assert done.returncode == 3
    assert "format" in done.stdout + done.stderr
