"""What is loaded, and what is not, before it is needed: starting costs what the task costs."""

import subprocess
import sys

import pytest

HEAVY = ("numpy", "polars", "numba", "scipy", "msgspec", "rich.console", "rich.markdown", "typer", "jinja2", "kneed", "nicegui")


def loaded(statement, *names):
    """Which of the modules are loaded after a statement, in a process of its own."""
    code = f"import sys\n{statement}\nprint('loaded', *[name for name in {names!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1].split()[1:]


def test_the_package_loads_nothing():
    assert loaded("import anonset; anonset.InputError", *HEAVY, "logging") == []


def test_the_version_needs_no_parser():
    assert loaded("from anonset.cli import main; main(['--version'])", *HEAVY) == []


@pytest.mark.parametrize("line", ["['--help']", "['frobnicate']", "['anonymize']"])
def test_help_and_mistakes_need_no_data(line):
    needed = ("msgspec", "typer")
    assert (
        set(loaded(f"from anonset.cli import main; main({line})", *HEAVY)) - {*needed, "rich.console", "rich.markdown"} == set()
    )


def test_the_list_of_commands_needs_no_boxes():
    assert loaded("from anonset.cli import main; main(['--help'])", "rich.console", "rich.markdown") == []


def test_a_command_loads_no_other_command():
    others = [f"anonset.cli.{name}" for name in ("profile", "attack", "compare", "hierarchy")]
    assert loaded("from anonset.cli import main; main(['completion', 'bash'])", *others) == []


def test_an_algorithm_is_loaded_when_it_is_asked_for():
    modules = [f"anonset.algorithms.{name}" for name in ("transactions.aa", "rt.search", "constraints.pcta", "relational.peel")]
    statement = (
        "import anonset.tasks.anonymize; from anonset.algorithms import ALGORITHMS; 'peel' in ALGORITHMS; ALGORITHMS['aa']"
    )
    assert loaded(statement, *modules) == ["anonset.algorithms.transactions.aa"]


def test_a_release_without_pages_needs_nothing_that_draws_them():
    assert loaded("import anonset.tasks.anonymize", "jinja2", "kneed", "nicegui") == []


def test_a_command_line_is_read_without_what_checks_types():
    line = "['anonymize', 'nowhere.csv', '-o', 'out', '-k', '5', '--set', 'a=1', '--schema', 'here.toml']"
    assert loaded(f"from anonset.cli import main; main({line})", "pydantic") == []


def test_a_run_loads_nothing_that_libraries_only_look_for(tmp_path):
    data = tmp_path / "sets.dat"
    data.write_text("1 2\n1 2\n1 2\n2 3\n2 3\n")
    words = ["anonset", "anonymize", str(data), "-o", str(tmp_path / "out"), "-a", "aa", "-k", "2", "-m", "2"]
    words += ["--hierarchy", "balanced:2", "--no-report", "--accept-loss"]
    statement = f"sys.argv = {words!r}; from anonset.cli import main; assert main() == 0"
    looked_for = ("coverage", "yaml", "charset_normalizer", "scipy.linalg", "numba")
    assert loaded(statement, *looked_for) == ["numba"]
    assert (tmp_path / "out" / "published" / "records.csv").exists()
